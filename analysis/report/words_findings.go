package report

import (
	"fmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// bottleneck: the vertex where the slow path starts.
func bottleneck(f facts) Words {
	head := "The slow path of the job starts here"
	if w := f.waiters(); w != "" {
		head += ": " + w + ", waiting for this"
	} else {
		if b, ok := f.busyMax().Get(); ok {
			head += fmt.Sprintf(": its busiest %s is %s busy", f.noun(), percent(b))
		}
		head += clause(f.measure("upstream_backpressured"), "; what feeds it is %s back-pressured", percent)
	}
	return Words{
		Summary: []string{head + "."},
		Do:      []string{"Start here: the vertices before it wait and the ones after it get what it lets through."},
		Dont:    []string{"Tune the vertices that wait for it."},
	}
}

// ceilingReached: parallelism equals the binding ceiling and it needs more.
func ceilingReached(f facts) Words {
	head := fmt.Sprintf("It runs at its ceiling: parallelism %d%s%s", f.v.Parallelism,
		clause(f.v.Ceiling.Effective, " of at most %s", thousands), f.binds())
	head += clause(first(f.measure("required_parallelism"), f.v.Sizing.Required), ", and the present load asks for %s", thousands)
	return Words{Summary: []string{head + "."}, Do: []string{f.raise()},
		Dont: []string{"Set a larger parallelism: it is refused, or the subtasks added get nothing."}}
}

// ceilingBelowRequired: scaling alone cannot meet the present load.
func ceilingBelowRequired(f facts) Words {
	head := "Scaling alone cannot meet the present load"
	required := first(f.measure("required_parallelism"), f.v.Sizing.Required)
	if r, ok := required.Get(); ok {
		head += fmt.Sprintf(": it asks for parallelism %s%s%s", thousands(r), clause(f.v.Ceiling.Effective, ", the ceiling is %s", thousands), f.binds())
	}
	head += clause(f.v.Sizing.RequiredHeadroom, "; headroom is %s", times)
	return Words{Summary: []string{head + "."}, Do: []string{"Make a record cheaper first; that needs no migration.", f.raise()},
		Dont: []string{"Scale to the ceiling and wait: it stays behind."}}
}

// raise says how the binding limit is raised.
func (f facts) raise() string {
	switch f.v.Ceiling.Binding {
	case analysis.BindSourcePartitions:
		return "Raise the number of partitions of the source; max parallelism is not what binds."
	case analysis.BindTaskSlots:
		return "Add TaskManagers or slots; max parallelism is not what binds."
	case analysis.BindMaxParallelism:
		if f.v.Keyed {
			return "Plan a larger max parallelism: it is frozen into savepoints, so keyed state must be rewritten offline (State Processor API); keep the old savepoint until the new job has committed."
		}
		return "Raise max parallelism; this vertex has no key groups, so see that nothing keyed is chained to it first."
	}
	return "Find out what binds: max parallelism, source partitions or task slots."
}

// partitionCeiling: source partitions bind before max parallelism.
func partitionCeiling(f facts) Words {
	head := "The number of partitions limits this source, not its max parallelism"
	if n, ok := f.v.Partitions.Get(); ok {
		head = fmt.Sprintf("The number of partitions limits this source: %s for %s%s", count(int(n), "partition"),
			count(f.v.Parallelism, "reader"), clause(f.v.MaxParallelism, ", though max parallelism is %s", thousands))
	}
	return Words{Summary: []string{head + "."},
		Do:   []string{"Raise the number of partitions before the source's parallelism."},
		Dont: []string{"Raise max parallelism for the sake of this source."}}
}

// wastedSubtasks: a smaller parallelism leaves the busiest subtask no worse off.
func wastedSubtasks(f facts) Words {
	head := "Some subtasks add nothing"
	do := "Run it at the smaller parallelism, or at one that unloads the busiest subtask."
	if n, ok := f.v.Ceiling.Wasted.Get(); ok && n > 0 {
		smaller := f.v.Parallelism - int(n)
		head = fmt.Sprintf("%s of %d %s nothing: at parallelism %d the busiest would be loaded no more", count(int(n), "subtask"), f.v.Parallelism, verb(n > 1, "adds", "add"), smaller)
		if m, ok := f.maxParallelism(); ok {
			head += fmt.Sprintf(" (it owns %s either way)", count(keygroup.Busiest(f.v.Parallelism, m), "key group"))
		}
		do = fmt.Sprintf("Run it at %d (%s)%s.", smaller, f.back(int(n)), clause(f.v.Ceiling.NextUseful, " or at %s, the next that unloads the busiest", thousands))
	}
	return Words{Summary: []string{head + "."}, Do: []string{do},
		Dont: []string{"Expect a slot back from this vertex alone: with slot sharing, a job needs as many slots as its widest vertex."}}
}

// waiting: busy, but its workers use far less CPU.
func waiting(f facts) Words {
	head := "It is busy but hardly computes"
	head += clause(f.measure("cpu_per_busy_second"), ": its TaskManagers use %s CPU seconds for each second its subtasks are busy", significant)
	head += clause(f.measure("cpu_of_cores"), " (%s of their cores)", percent)
	w := Words{
		Summary: []string{head + "; it waits for something outside, or is starved of CPU."},
		Do: []string{"Find out first whether it waits for something outside or is starved of CPU. Take a flame graph in off-CPU mode (rest.flamegraph.enabled): a synchronous lookup or a slow sink shows at once; use asynchronous I/O, batching, caching or a faster service.",
			"Rule out throttling: compare the container's CPU limit with what it uses."},
		Dont: []string{"Add CPU before knowing that it is starved of it."},
	}
	if on := f.where(); on != "" {
		w.Summary = append(w.Summary, on)
	}
	return w
}

// nonParallel: parallelism 1 of 1 is a choice, not a full ceiling.
func nonParallel(f facts) Words {
	return Words{
		Summary: []string{"It is not parallel by construction (parallelism 1 of 1), which is no full ceiling."},
		Do:      []string{"If it becomes busy, see whether it must be global (windowAll, a single sink): partition it by key or combine before it."},
		Dont:    []string{"Set its parallelism: Flink refuses more than 1 here."},
	}
}

// jobChanged: a rescale or restart fell into the window.
func jobChanged(facts) Words {
	return Words{
		Summary: []string{"Its subtasks were restarted or rescaled, and no window has been measured since; numbers from before are not compared with those after."},
		Do:      []string{"If nobody rescaled it, see the job's exceptions in Flink's web UI."},
		Dont:    []string{"Act on the first minute after a restart: catching up is no skew."},
	}
}
