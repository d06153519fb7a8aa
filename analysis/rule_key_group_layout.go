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
	if q.groups == nil || len(q.index) < 2 {
		return q.no(notApplicable("hash_input"))
	}
	if !q.enoughRecords() {
		return q.no(q.tooFewRecords())
	}
	m, p := keyGroups(q.v), q.v.Parallelism
	layout := keygroup.LayoutRatio(p, m)
	if layout < q.c.LayoutEnter {
		return q.no(against("layout_ratio", layout, UnitRatio, q.c.LayoutEnter))
	}
	most := int32(keygroup.Busiest(p, m))
	heavy := q.positions(func(i int) bool { return q.groups[i] == most })
	in := member(heavy)
	loadHeavy, n := meanOf(q.load, in)
	loadLight, k := meanOf(q.load, not(in))
	busyHeavy, _ := meanOf(q.busy, in)
	busyLight, _ := meanOf(q.busy, not(in))
	if n == 0 || k == 0 || loadLight <= 0 || !(busyHeavy >= q.c.ActivityBusy) {
		return q.no(against("busy_max", busyHeavy, UnitRatio, q.c.ActivityBusy))
	}
	groups := float64(most) / float64(most-1)
	fit := loadHeavy / loadLight / groups
	excess := worstExcess(q.share)
	limit := q.threshold(KeyGroupLayout, q.c.LayoutExcessEnter, q.c.LayoutExcessLeave)
	if math.Abs(fit-1) > layoutFit {
		return q.no(against("load_ratio", loadHeavy/loadLight, UnitRatio, groups))
	}
	if excess > limit {
		return q.no(against("records_excess", excess, UnitRatio, limit))
	}
	if busyHeavy < busyLight*(1+(groups-1)/2) {
		return q.no(against("busy_ratio", busyHeavy/busyLight, UnitRatio, 1+(groups-1)/2))
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
		Advice: Advice{Steps: q.steps(0)},
	}, true
}

// worstExcess is the largest value over the mean, NaN without values.
func worstExcess(values []float64) float64 {
	high, mean, _ := extremes(values)
	return high / mean
}
