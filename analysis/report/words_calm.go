package report

import (
	"fmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// notEnoughData: the numbers do not allow a verdict.
func notEnoughData(f facts) Words {
	head, do := f.missing()
	w := Words{Summary: []string{"Not judged: " + head + "."}}
	if do != "" {
		w.Do = []string{do}
	}
	return w
}

// missing says what is lacking and what can be done about it, if anything.
func (f facts) missing() (what, do string) {
	switch f.j.Advice.Missing {
	case analysis.MissingFirstWindow:
		return "two polls are needed to see a rate, and there has been one", "Wait for the next poll."
	case analysis.MissingWarmingUp:
		return "its subtasks have just started and are still settling", "Wait until they have run for the warm-up time."
	case analysis.MissingCoverage:
		covered := first(f.measure("coverage"), f.v.Coverage)
		return "too few subtasks gave fresh numbers" + clause(covered, " (%s of them did)", percent),
			"See whether all subtasks are RUNNING and all TaskManagers answer the JobManager."
	case analysis.MissingDetails:
		return "Flink did not give the details of its subtasks", "See the gaps of the poll; the JobManager may be overloaded or the job may have just changed."
	case analysis.MissingBusy:
		return "Flink cannot measure its busy time (legacy sources report none)", "Nothing to mend; the vertices after it are judged as usual."
	case analysis.MissingNotRunning:
		return "its subtasks are not running", "See why the job is not RUNNING (its exceptions in Flink's web UI)."
	case analysis.MissingFrozen:
		return "its numbers do not move though the job does", "See whether the TaskManagers' metrics still reach the JobManager (metrics.internal.query-service.port)."
	case analysis.MissingAgreement:
		return "it is uneven and saturated" + f.disagreement() + ", but the signals do not agree on a cause",
			"Compare records/s and time/record of its subtasks (--verbose says what stopped each rule): more records point to keys or partitions, more time per record to the worker or the records; a flame graph of the busiest subtask (rest.flamegraph.enabled) shows what it does. A change within the window settles by itself in a few polls."
	case analysis.MissingExcluded:
		return "the configuration excludes it (analysis.exclude_vertices)", ""
	}
	return "the numbers it needs are not there", ""
}

// disagreement gives the numbers of an uneven and saturated vertex.
func (f facts) disagreement() string {
	busy, okB := f.measure("busy_max").Get()
	skew, okS := f.measure("busy_skew").Get()
	switch {
	case okB && okS:
		return fmt.Sprintf(" (the busiest %s is %s busy, %s the mean)", f.noun(), percent(busy), times(skew))
	case okB:
		return fmt.Sprintf(" (the busiest %s is %s busy)", f.noun(), percent(busy))
	}
	return ""
}

// quiet: below the activity floor, where skew means nothing.
func quiet(f facts) Words {
	head := "Hardly any work"
	if b, ok := f.busyMax().Get(); ok {
		head += fmt.Sprintf(": the busiest %s is %s busy", f.noun(), percent(b))
	}
	return Words{Summary: []string{head + "."}}
}

// balanced: nothing else applies.
func balanced(f facts) Words {
	b, ok := f.busyMax().Get()
	if !ok {
		return Words{Summary: []string{"The load is even enough."}}
	}
	if f.v.Parallelism == 1 {
		return Words{Summary: []string{fmt.Sprintf("It has room: its only %s is %s busy.", f.noun(), percent(b))}}
	}
	return Words{Summary: []string{fmt.Sprintf("Even and with room: the busiest %s is %s busy%s.", f.noun(), percent(b), clause(f.v.Signals.Busy.Mean, ", the mean is %s", percent))}}
}

// Label is a verdict in words, for headings where the id would be too bare.
func Label(id analysis.VerdictID) string {
	labels := map[analysis.VerdictID]string{
		analysis.NotEnoughData:     "Not enough data",
		analysis.Quiet:             "Quiet",
		analysis.Balanced:          "Balanced",
		analysis.HotKey:            "Hot key",
		analysis.FewKeys:           "Too few keys",
		analysis.KeyGroupLayout:    "Uneven key-group layout",
		analysis.PartitionLayout:   "Uneven partition layout",
		analysis.IdleReaders:       "Idle readers",
		analysis.HotPartition:      "Hot partition",
		analysis.SlowTaskManager:   "Slow TaskManager",
		analysis.CostlyRecords:     "Costly records",
		analysis.UnevenInput:       "Uneven input",
		analysis.UniformSaturation: "Evenly saturated",
		analysis.Stalled:           "Stalled",
		analysis.Backpressured:     "Back-pressured",
	}
	if l, ok := labels[id]; ok {
		return l
	}
	return name(string(id))
}
