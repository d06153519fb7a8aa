package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// unknown is what stands for an absent number where one must be shown.
const unknown = "–"

// mostKnown is from where on a number is not taken for measured: Flink's words
// for "unknown" among them are the smallest and the largest long.
const mostKnown = 1e15

// sane makes numbers absent that no measurement gives.
func sane(n analysis.Num) analysis.Num {
	if math.Abs(n.Or(0)) >= mostKnown {
		return analysis.Num{}
	}
	return n
}

// percent writes a share of 0–1 as whole percent; a tiny share that is not
// zero is not rounded to it.
func percent(v float64) string {
	switch {
	case v > 0 && v < 0.005:
		return "<1 %"
	case math.Abs(v) >= mostKnown:
		return unknown
	}
	return strconv.FormatFloat(math.Round(v*100), 'f', 0, 64) + " %"
}

// times writes a ratio such as 3.4 ×.
func times(v float64) string { return significant(v) + " ×" }

// significant writes v with about three digits, thousands separated.
func significant(v float64) string {
	a := math.Abs(v)
	switch {
	case a == 0:
		return "0"
	case a < 0.001:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case a < 0.1:
		return trimZeros(strconv.FormatFloat(v, 'f', 3, 64))
	case a < 10:
		return trimZeros(strconv.FormatFloat(v, 'f', 2, 64))
	case a < 100:
		return trimZeros(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return thousands(v)
}

func trimZeros(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }

// thousands writes a whole number with commas; one beyond mostKnown as absent.
func thousands(v float64) string {
	if math.Abs(v) >= mostKnown {
		return unknown
	}
	s := strconv.FormatFloat(math.Abs(math.Round(v)), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if v < 0 && s != "0" {
		s = "-" + s
	}
	return s
}

// rate writes records a second without the unit.
func rate(v float64) string { return significant(v) }

// seconds writes a duration in the unit that suits it, from nanoseconds to hours.
func seconds(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0 s"
	case a < 1e-6:
		return significant(v*1e9) + " ns"
	case a < 1e-3:
		return significant(v*1e6) + " µs"
	case a < 1:
		return significant(v*1e3) + " ms"
	case a < 120:
		return significant(v) + " s"
	case a < 7200:
		return significant(v/60) + " min"
	}
	return significant(v/3600) + " h"
}

// span writes the time that polls covered, whole seconds below two minutes.
func span(d time.Duration) string { return wholeSeconds(d.Seconds()) }

// wholeSeconds is seconds without a fraction below two minutes.
func wholeSeconds(v float64) string {
	if v < 1 {
		return seconds(v)
	}
	return seconds(math.Round(v))
}

// bytesize writes bytes in powers of 1024.
func bytesize(v float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for math.Abs(v) >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	return significant(v) + " " + units[i]
}

// show formats a present number with f and an absent one as a dash.
func show(n analysis.Num, f func(float64) string) string {
	if v, ok := sane(n).Get(); ok {
		return f(v)
	}
	return unknown
}

// inUnit writes a measure's value in its unit.
func inUnit(n analysis.Num, u analysis.Unit) string {
	switch u {
	case analysis.UnitSeconds:
		return show(n, seconds)
	case analysis.UnitMilliseconds:
		return show(n.Map(func(v float64) float64 { return v / 1000 }), seconds)
	case analysis.UnitBytes:
		return show(n, bytesize)
	case bytesPerSecond:
		return show(n, func(v float64) string { return bytesize(v) + "/s" })
	case analysis.UnitRecordsPerSecond:
		return show(n, func(v float64) string { return rate(v) + "/s" })
	}
	return show(n, significant)
}

// count writes "1 subtask" or "3 subtasks".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(float64(n)) + " " + noun + "s"
}

// list joins words as in "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// maxRuns bounds how many runs of indexes a sentence names.
const maxRuns = 6

// indexes writes ascending indexes with runs of three or more joined:
// "0–5, 8 and 9"; a long list ends in an ellipsis.
func indexes(ix []int) string {
	var runs []string
	for i := 0; i < len(ix); {
		j := i
		for j+1 < len(ix) && ix[j+1] == ix[j]+1 {
			j++
		}
		if j-i < 2 {
			j = i
			runs = append(runs, strconv.Itoa(ix[i]))
		} else {
			runs = append(runs, fmt.Sprintf("%d–%d", ix[i], ix[j]))
		}
		i = j + 1
	}
	if len(runs) > maxRuns {
		return strings.Join(runs[:maxRuns], ", ") + " …"
	}
	return list(runs)
}

// groupRange writes an inclusive range of key groups: "key groups 26–51".
func groupRange(r analysis.KeyGroupRange) string {
	if r.First == r.Last {
		return fmt.Sprintf("key group %d", r.First)
	}
	return fmt.Sprintf("key groups %d–%d", r.First, r.Last)
}

// fixed2 writes v with two decimals, for ratios near 1.
func fixed2(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// lowerFirst starts s with a small letter, for text that goes on after a label.
func lowerFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToLower(s[:n]) + s[n:]
}

// sentence starts s with a capital letter.
func sentence(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}
