package report

import (
	"fmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// leastSkew is the ratio from which a line about skew says anything.
const leastSkew = 1.1

// skewLine puts the ratios of a skewed vertex into one line. It stands under
// the table, so all of it is of the newest window, as the table is.
func (f facts) skewLine() string {
	if f.v.Parallelism < 2 {
		return ""
	}
	d, what := f.recordsSignal(), "records"
	if b := &f.v.Signals.Busy; f.dear() || b.Skew.Or(0) > d.Skew.Or(0) {
		d, what = b, "busy time"
	}
	r, ok := d.Skew.Get()
	if !ok || r < leastSkew {
		return ""
	}
	out := fmt.Sprintf("skew of %s %s the mean", what, times(r))
	if f.v.Layout != nil && f.v.Keyed {
		if l := f.v.Layout.Ratio; l > r {
			out += fmt.Sprintf("; the key-group layout alone would make it %s", fixed2(l))
		} else {
			out += fmt.Sprintf("; the key-group layout explains %s of it", fixed2(l))
		}
	}
	return out + f.othersLoad()
}

// dear reports whether the verdict is about what a record costs: it claims
// even input, so that a skew of records would be of something else.
func (f facts) dear() bool {
	return f.v.Verdict.ID == analysis.SlowTaskManager || f.v.Verdict.ID == analysis.CostlyRecords
}

// othersLoad says what the subtasks do that the verdict does not name: those
// beside the hot ones have room, those beside the idle ones work. It is empty
// when that is not known, and when a busy time of exactly 0 of all of them
// says that it was not measured finely enough.
func (f facts) othersLoad() string {
	about, others := f.split()
	b, ok := mean(others, busyOf).Get()
	if !ok || b <= 0 || len(about) == 0 {
		return ""
	}
	who := "the other " + thousands(float64(len(others)))
	if len(others) == 1 {
		who = "the other one"
	}
	many := len(others) > 1
	switch f.v.Verdict.ID {
	case analysis.FewKeys:
		return fmt.Sprintf("; %s %s %s busy%s", who, verb(many, "is", "are"), percent(b), verb(many, "", " on average"))
	case analysis.HotKey, analysis.KeyGroupLayout, analysis.PartitionLayout, analysis.HotPartition, analysis.SlowTaskManager,
		analysis.CostlyRecords, analysis.UnevenInput, analysis.Stalled:
		if b < 1 {
			return fmt.Sprintf("; %s %s %s room", who, verb(many, "has", "have"), percent(1-b))
		}
	}
	return ""
}

// caption says what a table shows beside the sentences: the newest window
// alone. It is empty when the length of that is not known.
func (f facts) caption() string {
	s, ok := f.v.WindowSeconds.Get()
	if !ok || s <= 0 {
		return ""
	}
	out := "newest window of " + wholeSeconds(s)
	if f.v.Windows > 1 {
		out += " (the sentences weigh about a minute)"
	}
	return out
}
