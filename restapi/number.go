package restapi

import (
	"math"
	"strconv"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// maxExact is the largest number of decimal digits that a float64 always holds exactly.
const maxExact = 15

// maxLong is the first number above Java's longs, and as float64 the largest
// long itself.
const maxLong = 1 << 63

// parseNumber reads a number as Flink writes it, with or without quotation
// marks around it. Absent are NaN, the infinities, the smallest and the largest
// long (Flink's "no watermark yet" and "input has ended"), what lies beyond
// them, as no count, size or time of Flink does, and whatever is no number. -1 is a number here, as it is for some metrics; notNegative makes it
// absent where Flink means "unknown" by it.
func parseNumber(b []byte) analysis.Num {
	if v, ok := parseShort(b); ok {
		return analysis.Of(v)
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.Abs(v) >= maxLong {
		return analysis.Num{}
	}
	return analysis.Of(v)
}

// parseShort reads a plain decimal of at most maxExact digits, which nearly all
// of Flink's are. Its digits and its power of ten are both exact as float64, so
// that the one division rounds as strconv's does.
func parseShort(b []byte) (v float64, ok bool) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > maxExact {
		return 0, false
	}
	var n int64
	scale := 0.0 // stays 0 until the point, then grows tenfold with each digit
	for i, c := range digits {
		if c == '.' && scale == 0 && i > 0 && i < len(digits)-1 {
			scale = 1
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
		scale *= 10
	}
	v = float64(n)
	if scale > 0 {
		v /= scale
	}
	if len(digits) < len(b) {
		v = -v
	}
	return v, true
}

// notNegative makes Flink's sentinel -1 absent: sizes, durations, counters and
// the maximal parallelism have no negative values.
func notNegative(n analysis.Num) analysis.Num {
	if v, ok := n.Get(); ok && v < 0 {
		return analysis.Num{}
	}
	return n
}

// few makes absent what a count of slots or processes cannot be: negative,
// broken, or beyond Java's int.
func few(n analysis.Num) analysis.Num {
	if v, ok := n.Get(); ok && (v < 0 || v > math.MaxInt32 || v != math.Trunc(v)) {
		return analysis.Num{}
	}
	return n
}

// keyGroups makes absent what a maximal parallelism cannot be.
func keyGroups(n analysis.Num) analysis.Num {
	if v, ok := aboveZero(n).Get(); !ok || v > maxKeyGroups {
		return analysis.Num{}
	}
	return n
}

// aboveZero makes absent what is not above 0: points in time, which Flink sets
// to 0 or -1 when they have not come, and limits.
func aboveZero(n analysis.Num) analysis.Num {
	if v, ok := n.Get(); ok && v <= 0 {
		return analysis.Num{}
	}
	return n
}
