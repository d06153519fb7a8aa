package report

import (
	"fmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// costs says what a record costs the named subtasks against the others.
func (f facts) costs() string {
	about, others := f.split()
	a, b, ok := f.pair("cost_high", "cost_others", f.now(mean(about, costOf)), f.now(first(mean(others, costOf), f.v.Signals.CostPerRecord.Median)))
	ratio := f.measure("cost_ratio")
	switch {
	case ok && b > 0 && ratio.Known():
		return fmt.Sprintf("%s the time per record (%s against %s)", show(ratio, times), seconds(a), seconds(b))
	case ok && b > 0:
		return fmt.Sprintf("%s the time per record (%s against %s)", times(a/b), seconds(a), seconds(b))
	case ratio.Known():
		return show(ratio, times) + " the time per record"
	}
	return "more time per record"
}

// evenly says that the input of the named subtasks is about the others'.
func (f facts) evenly() string {
	each := ""
	if f.v.Keyed {
		each = " for each key group"
	}
	return "about as many records as the others" + clause(f.measure("input_ratio"), " (%s"+each+")", times)
}

// slowTaskManager: the cost per record is high on the subtasks of one worker.
func slowTaskManager(f facts) Words {
	who, plural := f.who()
	tm := "one TaskManager"
	if id := f.j.Advice.TaskManager; id != "" {
		tm = "TaskManager " + name(id) + f.host()
	}
	w := Words{Summary: []string{
		fmt.Sprintf("%s %s on %s and %s %s that the others need, though %s %s %s.",
			who, verb(plural, "runs", "run"), tm, verb(plural, "needs", "need"), f.costs(), verb(plural, "it", "they"), verb(plural, "gets", "get"), f.evenly()),
	}}
	if s := f.workerFacts(); s != "" {
		w.Summary = append(w.Summary, s)
	}
	w.Summary = append(w.Summary, "More parallelism will not help: the host is slow, not the work uneven.")
	others := 0
	for i := range f.job.Vertices {
		o := &f.job.Vertices[i]
		if o.ID != f.v.ID && o.Verdict.ID == analysis.SlowTaskManager && o.Verdict.Advice.TaskManager == f.j.Advice.TaskManager {
			others++
		}
	}
	if others == 1 {
		w.Summary = append(w.Summary, "Another vertex of the job suffers from it as well.")
	} else if others > 1 {
		w.Summary = append(w.Summary, fmt.Sprintf("%d other vertices of the job suffer from it as well.", others))
	}
	w.Do = append(f.workerSteps(),
		"Look at that host: CPU limit and throttling of the container, neighbours on the machine, disk and network.",
		"If nothing there can be mended, restart that TaskManager so that its subtasks run elsewhere; the job goes on from its last checkpoint.",
		"With uneven slots, spread them (taskmanager.load-balance.mode, or cluster.evenly-spread-out-slots before Flink 1.20).")
	w.Dont = []string{"Change keys or parallelism: the records are spread evenly already.", "Give every TaskManager more memory before knowing that it is garbage collection."}
	return w
}

// costlyRecords: even input, dear records on one or few subtasks, not host-wide.
func costlyRecords(f facts) Words {
	who, plural := f.who()
	head := fmt.Sprintf("%s %s %s", who, verb(plural, "gets", "get"), f.evenly())
	w := Words{
		Summary: []string{
			fmt.Sprintf("%s but %s %s%s.", head, verb(plural, "needs", "need"), f.costs(), clause(f.busyMax(), "; the busiest is %s busy", percent)),
			"More parallelism will not help: the dear records stay together on one subtask.",
		},
		Do: []string{
			"Compare the state sizes of the subtasks at the newest checkpoint: one key with very large state (a growing list, a wide join) is dear to read and write.",
			fmt.Sprintf("Take a flame graph of %s (rest.flamegraph.enabled) and see what the time goes to: state access, big records to serialize, a slow lookup or a dear branch for some of them.", f.subtaskNames()),
			"Make those records cheaper: bound the state of a key (time-to-live, MapState in place of one large value), cache or batch the lookup, or send the dear kind of records to a vertex of its own.",
		},
		Dont: []string{"Salt the keys for their number: the records are spread evenly.", "Add parallelism or slots.", "Blame the TaskManager unless its other subtasks are dear as well."},
	}
	if k := f.key(); k != "" {
		w.Do[0] = fmt.Sprintf("Compare the state sizes of the subtasks at the newest checkpoint: one key of %s with very large state (a growing list, a wide join) is dear to read and write.", k)
	}
	if kg, m := f.v.Hot, 0; kg != nil && kg.KeyGroups != nil {
		if m, _ = f.maxParallelism(); m > 0 {
			w.Do = append(w.Do, f.suspectKeys(*kg.KeyGroups, m))
		}
	}
	return w
}

// subtaskNames writes "subtask 2" or "subtasks 2 and 3" inside a sentence.
func (f facts) subtaskNames() string {
	switch len(f.j.Subtasks) {
	case 0:
		return "the vertex"
	case 1:
		return fmt.Sprintf("%s %d", f.noun(), f.j.Subtasks[0])
	}
	return fmt.Sprintf("%ss %s", f.noun(), indexes(f.j.Subtasks))
}

// stalled: busy near its limit with (almost) no records.
func stalled(f facts) Words {
	who, plural := f.who()
	about, others := f.split()
	busy := first(f.busyMax(), mean(about, busyOf))
	head := fmt.Sprintf("%s %s busy without", who, verb(plural, "is", "are"))
	if b, ok := busy.Get(); ok {
		head = fmt.Sprintf("%s %s %s busy without", who, verb(plural, "is", "are"), percent(b))
	}
	switch r, ok := first(f.measure("records_stalled"), f.now(mean(about, f.records))).Get(); {
	case ok && r > 0:
		head += fmt.Sprintf(" getting on (%s records/s)", rate(r))
	default:
		head += " processing any record"
	}
	head += clause(first(f.measure("records_others"), f.now(mean(others, f.records))), ", while the others process %s/s each", rate)
	return Words{
		Summary: []string{head + ".", "It looks stuck in a call. More parallelism will not help."},
		Do: []string{
			fmt.Sprintf("Take a thread dump of the TaskManager of %s, or a flame graph: look for a call that does not return (a lookup, a commit, a lock, an endless loop over one record).", f.subtaskNames()),
			"Give the call a time-out; if it never returns, cancel and restart the job from its last checkpoint.",
		},
		Dont: []string{"Add parallelism: the stuck call stays stuck.", "Take it for a hot key: it processes the fewest records, not the most."},
	}
}
