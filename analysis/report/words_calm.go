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
		return "Flink repeats the same numbers for it, so that nothing can be told from them", "See whether the TaskManagers' metrics still reach the JobManager (metrics.internal.query-service.port)."
	case analysis.MissingAgreement:
		return "it is uneven and saturated" + f.disagreement() + ", but the signals do not agree on a cause",
			"Compare records/s and time/record of its subtasks (--verbose says what stopped each rule): more records point to keys or partitions, more time per record to the worker or the records; a flame graph of the busiest subtask (rest.flamegraph.enabled) shows what it does. A change within the window settles by itself in a few polls."
	case analysis.MissingSubtasks:
		return f.unseen(), "See whether the named subtasks are RUNNING and their TaskManager answers the JobManager."
	case analysis.MissingMaxParallelism:
		return "it is uneven and saturated" + f.disagreement() + ", but its max parallelism is " + f.oddMax() + ", so that nobody can tell a hot key from the key-group layout",
			"See whether Flink answers for the job's vertices (maxParallelism in /jobs/<job id>), or set pipeline.max-parallelism."
	case analysis.MissingExcluded:
		return "the configuration excludes it (analysis.exclude_vertices)", ""
	}
	return "the numbers it needs are not there", ""
}

// unseen names the subtasks without numbers and says why that matters.
func (f facts) unseen() string {
	head := "some " + f.noun() + "s give no numbers, and the hot one may be among them"
	if n := len(f.j.Subtasks); n == 1 {
		head = f.subtaskNames() + " gives no numbers, and it may be the hot one"
	} else if n > 1 {
		head = f.subtaskNames() + " give no numbers, and the hot one may be among them"
	}
	if up, ok := f.measure("upstream_backpressured").Get(); ok && up >= heavyWait {
		head += fmt.Sprintf(": the others do not explain why what feeds it is %s back-pressured", percent(up))
	}
	return head
}

// heavyWait is the share of its time from which a vertex is said to wait.
const heavyWait = 0.5

// oddMax says what is wrong with a max parallelism.
func (f facts) oddMax() string {
	m, ok := f.v.MaxParallelism.Get()
	if !ok || m < 1 {
		return "not known"
	}
	return fmt.Sprintf("told as %s, which parallelism %d does not go with", thousands(m), f.v.Parallelism)
}

// missingLabel is why a vertex is not judged in a few words, for counts.
func missingLabel(m analysis.MissingReason) string {
	labels := map[analysis.MissingReason]string{
		analysis.MissingFirstWindow:    "need a second poll",
		analysis.MissingWarmingUp:      "just started",
		analysis.MissingCoverage:       "too few subtasks gave numbers",
		analysis.MissingDetails:        "Flink gave no details",
		analysis.MissingBusy:           "busy time not measurable",
		analysis.MissingNotRunning:     "not running",
		analysis.MissingFrozen:         "numbers repeat",
		analysis.MissingAgreement:      "uneven for no known cause",
		analysis.MissingSubtasks:       "some subtasks gave no numbers",
		analysis.MissingMaxParallelism: "max parallelism not known",
		analysis.MissingExcluded:       "excluded by the configuration",
	}
	if l, ok := labels[m]; ok {
		return l
	}
	return "no reason known"
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
	most, average, ok := f.pair("busy_max", "busy_mean", f.v.Signals.Busy.Max, f.v.Signals.Busy.Mean)
	if !ok {
		most, ok = f.busyMax().Get()
		average = most
	}
	switch {
	case !ok:
		return Words{Summary: []string{"The load is even enough."}}
	case most >= nearLimit:
		return Words{Summary: []string{fmt.Sprintf("%s %s busy, and nothing waits for it%s.", f.busiest(), percent(most), f.paced())}}
	case f.v.Parallelism == 1:
		return Words{Summary: []string{fmt.Sprintf("It has room: its only %s is %s busy.", f.noun(), percent(most))}}
	}
	return Words{Summary: []string{fmt.Sprintf("Even and with room: the busiest %s is %s busy, the mean is %s.", f.noun(), percent(most), percent(average))}}
}

// nearLimit is the busy share from which a subtask is not said to have room.
const nearLimit = 0.9

// busiest begins a sentence about the load of the busiest subtask.
func (f facts) busiest() string {
	if f.v.Parallelism == 1 {
		return "Its only " + f.noun() + " is"
	}
	return "Its busiest " + f.noun() + " is"
}

// paced explains a source that is busy though it could do more.
func (f facts) paced() string {
	if f.source() {
		return " (a source that paces itself shows as busy)"
	}
	return ""
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
