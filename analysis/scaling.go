package analysis

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

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
	var known *spread
	if loads, ok := e.loadsNow(); ok {
		known = newSpread(loads, m)
		known.oneKey = floor > 0
	}
	step := func(p int) Step {
		s := Step{Parallelism: p}
		if known != nil {
			b := known.at(p)
			s.BusiestLoad, s.BusiestHigh = Of(max(b.Likely, floor)), Of(max(b.High, floor))
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
