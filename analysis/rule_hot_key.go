package analysis

import (
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// hotGap is the least gap between the coldest hot subtask and the hottest
// other one: without a gap it is a slope, not a few hot keys.
const hotGap = 1.25

// busierThan is how many times as busy as the others a subtask must be for its
// load to count as different: below it is the noise of a shared worker. Above it
// the others have room, a quarter of their time at least.
const busierThan = 1.3

// judgeHotKey finds one or a few subtasks whose records per owned key group
// are far above the others', and whose load is too. One key is processed by
// one subtask at any parallelism, so scaling does not help.
func judgeHotKey(q *inquiry) (Judgement, bool) {
	if q.groups == nil || len(q.index) < 2 {
		return q.no(notApplicable("hash_input"))
	}
	if !q.enoughRecords() {
		return q.no(q.tooFewRecords())
	}
	limit := q.threshold(HotKey, q.c.HotEnter, q.c.HotLeave)
	if q.maxBusy < busierThan*q.minBusy { // Nobody is busier than another; the common case.
		return q.no(against("busy_max_to_min", q.maxBusy/q.minBusy, UnitRatio, busierThan))
	}
	if q.maxShare < limit*q.minShare {
		return q.no(against("records_per_key_group_ratio", q.maxShare/q.minShare, UnitRatio, limit))
	}
	s := fewHigh(q.share)
	if len(s.high) == 0 || s.ratio() < limit {
		return q.no(against("records_per_key_group_ratio", s.ratio(), UnitRatio, limit))
	}
	if s.gap < hotGap {
		return q.no(against("records_per_key_group_gap", s.gap, UnitRatio, hotGap))
	}
	in := member(s.high)
	busyHot, _ := meanOf(q.busy, in)
	busyRest, _ := meanOf(q.busy, not(in))
	loadHot, _ := meanOf(q.load, in)
	if !(busyHot >= busierThan*busyRest) { // Records alone are half a proof: the load must agree.
		return q.no(against("busy_ratio", busyHot/busyRest, UnitRatio, busierThan))
	}
	if busyHot < q.c.ActivityBusy {
		return q.no(against("busy_max", busyHot, UnitRatio, q.c.ActivityBusy))
	}
	costHot, _ := meanOf(q.cost, in)
	costRest, _ := meanOf(q.cost, not(in))
	if q.dearRather(s, costHot/costRest) {
		return q.no(against("cost_ratio", costHot/costRest, UnitRatio, q.c.CostEnter))
	}

	hottest := s.high[0]
	for _, p := range s.high {
		if q.load[p] > q.load[hottest] {
			hottest = p
		}
	}
	m := keyGroups(q.v)
	first, last := keygroup.Range(int(q.index[hottest]), q.v.Parallelism, m)
	share := loadHot * float64(len(s.high)) / (q.meanLoad * float64(len(q.index)))
	floor := q.busy[hottest] * hotFloor(q.load[hottest], s.restMean, int(q.groups[hottest]))
	return Judgement{
		Severity: q.severity(HotKey, s.high), ScalingHelps: ScalingNo, Subtasks: q.at(s.high),
		Evidence: []Measure{
			against("records_per_key_group_ratio", s.ratio(), UnitRatio, limit),
			measureOf("records_share", share, UnitRatio),
			measureOf("key_group_share", q.groupShare(in), UnitRatio),
			measureOf("records_hot", loadHot, UnitRecordsPerSecond),
			measureOf("busy_max", q.maxBusy, UnitRatio),
			against("busy_others", busyRest, UnitRatio, busyHot/busierThan), // Full at best, a hot one leaves the others a quarter of room.
			measureOf("cost_ratio", costHot/costRest, UnitRatio),
			measureOf("layout_ratio", keygroup.LayoutRatio(q.v.Parallelism, m), UnitRatio),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
		Advice: Advice{
			KeyGroups: &KeyGroupRange{First: first, Last: last},
			Floor:     Of(floor),
			Steps:     q.steps(floor),
			Key:       keyExpression(q.v.Description),
		},
	}, true
}

// dearRather reports whether the hot subtasks may be no hotter than others but
// slower. Behind a slow worker the channels to it are full while its peers
// starve, so that for some windows it gets more than they. Then its records are
// dear, or cannot be compared because the others get none; and they set it
// apart more than their number does, or these subtasks are all of one worker,
// or since the start they have had no more than the others.
func (q *inquiry) dearRather(s split, costRatio float64) bool {
	switch {
	case math.IsNaN(costRatio) || costRatio >= s.ratio():
		return true
	case costRatio < q.c.CostEnter:
		return false
	}
	hot, all := q.recordsSinceStart(member(s.high))
	return q.wholeHost(s.high) || hot < q.c.HotLeave*all
}

// wholeHost reports whether the positions are two or more and all of one worker.
func (q *inquiry) wholeHost(positions []int) bool {
	host := q.taskManager[positions[0]]
	return len(positions) > 1 && host != "" && slices.Equal(positions, q.positions(func(i int) bool { return q.taskManager[i] == host }))
}

// recordsSinceStart returns how many records the subtasks at the chosen
// positions have had since their attempts started, on average, and how many all
// subtasks have; NaN when Flink gave no counters.
func (q *inquiry) recordsSinceStart(in func(int) bool) (some, all float64) {
	chosen := make(map[int32]bool)
	for p, i := range q.index {
		if in(p) {
			chosen[i] = true
		}
	}
	n, counted := 0.0, 0.0
	for i := range q.v.Subtasks {
		t := &q.v.Subtasks[i]
		records, ok := t.RecordsIn.Get()
		if !ok {
			continue
		}
		all, counted = all+records, counted+1
		if chosen[t.Index] {
			some, n = some+records, n+1
		}
	}
	return some / n, all / counted
}

// hotFloor is the share of a hot subtask's load that stays on one subtask at
// any parallelism: all of it except what its other key groups bring, each of
// which is taken to carry as much as a group of the other subtasks.
func hotFloor(load, perGroup float64, groups int) float64 {
	return max(0, load-float64(groups-1)*perGroup) / load
}

// groupShare is the share of key groups that the subtasks own.
func (q *inquiry) groupShare(in func(int) bool) float64 {
	var own, all float64
	for i, g := range q.groups {
		all += float64(g)
		if in(i) {
			own += float64(g)
		}
	}
	return own / all
}
