package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// A vertex of at most allRows subtasks has a line for each; else the ends of
// the order by load have, and what the verdict names.
const (
	allRows  = 40
	hotRows  = 16
	coldRows = 4
	maxNamed = 20
	markRune = 40
)

// subtaskTable is the newest window of a vertex's subtasks.
type subtaskTable struct {
	Rows []subtaskRow
	// Left says which subtasks have no line.
	Left string
	// State, Groups and Partitions are whether any row has such a value.
	State, Groups, Partitions bool
}

type subtaskRow struct {
	Index                        int32
	Named                        bool
	Mark                         string
	Busy, Back, Records          measure
	Cost                         string
	State, Groups                measure
	Range, Partitions, TaskManag string
}

// measure is a number with its bar, whose width is against the largest of all.
type measure struct {
	Text, Width string
	Known       bool
}

func newMeasure(text string, n analysis.Num, most float64) measure {
	m := measure{Text: text, Known: n.Known() && most > 0}
	if m.Known {
		m.Width = width(analysis.Of(n.Or(0) / most))
	}
	return m
}

func newSubtaskTable(v *analysis.VertexResult, rows []report.Row) subtaskTable {
	var t subtaskTable
	shown := choose(rows)
	if left := len(rows) - len(shown); left > 0 {
		t.Left = fmt.Sprintf("The hottest, the coldest and those named; %s between them are in the JSON.", report.Count(left, "more subtask"))
	}
	var records, state, groups float64
	for _, r := range rows {
		records, state, groups = max(records, r.Records.Or(0)), max(state, r.StateBytes.Or(0)), max(groups, float64(r.KeyGroups))
		t.State = t.State || r.StateBytes.Known()
		t.Partitions = t.Partitions || r.Partitions.Known()
	}
	m := keyGroups(v)
	t.Groups = m > 0 && groups > 0
	for _, r := range shown {
		row := subtaskRow{
			Index: r.Index, Named: r.Named, Mark: r.Mark,
			Busy: newMeasure(report.Percent(r.Busy), r.Busy, 1), Back: newMeasure(report.Percent(r.BackPressured), r.BackPressured, 1),
			Records:    newMeasure(report.Amount(r.Records, analysis.UnitRecordsPerSecond), r.Records, records),
			Cost:       report.Amount(r.CostPerRecord, analysis.UnitSeconds),
			State:      newMeasure(report.Amount(r.StateBytes, analysis.UnitBytes), r.StateBytes, state),
			Partitions: report.Whole(r.Partitions), TaskManag: cmp.Or(report.Clean(r.TaskManager, markRune), "–"),
		}
		if t.Groups && int(r.Index) < v.Parallelism {
			first, last := keygroup.Range(int(r.Index), v.Parallelism, m)
			row.Range = fmt.Sprintf("%d–%d", first, last)
			n := analysis.OfInt(r.KeyGroups)
			row.Groups = newMeasure(report.Whole(n), n, groups)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// choose returns all rows by index when they are few, else the ends of the
// order by load with those named between them.
func choose(rows []report.Row) []report.Row {
	if len(rows) <= allRows {
		return rows
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b report.Row) int {
		return cmp.Or(cmp.Compare(b.Busy.Or(-1), a.Busy.Or(-1)), cmp.Compare(b.Records.Or(-1), a.Records.Or(-1)))
	})
	out := slices.Clone(sorted[:hotRows])
	named := 0
	for _, r := range sorted[hotRows : len(sorted)-coldRows] {
		if r.Named && named < maxNamed {
			out = append(out, r)
			named++
		}
	}
	return append(out, sorted[len(sorted)-coldRows:]...)
}

// keyGroups is the number of key groups where they have a meaning, else 0.
func keyGroups(v *analysis.VertexResult) int {
	m, ok := v.MaxParallelism.Get()
	if !ok || !v.Keyed || m > keygroup.UpperBound || !keygroup.Valid(v.Parallelism, int(m)) {
		return 0
	}
	return int(m)
}
