package keyhash

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shown is how much of a text a message quotes, in bytes.
const shown = 60

// quote makes any text fit for a message in one line.
func quote(s string) string {
	if len(s) > shown {
		return strconv.QuoteToASCII(s[:shown]) + "…"
	}
	return strconv.Quote(s)
}

// bad says that a text is no value of a type.
func bad(s, what string) error { return fmt.Errorf("%s is not %s", quote(s), what) }

// integer reads a whole number of the width of k.
func integer(k kind, s string) (int64, error) {
	bits, name := 64, "a whole number of 64 bits"
	switch k {
	case kindInt:
		bits, name = 32, "a whole number of 32 bits"
	case kindShort:
		bits, name = 16, "a whole number from -32768 to 32767"
	case kindByte:
		bits, name = 8, "a whole number from -128 to 127"
	}
	v, err := strconv.ParseInt(strings.TrimSpace(s), 10, bits)
	if err != nil {
		return 0, bad(s, name)
	}
	return v, nil
}

func boolean(s string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, bad(s, "true or false")
}

// float reads a number as Java writes it, with NaN as the one that Java gives out.
// Go's spellings that Java lacks are refused, and so are numbers that are too large.
func float(s string, bits int) (float64, error) {
	s = strings.TrimSpace(s)
	v, err := strconv.ParseFloat(s, bits)
	switch {
	case err != nil, strings.ContainsAny(s, "_xX"):
		return 0, bad(s, fmt.Sprintf("a floating-point number of %d bits", bits))
	case !math.IsNaN(v):
		return v, nil
	case bits == 32:
		return float64(math.Float32frombits(0x7fc00000)), nil
	}
	return math.Float64frombits(0x7ff8000000000000), nil
}

// char is the one UTF-16 unit of a Character, whose hash it is.
func char(s string) (int32, error) {
	r, size := utf8.DecodeRuneInString(s)
	if s == "" || size != len(s) || r >= 0x10000 || r == utf8.RuneError && size == 1 {
		return 0, bad(s, "one character of 16 bits")
	}
	return r, nil
}

// uuid reads eight, four, four, four and twelve hexadecimal digits.
func uuid(s string) (high, low uint64, err error) {
	t := strings.TrimSpace(s)
	if len(t) != 36 || t[8] != '-' || t[13] != '-' || t[18] != '-' || t[23] != '-' {
		return 0, 0, bad(s, "a UUID")
	}
	high, err = strconv.ParseUint(t[:8]+t[9:13]+t[14:18], 16, 64)
	if err == nil {
		low, err = strconv.ParseUint(t[19:23]+t[24:], 16, 64)
	}
	if err != nil {
		return 0, 0, bad(s, "a UUID")
	}
	return high, low, nil
}

// bytesOf reads hexadecimal digits, two a byte.
func bytesOf(s string) ([]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil, bad(s, "bytes in hexadecimal digits, two each")
	}
	return b, nil
}

// decimal returns the digits of a number without its point, scaled to n.scale.
func decimal(n *node, s string) (*big.Int, error) {
	wrong := func() (*big.Int, error) {
		return nil, bad(s, fmt.Sprintf("a decimal number of %d digits, %d of them after the point", n.precision, n.scale))
	}
	t := strings.TrimSpace(s)
	digits := strings.TrimLeft(t, "+-")
	if len(t)-len(digits) > 1 {
		return wrong()
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if digits == "" || digits == "." || len(whole) > n.precision-n.scale || len(fraction) > n.scale {
		return wrong()
	}
	all := whole + fraction + strings.Repeat("0", n.scale-len(fraction))
	if strings.Trim(all, "0123456789") != "" {
		return wrong()
	}
	v := new(big.Int)
	if all != "" {
		v.SetString(all, 10)
	}
	if t[0] == '-' {
		v.Neg(v)
	}
	return v, nil
}

// twosComplement is BigInteger.toByteArray: the fewest bytes, the highest first.
func twosComplement(v *big.Int) []byte {
	if v.Sign() >= 0 {
		b := v.Bytes()
		if len(b) == 0 || b[0] >= 0x80 {
			b = append([]byte{0}, b...)
		}
		return b
	}
	// -v-1 has the complement's bits; its sign bit must be free.
	b := new(big.Int).Not(v).Bytes()
	if len(b) == 0 || b[0] >= 0x80 {
		b = append([]byte{0}, b...)
	}
	for i := range b {
		b[i] = ^b[i]
	}
	return b
}

// digits reads exactly n decimal digits at the head of s.
func digits(s string, n int) (v int, rest string, ok bool) {
	if len(s) < n {
		return 0, s, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, s, false
		}
		v = 10*v + int(s[i]-'0')
	}
	return v, s[n:], true
}

// errTime is replaced by a message that quotes the text.
var errTime = errors.New("no date or time")

// dateAt reads yyyy-mm-dd and returns the days since 1970-01-01, in the calendar
// that java.time has also for the years before it was decreed.
func dateAt(s string) (days int64, rest string, err error) {
	year, rest, ok1 := digits(s, 4)
	month, rest, ok2 := digits(strings.TrimPrefix(rest, "-"), 2)
	day, rest, ok3 := digits(strings.TrimPrefix(rest, "-"), 2)
	if !ok1 || !ok2 || !ok3 || s[4] != '-' || s[7] != '-' || month < 1 || month > 12 || day < 1 || day > monthDays(year, month) {
		return 0, s, errTime
	}
	// Days are counted in years that begin in March, so that a leap day is the last.
	y, m := year, month-3
	if m < 0 {
		y, m = y-1, m+12
	}
	return int64(365*y + floor(y, 4) - floor(y, 100) + floor(y, 400) + (153*m+2)/5 + day - 1 - 719468), rest, nil
}

// floor divides towards minus infinity: March's year of January 0000 is -1.
func floor(a, b int) int {
	if a < 0 {
		return (a - b + 1) / b
	}
	return a / b
}

func monthDays(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// clockAt reads hh:mm, with :ss and a fraction of at most nine digits, and returns
// the nanoseconds since midnight.
func clockAt(s string) (nanos int64, rest string, err error) {
	hour, rest, ok1 := digits(s, 2)
	minute, rest, ok2 := digits(strings.TrimPrefix(rest, ":"), 2)
	if !ok1 || !ok2 || s[2] != ':' || hour > 23 || minute > 59 {
		return 0, s, errTime
	}
	nanos = int64(hour*60+minute) * 60e9
	if !strings.HasPrefix(rest, ":") {
		return nanos, rest, nil
	}
	second, rest, ok := digits(rest[1:], 2)
	if !ok || second > 59 {
		return 0, s, errTime
	}
	nanos += int64(second) * 1e9
	if !strings.HasPrefix(rest, ".") {
		return nanos, rest, nil
	}
	rest = rest[1:]
	for unit := int64(1e8); rest != "" && rest[0] >= '0' && rest[0] <= '9'; unit /= 10 {
		if unit == 0 {
			return 0, s, errTime
		}
		nanos, rest = nanos+unit*int64(rest[0]-'0'), rest[1:]
	}
	return nanos, rest, nil
}

// zoneAt reads Z or an offset such as +01:00, in nanoseconds.
func zoneAt(s string) (nanos int64, err error) {
	if s == "Z" || s == "z" {
		return 0, nil
	}
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, errTime
	}
	nanos, rest, err := clockAt(s[1:])
	if err != nil || rest != "" || nanos > 18*3600e9 {
		return 0, errTime
	}
	if s[0] == '-' {
		return -nanos, nil
	}
	return nanos, nil
}

// unitOf is how many nanoseconds the last digit of a fraction of that many stands for.
func unitOf(precision int) int64 {
	unit := int64(1)
	for range maxFraction - precision {
		unit *= 10
	}
	return unit
}
