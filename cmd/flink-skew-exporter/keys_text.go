package main

import (
	"bufio"
	"fmt"
	"strconv"
)

const (
	// shownLayouts is how many layouts the text compares; JSON and CSV have all.
	shownLayouts = 40
	// shownPlaces is up to how many layouts the list of keys names the subtasks of,
	// and up to how many ceilings the key groups of.
	shownPlaces = 4
	// shownKey is how much of a key a line shows, in runes.
	shownKey = 80
)

// text prints the report for people.
func (v *keysView) text(out *bufio.Writer, t terminal) error {
	d := &savepointDrawing{out, savepointText{terminal: t}}
	about := ""
	if !v.KeysExact {
		about = "about "
	}
	d.line("%s%s of type %s in %s, count %s", about, plural64(v.Keys, "key"), v.Type, plural64(v.Lines, "line"), thousands(v.Count))
	d.line("")
	v.layouts(d)
	if len(v.Layouts) == 1 {
		v.shares(d)
	}
	v.advice(d)
	v.heaviest(d)
	return out.Flush()
}

// layouts compares parallelisms and ceilings.
func (v *keysView) layouts(d *savepointDrawing) {
	rows := [][]string{{"max parallelism", "parallelism", "busiest subtask", "skew", "skew of keys", "key groups explain", "as fast as", "idle", ""}}
	for i, l := range v.Layouts {
		if len(v.Layouts) > shownLayouts && i >= shownLayouts-1 && i != v.best {
			continue
		}
		mark := ""
		if i == v.best && len(v.Layouts) > 1 {
			mark = "← best"
		}
		idle := ""
		if l.Idle > 0 {
			idle = strconv.Itoa(l.Idle)
		}
		rows = append(rows, []string{
			strconv.Itoa(l.MaxParallelism), strconv.Itoa(l.Parallelism), shareCell(l.Count.Max, v.Count), ratioCell(l.Count.Ratio),
			ratioCell(l.Keys.Ratio), ratio(l.LayoutRatio), equivalentCell(l.Equivalent), idle, mark,
		})
	}
	d.table(rows, 8)
	if n := len(v.Layouts) - len(rows) + 1; n > 0 {
		d.line("  and %d more; --format=csv has all, --parallelism chooses", n)
	}
}

func shareCell(n, of int64) string {
	if of == 0 {
		return unknownCell
	}
	return percent(float64(n) / float64(of))
}

func ratioCell(v *float64) string {
	if v == nil {
		return unknownCell
	}
	return ratio(*v)
}

func equivalentCell(v *float64) string {
	if v == nil {
		return unknownCell
	}
	return strconv.FormatFloat(*v, 'f', 1, 64)
}

// shares draws the subtasks of the only layout, the busiest of many.
func (v *keysView) shares(d *savepointDrawing) {
	all := v.Layouts[0].Subtasks
	rows := [][]string{{"subtask", "count", "", "", "keys", "key groups"}}
	for i, s := range all {
		if i == shownSubtasks {
			break
		}
		rows = append(rows, []string{
			strconv.Itoa(s.Index), thousands(s.Count), shareCell(s.Count, v.Count), bar(s.Count, v.Layouts[0].Count.Max), thousands(s.Keys),
			fmt.Sprintf("%d–%d", s.First, s.Last),
		})
	}
	d.line("")
	d.table(rows, 3)
	if n := len(all) - shownSubtasks; n > 0 {
		d.line("  and %s; --format=json has all", plural64(int64(n), "more subtask"))
	}
}

// advice says what the numbers come to.
func (v *keysView) advice(d *savepointDrawing) {
	if v.Best == nil {
		d.line("")
		d.line("All counts are 0, so that there is no load to compare.")
		return
	}
	if len(v.Layouts) > 1 {
		b := v.Layouts[v.best]
		d.line("")
		d.line("Best: parallelism %d under max parallelism %d. Its busiest subtask gets %s of the count; none of the others takes more than 5 %% of that off it.",
			b.Parallelism, b.MaxParallelism, shareCell(b.Count.Max, v.Count))
	}
	if len(v.Heaviest) == 0 || v.Heaviest[0].Share == nil {
		return
	}
	if share := *v.Heaviest[0].Share; share*float64(v.Layouts[v.best].Parallelism) > 1 {
		d.line("")
		d.line("The heaviest key%s alone makes %s: no parallelism leaves its subtask less, which is as fast as %.1f evenly loaded subtasks.",
			v.scope, percent(share), 1/share)
	}
}

// heaviest lists keys.
func (v *keysView) heaviest(d *savepointDrawing) {
	d.line("")
	if len(v.Heaviest) == 0 {
		switch {
		case v.AllKeys:
			d.line("No key%s.", v.scope)
		default:
			d.line("No key%s counts more than the others; --each lists all.", v.scope)
		}
		return
	}
	subtasks := len(v.Layouts) <= shownPlaces
	head := []string{"count", "share"}
	for _, p := range v.Heaviest[0].Places[:min(shownPlaces, len(v.Heaviest[0].Places))] {
		head = append(head, fmt.Sprintf("group of %d", p.MaxParallelism))
		for _, s := range p.Subtasks {
			if subtasks {
				head = append(head, fmt.Sprintf("subtask of %d", s.Parallelism))
			}
		}
	}
	rows := [][]string{append(head, "key")}
	for i := range v.Heaviest {
		rows = append(rows, v.heavyCells(&v.Heaviest[i], subtasks))
	}
	d.line("Keys%s with the highest counts:", v.scope)
	d.table(rows, len(rows[0])-1)
	switch more := v.HeaviestOf - len(v.Heaviest); {
	case more > 0 && v.AllKeys:
		d.line("  and %s; --top=0 lists all", plural64(int64(more), "more key"))
	case !v.AllKeys:
		d.line("  and more keys, none of them heavier; --each lists all")
	}
}

func (v *keysView) heavyCells(h *heavyView, subtasks bool) []string {
	count := thousands(h.Count)
	if h.CountMissed > 0 {
		count = "over " + count
	}
	row := []string{count, shareCell(h.Count, v.Count)}
	for _, p := range h.Places[:min(shownPlaces, len(h.Places))] {
		row = append(row, strconv.Itoa(p.Group))
		for _, s := range p.Subtasks {
			if subtasks {
				row = append(row, strconv.Itoa(s.Subtask))
			}
		}
	}
	return append(row, shorten(keyText(h.fields), shownKey))
}
