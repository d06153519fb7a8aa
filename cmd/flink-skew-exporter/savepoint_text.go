package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/savepoint"
)

// savepointText says how the text is drawn.
type savepointText struct {
	terminal
	// all lists every subtask and operator, files the files of each subtask.
	all, files bool
}

const (
	// shownSubtasks is how many subtasks a table lists without --all, the largest.
	shownSubtasks = 16
	// shownFiles is how many files of a subtask are listed without --all.
	shownFiles = 10
	// unknownCell stands for what is not known or does not apply.
	unknownCell = "–"
)

// text prints the report for people.
func (v *savepointView) text(w io.Writer, t savepointText) error {
	out := bufio.NewWriter(w)
	d := &savepointDrawing{out, t}
	d.head(v)
	d.overview(v)
	ordered := slices.Clone(v.Operators)
	slices.SortStableFunc(ordered, func(a, b operatorView) int { return cmp.Compare(b.StateBytes, a.StateBytes) })
	for i := range ordered {
		if o := &ordered[i]; o.StateBytes > 0 || len(o.KeyGroups) > 0 || t.all || len(v.Operators) == 1 {
			d.operator(o)
		}
	}
	for i, warning := range v.Warnings {
		if i == 0 {
			d.line("")
		}
		d.line("warning: %s", escape(warning))
	}
	return out.Flush()
}

// savepointDrawing writes lines; its writer keeps the first error for Flush.
type savepointDrawing struct {
	out *bufio.Writer
	savepointText
}

// line writes one line, in what the terminal can draw.
func (d *savepointDrawing) line(format string, args ...any) {
	s := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if !d.unicode {
		s = strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf {
				return r
			}
			return '?'
		}, strings.NewReplacer("–", "-", "×", "x", "·", "|", "█", "#", "←", "<-").Replace(s))
	}
	fmt.Fprintln(d.out, s)
}

func (d *savepointDrawing) head(v *savepointView) {
	kind := v.Kind
	if kind == string(savepoint.UnknownKind) {
		kind = "savepoint or checkpoint"
	}
	d.line("%s %d   format %d (Flink %s)   %s   %s of state",
		kind, v.CheckpointID, v.FormatVersion, v.FlinkVersions, plural(v.all, "operator"), byteSize(float64(v.StateBytes)))
}

// overview is a line for each operator.
func (d *savepointDrawing) overview(v *savepointView) {
	rows := [][]string{{"state", "keyed", "skew", "parallelism", "ceiling", "id", "operator"}}
	ordered := slices.Clone(v.Operators)
	slices.SortStableFunc(ordered, func(a, b operatorView) int { return cmp.Compare(b.StateBytes, a.StateBytes) })
	for i := range ordered {
		o := &ordered[i]
		skew := unknownCell
		if o.KeyedSkewRatio != nil {
			skew = ratio(*o.KeyedSkewRatio)
		}
		rows = append(rows, []string{
			byteSize(float64(o.StateBytes)), byteSize(float64(o.KeyedBytes)), skew,
			strconv.Itoa(o.Parallelism), strconv.Itoa(o.MaxParallelism), o.OperatorID, o.title(),
		})
	}
	d.line("")
	d.table(rows, 5, 6)
}

// title is the operator's name and uid, as far as they are recorded.
func (o *operatorView) title() string {
	var parts []string
	if o.Name != nil {
		parts = append(parts, shorten(escape(*o.Name), 60))
	}
	if o.UID != nil {
		parts = append(parts, "(uid "+shorten(escape(*o.UID), 60)+")")
	}
	if o.FullyFinished {
		parts = append(parts, "finished")
	}
	return strings.Join(parts, " ")
}

// operator draws all of one operator.
func (d *savepointDrawing) operator(o *operatorView) {
	d.line("")
	title := o.title()
	if title == "" {
		title = "operator"
	}
	d.line("%s   %s", title, o.OperatorID)
	d.line("  parallelism %d of at most %d · %s of state · keyed state: %s",
		o.Parallelism, o.MaxParallelism, byteSize(float64(o.StateBytes)), kindWords(o.KeyedState))
	if o.CoordinatorBytes > 0 {
		d.line("  coordinator: %s", byteSize(float64(o.CoordinatorBytes)))
	}
	d.subtasks(o)
	d.tables(o)
	for _, s := range o.OperatorStates {
		d.line("  operator state %s: %s in %s, at most %d in one, %s",
			shorten(escape(s.Name), 60), plural(s.Elements, "element"), plural(s.Subtasks, "subtask"), s.MaxElements, modeWords(s.Mode))
	}
	d.keyGroups(o)
	d.predictions(o)
}

// kindWords says what kinds of handles are.
func kindWords(kinds []string) string {
	words := map[string]string{
		"KeyGroups": "by key group, HashMap backend", "KeyGroupsSavepoint": "by key group, canonical savepoint",
		"IncrementalRemote": "files of RocksDB or ForSt", "Changelog": "changelog",
		"raw KeyGroups": "raw, by key group", "raw KeyGroupsSavepoint": "raw, by key group",
	}
	if len(kinds) == 0 {
		return "none"
	}
	out := make([]string, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, cmp.Or(words[k], k))
	}
	return strings.Join(out, "; ")
}

// modeWords says what a restore does with an operator state.
func modeWords(mode string) string {
	switch mode {
	case "UNION":
		return "all of them in every subtask after a restore"
	case "BROADCAST":
		return "the same in every subtask"
	}
	return "dealt out anew at a restore"
}

// subtasks draws a table of the subtasks, or of the largest.
func (d *savepointDrawing) subtasks(o *operatorView) {
	shown := o.Subtasks
	if len(shown) > shownSubtasks && !d.all {
		shown = slices.Clone(shown)
		slices.SortStableFunc(shown, func(a, b subtaskView) int { return cmp.Compare(b.StateBytes, a.StateBytes) })
		shown = shown[:shownSubtasks]
	}
	most := int64(0)
	for _, s := range shown {
		most = max(most, s.StateBytes)
	}
	rows := [][]string{{"subtask", "state", "", "key groups", "keyed", "sst", "operator", "in flight", ""}}
	for _, s := range shown {
		rows = append(rows, d.subtaskCells(s, most))
	}
	if len(shown) > 0 {
		d.line("")
		d.table(rows, 2)
	}
	if n := len(o.Subtasks) - len(shown); n > 0 {
		d.line("  and %s that %s no larger; --all lists all", plural(n, "subtask"), map[bool]string{true: "is", false: "are"}[n == 1])
	}
	if d.files {
		d.fileList(shown)
	}
}

func (d *savepointDrawing) subtaskCells(s subtaskView, most int64) []string {
	groups, sst, note := "", "", ""
	if s.KeyGroupFirst != nil {
		groups = fmt.Sprintf("%d–%d", *s.KeyGroupFirst, *s.KeyGroupLast)
	}
	if s.SSTBytes != nil {
		sst = byteSize(float64(*s.SSTBytes))
	}
	if s.Finished {
		note = "finished"
	}
	return []string{
		strconv.Itoa(s.Index), byteSize(float64(s.StateBytes)), bar(s.StateBytes, most), groups,
		positiveSize(s.KeyedBytes), sst, positiveSize(s.OperatorBytes), positiveSize(s.InFlightBytes), note,
	}
}

// tables says how skewed RocksDB's tables are: every subtask has other files of
// about the same size besides, which hide the skew of a small state.
func (d *savepointDrawing) tables(o *operatorView) {
	var sum, most float64
	for _, s := range o.Subtasks {
		if s.SSTBytes == nil {
			return
		}
		sum, most = sum+float64(*s.SSTBytes), max(most, float64(*s.SSTBytes))
	}
	if sum > 0 {
		d.line("  skew of RocksDB's tables (sst) alone: %s", ratio(most*float64(len(o.Subtasks))/sum))
	}
}

// fileList lists the files of the subtasks shown.
func (d *savepointDrawing) fileList(shown []subtaskView) {
	for _, s := range shown {
		for i, f := range s.Files {
			if i == shownFiles && !d.all {
				d.line("  subtask %d: %s more; --all lists all", s.Index, plural(len(s.Files)-i, "file"))
				break
			}
			d.line("  subtask %d: %s %s in %s", s.Index, byteSize(float64(f.Bytes)), f.Part, escape(f.Name))
		}
	}
}

// table draws rows under a heading, columns aligned to the right but for those
// given, columns without any value left out.
func (d *savepointDrawing) table(rows [][]string, left ...int) {
	keep, widths := make([]bool, len(rows[0])), make([]int, len(rows[0]))
	for r, row := range rows {
		for c, cell := range row {
			keep[c] = keep[c] || r > 0 && strings.Trim(cell, " ") != ""
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for c, cell := range row {
			if !keep[c] {
				continue
			}
			fill := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if slices.Contains(left, c) {
				b.WriteString("  " + cell + fill)
			} else {
				b.WriteString("  " + fill + cell)
			}
		}
		d.line("%s", b.String())
	}
}
