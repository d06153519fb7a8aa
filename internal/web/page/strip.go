package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// cells is a field of coloured cells as SVG: one path for each tone, which
// keeps a thousand cells to a few kilobytes. Coordinates are cells.
type cells struct {
	Cols, Rows int
	// Height is in pixels; the width is that of the page.
	Height int
	Paths  []tonePath
	// Label says the same in words.
	Label string
	// Note says what a cell is when it is not one subtask; may be empty.
	Note string
	// Borders part cells that are few enough to be told apart.
	Borders string
}

// tonePath is all cells of one tone.
type tonePath struct {
	Level int
	D     string
}

// paint fills a field; at returns a tone, or -1 for a cell to be left out.
// Neighbours in a row are drawn at once.
func paint(cols, rows int, at func(col, row int) int) []tonePath {
	var by [levels + 1]strings.Builder
	for row := range rows {
		for col := 0; col < cols; {
			tone, run := at(col, row), 1
			for col+run < cols && at(col+run, row) == tone {
				run++
			}
			if tone >= 0 && tone <= levels {
				b := &by[tone]
				b.WriteString("M" + strconv.Itoa(col) + " " + strconv.Itoa(row) + "h" + strconv.Itoa(run))
			}
			col += run
		}
	}
	var out []tonePath
	for tone := range by {
		if by[tone].Len() > 0 {
			out = append(out, tonePath{tone, by[tone].String()})
		}
	}
	return out
}

// stripColumns is how many subtasks stand beside each other before the strip
// goes on in a second row, partedCells up to how many are parted by a line, and rowHeight how high one is, in pixels.
const (
	stripColumns = 128
	oneRow       = 16
	partedCells  = 64
	manyRows     = 6
)

// newStrip draws the busy share of every subtask, or of the busiest of several
// neighbours when there are more than most.
func newStrip(v *analysis.VertexResult, most int) cells {
	per := 1
	for (v.Parallelism+per-1)/per > most {
		per *= 2
	}
	n := (v.Parallelism + per - 1) / per
	tones := make([]int, n)
	for i := range tones {
		tones[i] = -1
	}
	for i := range v.Subtasks {
		s := &v.Subtasks[i]
		if k := int(s.Index) / per; k >= 0 && k < n {
			tones[k] = max(tones[k], level(s.Busy))
		}
	}
	rows := (n + stripColumns - 1) / stripColumns
	c := cells{Rows: max(1, rows), Height: oneRow, Label: stripLabel(v)}
	c.Cols = (n + c.Rows - 1) / c.Rows
	if n <= partedCells {
		for i := 1; i < n; i++ {
			c.Borders += fmt.Sprintf("M%d 0v1", i)
		}
	}
	if c.Rows > 1 {
		c.Height = c.Rows * manyRows
	}
	if per > 1 {
		c.Note = fmt.Sprintf("one cell is the busiest of %d subtasks", per)
	}
	c.Paths = paint(c.Cols, c.Rows, func(col, row int) int {
		if i := row*c.Cols + col; i < n {
			return tones[i]
		}
		return -1
	})
	return c
}

func stripLabel(v *analysis.VertexResult) string {
	b := &v.Signals.Busy
	if b.Count == 0 {
		return "busy: not known of any subtask"
	}
	return fmt.Sprintf("busy by subtask: %s to %s, known of %s of %s",
		report.Percent(b.Min), report.Percent(b.Max), report.Whole(analysis.OfInt(b.Count)), report.Count(v.Parallelism, "subtask"))
}

// bar is a share as a bar, and another beside it.
type bar struct {
	// Max and Mean are widths in percent; Known is false when both are absent.
	Max, Mean string
	Known     bool
	Text      string
}

// newBar draws the largest share of 0–1 over the mean.
func newBar(d *analysis.Distribution) bar {
	if !d.Max.Known() {
		return bar{Text: report.Percent(d.Max)}
	}
	return bar{
		Max: width(d.Max), Mean: width(d.Mean), Known: true,
		Text: report.Percent(d.Max) + " max, " + report.Percent(d.Mean) + " mean",
	}
}

// width is a share of 0–1 as an SVG length.
func width(n analysis.Num) string {
	return strconv.FormatFloat(min(100, max(0, n.Or(0)*100)), 'f', 1, 64) + "%"
}
