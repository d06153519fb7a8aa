package analysis

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// layoutFit is how far the measured ratio of load between subtasks with more
// and with fewer key groups (or partitions) may be from the ratio of these.
const layoutFit = 0.25

// layoutOf describes how a keyed vertex's key groups fall to its subtasks, nil
// when key groups have no meaning for it.
func layoutOf(v *Vertex) *Layout {
	m := keyGroups(v)
	if m == 0 {
		return nil
	}
	p := v.Parallelism
	most, least := keygroup.Busiest(p, m), m/p
	l := &Layout{Max: most, Min: least, Mean: float64(m) / float64(p), Ratio: keygroup.LayoutRatio(p, m)}
	// m mod p subtasks own one group more than the others.
	switch more := m % p; {
	case more == 0 || 2*more < p:
		l.Median = float64(least)
	case 2*more == p:
		l.Median = float64(most+least) / 2
	default:
		l.Median = float64(most)
	}
	return l
}

// judgeKeyGroupLayout finds a keyed vertex whose load follows the number of
// key groups that its subtasks own, which is uneven.
func judgeKeyGroupLayout(q *inquiry) (Judgement, bool) {
	if q.groups == nil || len(q.index) < 2 || !q.enoughRecords() {
		return Judgement{}, false
	}
	m, p := keyGroups(q.v), q.v.Parallelism
	layout := keygroup.LayoutRatio(p, m)
	most := int32(keygroup.Busiest(p, m))
	heavy := q.positions(func(i int) bool { return q.groups[i] == most })
	in := member(heavy)
	loadHeavy, n := meanOf(q.load, in)
	loadLight, k := meanOf(q.load, not(in))
	busyHeavy, _ := meanOf(q.busy, in)
	busyLight, _ := meanOf(q.busy, not(in))
	if layout < q.c.LayoutEnter || n == 0 || k == 0 || loadLight <= 0 || !(busyHeavy >= q.c.ActivityBusy) {
		return Judgement{}, false
	}
	groups := float64(most) / float64(most-1)
	fit := loadHeavy / loadLight / groups
	excess := worstExcess(q.share)
	limit := q.threshold(KeyGroupLayout, q.c.LayoutExcessEnter, q.c.LayoutExcessLeave)
	if math.Abs(fit-1) > layoutFit || excess > limit || busyHeavy < busyLight*(1+(groups-1)/2) {
		return Judgement{}, false
	}
	return Judgement{
		Severity: min(SeverityWarning, q.severity(KeyGroupLayout, heavy)), ScalingHelps: ScalingYes, Subtasks: q.at(heavy),
		Evidence: []Measure{
			against("layout_ratio", layout, UnitRatio, q.c.LayoutEnter),
			measureOf("key_groups_max", float64(most), UnitKeyGroups),
			measureOf("key_groups_min", float64(most-1), UnitKeyGroups),
			measureOf("load_ratio", loadHeavy/loadLight, UnitRatio),
			against("records_excess", excess, UnitRatio, limit),
			measureOf("busy_max", busyHeavy, UnitRatio),
			measureOf("busy_others", busyLight, UnitRatio),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
		Advice: Advice{Steps: q.steppedLoads(m)},
	}, true
}

// steppedLoads are the useful parallelisms around the present one with the
// load that the layout would leave on the busiest subtask.
func (q *inquiry) steppedLoads(m int) []Step {
	perGroup := math.NaN()
	if !math.IsNaN(q.meanBusy) {
		perGroup = q.meanBusy * float64(q.v.Parallelism) / float64(m)
	}
	step := func(p int) Step {
		return Step{Parallelism: p, BusiestLoad: Of(perGroup * float64(keygroup.Busiest(p, m)))}
	}
	p := q.v.Parallelism
	var steps []Step
	if n := keygroup.Needed(p, m); n < p {
		steps = append(steps, step(n))
	} else if prev, ok := keygroup.PreviousUseful(p, m); ok {
		steps = append(steps, step(prev))
	}
	for range 2 {
		next, ok := keygroup.NextUseful(p, m)
		if !ok {
			break
		}
		steps = append(steps, step(next))
		p = next
	}
	return steps
}

// worstExcess is the largest value over the mean, NaN without values.
func worstExcess(values []float64) float64 {
	high, mean, _ := extremes(values)
	return high / mean
}
