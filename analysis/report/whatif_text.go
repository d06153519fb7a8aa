package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// curveRows is how many parallelisms the terminal shows.
	curveRows = 16
	// curveMost is the load, in what a subtask can do, beyond which a bar is cut.
	curveMost = 2
	// curveBar and curveNarrow are the columns of a bar.
	curveBar, curveNarrow = 30, 16
)

// Text writes the what-if for a terminal. An error is that of w.
func (wi *WhatIf) Text(w io.Writer, o TextOptions) error {
	if o.Width == 0 {
		o.Width = narrowWidth
	}
	o.Width = max(o.Width, minWidth)
	t := &textWriter{w: bufio.NewWriter(w), o: o}
	for _, l := range wrapHeading(t.draw(wi.heading()), o.Width) {
		t.line(t.paint(l, bold))
	}
	for _, s := range wi.Summary {
		t.text(2, s, plain)
	}
	if wi.Curve != nil {
		t.line("")
		wi.chart(t)
	}
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("write the what-if: %w", err)
	}
	return nil
}

// heading names the subject.
func (wi *WhatIf) heading() string {
	parts := []string{"what if   " + name(wi.Vertex)}
	if wi.JobName != "" {
		parts = []string{"what if   " + name(wi.JobName) + " / " + name(wi.Vertex)}
	}
	if c := wi.Curve; c != nil {
		if c.Parallelism > 0 {
			parts = append(parts, fmt.Sprintf("parallelism %s", thousands(float64(c.Parallelism))))
		}
		if n, ok := c.Ceiling.Get(); ok {
			parts = append(parts, fmt.Sprintf("ceiling %s (%s)", thousands(n), bindingWords(c.Binding)))
		}
	}
	if wi.Verdict != "" {
		parts = append(parts, string(wi.Verdict))
	}
	return strings.Join(parts, "   ")
}

// chart draws a row for each of the parallelisms that matter.
func (wi *WhatIf) chart(t *textWriter) {
	c := wi.Curve
	rows := shownPoints(c)
	top := 0.0
	for _, p := range rows {
		top = max(top, p.High)
	}
	bar := curveBar
	if t.o.Width < narrowWidth {
		bar = curveNarrow
	}
	if c.Unit == analysis.CurveBusy {
		top = min(max(top, 1), curveMost)
	}
	g := [][]string{{"parallelism", "busiest subtask, 0 to " + amount(c.Unit, top), "from–to", ""}}
	if bar == curveNarrow {
		g[0][1] = "0 to " + amount(c.Unit, top)
	}
	for _, p := range rows {
		g = append(g, []string{thousands(float64(p.Parallelism)), wi.bar(p, top, bar, t.o.Unicode), amounts(c.Unit, p.Low, p.High), wi.note(p)})
	}
	var widths [4]int
	for _, row := range g {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for i, row := range g {
		line := "  " + right(row[0], widths[0]) + "  " + pad(row[1], widths[1]) + "  " + right(row[2], widths[2]) + "  " + row[3]
		a := plain
		switch {
		case i == 0:
			a = faint
		case rows[i-1].Parallelism == c.Parallelism:
			a = bold
		case rows[i-1].Beyond:
			a = faint
		}
		t.line(t.paint(t.cut(t.draw(strings.TrimRight(line, " ")), t.o.Width), a))
	}
	t.line("")
	for _, l := range wrap(wi.legend(t.o.Unicode), t.o.Width-2) {
		t.line(t.paint("  "+t.draw(l), faint))
	}
}

// legend says what the signs of a bar mean.
func (wi *WhatIf) legend(unicode bool) string {
	solid, likely, open, target, full := barSigns(unicode)
	c := wi.Curve
	out := fmt.Sprintf("%c to the busiest", solid)
	if c.Basis != analysis.BasisKeyGroups {
		out = fmt.Sprintf("%c at least,  %c likely,  %c at most", solid, likely, open)
	}
	if n, ok := c.Target.Get(); ok {
		out += fmt.Sprintf(",  %c target %s,  %c all that one subtask can do", target, percent(n), full)
	}
	return out
}

// barSigns are what bars are made of; ASCII where blocks cannot be drawn.
func barSigns(unicode bool) (solid, likely, open, target, full rune) {
	if unicode {
		return '█', '▓', '░', '┊', '│'
	}
	return '#', '=', '-', ':', '|'
}

// bar draws a band of loads against the top.
func (wi *WhatIf) bar(p analysis.CurvePoint, top float64, width int, unicode bool) string {
	solid, likely, open, target, full := barSigns(unicode)
	cells := []rune(strings.Repeat(" ", width))
	column := func(v float64) int { return min(width, int(math.Round(v/top*float64(width)))) }
	fill := func(from, to float64, sign rune) {
		for i := column(from); i < column(to); i++ {
			cells[i] = sign
		}
	}
	if wi.Curve.Unit == analysis.CurveBusy {
		if i := column(1); i < width {
			cells[i] = full
		}
		if i := column(wi.Curve.Target.Or(0)); i > 0 && i < width {
			cells[i] = target
		}
	}
	fill(0, p.Low, solid)
	fill(p.Low, p.Likely, likely)
	fill(p.Likely, p.High, open)
	if p.High > 0 && cells[0] == ' ' {
		cells[0] = open
	}
	if p.High > top*1.001 {
		cells[width-1] = '>'
	}
	return string(cells)
}

// note says what is special about a parallelism, in few words.
func (wi *WhatIf) note(p analysis.CurvePoint) string {
	c := wi.Curve
	var notes []string
	at := func(n analysis.Num, text string) {
		if v, ok := n.Get(); ok && int(v) == p.Parallelism {
			notes = append(notes, text)
		}
	}
	if p.Parallelism == c.Parallelism {
		notes = append(notes, "← now")
	}
	switch {
	case c.Met.Surely.Known() && c.Met.Surely.Or(0) == float64(p.Parallelism):
		notes = append(notes, "target met")
	case c.Met.Likely.Or(0) == float64(p.Parallelism):
		notes = append(notes, "target likely")
	case c.Met.AtBest.Or(0) == float64(p.Parallelism):
		notes = append(notes, "target at best")
	}
	at(c.Ceiling, "ceiling")
	if c.Binding != analysis.BindSourcePartitions {
		at(c.Limits.SourcePartitions, "partitions")
	}
	if c.Binding != analysis.BindTaskSlots {
		at(c.Limits.TaskSlots, "free slots")
	}
	if !p.Useful && len(notes) == 0 || !p.Useful && p.Parallelism == c.Parallelism {
		notes = append(notes, "no step")
	}
	return strings.Join(notes, ", ")
}

// shownPoints chooses the rows: the present parallelism, limits and where the
// target is met, and of the others those nearest to them, evenly thinned.
func shownPoints(c *analysis.Curve) []analysis.CurvePoint {
	must := map[int]bool{c.Parallelism: true}
	for _, n := range []analysis.Num{c.Met.AtBest, c.Met.Likely, c.Met.Surely, c.Limits.MaxParallelism, c.Limits.SourcePartitions, c.Limits.TaskSlots, c.Ceiling} {
		must[int(n.Or(0))] = true
	}
	var keep, others []analysis.CurvePoint
	for _, p := range c.Points {
		switch {
		case must[p.Parallelism]:
			keep = append(keep, p)
		case p.Useful && (c.Parallelism == 0 || 3*p.Parallelism >= c.Parallelism):
			others = append(others, p)
		}
	}
	room := max(0, curveRows-len(keep))
	for i, p := range others {
		if len(others) <= room || (i*room)/len(others) != ((i+1)*room)/len(others) {
			keep = append(keep, p)
		}
	}
	if c.Ceiling.Known() { // Of what is beyond the ceiling the least is enough.
		seen := false
		keep = slices.DeleteFunc(keep, func(p analysis.CurvePoint) bool {
			was := seen
			seen = seen || p.Beyond
			return p.Beyond && was
		})
	}
	slices.SortFunc(keep, func(a, b analysis.CurvePoint) int { return a.Parallelism - b.Parallelism })
	return keep
}
