package page

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// ownership is the key groups of a vertex in a row, coloured by the records of
// one group, with the hot range bracketed. Coordinates are key groups.
type ownership struct {
	Groups int
	Paths  []tonePath
	// Borders part the subtasks' ranges when they are few enough.
	Borders string
	// Hot is where to look for the hot key; From, Width and Middle are percent.
	Hot, From, Width, Middle, Anchor string
	// Most and Mean are the records a second of one group.
	Most, Mean, Label string
	Layout            string
}

// borderedSubtasks is up to how many subtasks borders are drawn between.
const borderedSubtasks = 128

// newOwnership returns nil for a vertex without key groups or without rates.
func newOwnership(v *analysis.VertexResult, rows []report.Row) *ownership {
	m := keyGroups(v)
	if m == 0 || len(rows) == 0 {
		return nil
	}
	perGroup := make([]analysis.Num, v.Parallelism)
	var sum, most float64
	groups := 0
	for _, r := range rows {
		rate, ok := r.Records.Get()
		if !ok || r.KeyGroups <= 0 || int(r.Index) >= v.Parallelism {
			continue
		}
		each := rate / float64(r.KeyGroups)
		perGroup[r.Index] = analysis.Of(each)
		most = max(most, each)
		sum += rate
		groups += int(r.KeyGroups)
	}
	if groups == 0 || most <= 0 {
		return nil
	}
	o := &ownership{Groups: m}
	o.Paths = paint(m, 1, func(group, _ int) int {
		return level(perGroup[keygroup.Owner(group, v.Parallelism, m)].Map(func(each float64) float64 { return each / most }))
	})
	if v.Parallelism <= borderedSubtasks {
		var b strings.Builder
		for i := 1; i < v.Parallelism; i++ {
			first, _ := keygroup.Range(i, v.Parallelism, m)
			fmt.Fprintf(&b, "M%d 0v1", first)
		}
		o.Borders = b.String()
	}
	o.Most = report.Amount(analysis.Of(most), analysis.UnitRecordsPerSecond)
	o.Mean = report.Amount(analysis.Of(sum/float64(groups)), analysis.UnitRecordsPerSecond)
	o.Label = fmt.Sprintf("%s over %s, by records of one group: %s on average, %s at most",
		report.Count(m, "key group"), report.Count(v.Parallelism, "subtask"), o.Mean, o.Most)
	if l := v.Layout; l != nil {
		o.Layout = report.Count(l.Min, "group") + " a subtask"
		if l.Max != l.Min {
			o.Layout = fmt.Sprintf("%d or %d groups a subtask", l.Min, l.Max)
		}
	}
	o.bracket(v, m)
	return o
}

// bracket marks the range in which the hot key lies.
func (o *ownership) bracket(v *analysis.VertexResult, m int) {
	hot := v.Verdict.Advice.KeyGroups
	if hot == nil && v.Hot != nil && v.Verdict.ID == analysis.HotKey {
		hot = v.Hot.KeyGroups
	}
	if hot == nil || hot.First < 0 || hot.Last >= m || hot.Last < hot.First {
		return
	}
	share := func(groups float64) string { return fmt.Sprintf("%.2f%%", 100*groups/float64(m)) }
	o.Hot = fmt.Sprintf("key groups %d–%d", hot.First, hot.Last)
	if hot.First == hot.Last {
		o.Hot = fmt.Sprintf("key group %d", hot.First)
	}
	middle := float64(hot.First+hot.Last+1) / 2
	o.From, o.Width, o.Middle = share(float64(hot.First)), share(float64(hot.Last-hot.First+1)), share(middle)
	switch at := middle / float64(m); {
	case at < 0.2:
		o.Anchor, o.Middle = "start", o.From
	case at > 0.8:
		o.Anchor, o.Middle = "end", share(float64(hot.Last+1))
	default:
		o.Anchor = "middle"
	}
}
