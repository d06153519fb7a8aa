package analysis

import (
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// evenInput is how much more load per share than the others a dear subtask may
// get for its input to count as even.
const evenInput = 1.4

// dearPositions returns the subtasks whose records cost more than limit times
// the median of all, and that are busier than the median for it.
func (e *evidence) dearPositions(limit, leastBusy float64) []int {
	if e.v.Source() || len(e.index) < 2 {
		return nil // What a source waits for is not the cost of a record.
	}
	if e.maxBusy < busierThan*e.minBusy || e.maxCost < limit*e.minCost {
		return nil // Nobody is busier, or no record dearer, than another; the common case.
	}
	cost, busy := lowMedian(e.cost, &e.sorted), lowMedian(e.busy, &e.sorted)
	if math.IsNaN(cost) || math.IsNaN(busy) {
		return nil
	}
	return e.positions(func(i int) bool {
		return e.cost[i] >= limit*cost && e.busy[i] >= leastBusy && e.busy[i] >= busierThan*busy
	})
}

// lowMedian is the lower median of the known values, NaN without any. The
// lower one, because of two subtasks the cheaper is the yardstick. scratch is
// reused from call to call.
func lowMedian(values []float64, scratch *[]float64) float64 {
	known := (*scratch)[:0]
	for _, v := range values {
		if !math.IsNaN(v) {
			known = append(known, v)
		}
	}
	*scratch = known
	if len(known) == 0 {
		return math.NaN()
	}
	slices.Sort(known)
	return known[(len(known)-1)/2]
}

// dearHost returns the TaskManager on which all of the vertex's subtasks, and
// only they, are dear while their input is even; empty when there is none. It
// also returns how many subtasks they are.
func (e *evidence) dearHost(c Config, limit float64) (host string, n int) {
	dear := e.dearPositions(limit, max(c.CostBusy, c.ActivityBusy))
	if len(dear) == 0 || 2*len(dear) > len(e.index) {
		return "", 0
	}
	host = e.taskManager[dear[0]]
	onHost := e.positions(func(i int) bool { return e.taskManager[i] == host })
	if host == "" || !slices.Equal(dear, onHost) {
		return "", 0
	}
	return host, len(dear)
}

// costliest is what stops a rule when nobody is dear. Its median is worth
// finding only for somebody who asks why.
func (q *inquiry) costliest(limit float64) Measure {
	if q.checks == nil {
		return Measure{}
	}
	return against("cost_ratio", q.maxCost/lowMedian(q.cost, &q.sorted), UnitRatio, limit)
}

// judgeSlowTaskManager finds a worker on which records cost more: on all of
// the vertex's subtasks there, two or more, or on one if another vertex says
// the same of that worker.
func judgeSlowTaskManager(q *inquiry) (Judgement, bool) {
	limit := q.threshold(SlowTaskManager, q.c.CostEnter, q.c.CostLeave)
	host, n := q.dearHost(q.c, limit)
	if host == "" {
		return q.no(q.costliest(limit))
	}
	if n < 2 && q.dear[host] < 2 {
		return q.no(against("vertices_slow_on_taskmanager", float64(q.dear[host]), UnitVertices, 2))
	}
	slow := q.positions(func(i int) bool { return q.taskManager[i] == host })
	inputRatio, even := q.evenLoad(slow, evenInput)
	if !even {
		return q.no(against("input_ratio", inputRatio, UnitRatio, evenInput))
	}
	// A subtask elsewhere that is busier than the slow ones is what matters
	// more, and another rule says why it is.
	busySlow, _ := meanOf(q.busy, member(slow))
	if q.maxBusy >= busierThan*busySlow && !q.busiestAmong(slow) {
		return q.no(against("busy_ratio", busySlow/q.maxBusy, UnitRatio, 1/busierThan))
	}
	j := q.costJudgement(SlowTaskManager, slow, limit)
	j.Evidence = append(j.Evidence,
		measureOf("input_ratio", inputRatio, UnitRatio),
		measureOf("subtasks_on_taskmanager", float64(n), UnitSubtasks),
		measureOf("vertices_slow_on_taskmanager", float64(q.dear[host]), UnitVertices),
	)
	j.Advice.TaskManager = host
	if q.dear[host] < 2 {
		j.Confidence = ConfidenceMedium // One vertex is one witness.
	}
	return j, true
}

// busiestAmong reports whether one of the positions, which ascend, is as busy
// as any subtask is.
func (q *inquiry) busiestAmong(positions []int) bool {
	for _, i := range positions {
		if q.busy[i] >= q.maxBusy {
			return true
		}
	}
	return false
}

// judgeCostlyRecords finds one or a few subtasks whose records cost more at
// even input, on workers whose other subtasks do not.
func judgeCostlyRecords(q *inquiry) (Judgement, bool) {
	limit := q.threshold(CostlyRecords, q.c.CostEnter, q.c.CostLeave)
	dear := q.dearPositions(limit, max(q.c.CostBusy, q.c.ActivityBusy))
	if len(dear) == 0 {
		return q.no(q.costliest(limit))
	}
	if few := max(1, len(q.index)/4); len(dear) > few {
		return q.no(against("subtasks_with_costly_records", float64(len(dear)), UnitSubtasks, float64(few)))
	}
	if !q.enoughRecords() {
		return q.no(q.tooFewRecords())
	}
	if n := q.hostWide(dear, limit); n > 0 {
		return q.no(measureOf("subtasks_on_taskmanager", float64(n), UnitSubtasks))
	}
	if n := q.v.Parallelism - len(q.index); n > 0 && !q.hostSeen(dear) {
		return q.no(against("subtasks_unseen", float64(n), UnitSubtasks, 0))
	}
	inputRatio, even := q.evenLoad(dear, evenInput)
	if !even {
		return q.no(against("input_ratio", inputRatio, UnitRatio, evenInput))
	}
	if layout := q.layoutBusy(member(dear)); !math.IsNaN(layout) {
		if busy, _ := meanOf(q.busy, member(dear)); busy < busierThan*layout {
			return q.no(against("busy_ratio", busy/layout, UnitRatio, busierThan)) // What they own is what matters.
		}
	}
	j := q.costJudgement(CostlyRecords, dear, limit)
	j.Evidence = append(j.Evidence, measureOf("input_ratio", inputRatio, UnitRatio))
	j.Advice.Key = keyExpression(q.v.Description)
	if len(dear) == 1 {
		// What its records cost above the others' stays together at any parallelism.
		j.Advice.Floor = Of(max(0, q.busy[dear[0]]*(1-1/j.Evidence[0].Value.Or(1))))
		j.Advice.Steps = q.steps(j.Advice.Floor.Or(0))
	}
	return j, true
}

// layoutBusy is how busy the subtasks are, save the given ones, that own most
// key groups; NaN when there are none or all own about as many.
func (q *inquiry) layoutBusy(save func(int) bool) float64 {
	if q.groups == nil {
		return math.NaN()
	}
	p, m := q.v.Parallelism, keyGroups(q.v)
	most := int32(keygroup.Busiest(p, m))
	if keygroup.LayoutRatio(p, m) < q.c.LayoutEnter {
		return math.NaN()
	}
	busy, n := meanOf(q.busy, func(i int) bool { return q.groups[i] == most && !save(i) })
	if n == 0 {
		return math.NaN()
	}
	return busy
}

// hostSeen reports whether each of the dear subtasks has a neighbour on its
// worker that is not dear. Where one is out of sight the worker may be slow.
func (q *inquiry) hostSeen(dear []int) bool {
	in := member(dear)
	cheap := make(map[string]bool)
	for i, tm := range q.taskManager {
		if !in(i) {
			cheap[tm] = true
		}
	}
	return !slices.ContainsFunc(dear, func(i int) bool { return !cheap[q.taskManager[i]] })
}

// hostWide returns how many subtasks the dear ones' worker runs when records
// cost more on all of them, two or more, though some do too little to be dear
// themselves; else 0.
func (q *inquiry) hostWide(dear []int, limit float64) int {
	host := q.taskManager[dear[0]]
	cost := lowMedian(q.cost, &q.sorted)
	n := 0
	for i, tm := range q.taskManager {
		switch {
		case tm != host:
			if member(dear)(i) {
				return 0
			}
		case q.cost[i] >= limit*cost:
			n++
		default:
			return 0
		}
	}
	if host == "" || n < 2 {
		return 0
	}
	return n
}

// costJudgement is what both verdicts on cost have in common.
func (q *inquiry) costJudgement(id VerdictID, dear []int, limit float64) Judgement {
	in := member(dear)
	costDear, _ := meanOf(q.cost, in)
	costRest, _ := meanOf(q.cost, not(in))
	busyDear, _ := meanOf(q.busy, in)
	busyRest, _ := meanOf(q.busy, not(in))
	return Judgement{
		Severity: q.severity(id, dear), ScalingHelps: ScalingNo, Subtasks: q.at(dear),
		Evidence: []Measure{
			against("cost_ratio", costDear/costRest, UnitRatio, limit),
			measureOf("cost_high", costDear, UnitSeconds),
			measureOf("cost_others", costRest, UnitSeconds),
			measureOf("busy_max", busyDear, UnitRatio),
			measureOf("busy_others", busyRest, UnitRatio),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
	}
}
