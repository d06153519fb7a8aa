package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

const (
	// allRows is up to how many subtasks each gets a line.
	allRows = 16
	// hotRows and coldRows are how many lines the ends get beyond that.
	hotRows  = 4
	coldRows = 2
	// barColumns is the width of a bar for 100 % busy, narrowBar that on a
	// terminal of less than narrowWidth columns.
	barColumns  = 20
	narrowBar   = 8
	narrowWidth = 80
	// buckets divide 0–100 % busy for the histogram of the rest.
	buckets = 10
)

// canvas is what bars are drawn on.
type canvas struct {
	unicode bool
	// bar is the width of a full bar in columns.
	bar int
}

// loadTable draws the subtasks' load: one line each, or the ends and a
// histogram of the rest. It is nil when no subtask has values.
func (f facts) loadTable(c canvas) []string {
	rows := make([]*analysis.SubtaskResult, 0, len(f.v.Subtasks))
	for i := range f.v.Subtasks {
		rows = append(rows, &f.v.Subtasks[i])
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows) <= allRows {
		return f.draw(rows, c)
	}
	load := busyOf
	if !f.v.Signals.Busy.Max.Known() {
		load = f.records
	}
	slices.SortStableFunc(rows, func(a, b *analysis.SubtaskResult) int {
		return cmp.Compare(load(b).Or(-1), load(a).Or(-1))
	})
	hot, rest, cold := rows[:hotRows], rows[hotRows:len(rows)-coldRows], rows[len(rows)-coldRows:]
	lines := f.draw(slices.Concat(hot, cold), c)
	lines = append(lines, "")
	return append(lines, histogram(rest, c)...)
}

// draw lays out rows under a heading, columns aligned and those without any
// value left out.
func (f facts) draw(rows []*analysis.SubtaskResult, on canvas) []string {
	cells := [][]string{f.headings()}
	for _, s := range rows {
		cells = append(cells, f.cells(s, on))
	}
	keep := make([]bool, len(cells[0]))
	widths := make([]int, len(cells[0]))
	for c := range keep {
		for r, row := range cells {
			keep[c] = keep[c] || (r > 0 && row[c] != "" && row[c] != unknown)
			widths[c] = max(widths[c], columns(row[c]))
		}
	}
	var lines []string
	for _, row := range cells {
		var b strings.Builder
		for c, cell := range row {
			switch {
			case !keep[c]:
			case c == 1 || c == len(row)-1: // bars and marks start at the left
				b.WriteString("  " + pad(cell, widths[c]))
			case c == 2:
				b.WriteString(" " + right(cell, widths[c]))
			default:
				b.WriteString("  " + right(cell, widths[c]))
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// headings are those of draw's cells.
func (f facts) headings() []string {
	load := "busy"
	if f.v.Verdict.ID == analysis.Backpressured {
		load = "back-pressured"
	}
	return []string{f.noun(), load, "", "records/s", "time/record", "key groups", "partitions", ""}
}

// cells are one subtask's.
func (f facts) cells(s *analysis.SubtaskResult, c canvas) []string {
	load, groups, partitions := s.Busy, "", ""
	if f.v.Verdict.ID == analysis.Backpressured {
		load = s.BackPressured
	}
	if f.v.Verdict.ID == analysis.KeyGroupLayout && s.KeyGroups > 0 {
		groups = thousands(float64(s.KeyGroups))
	}
	if len(f.v.Inputs) == 0 && f.v.Partitions.Known() {
		partitions = show(s.Partitions, thousands)
	}
	return []string{
		thousands(float64(s.Index)), c.draw(load), show(load, percent), show(f.records(s), rate),
		show(positive(s.CostPerRecord), seconds), groups, partitions, f.mark(s),
	}
}

// positive makes a number that is not above zero absent: records that cost no
// time were counted while busy time was not.
func positive(n analysis.Num) analysis.Num {
	if n.Or(0) <= 0 {
		return analysis.Num{}
	}
	return n
}

// mark says what is special about a row: the hottest subtask or one that the
// verdict names, with its key groups or its worker.
func (f facts) mark(s *analysis.SubtaskResult) string {
	hot := f.v.Hot != nil && f.v.Hot.Subtask == int(s.Index)
	if !hot && !slices.Contains(f.j.Subtasks, int(s.Index)) {
		return ""
	}
	switch id := f.v.Verdict.ID; {
	case id == analysis.KeyGroupLayout || id == analysis.Backpressured:
		return "" // None is special.
	case id == analysis.FewKeys && s.RecordsIn.Or(1) == 0:
		return "← no records"
	case id == analysis.IdleReaders:
		return "← no partition"
	case id == analysis.SlowTaskManager:
		if s.TaskManager == "" {
			return "←"
		}
		return "← " + cut(clean(s.TaskManager), 30)
	}
	m, ok := f.maxParallelism()
	if !ok || int(s.Index) >= f.v.Parallelism {
		return "←"
	}
	first, last := keygroup.Range(int(s.Index), f.v.Parallelism, m)
	return "← " + groupRange(analysis.KeyGroupRange{First: first, Last: last})
}

// draw draws a share of 0–1 as a bar, padded to the full width; empty when the
// share is not known. Anything above zero shows.
func (c canvas) draw(n analysis.Num) string {
	v, ok := n.Get()
	switch {
	case !ok:
		return ""
	case v <= 0:
		return strings.Repeat(" ", c.bar)
	}
	return pad(c.stretch(min(v, 1)), c.bar)
}

// stretch draws that share of a full bar, in eighths of a column where blocks can be drawn.
func (c canvas) stretch(share float64) string {
	width := share * float64(c.bar)
	if !c.unicode {
		return strings.Repeat("#", max(1, int(math.Round(width))))
	}
	eighths := max(1, int(math.Round(width*8)))
	out := strings.Repeat("█", eighths/8)
	if e := eighths % 8; e > 0 {
		out += string([]rune("▏▎▍▌▋▊▉")[e-1])
	}
	return out
}

// histogram draws how many of the rest are how busy, from the least to the most.
func histogram(rest []*analysis.SubtaskResult, c canvas) []string {
	var n [buckets]int
	none := 0
	for _, s := range rest {
		v, ok := s.Busy.Get()
		if !ok {
			none++
			continue
		}
		n[min(buckets-1, max(0, int(v*buckets)))]++
	}
	lines := []string{fmt.Sprintf("  the other %s by busy", count(len(rest), "subtask"))}
	most := slices.Max(n[:])
	for i := buckets - 1; i >= 0; i-- {
		if n[i] == 0 {
			continue
		}
		label := fmt.Sprintf("%d–%d %%", i*100/buckets, (i+1)*100/buckets)
		lines = append(lines, fmt.Sprintf("  %s  %s %s", right(label, 8), pad(c.stretch(float64(n[i])/float64(most)), c.bar), thousands(float64(n[i]))))
	}
	if none > 0 {
		lines = append(lines, fmt.Sprintf("  %s  %s", right("unknown", 8), thousands(float64(none))))
	}
	return lines
}
