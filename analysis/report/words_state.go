package report

import (
	"fmt"
	"slices"
)

// wholeShare is the share of a vertex's state from which a checkpoint that
// wrote it counts as a full one; below it, it was incremental.
const wholeShare = 0.95

// stateSkew: one subtask holds far more state than its key groups explain.
func stateSkew(f facts) Words {
	who, _ := f.who()
	if len(f.j.Subtasks) != 1 {
		who = "One " + f.noun()
	}
	head := who + " holds far more state than the others"
	if most, ok := f.measure("state_max").Get(); ok {
		head = fmt.Sprintf("%s holds %s of state%s", who, bytesize(most), clause(f.measure("state_mean"), " where the mean is %s", bytesize))
	}
	format := "; that is %s the mean"
	if f.v.Signals.State.Excess.Known() {
		format = "; for each owned key group that is %s the mean"
	}
	w := Words{Summary: []string{head + clause(f.measure("state_excess"), format, times) + "."}}
	if s := f.stateAndLoad(); s != "" {
		w.Summary = append(w.Summary, s)
	}
	if written, ok := f.measure("state_written_share").Get(); ok && written < wholeShare {
		w.Summary = append(w.Summary, fmt.Sprintf("These are full sizes; the newest checkpoint was incremental and wrote %s of them, which says nothing of who is fat.", percent(written)))
	} else if ok {
		w.Summary = append(w.Summary, "The newest checkpoint wrote all of it.")
	}
	key := "one key"
	if k := f.key(); k != "" {
		key = "one key of " + k
	}
	w.Do = []string{
		"See what " + key + " can gather: lists and maps that only grow, windows or timers that are never cleared, a join side without an end; give the state a time-to-live.",
		"Expect restores and rescales to take as long as this subtask's share takes.",
	}
	w.Dont = []string{"Compare what incremental checkpoints wrote: a fat subtask whose state rests looks thin.",
		"Add parallelism for one fat key: a key's state stays on one subtask."}
	return w
}

// stateAndLoad says whether the fat subtask is the busy one; empty when busy
// time is not known.
func (f facts) stateAndLoad() string {
	same, ok := f.measure("largest_is_busiest").Get()
	busy := &f.v.Signals.Busy
	switch {
	case !ok || busy.Count == 0:
		return ""
	case same > 0:
		return "It is the busiest one as well: size and load have one cause, or the size makes each access dear."
	}
	busiest := fmt.Sprintf(" (that is %s %d)", f.noun(), busy.ArgMax)
	if busy.ArgMax < 0 || slices.Contains(f.j.Subtasks, busy.ArgMax) {
		busiest = ""
	}
	return "It is not the busiest one" + busiest + ": the size is not what loads the vertex."
}

// phase is one part of the time that a subtask's checkpoint takes, in order.
type phase struct {
	measure string
	// label completes "went by in …"; meaning is a sentence.
	label, meaning string
	do, dont       []string
}

func checkpointPhases() []phase {
	return []phase{
		{
			measure: "checkpoint_start_delay", label: "before the first barrier arrived (start delay)",
			meaning: "The barrier was held up on its way, as a rule behind records in full buffers: back pressure, not state.",
			do: []string{
				"Mend the load first, here or where the slow path starts (see the verdicts): its checkpoint is late because its records are.",
				"Until then buffer debloating (taskmanager.network.memory.buffer-debloat.enabled) or unaligned checkpoints (execution.checkpointing.unaligned.enabled) let barriers through sooner.",
			},
			dont: []string{"Tune the state backend or the checkpoint storage: writing is not what takes the time."},
		},
		{
			measure: "checkpoint_alignment", label: "waiting for the barriers of its other inputs (alignment)",
			meaning: "One of its inputs brings the barrier much later than the others.",
			do: []string{
				"Look upstream for the slow input: one source or branch that is behind, or one subtask that is back-pressured.",
				"Until then unaligned checkpoints (execution.checkpointing.unaligned.enabled, or an aligned-checkpoint-timeout) spare it the wait.",
			},
			dont: []string{"Tune the state backend or the checkpoint storage: writing is not what takes the time."},
		},
		{
			measure: "checkpoint_sync", label: "in the synchronous part of the snapshot",
			meaning: "The subtask processes nothing meanwhile.",
			do: []string{
				"Look at what the snapshot does while it blocks: a flush of RocksDB's write buffers to a slow local disk, much operator state or many timers on the heap, a sink that commits or flushes in the snapshot, user code in snapshotState.",
				"Compare the local disk and the garbage collection of its TaskManager with the others'.",
			},
			dont: []string{"Take it for back pressure: the barrier was there in time."},
		},
		{
			measure: "checkpoint_async", label: "in writing the state (asynchronous part)",
			meaning: "The state is large there, or the way to the checkpoint storage is slow.",
			do: []string{
				"Compare the subtask's state size with the others' (state_skew says so when it is fat), then its TaskManager's network and disk with theirs.",
				"Incremental checkpoints (execution.checkpointing.incremental) write what has changed only.",
			},
			dont: []string{"Take it for back pressure: the barrier was there in time."},
		},
	}
}

// slowestPhase returns the phase that took most of a checkpoint of that many
// seconds; ok is false when none took half of it, or none is known.
func (f facts) slowestPhase(total float64) (p phase, took float64, ok bool) {
	for _, candidate := range checkpointPhases() {
		if t, known := f.measure(candidate.measure).Get(); known && t > took {
			p, took, ok = candidate, t, true
		}
	}
	return p, took, ok && took >= total/2
}

// checkpointStraggler: one subtask's part of the newest checkpoint takes far
// longer than the others'.
func checkpointStraggler(f facts) Words {
	who, _ := f.who()
	if len(f.j.Subtasks) != 1 {
		who = "One " + f.noun()
	}
	total, known := f.measure("checkpoint_duration_max").Get()
	head := who + " takes far longer than the others for its part of the newest checkpoint"
	if known {
		head = fmt.Sprintf("%s took %s for its part of the newest checkpoint%s", who, seconds(total),
			clause(f.measure("checkpoint_duration_median"), ", where the median is %s", seconds))
	}
	p, took, ok := f.slowestPhase(total)
	if !known || !ok {
		return Words{
			Summary: []string{head + ".", "No single phase explains it."},
			Do:      []string{"Open the checkpoint's subtasks in Flink's web UI and compare start delay, alignment, synchronous and asynchronous part; look whether the JobManager or the storage was slow to acknowledge."},
			Dont:    []string{"Raise the checkpoint time-out before knowing which phase it is."},
		}
	}
	w := Words{Summary: []string{fmt.Sprintf("%s; %s of it went by %s.", head, seconds(took), p.label), p.meaning}, Do: p.do, Dont: p.dont}
	if busy := f.standsOut(); p.measure == "checkpoint_start_delay" && busy != "" {
		w.Summary[1] = busy + ", and the barrier stood behind its records in full buffers: that is back pressure, not state."
	}
	return w
}

// standsOut says how busy the one subtask is that the judgement names, beside
// the others: by far the busiest, or at its limit as others are. It is empty
// when its load explains nothing.
func (f facts) standsOut() string {
	about, others := f.split()
	if len(about) != 1 {
		return ""
	}
	busy, ok := about[0].Busy.Get()
	next, alike := 0.0, 0
	for _, s := range others {
		b := s.Busy.Or(0)
		next = max(next, b)
		if b >= nearLimit {
			alike++
		}
	}
	switch {
	case ok && busy >= next+distinctly && busy >= distinctly:
		return "It is the busiest " + f.noun()
	case ok && busy >= nearLimit && alike > 0:
		return fmt.Sprintf("It is %s busy, as %s", percent(busy), asOthers(alike, len(others)))
	case ok && busy >= nearLimit:
		return fmt.Sprintf("It is %s busy", percent(busy))
	}
	return ""
}

// asOthers says how many of the others are so, too.
func asOthers(n, of int) string {
	switch {
	case n == of && n > 1:
		return "all others are"
	case n == 1:
		return "one other is"
	}
	return thousands(float64(n)) + " others are"
}

// distinctly is by how much, as a share of its time, a subtask must be busier
// than any other to be called the busiest.
const distinctly = 0.1
