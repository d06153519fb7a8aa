package restapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// scanner walks one JSON text from left to right without building a tree,
// which is what lets a million subtasks be read in a second: the decoders know
// which members they want and skip the rest at the speed of a byte search. The
// module bench/json compares it with libraries and says why it was chosen.
//
// It is a reader of Flink's answers and not a validator: what a decoder wants
// is checked, what it skips is only balanced. It never panics and never
// recurses, so that no nesting can exhaust the stack. A value of another type
// than the one asked for is skipped and absent. The bare words NaN, Infinity
// and -Infinity, which are no JSON but which Java serializers may write, are
// absent numbers.
//
// The first error sticks and moves the position to the end, so that every loop
// over members ends by itself; done returns it.
type scanner struct {
	buf []byte
	pos int
	err error
}

// peek returns the next byte that is not white space without consuming it,
// and 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.buf) {
		if c := s.buf[s.pos]; c > ' ' {
			return c
		}
		s.pos++
	}
	return 0
}

// fail records the first error and ends the scan.
func (s *scanner) fail(want string) {
	if s.err == nil {
		if s.pos >= len(s.buf) {
			s.err = fmt.Errorf("JSON ends at byte %d where %s should be", len(s.buf), want)
		} else {
			s.err = fmt.Errorf("no %s at byte %d of %d", want, s.pos, len(s.buf))
		}
	}
	s.pos = len(s.buf)
}

// done returns the first error, or one if anything but white space is left.
// what names the answer in its text.
func (s *scanner) done(what string) error {
	if s.err == nil && s.peek() != 0 {
		s.fail("end of JSON")
	}
	if s.err != nil {
		return fmt.Errorf("%s: %w", what, s.err)
	}
	return nil
}

// top steps into the object or array that a whole answer must be, and reports
// whether it has a member or element. Anything else is an error.
func (s *scanner) top(opening byte) bool {
	if s.peek() != opening {
		s.fail("opening " + string(rune(opening)))
		return false
	}
	return s.enter(opening, opening+2) // '[' and ']', '{' and '}' are two apart in ASCII
}

// object steps into an object and reports whether it has a member. Anything
// but an object is skipped and has none.
func (s *scanner) object() bool { return s.enter('{', '}') }

// array steps into an array and reports whether it has an element. Anything
// but an array is skipped and has none.
func (s *scanner) array() bool { return s.enter('[', ']') }

func (s *scanner) enter(opening, closing byte) bool {
	if s.peek() != opening {
		s.skip()
		return false
	}
	s.pos++
	if s.peek() == closing {
		s.pos++
		return false
	}
	return s.err == nil
}

// more moves past a comma to the next member or element, or past the closing
// bracket and reports false.
func (s *scanner) more(closing byte) bool {
	switch s.peek() {
	case ',':
		s.pos++
		return true
	case closing:
		s.pos++
		return false
	}
	s.fail("comma or closing bracket")
	return false
}

// name reads a member's name and its colon. The bytes belong to the buffer.
func (s *scanner) name() []byte {
	if s.peek() != '"' {
		s.fail("member name")
		return nil
	}
	k := s.quoted()
	if s.peek() != ':' {
		s.fail("colon")
		return nil
	}
	s.pos++
	return k
}

// quoted reads the string whose quotation mark is next and returns what stands
// between the marks, escapes as they are.
func (s *scanner) quoted() []byte {
	start := s.pos + 1
	for i := start; ; {
		n := bytes.IndexByte(s.buf[i:], '"')
		if n < 0 {
			s.pos = len(s.buf)
			s.fail("end of string")
			return nil
		}
		i += n
		if s.buf[i-1] != '\\' || !s.escaped(i, start) {
			s.pos = i + 1
			return s.buf[start:i]
		}
		i++
	}
}

// escaped reports whether the byte at i follows an odd number of backslashes.
func (s *scanner) escaped(i, start int) bool {
	n := 0
	for i-n-1 >= start && s.buf[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// bytes reads a string without copying it, nil for any other value. Escapes
// stay as they are, so it serves only for comparisons and for interning.
func (s *scanner) bytes() []byte {
	if s.peek() == '"' {
		return s.quoted()
	}
	s.skip()
	return nil
}

// text reads a string, "" for any other value.
func (s *scanner) text() string { return s.unquote(s.bytes()) }

// unquote returns the string that is written as raw between quotation marks.
func (s *scanner) unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw)
	}
	// Escapes and broken UTF-8 are rare, and the standard library knows them.
	var t string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, raw, []byte{'"'}), &t); err != nil {
		s.fail("valid string")
	}
	return t
}

// flag reads a boolean; any other value is false.
func (s *scanner) flag() bool {
	c := s.peek()
	s.skip()
	return c == 't'
}

// num reads a number in any of the ways Flink writes one; see parseNumber.
func (s *scanner) num() analysis.Num {
	c := s.peek()
	if c == '"' {
		return parseNumber(s.quoted())
	}
	// Nearly all of Flink's numbers are short and whole: those are read in one pass.
	var n int64
	i := s.pos
	for i < len(s.buf) && s.buf[i]-'0' <= 9 {
		n = n*10 + int64(s.buf[i]-'0')
		i++
	}
	if digits := i - s.pos; digits > 0 && digits <= maxExact && i < len(s.buf) && delimits(s.buf[i]) {
		s.pos = i
		return analysis.OfInt(n)
	}
	if c != '-' && (c < '0' || c > '9') {
		s.skip()
		return analysis.Num{}
	}
	return parseNumber(s.literal())
}

// delimits reports whether c ends a literal.
func delimits(c byte) bool { return c == ',' || c == '}' || c == ']' || c <= ' ' }

// literal reads up to the next delimiter: a number, true, false, null, or one
// of the bare words that stand for no number.
func (s *scanner) literal() []byte {
	start := s.pos
	for i := start; i < len(s.buf); i++ {
		if delimits(s.buf[i]) {
			s.pos = i
			return s.buf[start:i]
		}
	}
	s.pos = len(s.buf)
	return s.buf[start:]
}

// skip passes over one value of any type.
func (s *scanner) skip() {
	switch c := s.peek(); c {
	case '"':
		s.quoted()
	case '{', '[':
		s.skipNested()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 't', 'f', 'n', 'N', 'I':
		s.literal()
	default:
		s.fail("value")
	}
}

// skipNested passes over an object or array by counting brackets.
func (s *scanner) skipNested() {
	depth := 0
	for s.pos < len(s.buf) {
		switch s.buf[s.pos] {
		case '"':
			s.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				s.pos++
				return
			}
		}
		s.pos++
	}
	s.fail("closing bracket")
}
