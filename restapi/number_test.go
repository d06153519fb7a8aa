package restapi

import (
	"math"
	"strconv"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestNumbersAsFlinkWritesThem(t *testing.T) {
	for text, want := range map[string]analysis.Num{
		`0`: analysis.Of(0), `12`: analysis.Of(12), `-1`: analysis.Of(-1), `4539.0`: analysis.Of(4539), `0.1`: analysis.Of(0.1),
		`1.1666666666666667`: analysis.Of(1.1666666666666667), `1e3`: analysis.Of(1000), `1E-2`: analysis.Of(0.01), `-0.5`: analysis.Of(-0.5),
		`123456789012345`: analysis.Of(123456789012345), `1234567890123456789`: analysis.Of(1234567890123456789),
		`"12"`: analysis.Of(12), `"4539.0"`: analysis.Of(4539), `"-1"`: analysis.Of(-1),
		`"NaN"`: {}, `NaN`: {}, `Infinity`: {}, `-Infinity`: {}, `"Infinity"`: {}, `"-Infinity"`: {}, `null`: {}, `"null"`: {}, `""`: {}, `"x"`: {},
		`true`: {}, `{}`: {}, `[1]`: {}, `1e999`: {}, `-`: {}, `1-2`: {}, `5.5.5`: {}, `1.`: analysis.Of(1),
		`-9223372036854775808`: {}, `9223372036854775807`: {}, `"-9223372036854775808"`: {}, `"9223372036854775807"`: {},
		`9223372036854774784`: analysis.Of(9223372036854774784), `18446744073709551615`: {}, `1e308`: {}, `-1e308`: {}, `"1e19"`: {},
	} {
		for _, after := range []string{"", ",", "}", "]", " "} {
			s := scanner{buf: []byte(" " + text + after)}
			if got := s.num(); got != want || s.err != nil || s.pos != 1+len(text) {
				t.Errorf("%s before %q: got %v at %d, error %v; want %v", text, after, got, s.pos, s.err, want)
			}
		}
	}
}

func TestSentinelsAreAbsent(t *testing.T) {
	for v, want := range map[float64][2]bool{-1: {false, false}, 0: {true, false}, 1: {true, true}} {
		n := analysis.Of(v)
		if got := [2]bool{notNegative(n).Known(), aboveZero(n).Known()}; got != want {
			t.Errorf("%g: notNegative and aboveZero keep it: %v, want %v", v, got, want)
		}
	}
	if notNegative(analysis.Num{}).Known() || aboveZero(analysis.Num{}).Known() {
		t.Error("an absent number became present")
	}
}

// TestHostileMagnitudes: what Flink cannot mean is absent, and no point in time
// is one that cannot be written.
func TestHostileMagnitudes(t *testing.T) {
	for v, want := range map[float64][2]bool{
		-1: {false, false}, 0: {true, false}, 4: {true, true}, 0.5: {false, true}, 32768: {true, true}, 32769: {true, false},
		math.MaxInt32: {true, false}, math.MaxInt32 + 1: {false, false}, 1e18: {false, false},
	} {
		n := analysis.Of(v)
		if got := [2]bool{few(n).Known(), keyGroups(n).Known()}; got != want {
			t.Errorf("%g: few and keyGroups keep it: %v, want %v", v, got, want)
		}
	}
	if few(analysis.Num{}).Known() || keyGroups(analysis.Num{}).Known() {
		t.Error("an absent number became present")
	}
	for ms, year := range map[float64]int{-1: 1, 0: 1, 1: 1970, lastMilli - 1: 9999, lastMilli: 1, 9e18: 1} {
		at := millis(analysis.Of(ms))
		if _, err := at.MarshalJSON(); err != nil || at.Year() != year {
			t.Errorf("%g ms are %v, %v", ms, at, err)
		}
	}
}

// FuzzParseNumber holds the short cut against strconv, bit by bit.
func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "0.3", "123456.789", "999999999999999", "0.000000000001", "00012.50", "1.2.3", "-", "5e-324"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := parseNumber([]byte(s))
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.Abs(v) >= math.MaxInt64 {
			v = math.NaN()
		}
		if want := analysis.Of(v); got != want {
			t.Errorf("%q: got %v, want %v", s, got, want)
		}
	})
}
