package analysis

import "math"

// saturationSpread is how far below saturated the least busy subtask may be
// for a vertex to count as evenly saturated.
const saturationSpread = 0.15

// judgeUniformSaturation finds a vertex whose subtasks are evenly near their
// limit.
func judgeUniformSaturation(q *inquiry) (Judgement, bool) {
	limit := q.threshold(UniformSaturation, q.c.SaturatedEnter, q.c.SaturatedLeave)
	if !(q.meanBusy >= limit) {
		return q.no(against("busy_mean", q.meanBusy, UnitRatio, limit))
	}
	if q.minBusy < limit-saturationSpread {
		return q.no(against("busy_min", q.minBusy, UnitRatio, limit-saturationSpread))
	}
	if q.v.Source() && q.v.Parallelism == 1 { // A source that throttles itself by sleeping is 100 % busy too.
		return q.no(notApplicable("source_of_one"))
	}
	// Busy time alone is one signal; that something waits for it is the other.
	j := Judgement{
		Severity: SeverityInfo, ScalingHelps: ScalingYes,
		Evidence: []Measure{
			against("busy_mean", q.meanBusy, UnitRatio, limit),
			against("busy_min", q.minBusy, UnitRatio, limit-saturationSpread),
			measureOf("records_mean", q.meanLoad, UnitRecordsPerSecond),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
	}
	if q.inputs.pressed {
		j.Severity = SeverityCritical
	}
	j.Advice.Steps = q.steps(0)
	return j, true
}

// judgeStalled finds subtasks that are busy without moving a record: a stuck
// call. It looks at the newest window, for a stall is recent by nature.
func judgeStalled(q *inquiry) (Judgement, bool) {
	if q.v.Source() { // A source may sleep, busy and silent, by design.
		return q.no(notApplicable("inputs"))
	}
	stuck := q.positions(func(i int) bool { return q.nowBusy[i] >= q.c.SaturatedEnter && q.nowLoad[i] == 0 && q.nowOut[i] == 0 })
	if len(stuck) == 0 {
		return q.no(against("busy_without_records", 0, UnitSubtasks, 1))
	}
	moving, n := meanOf(q.nowLoad, not(member(stuck)))
	whole := len(stuck) == len(q.index)
	if whole && !q.inputs.pressed {
		return q.no(against("upstream_backpressured", q.inputs.mean, UnitRatio, q.c.BackpressuredEnter))
	}
	// A full channel to the stuck subtask stops its writers, so that the others
	// may starve: then the waiting inputs are the second witness.
	if !whole && !q.inputs.pressed && (n == 0 || moving < q.c.ActivityRate) {
		return q.no(against("records_others", moving, UnitRecordsPerSecond, q.c.ActivityRate))
	}
	severity := SeverityWarning
	if q.inputs.pressed {
		severity = SeverityCritical
	}
	busy, _ := meanOf(q.nowBusy, member(stuck))
	return Judgement{
		Severity: severity, ScalingHelps: ScalingNo, Subtasks: q.at(stuck),
		Evidence: []Measure{
			against("busy_max", busy, UnitRatio, q.c.SaturatedEnter),
			against("records_stalled", 0, UnitRecordsPerSecond, 0),
			measureOf("records_others", moving, UnitRecordsPerSecond),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
	}, true
}

// judgeBackpressured finds a vertex whose time goes to waiting for output: a
// victim. One saturated subtask is enough for it to be looked at as a cause.
func judgeBackpressured(q *inquiry) (Judgement, bool) {
	limit := q.threshold(Backpressured, q.c.BackpressuredEnter, q.c.BackpressuredLeave)
	if q.maxBusy >= q.c.SaturatedEnter {
		return q.no(against("busy_max", q.maxBusy, UnitRatio, q.c.SaturatedEnter))
	}
	if q.meanBackPressd < limit && (q.maxBackPressured < limit || q.maxBusy >= limit) {
		return q.no(against("backpressured_mean", q.meanBackPressd, UnitRatio, limit))
	}
	return Judgement{
		Severity: SeverityInfo, ScalingHelps: ScalingNA,
		Subtasks: q.at(q.positions(func(i int) bool { return q.backPressured[i] >= limit })),
		Evidence: []Measure{
			against("backpressured_mean", q.meanBackPressd, UnitRatio, limit),
			against("backpressured_max", q.maxBackPressured, UnitRatio, limit),
			measureOf("busy_max", q.maxBusy, UnitRatio),
		},
	}, true
}

// judgeUnevenInput finds a vertex fed by neither HASH nor a source whose
// records are uneven: the matter lies upstream.
func judgeUnevenInput(q *inquiry) (Judgement, bool) {
	if q.v.Source() || q.v.Keyed() || len(q.index) < 2 {
		return q.no(notApplicable("other_inputs"))
	}
	if !q.enoughRecords() {
		return q.no(q.tooFewRecords())
	}
	limit := q.threshold(UnevenInput, q.c.SkewEnter, q.c.SkewLeave)
	skew := q.maxLoad / q.meanLoad
	busySkew := q.maxBusy / q.meanBusy
	if !(skew >= limit) {
		return q.no(against("records_skew", skew, UnitRatio, limit))
	}
	if !(busySkew >= 1+(limit-1)/2) { // Records and load must agree.
		return q.no(against("busy_skew", busySkew, UnitRatio, 1+(limit-1)/2))
	}
	if q.maxBusy < q.c.ActivityBusy {
		return q.no(against("busy_max", q.maxBusy, UnitRatio, q.c.ActivityBusy))
	}
	// Those nearer to the largest load than to the mean, on a scale of ratios:
	// beside one subtask of five times the mean, one of 1.3 is noise.
	least := max((1+limit)/2, math.Sqrt(skew)) * q.meanLoad
	high := q.positions(func(i int) bool { return q.load[i] >= least })
	return Judgement{
		Severity: q.severity(UnevenInput, high), ScalingHelps: ScalingNo, Subtasks: q.at(high),
		Evidence: []Measure{
			against("records_skew", skew, UnitRatio, limit),
			measureOf("busy_skew", busySkew, UnitRatio),
			measureOf("busy_max", q.maxBusy, UnitRatio),
			measureOf("records_mean", q.meanLoad, UnitRecordsPerSecond),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
	}, true
}
