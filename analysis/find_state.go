package analysis

import "math"

// findStateSkew: one subtask holds far more state than the layout explains.
// Full sizes are compared, never what a checkpoint wrote: with incremental
// checkpoints a quiet fat subtask looks thin.
func findStateSkew(x *findingContext) (Finding, bool) {
	d := &x.result.Signals.State
	skew := d.Skew
	if d.Excess.Known() {
		skew = d.Excess
	}
	if d.Count < 2 || d.Max.Or(0) < x.q.c.StateFloor || skew.Or(0) < x.q.c.StateEnter {
		return Finding{}, false
	}
	fat := d.ArgMax
	busiest := 0.0
	if x.result.Signals.Busy.ArgMax == fat {
		busiest = 1
	}
	f := finding(StateSkew, SeverityInfo, ScalingNA,
		against("state_excess", skew.Or(math.NaN()), UnitRatio, x.q.c.StateEnter),
		against("state_max", d.Max.Or(0), UnitBytes, x.q.c.StateFloor),
		measureOf("state_mean", d.Mean.Or(math.NaN()), UnitBytes),
		measureOf("state_written_share", x.writtenShare(), UnitRatio),
		measureOf("largest_is_busiest", busiest, UnitRatio),
	)
	f.Subtasks = []int{fat}
	f.Advice.Key = keyExpression(x.q.v.Description)
	return f, true
}

// writtenShare is how much of the vertex's state the newest checkpoint wrote:
// about 1 unless it was incremental.
func (x *findingContext) writtenShare() float64 {
	var full, delta float64
	for _, t := range x.q.v.Checkpoint.Subtasks {
		full += t.StateBytes.Or(0)
		delta += t.DeltaBytes.Or(math.NaN())
	}
	return delta / full
}

// findCheckpointStraggler: one subtask's part of the newest checkpoint takes
// far longer than the others'. The evidence says which phase took the time.
func findCheckpointStraggler(x *findingContext) (Finding, bool) {
	d := &x.result.Signals.CheckpointDuration
	limit := max(x.q.c.StragglerFloor.Seconds(), x.q.c.StragglerEnter*d.Median.Or(math.Inf(1)))
	if d.Count < 2 || d.Max.Or(0) < limit {
		return Finding{}, false
	}
	f := finding(CheckpointStraggler, SeverityInfo, ScalingNA,
		against("checkpoint_duration_max", d.Max.Or(0), UnitSeconds, limit),
		measureOf("checkpoint_duration_median", d.Median.Or(math.NaN()), UnitSeconds),
	)
	for _, t := range x.q.v.Checkpoint.Subtasks {
		if int(t.Index) != d.ArgMax {
			continue
		}
		for _, phase := range []struct {
			name string
			ms   Num
		}{{"start_delay", t.StartDelayMs}, {"alignment", t.AlignmentMs}, {"sync", t.SyncMs}, {"async", t.AsyncMs}} {
			f.Evidence = append(f.Evidence, measureOf("checkpoint_"+phase.name, phase.ms.Or(math.NaN())/1000, UnitSeconds))
		}
	}
	f.Subtasks = []int{d.ArgMax}
	return f, true
}
