package analysis

import "math"

// shortage is what keeps a job from clearing a source's backlog in time.
type shortage struct {
	// vertex is the position of the tightest vertex, -1 when there is none.
	vertex                         int
	backlog, rate, needed, busiest float64
}

// leastBacklog is how many seconds of the live rate a backlog must hold: less is
// what a reader has in flight and what a checkpoint holds up.
const leastBacklog = 60

// shortest returns the tightest vertex over all sources with a backlog B and
// a rate R: clearing B in T beside the live rate takes R + B/T, so that every
// vertex downstream runs (R + B/T)/R times as hot as now, and its busiest
// subtask would pass 1.
func (g *graph) shortest(vs []Vertex, evidences []*evidence, c Config) shortage {
	s := shortage{vertex: -1}
	worst := 1.0
	for i := range vs {
		backlog, ok := vs[i].Backlog.Get()
		rate, known := sumOf(evidences[i].load).Get()
		if !ok || !known || !g.loads[i].known || rate < c.ActivityRate || backlog < leastBacklog*rate {
			continue
		}
		needed := rate + backlog/c.CatchUp.Seconds()
		for _, j := range g.downstream(i) {
			load := g.loads[j].maxBusy * needed / rate
			if g.loads[j].known && !math.IsNaN(load) && load > worst {
				worst = load
				s = shortage{vertex: j, backlog: backlog, rate: rate, needed: needed, busiest: load}
			}
		}
	}
	return s
}

// downstream returns the vertices that records of v reach, v not among them: a
// source may be busy by sleeping, which says nothing of what it could do.
func (g *graph) downstream(v int) []int {
	seen := map[int]bool{v: true}
	queue := []int{v}
	var reached []int
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, out := range g.outputs[at] {
			if !seen[out] {
				seen[out] = true
				queue = append(queue, out)
				reached = append(reached, out)
			}
		}
	}
	return reached
}

// findCatchUpShort: the vertex is the tightest on the way of a backlog that
// cannot be cleared in Config.CatchUp.
func findCatchUpShort(x *findingContext) (Finding, bool) {
	s := x.short
	if s == nil {
		return Finding{}, false
	}
	return finding(CatchUpShort, SeverityWarning, x.result.Verdict.ScalingHelps,
		against("busy_at_catch_up", s.busiest, UnitRatio, 1),
		measureOf("backlog", s.backlog, UnitRecords),
		measureOf("records_now", s.rate, UnitRecordsPerSecond),
		measureOf("records_needed", s.needed, UnitRecordsPerSecond),
		measureOf("catch_up", x.q.c.CatchUp.Seconds(), UnitSeconds),
	), true
}
