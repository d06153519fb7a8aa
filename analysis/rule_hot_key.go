package analysis

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// hotGap is the least gap between the coldest hot subtask and the hottest
// other one: without a gap it is a slope, not a few hot keys.
const hotGap = 1.25

// hotRoom is the busy ratio of the others above which they have no room, so
// that the matter is capacity rather than one key.
const hotRoom = 0.85

// judgeHotKey finds one or a few subtasks whose records per owned key group
// are far above the others', and whose load is too. One key is processed by
// one subtask at any parallelism, so scaling does not help.
func judgeHotKey(q *inquiry) (Judgement, bool) {
	if q.groups == nil || len(q.index) < 2 || !q.enoughRecords() {
		return Judgement{}, false
	}
	limit := q.threshold(HotKey, q.c.HotEnter, q.c.HotLeave)
	if q.maxBusy < 1.3*q.minBusy {
		return Judgement{}, false // Nobody is busier than another; the common case.
	}
	s := fewHigh(q.share)
	if len(s.high) == 0 || s.ratio() < limit || s.gap < hotGap {
		return Judgement{}, false
	}
	in := member(s.high)
	busyHot, _ := meanOf(q.busy, in)
	busyRest, _ := meanOf(q.busy, not(in))
	loadHot, _ := meanOf(q.load, in)
	if math.IsNaN(busyHot) || busyHot < 1.3*busyRest || busyRest > hotRoom || busyHot < q.c.ActivityBusy {
		return Judgement{}, false // Records alone are half a proof: the load must agree.
	}
	costHot, _ := meanOf(q.cost, in)
	costRest, _ := meanOf(q.cost, not(in))

	hottest := s.high[0]
	for _, p := range s.high {
		if q.load[p] > q.load[hottest] {
			hottest = p
		}
	}
	m := keyGroups(q.v)
	first, last := keygroup.Range(int(q.index[hottest]), q.v.Parallelism, m)
	share := loadHot * float64(len(s.high)) / (q.meanLoad * float64(len(q.index)))
	return Judgement{
		Severity: q.severity(HotKey, s.high), ScalingHelps: ScalingNo, Subtasks: q.at(s.high),
		Evidence: []Measure{
			against("records_per_key_group_ratio", s.ratio(), UnitRatio, limit),
			measureOf("records_share", share, UnitRatio),
			measureOf("key_group_share", q.groupShare(in), UnitRatio),
			measureOf("records_hot", loadHot, UnitRecordsPerSecond),
			measureOf("busy_max", q.maxBusy, UnitRatio),
			against("busy_others", busyRest, UnitRatio, hotRoom),
			measureOf("cost_ratio", costHot/costRest, UnitRatio),
			measureOf("layout_ratio", keygroup.LayoutRatio(q.v.Parallelism, m), UnitRatio),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
		Advice: Advice{
			KeyGroups: &KeyGroupRange{First: first, Last: last},
			Floor:     Of(q.busy[hottest] * hotFloor(q.load[hottest], s.restMean, int(q.groups[hottest]))),
			Key:       keyExpression(q.v.Description),
		},
	}, true
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
