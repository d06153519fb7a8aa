package analysis

// CurveMissing is why there is no curve for a vertex. The set is closed.
type CurveMissing string

// What may be missing for a curve.
const (
	// NoCurveData: the subtasks have no fresh values, or too few have.
	NoCurveData CurveMissing = "not_enough_data"
	// NoCurveBusy: Flink does not measure the vertex's busy time.
	NoCurveBusy CurveMissing = "busy_not_measurable"
	// NoCurveLoad: it does nothing, and no parallelism changes that.
	NoCurveLoad CurveMissing = "no_load"
	// NoCurveStalled: a subtask is stuck, so that its load says nothing.
	NoCurveStalled CurveMissing = "stalled"
	// NoCurveKeyGroups: an input is hash-partitioned, and max parallelism is not known.
	NoCurveKeyGroups CurveMissing = "max_parallelism_unknown"
)

// WhatIf returns the curve of a live vertex at so many times its present load,
// or why there is none. Beside the useful parallelisms it has those given.
func WhatIf(v *VertexResult, load float64, beside ...int) (Curve, CurveMissing) {
	if len(v.Subtasks) == 0 || v.Verdict.ID == NotEnoughData && v.Verdict.Advice.Missing != MissingAgreement && v.Verdict.Advice.Missing != MissingBusy {
		return Curve{}, NoCurveData
	}
	loads, ok := v.busyLoads()
	switch {
	case !ok:
		return Curve{}, NoCurveBusy
	case sumFloats(loads) <= 0:
		return Curve{}, NoCurveLoad
	case v.Verdict.ID == Stalled:
		return Curve{}, NoCurveStalled
	case v.Keyed && v.Layout == nil:
		return Curve{}, NoCurveKeyGroups
	}
	c := Curve{
		Unit: CurveBusy, Basis: BasisDealt, Parallelism: v.Parallelism, Now: v.Signals.Busy.Max, Load: load,
		Limits: v.Limits, Target: v.Sizing.Target, Floor: v.Verdict.Advice.Floor,
	}
	var m model = dealt{loads: loads, sticks: v.sticks()}
	owned, partitions := v.ownedPartitions()
	switch {
	case v.Keyed:
		c.Basis, c.KeyGroups = BasisSubtasks, v.MaxParallelism
		s := newSpread(loads, int(v.MaxParallelism.Or(0)))
		s.oneKey = v.Verdict.ID == HotKey
		m = s
	case partitions > 0:
		c.Basis = BasisPartitions
		m = partitioned{loads: loads, owned: owned, partitions: partitions}
	}
	if dear := v.costRatio(); dear >= dearRecords {
		m = dearly{m, dear, v.Signals.Busy.Max.Or(0), v.Verdict.ID == SlowTaskManager}
	}
	c.draw(m, sumFloats(loads), beside)
	return c, ""
}

// busyLoads returns the busy share of every subtask by index. A subtask without
// data is taken for an average one; ok is false when none is known.
func (v *VertexResult) busyLoads() (loads []float64, ok bool) {
	mean, ok := v.Signals.Busy.Mean.Get()
	if !ok {
		return nil, false
	}
	loads = make([]float64, v.Parallelism)
	for i := range loads {
		loads[i] = mean
	}
	for i := range v.Subtasks {
		if s := &v.Subtasks[i]; int(s.Index) < len(loads) {
			loads[s.Index] = s.Busy.Or(mean)
		}
	}
	return loads, true
}

// sticks reports whether an input need not follow the parallelism: BROADCAST
// gives every subtask all of its records, FORWARD those of one upstream subtask,
// and what a custom partitioner does is not known.
func (v *VertexResult) sticks() bool {
	for _, in := range v.Inputs {
		if in.Ship != ShipRebalance && in.Ship != ShipRescale {
			return true
		}
	}
	return false
}

// ownedPartitions returns how many partitions each reader of a source owns;
// their sum is 0 unless that is known of all.
func (v *VertexResult) ownedPartitions() (owned []float64, sum int) {
	if len(v.Inputs) > 0 || len(v.Subtasks) != v.Parallelism {
		return nil, 0
	}
	for i := range v.Subtasks {
		n, ok := v.Subtasks[i].Partitions.Get()
		if !ok {
			return nil, 0
		}
		owned, sum = append(owned, n), sum+int(n)
	}
	return owned, sum
}

// dearRecords is the ratio of the dearest subtask's cost per record to the median
// from which a band is widened by it.
const dearRecords = 1.5

// costRatio is the dearest subtask's cost per record over the median, 1 unknown.
func (v *VertexResult) costRatio() float64 {
	return ratio(v.Signals.CostPerRecord.Max, v.Signals.CostPerRecord.Median).Or(1)
}

// dearly widens a band where records cost more on some subtasks: after a
// rescale whatever makes them dear may meet more records. Where that is a host,
// it may also meet none of the busiest.
type dearly struct {
	model
	ratio float64
	// busiest is today's busiest subtask's load: so much at most is the dear one's.
	busiest float64
	host    bool
}

func (d dearly) at(parallelism int) Band {
	b := d.model.at(parallelism)
	b.High = min(b.High*d.ratio, max(b.High+d.busiest, b.Likely*d.ratio))
	if d.host {
		b.Low /= d.ratio
	}
	return b
}
