package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

const (
	// histogramRows is how many bars the histogram of key groups has at most.
	histogramRows = 16
	// shownGroups is how many of the largest key groups are named.
	shownGroups = 5
	// barWidth is the width of the longest bar in columns.
	barWidth = 24
)

// keyGroups draws the bytes per key group, or says why there are none.
func (d *savepointDrawing) keyGroups(o *operatorView) {
	if o.KeyGroupReason != nil {
		if len(o.KeyedState) > 0 {
			d.line("  bytes per key group: %s", *o.KeyGroupReason)
		}
		if len(o.RawKeyGroups) > 0 {
			d.line("  raw keyed state (timers on the heap) by key group:")
			d.histogram(o.RawKeyGroups, o.MaxParallelism)
		}
		return
	}
	d.line("")
	d.line("  bytes by key group: %d of %d hold data, and %s of headers", len(o.KeyGroups), o.MaxParallelism, byteSize(float64(*o.HeaderBytes)))
	d.histogram(o.KeyGroups, o.MaxParallelism)
	d.largest(o)
}

// histogram draws the bytes of consecutive key groups.
func (d *savepointDrawing) histogram(groups []keyGroupView, ceiling int) {
	size := (ceiling + histogramRows - 1) / histogramRows
	sums := make([]int64, (ceiling+size-1)/size)
	for _, g := range groups {
		if i := g.Group / size; i < len(sums) {
			sums[i] += g.Bytes
		}
	}
	most := slices.Max(sums)
	var rows [][]string
	for i, sum := range sums {
		first, last := i*size, min((i+1)*size, ceiling)-1
		label := strconv.Itoa(first)
		if last > first {
			label += "–" + strconv.Itoa(last)
		}
		rows = append(rows, []string{label, bar(sum, most), byteSize(float64(sum))})
	}
	d.table(append([][]string{{"key groups", "", "bytes"}}, rows...), 1)
}

// largest names the largest key groups, and the floor that the largest of them
// sets for every parallelism.
func (d *savepointDrawing) largest(o *operatorView) {
	ordered := slices.Clone(o.KeyGroups)
	slices.SortStableFunc(ordered, func(a, b keyGroupView) int { return cmp.Compare(b.Bytes, a.Bytes) })
	var total float64
	for _, g := range ordered {
		total += float64(g.Bytes)
	}
	if total == 0 {
		return
	}
	var names []string
	for _, g := range ordered[:min(shownGroups, len(ordered))] {
		names = append(names, fmt.Sprintf("%d (%s, %s)", g.Group, byteSize(float64(g.Bytes)), percent(float64(g.Bytes)/total)))
	}
	d.line("  largest key groups: %s", strings.Join(names, ", "))
	if top := ordered[0]; float64(top.Bytes)*float64(o.Parallelism) > total {
		d.line("  key group %d alone is %s the mean of a subtask; a key group is never split, so no parallelism makes its subtask smaller",
			top.Group, ratio(float64(top.Bytes)*float64(o.Parallelism)/total))
	}
}

// predictions draws a line for each parallelism asked about.
func (d *savepointDrawing) predictions(o *operatorView) {
	if len(o.Predictions) == 0 || len(o.KeyedState) == 0 {
		return
	}
	d.line("")
	d.line("  predicted keyed state")
	rows := [][]string{{"parallelism", "largest", "mean", "skew", "of layout alone", "subtask", ""}}
	for _, p := range o.Predictions {
		row := []string{strconv.Itoa(p.Parallelism), unknownCell, unknownCell, unknownCell, unknownCell, unknownCell, orEmpty(p.Reason)}
		if p.Basis != nil {
			row[1], row[2], row[6] = byteSize(float64(*p.MaxBytes)), byteSize(*p.MeanBytes), ""
			row[4] = ratio(keygroup.LayoutRatio(p.Parallelism, o.MaxParallelism))
			first, last := keygroup.Range(*p.LargestSubtask, p.Parallelism, o.MaxParallelism)
			row[5] = fmt.Sprintf("%d (key groups %d–%d)", *p.LargestSubtask, first, last)
			if p.SkewRatio != nil {
				row[3] = ratio(*p.SkewRatio)
			}
			if *p.Basis == "subtasks" {
				row[6] = "sums of whole recorded subtasks"
			}
		}
		rows = append(rows, row)
	}
	d.table(rows, 5, 6)
}

// bar draws n against the most; anything above zero shows.
func bar(n, most int64) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	return strings.Repeat("█", max(1, int(math.Round(float64(n)/float64(most)*barWidth))))
}

// byteSize writes bytes in powers of 1024, with about three digits.
func byteSize(v float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	digits := 0
	if i > 0 || v != math.Trunc(v) {
		digits = max(0, 2-int(math.Log10(max(v, 1))))
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + units[i]
}

// positiveSize is empty for 0, so that columns of nothing else are left out.
func positiveSize(n int64) string {
	if n == 0 {
		return ""
	}
	return byteSize(float64(n))
}

func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + " ×" }

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }

// plural writes "1 subtask" or "3 subtasks".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// shorten cuts a text to n runes, the last being an ellipsis.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
