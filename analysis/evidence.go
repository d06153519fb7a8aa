package analysis

import (
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// evidence is what the rules look at: a vertex's subtasks over all weighed
// windows, by position. Only subtasks with fresh values have a position, and
// NaN marks a value that Flink did not give.
type evidence struct {
	v *Vertex
	// index is the subtask of each position.
	index                            []int32
	busy, backPressured, idle        []float64
	in, out                          []float64 // records a second
	load                             []float64 // what feeds the subtask: in, or out of a source
	share                            []float64 // load over what is owned: see loadPerShare
	cost                             []float64 // busy seconds a record of load
	groups                           []int32   // owned key groups; nil unless keyed
	partitions                       []float64 // owned source partitions
	taskManager                      []string
	nowBusy, nowLoad, nowOut         []float64 // of the newest window alone
	records                          float64   // records of load that the sums rest on
	maxBusy, meanBusy, minBusy       float64   // NaN when busy is not measurable
	maxBackPressured, meanBackPressd float64   // 0 when not known
	maxLoad, meanLoad, minLoad       float64
	maxCost, minCost                 float64 // NaN without any
	maxShare, minShare               float64
	sorted                           []float64
}

// gather fills e from the vertex's state, reusing its slices.
func (e *evidence) gather(v *Vertex, s *vertexState, p *pace) {
	e.reset(v, len(s.tracks))
	m := keyGroups(v)
	source := v.Source()
	for i := range s.tracks {
		t, r := &s.tracks[i], &s.results[i]
		if !t.fresh(p) {
			continue
		}
		seconds := float64(t.sums.seconds)
		per := func(sum float32) float64 { return float64(sum) / seconds }
		e.index = append(e.index, int32(i))
		e.busy = append(e.busy, per(t.sums.busy))
		e.backPressured = append(e.backPressured, per(t.sums.backPressured))
		e.idle = append(e.idle, per(t.sums.idle))
		e.in = append(e.in, per(t.sums.recordsIn))
		e.out = append(e.out, per(t.sums.recordsOut))
		e.taskManager = append(e.taskManager, r.TaskManager)
		e.partitions = append(e.partitions, r.Partitions.Or(math.NaN()))
		e.nowBusy = append(e.nowBusy, r.Busy.Or(math.NaN()))
		load, sum, now := t.sums.recordsIn, t.sums.recordsIn, r.RecordsIn
		if source {
			// A source's input is 0 at task level on many versions; its output is right.
			load, sum, now = t.sums.recordsOut, t.sums.recordsOut, r.RecordsOut
		}
		e.load = append(e.load, per(load))
		e.nowLoad = append(e.nowLoad, now.Or(math.NaN()))
		e.nowOut = append(e.nowOut, r.RecordsOut.Or(0))
		if !math.IsNaN(float64(sum)) {
			e.records += float64(sum)
		}
		e.cost = append(e.cost, math.NaN())
		if sum > 0 {
			e.cost[len(e.cost)-1] = float64(t.sums.busy) / float64(sum)
		}
		if m > 0 {
			e.groups = append(e.groups, int32(keygroup.Count(i, v.Parallelism, m)))
		}
	}
	if m == 0 {
		e.groups = nil
	}
	e.summarise()
}

// reset empties the slices and makes room for n subtasks, once.
func (e *evidence) reset(v *Vertex, n int) {
	floats := func(f []float64) []float64 { return slices.Grow(f[:0], n) }
	*e = evidence{
		v: v, index: slices.Grow(e.index[:0], n), groups: slices.Grow(e.groups[:0], n), taskManager: slices.Grow(e.taskManager[:0], n),
		busy: floats(e.busy), backPressured: floats(e.backPressured), idle: floats(e.idle), in: floats(e.in), out: floats(e.out),
		load: floats(e.load), share: floats(e.share), cost: floats(e.cost), partitions: floats(e.partitions),
		nowBusy: floats(e.nowBusy), nowLoad: floats(e.nowLoad), nowOut: floats(e.nowOut), sorted: e.sorted,
	}
}

// mayBeDear reports whether some subtask's records may cost so many times as
// much as another's. It is a cheap look at the sums that spares most vertices
// from being gathered twice.
func (s *vertexState) mayBeDear(p *pace, limit float64) bool {
	low, high := float32(math.Inf(1)), float32(0)
	for i := range s.tracks {
		t := &s.tracks[i]
		if t.sums.recordsIn > 0 && t.fresh(p) {
			cost := t.sums.busy / t.sums.recordsIn
			if cost < low {
				low = cost
			}
			if cost > high {
				high = cost
			}
		}
	}
	return float64(high) >= limit*float64(low)
}

func (e *evidence) summarise() {
	e.maxBusy, e.meanBusy, e.minBusy = extremes(e.busy)
	e.maxLoad, e.meanLoad, e.minLoad = extremes(e.load)
	e.maxCost, _, e.minCost = extremes(e.cost)
	e.share = e.loadPerShare(e.share)
	e.maxShare, _, e.minShare = extremes(e.share)
	if high, mean, _ := extremes(e.backPressured); !math.IsNaN(high) {
		e.maxBackPressured, e.meanBackPressd = high, mean
	}
}

// heldUp reports whether some subtask is busy or waits for its output at all
// times, for a good part the latter, while none is saturated. Of a source it is
// not asked: one that throttles itself by sleeping is busy at all times, too.
func (e *evidence) heldUp(c Config) bool {
	if e.v.Source() || !(e.maxBusy < c.SaturatedLeave) || e.maxBackPressured < 1-c.SaturatedLeave {
		return false // The common case.
	}
	for i, waits := range e.backPressured {
		if waits >= 1-c.SaturatedLeave && e.busy[i]+waits >= c.SaturatedEnter {
			return true
		}
	}
	return false
}

// extremes returns the largest, mean and smallest of the values that are
// known, NaN when none is.
func extremes(values []float64) (high, mean, low float64) {
	high, low = math.Inf(-1), math.Inf(1)
	n := 0
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if v > high {
			high = v
		}
		if v < low {
			low = v
		}
		mean += v
		n++
	}
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return high, mean / float64(n), low
}

// keyGroups returns the vertex's number of key groups, 0 when they have no
// meaning: no HASH input, or maxParallelism unknown or impossible.
func keyGroups(v *Vertex) int {
	m, ok := v.MaxParallelism.Get()
	if !ok || !v.Keyed() || !keygroup.Valid(v.Parallelism, int(m)) {
		return 0
	}
	return int(m)
}

// loadPerShare appends each subtask's load over what it owns: key groups of a
// keyed vertex, partitions of a source whose ownership is known, else 1.
func (e *evidence) loadPerShare(shares []float64) []float64 {
	owned := e.groups == nil && e.ownsPartitions()
	for i, l := range e.load {
		switch {
		case e.groups != nil:
			l /= float64(e.groups[i])
		case owned && e.partitions[i] == 0:
			l = math.NaN() // Owns nothing: it has no share to be compared by.
		case owned:
			l /= e.partitions[i]
		}
		shares = append(shares, l)
	}
	return shares
}

// ownsPartitions reports whether it is known of every subtask how many source
// partitions it owns, and that there are any.
func (e *evidence) ownsPartitions() bool {
	var sum float64
	for _, p := range e.partitions {
		if math.IsNaN(p) {
			return false
		}
		sum += p
	}
	return sum > 0
}

// at returns the subtask indexes of positions.
func (e *evidence) at(positions []int) []int {
	subtasks := make([]int, len(positions))
	for i, p := range positions {
		subtasks[i] = int(e.index[p])
	}
	return subtasks
}

// positions returns those for which keep holds.
func (e *evidence) positions(keep func(int) bool) []int {
	var ps []int
	for i := range e.index {
		if keep(i) {
			if ps == nil {
				ps = make([]int, 0, len(e.index)-i)
			}
			ps = append(ps, i)
		}
	}
	return ps
}
