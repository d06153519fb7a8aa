package keyhash

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

const (
	// headerBits precede the bits of nulls: the RowKind, 0 (INSERT) in a key
	// (BinaryRowData.HEADER_SIZE_IN_BITS).
	headerBits = 8
	// maxInline is up to how many bytes of a text or of binary data are held in
	// the field itself (BinarySection.MAX_FIX_PART_DATA_SIZE).
	maxInline = 7
	// inlineMark marks such a field, in its last byte, beside the length.
	inlineMark = 0x80
	// maxCompact is up to how many digits a decimal is held as a long
	// (DecimalData.isCompact).
	maxCompact = 18
	// decimalRoom is what a longer one takes.
	decimalRoom = 16
	// maxMillis is up to what precision a timestamp is held as milliseconds alone
	// (TimestampData.isCompact).
	maxMillis = 3
)

// row is a BinaryRowData under construction: the bits of nulls in words of eight
// bytes, eight bytes a field, then what does not fit into those, each padded with
// zeros to eight. All is little-endian, as on every machine that Flink runs on.
type row struct{ b []byte }

// hash is BinaryRowData.hashCode of the fields' row.
func (r *row) hash(columns []node, fields []Field) (int32, error) {
	nulls := (len(columns) + 63 + headerBits) / 64 * 8
	fixed := nulls + 8*len(columns)
	if cap(r.b) < fixed {
		r.b = make([]byte, fixed, 2*fixed+64)
	}
	r.b = r.b[:fixed]
	clear(r.b)
	for i := range columns {
		at := nulls + 8*i
		if fields[i].Null {
			bit := headerBits + i
			r.b[bit/8] |= 1 << (bit % 8)
			r.null(&columns[i], at)
			continue
		}
		if err := r.write(&columns[i], fields[i].Text, at); err != nil {
			if len(columns) > 1 {
				err = fmt.Errorf("field %d: %w", i+1, err)
			}
			return 0, err
		}
	}
	return murmur(r.b), nil
}

// null keeps the room of types that are set in place after the row is made, as
// BinaryRowWriter.writeDecimal and writeTimestamp do with a null.
func (r *row) null(n *node, at int) {
	switch {
	case n.kind == kindDecimal && n.precision > maxCompact:
		r.room(at, decimalRoom, 0)
	case (n.kind == kindTimestamp || n.kind == kindTimestampLTZ) && n.precision > maxMillis:
		r.room(at, 8, 0)
	}
}

// room adds n zeroed bytes after the row, n being a multiple of 8, points the
// field at them, with low in the field's lower half, and returns them.
func (r *row) room(at, n int, low uint32) []byte {
	from := len(r.b)
	for range n / 8 {
		r.b = append(r.b, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	binary.LittleEndian.PutUint64(r.b[at:], uint64(from)<<32|uint64(low))
	return r.b[from:]
}

func (r *row) write(n *node, s string, at int) error {
	field := r.b[at : at+8]
	switch n.kind {
	case kindString:
		if !utf8.ValidString(s) {
			return errNotUTF8
		}
		variable(r, at, s)
	case kindBytes:
		b, err := bytesOf(s)
		if err != nil {
			return err
		}
		variable(r, at, b)
	case kindDecimal:
		return r.decimal(n, s, at)
	case kindTimestamp, kindTimestampLTZ:
		return r.timestamp(n, s, at)
	default:
		return writeFixed(field, n, s)
	}
	return nil
}

// writeFixed writes what always fits into the field. Shorter values leave the
// rest of its eight bytes zero.
func writeFixed(field []byte, n *node, s string) error {
	switch n.kind {
	case kindLong:
		v, err := integer(n.kind, s)
		binary.LittleEndian.PutUint64(field, uint64(v))
		return err
	case kindInt:
		v, err := integer(n.kind, s)
		binary.LittleEndian.PutUint32(field, uint32(v))
		return err
	case kindShort:
		v, err := integer(n.kind, s)
		binary.LittleEndian.PutUint16(field, uint16(v))
		return err
	case kindByte:
		v, err := integer(n.kind, s)
		field[0] = byte(v)
		return err
	case kindBoolean:
		v, err := boolean(s)
		if v {
			field[0] = 1
		}
		return err
	case kindDouble:
		v, err := float(s, 64)
		binary.LittleEndian.PutUint64(field, math.Float64bits(v))
		return err
	case kindFloat:
		v, err := float(s, 32)
		binary.LittleEndian.PutUint32(field, math.Float32bits(float32(v)))
		return err
	case kindDate:
		days, rest, err := dateAt(strings.TrimSpace(s))
		if err != nil || rest != "" {
			return bad(s, "a date such as 2024-02-29")
		}
		binary.LittleEndian.PutUint32(field, uint32(days))
		return nil
	default: // A time: milliseconds of the day, whatever its precision.
		nanos, rest, err := clockAt(strings.TrimSpace(s))
		if err != nil || rest != "" || nanos%max(unitOf(n.precision), 1e6) != 0 {
			return bad(s, fmt.Sprintf("a time such as 23:59:59, with at most %d digits of its second's fraction", min(n.precision, maxMillis)))
		}
		binary.LittleEndian.PutUint32(field, uint32(nanos/1e6))
		return nil
	}
}

// variable writes a text or binary data, into the field if it is short.
func variable[T string | []byte](r *row, at int, s T) {
	if len(s) <= maxInline {
		copy(r.b[at:], s)
		r.b[at+maxInline] = inlineMark | byte(len(s))
		return
	}
	copy(r.room(at, (len(s)+7)/8*8, uint32(len(s))), s)
}

// decimal writes the unscaled value.
func (r *row) decimal(n *node, s string, at int) error {
	v, err := decimal(n, s)
	if err != nil {
		return err
	}
	if n.precision <= maxCompact {
		binary.LittleEndian.PutUint64(r.b[at:], uint64(v.Int64()))
		return nil
	}
	b := twosComplement(v)
	copy(r.room(at, decimalRoom, uint32(len(b))), b)
	return nil
}

// timestamp writes milliseconds and, from a precision of 4 on, the nanoseconds
// within the millisecond. One with a time zone is an instant, which it needs.
func (r *row) timestamp(n *node, s string, at int) error {
	millis, nanos, err := timestamp(n, strings.TrimSpace(s))
	if err != nil {
		example := "2024-02-29 23:59:59"
		if n.kind == kindTimestampLTZ {
			example = "2024-02-29 23:59:59Z or …+01:00"
		}
		return bad(s, fmt.Sprintf("a timestamp such as %s, with at most %d digits of its second's fraction", example, n.precision))
	}
	if n.precision <= maxMillis {
		binary.LittleEndian.PutUint64(r.b[at:], uint64(millis))
		return nil
	}
	binary.LittleEndian.PutUint64(r.room(at, 8, uint32(nanos)), uint64(millis))
	return nil
}

func timestamp(n *node, s string) (millis, nanos int64, err error) {
	days, rest, err := dateAt(s)
	if err != nil || rest == "" || rest[0] != ' ' && rest[0] != 'T' {
		return 0, 0, errTime
	}
	clock, rest, err := clockAt(rest[1:])
	if err != nil || clock%unitOf(n.precision) != 0 {
		return 0, 0, errTime
	}
	if n.kind == kindTimestampLTZ {
		zone, err := zoneAt(rest)
		if err != nil {
			return 0, 0, err
		}
		clock -= zone // Whole minutes, so that the millisecond's rest stays positive below.
		rest = ""
	}
	if rest != "" {
		return 0, 0, errTime
	}
	nanos = (clock%1e6 + 1e6) % 1e6
	return days*86_400_000 + (clock-nanos)/1e6, nanos, nil
}

// murmur is MurmurHashUtil.hashBytesByWords: MurmurHash3's 32-bit variant with
// Flink's seed, over bytes that are whole words of four.
func murmur(b []byte) int32 {
	const seed = 42
	h := uint32(seed)
	for i := 0; i+4 <= len(b); i += 4 {
		k := binary.LittleEndian.Uint32(b[i:]) * 0xcc9e2d51
		k = bits.RotateLeft32(k, 15) * 0x1b873593
		h = bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
	}
	h ^= uint32(len(b))
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return int32(h ^ h>>16)
}
