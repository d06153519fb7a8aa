package analysis

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// predict returns the load of the busiest subtask at another parallelism and
// the present rate, 1 being all that a subtask can do. How load is spread
// inside what a subtask owns today is not known: low spreads it evenly over
// its key groups, high puts it into the one group where it does most harm. No
// parallelism splits a key group, so that low is at least floor, the load of
// the hottest one as far as it is known (0 when it is not).
func (e *evidence) predict(loads []float64, parallelism, m int, floor float64) (low, high float64) {
	p := e.v.Parallelism
	for j := range parallelism {
		first, last := keygroup.Range(j, parallelism, m)
		var even, most float64
		for i := keygroup.Owner(first, p, m); i <= keygroup.Owner(last, p, m); i++ {
			from, to := keygroup.Range(i, p, m)
			overlap := min(last, to) - max(first, from) + 1
			even += loads[i] * float64(overlap) / float64(to-from+1)
			most += loads[i]
		}
		low, high = max(low, even), max(high, most)
	}
	return max(low, floor), max(high, floor)
}

// loadsNow returns the busy share of every subtask by index. A subtask without
// data is taken for an average one; ok is false when busy is not measurable.
func (e *evidence) loadsNow() (loads []float64, ok bool) {
	if math.IsNaN(e.meanBusy) {
		return nil, false
	}
	loads = make([]float64, e.v.Parallelism)
	for i := range loads {
		loads[i] = e.meanBusy
	}
	for i, b := range e.busy {
		if !math.IsNaN(b) {
			loads[e.index[i]] = b
		}
	}
	return loads, true
}

// steps are the parallelisms worth running around the present one, with what
// each would leave on the busiest subtask: the smallest that loads it no more,
// or the step below; the two steps above; and the ceiling. None for a vertex
// without key groups.
func (e *evidence) steps(floor float64) []Step {
	m := keyGroups(e.v)
	if m == 0 {
		return nil
	}
	loads, known := e.loadsNow()
	step := func(p int) Step {
		s := Step{Parallelism: p}
		if known {
			low, high := e.predict(loads, p, m, floor)
			s.BusiestLoad, s.BusiestHigh = Of(low), Of(high)
		}
		return s
	}
	p := e.v.Parallelism
	var steps []Step
	if n := keygroup.Needed(p, m); n < p {
		steps = append(steps, step(n))
	} else if prev, ok := keygroup.PreviousUseful(p, m); ok {
		steps = append(steps, step(prev))
	}
	for range 2 {
		next, ok := keygroup.NextUseful(p, m)
		if !ok {
			return steps
		}
		steps = append(steps, step(next))
		p = next
	}
	if p < m {
		steps = append(steps, step(m))
	}
	return steps
}
