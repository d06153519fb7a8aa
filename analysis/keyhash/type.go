package keyhash

import (
	"fmt"
	"strconv"
	"strings"
)

// kind is what a field's text is read as.
type kind uint8

const (
	kindString kind = iota
	kindLong
	kindInt
	kindShort
	kindByte
	kindBoolean
	kindDouble
	kindFloat
	kindChar
	kindUUID
	kindTuple
	kindBytes
	kindDecimal
	kindDate
	kindTime
	kindTimestamp
	kindTimestampLTZ
)

// node is a type: a single one, or a tuple or row of others.
type node struct {
	kind     kind
	children []node
	// precision and scale are those of SQL's types that have them.
	precision, scale int
}

// Type is the type of a key. Its zero value is of no use; Parse makes it.
type Type struct {
	name string
	root node
	sql  bool
	// leaves is how many fields of text a key has.
	leaves int
}

// maxTuple is the most fields that Flink's Tuple classes have.
const maxTuple = 25

// maxColumns bounds the columns of a SQL key, far above what anybody groups by.
const maxColumns = 1000

// Parse reads the name of a type: string, long, int, short, byte, boolean,
// double, float, char or uuid for a DataStream's keys of that Java class;
// tuple(string,long) for Tuple2 and the like, which nest; sql(bigint,string)
// for the key of a SQL operator, with SQL's names of types and their precisions.
// Case and spaces do not matter. The error says what to write instead.
func Parse(name string) (Type, error) {
	clean := strings.ToLower(strings.Join(strings.Fields(name), " "))
	word, inner, has := call(clean)
	t := Type{name: clean}
	var err error
	if has && word == "sql" {
		t.sql, t.root.kind = true, kindTuple
		for _, part := range split(inner) {
			column, err := parseSQL(part)
			if err != nil {
				return Type{}, err
			}
			t.root.children = append(t.root.children, column)
		}
		if n := len(t.root.children); n > maxColumns {
			return Type{}, fmt.Errorf("a key of %d columns is longer than %d", n, maxColumns)
		}
	} else if t.root, err = parseJava(clean, 0); err != nil {
		return Type{}, err
	}
	t.leaves = t.root.leaves()
	return t, nil
}

// String returns the type's name as it was given, in lower case.
func (t Type) String() string { return t.name }

// Fields returns how many texts make one key: 1, or the fields of a tuple, with
// those of tuples inside it, or the columns of a SQL key.
func (t Type) Fields() int { return t.leaves }

func (n node) leaves() int {
	if n.kind != kindTuple {
		return 1
	}
	sum := 0
	for _, c := range n.children {
		sum += c.leaves()
	}
	return sum
}

// call takes "word(inner)" apart.
func call(s string) (word, inner string, ok bool) {
	open := strings.IndexByte(s, '(')
	if open < 0 || !strings.HasSuffix(s, ")") {
		return s, "", false
	}
	return strings.TrimSpace(s[:open]), s[open+1 : len(s)-1], true
}

// split parts s at the commas outside parentheses.
func split(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

// maxNesting bounds tuples in tuples.
const maxNesting = 10

func parseJava(s string, depth int) (node, error) {
	word, inner, has := call(s)
	if has && strings.HasPrefix(word, "tuple") {
		return parseTuple(word, inner, depth)
	}
	switch strings.TrimPrefix(s, "java.lang.") {
	case "string":
		return node{kind: kindString}, nil
	case "long":
		return node{kind: kindLong}, nil
	case "int", "integer":
		return node{kind: kindInt}, nil
	case "short":
		return node{kind: kindShort}, nil
	case "byte":
		return node{kind: kindByte}, nil
	case "boolean", "bool":
		return node{kind: kindBoolean}, nil
	case "double":
		return node{kind: kindDouble}, nil
	case "float":
		return node{kind: kindFloat}, nil
	case "char", "character":
		return node{kind: kindChar}, nil
	case "uuid", "java.util.uuid":
		return node{kind: kindUUID}, nil
	case "bytes", "binary", "varbinary":
		return node{}, refused("an array")
	case "enum":
		return node{}, refused("an enum")
	}
	if strings.HasSuffix(s, "]") || strings.HasPrefix(s, "array") {
		return node{}, refused("an array")
	}
	if _, err := parseSQL(s); err == nil {
		return node{}, fmt.Errorf("%s is a type of SQL; write sql(%s) for the key of a SQL operator", s, s)
	}
	return node{}, fmt.Errorf("unknown type %q; it is string, long, int, short, byte, boolean, double, float, char, uuid, tuple(…) of these, or sql(…) of SQL's types; "+
		"of any other class give the numbers that its hashCode() returns, with type int", s)
}

// refused explains the types that keyBy takes no keys of.
func refused(what string) error {
	return fmt.Errorf("the hashCode of %s is the identity of the object, another one in every JVM, so that Flink refuses it as a key and no key group can be told; "+
		"key by a string or a number made from it (sql(bytes) is SQL's BYTES, which is hashed by its content)", what)
}

func parseTuple(word, inner string, depth int) (node, error) {
	if depth >= maxNesting {
		return node{}, fmt.Errorf("tuples are nested deeper than %d", maxNesting)
	}
	n := node{kind: kindTuple}
	for _, part := range split(inner) {
		child, err := parseJava(part, depth+1)
		if err != nil {
			return node{}, err
		}
		n.children = append(n.children, child)
	}
	if len(n.children) > maxTuple {
		return node{}, fmt.Errorf("a tuple of %d fields; Flink's have at most %d", len(n.children), maxTuple)
	}
	if digits := strings.TrimPrefix(word, "tuple"); digits != "" && digits != strconv.Itoa(len(n.children)) {
		return node{}, fmt.Errorf("%s has %d fields here; write tuple(…)", word, len(n.children))
	}
	return n, nil
}

// parseSQL reads a column's type.
func parseSQL(s string) (node, error) {
	s = strings.TrimSpace(strings.TrimSuffix(s, " not null"))
	word, inner, has := call(s)
	var params []int
	if has {
		for part := range strings.SplitSeq(inner, ",") {
			p, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || p < 0 {
				return node{}, fmt.Errorf("%q is no SQL type: %q is no length or precision", s, part)
			}
			params = append(params, p)
		}
	}
	n, most, ok := sqlKind(word)
	if !ok {
		return node{}, fmt.Errorf("unknown SQL type %q; it is boolean, tinyint, smallint, int, bigint, float, double, decimal(p,s), char(n), varchar(n), string, binary(n), varbinary(n), bytes, "+
			"date, time(p), timestamp(p) or timestamp_ltz(p)", s)
	}
	if len(params) > most {
		return node{}, fmt.Errorf("SQL type %q has too many numbers in parentheses", s)
	}
	return n.with(s, params)
}

// sqlKind returns a type with its default precision, and how many numbers it
// takes in parentheses.
func sqlKind(word string) (n node, params int, ok bool) {
	switch word {
	case "string":
		return node{kind: kindString}, 0, true
	case "varchar", "char", "character", "character varying":
		return node{kind: kindString}, 1, true
	case "bytes":
		return node{kind: kindBytes}, 0, true
	case "binary", "varbinary":
		return node{kind: kindBytes}, 1, true
	case "boolean":
		return node{kind: kindBoolean}, 0, true
	case "tinyint":
		return node{kind: kindByte}, 0, true
	case "smallint":
		return node{kind: kindShort}, 0, true
	case "int", "integer":
		return node{kind: kindInt}, 0, true
	case "bigint":
		return node{kind: kindLong}, 0, true
	case "float":
		return node{kind: kindFloat}, 0, true
	case "double", "double precision":
		return node{kind: kindDouble}, 0, true
	case "decimal", "dec", "numeric":
		return node{kind: kindDecimal, precision: 10}, 2, true
	case "date":
		return node{kind: kindDate}, 0, true
	case "time":
		return node{kind: kindTime}, 1, true
	case "timestamp":
		return node{kind: kindTimestamp, precision: 6}, 1, true
	case "timestamp_ltz":
		return node{kind: kindTimestampLTZ, precision: 6}, 1, true
	}
	return node{}, 0, false
}

const (
	// maxDecimal is the precision up to which Flink has decimals.
	maxDecimal = 38
	// maxFraction is the precision up to which it has times, nanoseconds.
	maxFraction = 9
)

// with sets precision and scale. Lengths of texts and bytes do not matter: a row
// holds what is there.
func (n node) with(s string, params []int) (node, error) {
	switch n.kind {
	case kindDecimal:
		if len(params) > 0 {
			n.precision = params[0]
		}
		if len(params) > 1 {
			n.scale = params[1]
		}
		if n.precision < 1 || n.precision > maxDecimal || n.scale > n.precision {
			return node{}, fmt.Errorf("SQL type %q: the precision is from 1 to %d and the scale no larger", s, maxDecimal)
		}
	case kindTime, kindTimestamp, kindTimestampLTZ:
		if len(params) > 0 {
			n.precision = params[0]
		}
		if n.precision > maxFraction {
			return node{}, fmt.Errorf("SQL type %q: the precision is from 0 to %d", s, maxFraction)
		}
	}
	return n, nil
}
