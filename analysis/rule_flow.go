package analysis

import "math"

// saturationSpread is how far below saturated the least busy subtask may be
// for a vertex to count as evenly saturated.
const saturationSpread = 0.15

// judgeUniformSaturation finds a vertex whose subtasks are evenly near their
// limit.
func judgeUniformSaturation(q *inquiry) (Judgement, bool) {
	limit := q.threshold(UniformSaturation, q.c.SaturatedEnter, q.c.SaturatedLeave)
	if !(q.meanBusy >= limit) || q.minBusy < limit-saturationSpread {
		return Judgement{}, false
	}
	source := q.v.Source()
	if source && q.v.Parallelism == 1 {
		return Judgement{}, false // A source that throttles itself by sleeping is 100 % busy too.
	}
	j := Judgement{
		Severity: SeverityWarning, ScalingHelps: ScalingYes,
		Evidence: []Measure{
			against("busy_mean", q.meanBusy, UnitRatio, limit),
			against("busy_min", q.minBusy, UnitRatio, limit-saturationSpread),
			measureOf("records_mean", q.meanLoad, UnitRecordsPerSecond),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
	}
	switch {
	case source:
		// Whether anything waits for a source cannot be seen here.
		j.Severity = SeverityInfo
	case q.inputs.pressed:
		j.Severity = SeverityCritical
	}
	if m := keyGroups(q.v); m > 0 {
		j.Advice.Steps = q.steppedLoads(m)
	}
	return j, true
}

// judgeStalled finds subtasks that are busy without moving a record: a stuck
// call. It looks at the newest window, for a stall is recent by nature.
func judgeStalled(q *inquiry) (Judgement, bool) {
	if q.v.Source() {
		return Judgement{}, false // A source may sleep, busy and silent, by design.
	}
	stuck := q.positions(func(i int) bool { return q.nowBusy[i] >= q.c.SaturatedEnter && q.nowLoad[i] == 0 })
	if len(stuck) == 0 {
		return Judgement{}, false
	}
	moving, n := meanOf(q.nowLoad, not(member(stuck)))
	whole := len(stuck) == len(q.index)
	if whole && !q.inputs.pressed || !whole && (n == 0 || moving < q.c.ActivityRate) {
		return Judgement{}, false
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
		return Judgement{}, false
	}
	if q.meanBackPressd < limit && (q.maxBackPressured < limit || q.maxBusy >= limit) {
		return Judgement{}, false
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
	if q.v.Source() || q.v.Keyed() || len(q.index) < 2 || !q.enoughRecords() {
		return Judgement{}, false
	}
	limit := q.threshold(UnevenInput, q.c.SkewEnter, q.c.SkewLeave)
	skew := q.maxLoad / q.meanLoad
	busySkew := q.maxBusy / q.meanBusy
	if !(skew >= limit) || !(busySkew >= 1+(limit-1)/2) || q.maxBusy < q.c.ActivityBusy {
		return Judgement{}, false // Records and load must agree.
	}
	high := q.positions(func(i int) bool { return q.load[i] >= (1+limit)/2*q.meanLoad })
	if math.IsNaN(busySkew) || len(high) == 0 {
		return Judgement{}, false
	}
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
