package report

import (
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// grid is rows of cells under a heading; the first column is text, the others numbers.
type grid [][]string

// lines aligns a grid's columns.
func (g grid) lines() []string {
	var widths []int
	for _, row := range g {
		for c, cell := range row {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], columns(cell))
		}
	}
	var out []string
	for _, row := range g {
		var b strings.Builder
		for c, cell := range row {
			if c == 0 {
				b.WriteString(pad(cell, widths[c]))
				continue
			}
			b.WriteString("  " + right(cell, widths[c]))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// evidenceGrid lists the measures of the verdict and its findings with what
// each was held against; nil without any.
func (b block) evidenceGrid() grid {
	g := grid{{"evidence", "value", "held against", "unit"}}
	add := func(of string, ms []analysis.Measure) {
		for _, m := range ms {
			g = append(g, []string{of + clean(m.Name), inUnit(m.Value, m.Unit), inUnit(m.Threshold, m.Unit), string(m.Unit)})
		}
	}
	add("", b.v.Verdict.Evidence)
	for i := range b.v.Findings {
		add(string(b.v.Findings[i].ID)+"/", b.v.Findings[i].Evidence)
	}
	if len(g) == 1 {
		return nil
	}
	return g
}

// signalGrid lists the distributions that have values.
func (b block) signalGrid() grid {
	g := grid{{"signal", "max", "mean", "median", "min", "max/mean", "excess", "web UI"}}
	b.v.Signals.Each(func(s analysis.Signal, d *analysis.Distribution) {
		if d.Count == 0 {
			return
		}
		u := signalUnit(s)
		g = append(g, []string{
			string(s), inUnit(d.Max, u), inUnit(d.Mean, u), inUnit(d.Median, u), inUnit(d.Min, u),
			show(d.Skew, significant), show(d.Excess, significant), show(d.WebUISkew, percent),
		})
	})
	if len(g) == 1 {
		return nil
	}
	return g
}

// bytesPerSecond is the unit of a signal; no measure has it.
const bytesPerSecond analysis.Unit = "bytes/s"

func signalUnit(s analysis.Signal) analysis.Unit {
	switch s {
	case analysis.SignalRecordsIn, analysis.SignalRecordsOut:
		return analysis.UnitRecordsPerSecond
	case analysis.SignalState:
		return analysis.UnitBytes
	case analysis.SignalBytesIn:
		return bytesPerSecond
	case analysis.SignalCheckpointDuration, analysis.SignalCostPerRecord:
		return analysis.UnitSeconds
	}
	return analysis.UnitRatio
}

// factsGrid lists what the advice on parallelism rests on.
func (b block) factsGrid() grid {
	v := b.v
	g := grid{{"parallelism", thousands(float64(v.Parallelism))}}
	row := func(label string, n analysis.Num, f func(float64) string) {
		if n.Known() {
			g = append(g, []string{label, show(n, f)})
		}
	}
	row("max parallelism", v.MaxParallelism, thousands)
	row("effective ceiling", v.Ceiling.Effective, thousands)
	row("required parallelism", v.Sizing.Required, thousands)
	row("required to catch up as well", v.Sizing.RequiredCatchUp, thousands)
	row("demand, records/s", v.Sizing.Demand, rate)
	row("autoscaler would set", v.Sizing.Autoscaler, thousands)
	row("next useful parallelism", v.Ceiling.NextUseful, thousands)
	row("subtasks that add nothing", v.Ceiling.Wasted, thousands)
	row("source partitions", v.Partitions, thousands)
	row("coverage", v.Coverage, percent)
	g = append(g, []string{"windows since a change", thousands(float64(v.Windows))}, []string{"scaling helps", string(v.Verdict.ScalingHelps)})
	return g
}

// evidence writes the grids that verbose output adds.
func (t *textWriter) evidence(b block) {
	for _, g := range []grid{b.evidenceGrid(), b.signalGrid(), b.factsGrid()} {
		if len(g) == 0 {
			continue
		}
		t.line("")
		for _, l := range g.lines() {
			t.line(t.cut(t.draw("    "+l), t.o.Width))
		}
	}
	if lines := b.checkLines(); len(lines) > 0 {
		t.line("")
		for _, l := range lines {
			t.check(l)
		}
	}
}

// check writes a rule's line whole: what is longer than the terminal is wide
// goes on under its own text.
func (t *textWriter) check(l string) {
	const indent, hang = 4, 8
	line := strings.Repeat(" ", indent) + t.draw(l)
	if columns(line) <= t.o.Width {
		t.line(line)
		return
	}
	cutAt := strings.LastIndexByte(firstColumns(line, t.o.Width), ' ')
	t.line(strings.TrimRight(line[:cutAt], " "))
	t.text(hang, line[cutAt:], plain)
}

// firstColumns returns the part of s that takes at most n columns.
func firstColumns(s string, n int) string {
	used := 0
	for i, r := range s {
		if used += runeColumns(r); used > n {
			return s[:i]
		}
	}
	return s
}

// maxGaps bounds the list of gaps.
const maxGaps = 20

func (t *textWriter) gaps(gaps []analysis.Gap) {
	for i, g := range gaps {
		if i == maxGaps {
			t.text(labelColumns, "and "+thousands(float64(len(gaps)-maxGaps))+" more", plain)
			return
		}
		t.text(labelColumns, gapLine(g), plain)
	}
}

func gapLine(g analysis.Gap) string {
	parts := []string{string(g.Reason), g.What}
	if g.JobID != "" {
		parts = append(parts, "job "+g.JobID)
	}
	if g.VertexID != "" {
		parts = append(parts, "vertex "+g.VertexID)
	}
	if g.Detail != "" {
		parts = append(parts, g.Detail)
	}
	for i, p := range parts {
		parts[i] = cut(clean(p), nameColumns)
	}
	return strings.Join(parts, " · ")
}
