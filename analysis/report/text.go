package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TextOptions say what the terminal can do and how much is wanted.
type TextOptions struct {
	// Color turns on ANSI colours, Unicode block bars and typographic signs.
	Color   bool
	Unicode bool
	// Width is the terminal's in columns; 0 stands for 100, less than 60 for 60.
	Width int
	// All lists the vertices that are fine or not judged one by one.
	All bool
	// Verbose adds the evidence with its thresholds, the rules, the signals,
	// findings of severity none, and gaps; it lists all vertices as All does.
	Verbose bool
}

const (
	defaultWidth = 100
	minWidth     = 40
	// labelColumns is the width of Do, Don't and More with their indent.
	labelColumns = 10
	// maxMinor is how many vertices at info get a block each; more are counted.
	maxMinor = 3
)

// Text writes the report for a terminal, worst first. An error is that of w.
func Text(w io.Writer, in Input, f Filter, o TextOptions) error {
	if o.Width == 0 {
		o.Width = defaultWidth
	}
	o.Width = max(o.Width, minWidth)
	o.All = o.All || o.Verbose
	t := &textWriter{w: bufio.NewWriter(w), o: o}
	for i, c := range in.Clusters {
		if i > 0 {
			t.line("")
		}
		t.cluster(newClusterView(c, f))
	}
	if len(in.Clusters) == 0 {
		t.line("no cluster is configured")
	}
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// textWriter writes lines; bufio keeps the first error for Flush.
type textWriter struct {
	w *bufio.Writer
	o TextOptions
	// blank is whether the last line was empty; two in a row are never written.
	blank bool
}

// style is an ANSI attribute.
type style string

const (
	plain  style = ""
	bold   style = "1"
	red    style = "1;31"
	yellow style = "1;33"
	cyan   style = "36"
	green  style = "32"
	faint  style = "2"
)

// paint wraps s in a style; call it after all padding and cutting.
func (t *textWriter) paint(s string, a style) string {
	if !t.o.Color || a == plain || s == "" {
		return s
	}
	return "\x1b[" + string(a) + "m" + s + "\x1b[0m"
}

// draw converts signs that the terminal cannot draw.
func (t *textWriter) draw(s string) string {
	if t.o.Unicode {
		return s
	}
	return ascii(s)
}

func (t *textWriter) line(s string) {
	if s == "" && t.blank {
		return
	}
	t.blank = s == ""
	_, _ = t.w.WriteString(s)
	_ = t.w.WriteByte('\n')
}

// text writes s wrapped, every line after indent columns.
func (t *textWriter) text(indent int, s string, a style) {
	t.labelled(strings.Repeat(" ", indent), plain, []string{s}, a)
}

// labelled writes items after a label, later lines aligned with the first.
func (t *textWriter) labelled(label string, la style, items []string, a style) {
	hang := strings.Repeat(" ", columns(label))
	for _, item := range items {
		for _, l := range wrap(t.draw(item), t.o.Width-len(hang)) {
			t.line(t.paint(label, la) + t.paint(l, a))
			label, la = hang, plain
		}
	}
}

func (t *textWriter) cluster(c clusterView) {
	a := bold
	if c.down {
		a = red
	}
	for i, l := range wrapHeading(t.draw(c.head), t.o.Width) {
		if i > 0 {
			l = "  " + l
		}
		t.line(t.paint(l, a))
	}
	for _, b := range c.blocks {
		t.line("")
		t.block(b)
	}
	for _, b := range c.open {
		t.line("")
		t.block(b)
	}
	if len(c.minor) <= maxMinor || t.o.All {
		for _, b := range c.minor {
			t.line("")
			t.block(b)
		}
	}
	if len(c.minor)+len(c.fine)+len(c.unjudged)+len(c.restarts)+len(c.notes) > 0 || c.none != "" {
		t.line("")
	}
	if len(c.minor) > maxMinor && !t.o.All {
		t.summary("INFO", cyan, c.minorBy, c.minor)
	}
	t.summary("OK", green, c.fine, c.fineBlocks)
	t.summary("UNKNOWN", cyan, c.unjudged, c.unjudgedList)
	for _, l := range bounded(c.restarts, maxRestarting) {
		t.labelled(pad("UNKNOWN", labelColumns), cyan, []string{l}, plain)
	}
	t.list(c.restarting)
	for _, n := range c.notes {
		t.labelled(pad("NOTE", labelColumns), cyan, []string{n}, plain)
	}
	if c.none != "" {
		t.text(labelColumns, c.none, plain)
	}
	if t.o.Verbose {
		t.gaps(c.gaps)
	}
}

// wrapHeading breaks the parts of a heading, which are three spaces apart, into lines.
func wrapHeading(s string, n int) []string {
	var lines []string
	for _, part := range strings.Split(s, "   ") {
		if last := len(lines) - 1; last >= 0 && columns(lines[last])+3+columns(part) <= n {
			lines[last] += "   " + part
			continue
		}
		lines = append(lines, part)
	}
	return lines
}

// summary is one line for vertices that need no block, and all of them on request.
func (t *textWriter) summary(label string, a style, by map[string]int, list []block) {
	if len(list) == 0 {
		return
	}
	noun := "vertices"
	if len(list) == 1 {
		noun = "vertex"
	}
	left := fmt.Sprintf("%d %s   (%s)", len(list), noun, counts(by))
	hint := ""
	if !t.o.All {
		hint = "--all to show"
	}
	gap := t.o.Width - labelColumns - columns(left) - columns(hint)
	if hint == "" || gap < 3 {
		t.labelled(pad(label, labelColumns), a, []string{left}, plain)
	} else {
		t.line(t.paint(pad(label, labelColumns), a) + left + strings.Repeat(" ", gap) + t.paint(hint, faint))
	}
	t.list(list)
}

// list shows vertices that have no block, on request.
func (t *textWriter) list(blocks []block) {
	if !t.o.All {
		return
	}
	for i, b := range blocks {
		if t.o.Verbose && i > 0 {
			t.line("")
		}
		t.title("", plain, b)
		t.text(labelColumns, strings.Join(b.words.Summary, " "), faint)
		for _, l := range b.notes(t.o.Verbose) {
			t.text(labelColumns, l.label+": "+strings.Join(l.words.Summary, " "), faint)
		}
		if t.o.Verbose {
			t.table(b)
			t.evidence(b)
		}
	}
}

// title writes the severity, the subject, and the verdict at the right edge,
// the subject cut to what is left.
func (t *textWriter) title(label string, a style, b block) {
	verdict := t.draw(b.verdict)
	room := t.o.Width - labelColumns - columns(verdict) - 2
	subject := t.cut(t.draw(b.job+" / "+b.vertex), max(room, 10))
	fill := strings.Repeat(" ", max(2, room-columns(subject)+2))
	t.line(t.paint(pad(label, labelColumns), a) + t.paint(subject, bold) + fill + verdict)
}

// cut shortens what is drawn already, with three dots where the terminal has
// no ellipsis.
func (t *textWriter) cut(s string, n int) string {
	if t.o.Unicode {
		return cut(s, n)
	}
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(s[:n-3], " ") + "..."
}

// severityStyle is the colour that goes with the severity's name.
func severityStyle(s analysis.Severity) style {
	switch s {
	case analysis.SeverityCritical:
		return red
	case analysis.SeverityWarning:
		return yellow
	}
	return cyan
}

// block writes one vertex: the sentence, the proof, what to do and what not.
func (t *textWriter) block(b block) {
	t.title(b.label(), severityStyle(b.severity), b)
	for _, s := range b.words.Summary {
		t.text(2, s, plain)
	}
	brief := b.severity < analysis.SeverityWarning && !t.o.Verbose
	if !brief {
		t.table(b)
	}
	if b.skew != "" {
		t.text(4, b.skew, plain)
	}
	if b.words.Scaling != "" {
		t.text(4, "scaling: "+b.words.Scaling, plain)
	}
	for _, l := range b.notes(t.o.Verbose) {
		t.text(4, l.label+": "+strings.Join(l.words.Summary, " "), plain)
	}
	if t.o.Verbose {
		t.evidence(b)
	}
	do := b.words.Do
	if brief {
		do = do[:min(1, len(do))]
	}
	if !brief {
		t.line("")
	}
	t.items("  Do", green, do)
	if !brief {
		t.items("  Don't", yellow, b.words.Dont)
	}
	t.labelled(pad("  More", labelColumns), faint, b.docs, plain)
}

// items makes sentences go on after their label, each with a dash when there
// are several.
func (t *textWriter) items(label string, a style, items []string) {
	label = pad(label, labelColumns)
	if len(items) < 2 {
		t.labelled(label, a, lowered(items), plain)
		return
	}
	for _, i := range lowered(items) {
		t.labelled(label+"- ", a, []string{i}, plain)
		label = strings.Repeat(" ", labelColumns)
	}
}

// lowered makes sentences go on after their label.
func lowered(items []string) []string {
	out := make([]string, 0, len(items))
	for _, i := range items {
		out = append(out, lowerFirst(i))
	}
	return out
}

// table writes the load of the subtasks, marked rows standing out.
func (t *textWriter) table(b block) {
	c := canvas{unicode: t.o.Unicode, bar: barColumns}
	if t.o.Width < narrowWidth {
		c.bar = narrowBar
	}
	lines := b.facts.loadTable(c)
	if len(lines) == 0 {
		return
	}
	t.line("")
	if c := b.facts.caption(); c != "" {
		t.text(4, c, faint)
	}
	for i, l := range lines {
		a := plain
		switch {
		case i == 0:
			a = faint
		case strings.Contains(l, "←"):
			a = bold
		}
		if l != "" {
			l = "  " + l
		}
		t.line(t.paint(t.cut(t.draw(l), t.o.Width), a))
	}
	t.line("")
}
