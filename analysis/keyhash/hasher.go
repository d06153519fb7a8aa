package keyhash

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// Field is one field of a key, as text.
type Field struct {
	Text string
	// Null stands for SQL's NULL; Text does not matter then.
	Null bool
}

// Hasher computes the hashes of keys of one type. It keeps a buffer, so that it
// serves one goroutine at a time.
type Hasher struct {
	t   Type
	row row
}

// NewHasher returns a Hasher for keys of the type.
func (t Type) NewHasher() *Hasher { return &Hasher{t: t} }

// Hash returns the key's Java hashCode, from which keygroup.Group makes the key
// group. There must be as many fields as Type.Fields says. The error names the
// field that is no value of its type.
func (h *Hasher) Hash(fields []Field) (int32, error) {
	if len(fields) != h.t.leaves {
		return 0, fmt.Errorf("the key has %s, its type %s has %d", count(len(fields)), h.t.name, h.t.leaves)
	}
	if h.t.sql {
		return h.row.hash(h.t.root.children, fields)
	}
	hash, _, err := hashJava(&h.t.root, fields)
	return hash, err
}

func count(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

// hashJava hashes what n takes of the fields and returns the others. A tuple's
// hash is Tuple2.hashCode's and the like: 31 times that of the fields before,
// plus the field's own.
func hashJava(n *node, fields []Field) (int32, []Field, error) {
	if n.kind != kindTuple {
		hash, err := hashScalar(n.kind, fields[0])
		return hash, fields[1:], err
	}
	var sum int32
	for i := range n.children {
		hash, rest, err := hashJava(&n.children[i], fields)
		if err != nil {
			return 0, nil, err
		}
		sum, fields = 31*sum+hash, rest
	}
	return sum, fields, nil
}

// hashScalar is the hashCode of a boxed type, String or UUID.
func hashScalar(k kind, f Field) (int32, error) {
	if f.Null {
		return 0, errors.New("the key is null, which keyBy and Flink's tuples refuse; only SQL's keys have nulls")
	}
	switch k {
	case kindString:
		return hashString(f.Text)
	case kindLong, kindInt, kindShort, kindByte:
		v, err := integer(k, f.Text)
		return fold(uint64(v), k == kindLong), err
	case kindBoolean:
		v, err := boolean(f.Text)
		if v {
			return 1231, err // Boolean.hashCode's two numbers.
		}
		return 1237, err
	case kindDouble:
		v, err := float(f.Text, 64)
		return fold(math.Float64bits(v), true), err
	case kindFloat:
		v, err := float(f.Text, 32)
		return int32(math.Float32bits(float32(v))), err
	case kindChar:
		return char(f.Text)
	default:
		high, low, err := uuid(f.Text)
		return fold(high^low, true), err
	}
}

// fold is Long.hashCode: both halves of 64 bits xored, or the lower alone.
func fold(v uint64, both bool) int32 {
	if both {
		v ^= v >> 32
	}
	return int32(uint32(v))
}

// errNotUTF8 says that a text is of no use: Flink would have read it somehow, but
// as what depends on the job.
var errNotUTF8 = errors.New("the text is not valid UTF-8")

// hashString is String.hashCode: a sum over UTF-16 units, where a character
// outside the basic plane counts as its two surrogates.
func hashString(s string) (int32, error) {
	var h uint32
	for i := 0; i < len(s); i++ {
		if s[i] < utf8.RuneSelf {
			h = 31*h + uint32(s[i])
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return 0, errNotUTF8
		}
		if r >= 0x10000 {
			h = 31*h + 0xd800 + uint32(r-0x10000)>>10
			h = 31*h + 0xdc00 + uint32(r-0x10000)&0x3ff
		} else {
			h = 31*h + uint32(r)
		}
		i += size - 1
	}
	return int32(h), nil
}
