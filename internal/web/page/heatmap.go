package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
)

// heatmap is the busy share of the last hour: columns are polls, rows subtasks.
type heatmap struct {
	cells
	// From and To are the times of the first and the last column.
	From, To string
	// Labels name some rows, at heights in pixels.
	Labels []rowLabel
	// Says what a cell is.
	Says string
}

type rowLabel struct {
	Y     int
	Text  string
	Named bool
}

// labelHeight is how many pixels a row's label needs; mapHeight is about how
// high the map is, its rows being between least and mostRow.
const (
	labelHeight = 13
	mapHeight   = 230
	leastRow    = 4
	mostRow     = 20
)

func newHeatmap(m *history.Map, v *analysis.VertexResult, rows []report.Row) *heatmap {
	each := min(mostRow, max(leastRow, mapHeight/m.Rows))
	h := &heatmap{cells: cells{Cols: len(m.Columns), Rows: m.Rows, Height: each * m.Rows}}
	h.Paths = paint(h.Cols, h.Rows, func(col, row int) int {
		cell := m.At(col, row)
		if cell == history.Absent {
			return -1
		}
		return level(analysis.Of(float64(cell) / history.Full))
	})
	h.From, h.To = clock(m.Columns[0]), clock(m.Columns[len(m.Columns)-1])
	h.Label = fmt.Sprintf("heatmap of the busy share of %s from %s to %s", report.Count(v.Parallelism, "subtask"), h.From, h.To)
	h.Labels = rowLabels(m, v, rows, each)
	var says []string
	if m.PollsPerColumn > 1 {
		says = append(says, fmt.Sprintf("a column is %d polls", m.PollsPerColumn))
	} else {
		says = append(says, "a column is a poll")
	}
	if m.SubtasksPerRow > 1 {
		says = append(says, fmt.Sprintf("a row is %d subtasks", m.SubtasksPerRow))
	} else {
		says = append(says, "a row is a subtask")
	}
	h.Says = strings.Join(says, ", ")
	if m.PollsPerColumn > 1 || m.SubtasksPerRow > 1 {
		h.Says += "; the busiest counts"
	}
	return h
}

// rowLabels names the rows that the verdict is about, and others where there
// is room beside them.
func rowLabels(m *history.Map, v *analysis.VertexResult, rows []report.Row, each int) []rowLabel {
	named := map[int]bool{}
	for _, r := range rows {
		if r.Named {
			named[int(r.Index)/m.SubtasksPerRow] = true
		}
	}
	var out []rowLabel
	add := func(row int) {
		y := min(max(row*each+each/2, labelHeight/2), m.Rows*each-labelHeight/2)
		for _, other := range out {
			if y-other.Y < labelHeight && other.Y-y < labelHeight {
				return
			}
		}
		text := strconv.Itoa(row * m.SubtasksPerRow)
		if last := min((row+1)*m.SubtasksPerRow, v.Parallelism) - 1; last > row*m.SubtasksPerRow {
			text += fmt.Sprintf("–%d", last)
		}
		out = append(out, rowLabel{y, text, named[row]})
	}
	for row := range m.Rows {
		if named[row] {
			add(row)
		}
	}
	every := (labelHeight + each - 1) / each
	for row := 0; row < m.Rows; row += every {
		add(row)
	}
	return out
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05") }
