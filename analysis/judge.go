package analysis

import (
	"math"
)

// quietEnter is the part of the activity floor below which a vertex becomes
// quiet, so that one at the floor does not alternate.
const quietEnter = 0.8

// judgeVertex returns what this window says of a vertex. The caller keeps it
// steady over windows.
func judgeVertex(q *inquiry, s *vertexState, rs []rule) Verdict {
	if missing := q.missing(s); missing != "" {
		v := Verdict{ID: NotEnoughData, Judgement: Judgement{Confidence: ConfidenceHigh, ScalingHelps: ScalingNA, Advice: Advice{Missing: missing}}}
		v.Evidence = []Measure{{
			Name: "coverage", Value: s.coverage(q.v), Unit: UnitRatio, Threshold: Of(q.c.MinCoverage),
		}}
		return v
	}
	floor := q.threshold(Quiet, quietEnter*q.c.ActivityBusy, q.c.ActivityBusy)
	suspect := len(q.index) < len(s.tracks) && (q.inputs.pressed || skewed(q.held))
	if q.v.Detail == DetailSkipped || !suspect && q.maxBusy < floor && q.maxBackPressured < floor {
		return Verdict{ID: Quiet, Judgement: Judgement{ScalingHelps: ScalingNA, Evidence: []Measure{
			against("busy_max", q.maxBusy, UnitRatio, floor),
			against("backpressured_max", q.maxBackPressured, UnitRatio, floor),
		}}}
	}
	v, ok := q.ask(rs)
	if unseen := q.unseen(s); len(unseen) > 0 && (!ok || v.ID == UniformSaturation) && (q.inputs.pressed || skewed(q.held)) {
		// What is seen is calm, but the hot one may be among those not seen.
		return Verdict{ID: NotEnoughData, Judgement: Judgement{
			ScalingHelps: ScalingNA, Subtasks: unseen, Advice: Advice{Missing: MissingSubtasks}, Evidence: []Measure{
				against("coverage", s.coverage(q.v).Or(math.NaN()), UnitRatio, 1),
				measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
			},
		}}
	}
	if ok {
		return v
	}
	if math.IsNaN(q.maxBusy) {
		return Verdict{ID: NotEnoughData, Judgement: Judgement{
			Confidence: ConfidenceHigh, ScalingHelps: ScalingNA, Advice: Advice{Missing: MissingBusy},
		}}
	}
	skew := q.maxBusy / q.meanBusy
	if q.maxBusy >= q.c.SaturatedEnter && (skew >= q.c.SkewEnter || q.inputs.pressed) {
		// Saturated and uneven, or with inputs that wait, is not balanced; and a
		// wrong word would be worse than none.
		missing := MissingAgreement
		if q.v.Keyed() && q.groups == nil {
			missing = MissingMaxParallelism
		}
		return Verdict{ID: NotEnoughData, Judgement: Judgement{
			ScalingHelps: ScalingNA, Advice: Advice{Missing: missing}, Evidence: []Measure{
				against("busy_max", q.maxBusy, UnitRatio, q.c.SaturatedEnter),
				against("busy_skew", skew, UnitRatio, q.c.SkewEnter),
			},
		}}
	}
	return Verdict{ID: Balanced, Judgement: Judgement{ScalingHelps: ScalingNA, Evidence: []Measure{
		measureOf("busy_max", q.maxBusy, UnitRatio),
		measureOf("busy_mean", q.meanBusy, UnitRatio),
		against("busy_skew", skew, UnitRatio, q.c.SkewEnter),
	}}}
}

// unseen returns the subtasks that have no fresh values and have not finished.
func (q *inquiry) unseen(s *vertexState) []int {
	if len(q.index) == len(s.tracks) {
		return nil
	}
	known := make(map[int32]bool)
	for _, i := range q.index {
		known[i] = true
	}
	for i := range q.v.Subtasks {
		if t := &q.v.Subtasks[i]; t.State == "FINISHED" {
			known[t.Index] = true
		}
	}
	var unseen []int
	for i := range s.tracks {
		if !known[int32(i)] {
			unseen = append(unseen, i)
		}
	}
	return unseen
}

// skewed reports whether a verdict says that some subtasks are hotter than others.
func skewed(id VerdictID) bool {
	switch id {
	case HotKey, FewKeys, KeyGroupLayout, PartitionLayout, HotPartition, SlowTaskManager, CostlyRecords, UnevenInput, Stalled:
		return true
	default:
		return false
	}
}

// missing returns why the vertex cannot be judged, empty when it can.
func (q *inquiry) missing(s *vertexState) MissingReason {
	if q.v.Detail == DetailSkipped {
		return ""
	}
	covered, ok := s.coverage(q.v).Get()
	switch {
	case s.tracks == nil:
		return MissingDetails
	case !ok:
		return MissingNotRunning // All subtasks have finished.
	case covered >= q.c.MinCoverage:
		return ""
	}
	based, running, settled := 0, 0, 0
	for i := range s.tracks {
		if s.tracks[i].based {
			based++
		}
		if s.tracks[i].settled {
			settled++
		}
	}
	for i := range q.v.Subtasks {
		if q.v.Subtasks[i].State == Running {
			running++
		}
	}
	switch {
	case q.v.Detail == DetailMissing:
		return MissingDetails
	case s.windows > 0 && covered == 0 && settled == len(s.tracks):
		return MissingFrozen
	case running < len(s.tracks):
		return MissingNotRunning
	case settled < len(s.tracks) && based == len(s.tracks):
		return MissingWarmingUp
	case s.windows == 0:
		return MissingFirstWindow
	default:
		return MissingCoverage
	}
}
