package flinksim

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// enc appends JSON. It puts commas itself: before anything that does not
// follow an opening bracket, a colon or another comma.
type enc struct{ b []byte }

func (e *enc) sep() {
	if n := len(e.b); n > 0 {
		switch e.b[n-1] {
		case '{', '[', ':', ',':
		default:
			e.b = append(e.b, ',')
		}
	}
}

func (e *enc) obj() { e.sep(); e.b = append(e.b, '{') }
func (e *enc) arr() { e.sep(); e.b = append(e.b, '[') }
func (e *enc) end() { e.b = append(e.b, '}') }

func (e *enc) endArr() { e.b = append(e.b, ']') }

// key begins a member; k must need no escaping.
func (e *enc) key(k string) {
	e.sep()
	e.b = append(e.b, '"')
	e.b = append(e.b, k...)
	e.b = append(e.b, '"', ':')
}

func (e *enc) keyObj(k string) { e.key(k); e.obj() }
func (e *enc) keyArr(k string) { e.key(k); e.arr() }

func (e *enc) str(s string) {
	e.sep()
	if plain(s) {
		e.b = append(e.b, '"')
		e.b = append(e.b, s...)
		e.b = append(e.b, '"')
		return
	}
	quoted, err := json.Marshal(s)
	if err != nil { // strings always marshal
		quoted = []byte(`""`)
	}
	e.b = append(e.b, quoted...)
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return true
}

func (e *enc) int(v int64) {
	e.sep()
	e.b = strconv.AppendInt(e.b, v, 10)
}

func (e *enc) bool(v bool) {
	e.sep()
	e.b = strconv.AppendBool(e.b, v)
}

func (e *enc) null() {
	e.sep()
	e.b = append(e.b, "null"...)
}

// dbl writes a double as Jackson does: NaN as a string, and always as Java
// prints it.
func (e *enc) dbl(v float64) {
	e.sep()
	if math.IsNaN(v) {
		e.b = append(e.b, `"NaN"`...)
		return
	}
	e.b = appendJavaDouble(e.b, v)
}

func (e *enc) kInt(k string, v int64)   { e.key(k); e.int(v) }
func (e *enc) kStr(k, v string)         { e.key(k); e.str(v) }
func (e *enc) kDbl(k string, v float64) { e.key(k); e.dbl(v) }
func (e *enc) kBool(k string, v bool)   { e.key(k); e.bool(v) }
func (e *enc) kNull(k string)           { e.key(k); e.null() }
func (e *enc) kInts(v int64, k ...string) {
	for _, name := range k {
		e.kInt(name, v)
	}
}

// appendJavaDouble appends v as java.lang.Double.toString does: 4544.0, and
// from 10⁷ on or below 10⁻³ as 1.0534567E7.
func appendJavaDouble(b []byte, v float64) []byte {
	if a := math.Abs(v); a != 0 && (a >= 1e7 || a < 1e-3) {
		s := strconv.FormatFloat(v, 'E', -1, 64)
		mantissa, exponent, _ := strings.Cut(s, "E")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		exponent = strings.TrimPrefix(exponent, "+")
		sign := ""
		if strings.HasPrefix(exponent, "-") {
			sign, exponent = "-", exponent[1:]
		}
		return append(b, mantissa+"E"+sign+strings.TrimLeft(exponent, "0")...)
	}
	n := len(b)
	b = strconv.AppendFloat(b, v, 'f', -1, 64)
	if !strings.Contains(string(b[n:]), ".") {
		b = append(b, '.', '0')
	}
	return b
}

func javaDouble(v float64) string {
	if math.IsNaN(v) {
		return "NaN"
	}
	return string(appendJavaDouble(nil, v))
}
