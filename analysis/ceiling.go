package analysis

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// ceilingOf returns the parallelism beyond which a vertex cannot usefully go
// and what limits it. widest is the largest parallelism in the vertex's slot
// sharing group.
func ceilingOf(v *Vertex, widest int, slots Slots, c Config) Ceiling {
	var ceiling Ceiling
	limit := func(n Num, by Binding) {
		if l, ok := n.Get(); ok && l >= 1 && l < ceiling.Effective.Or(math.Inf(1)) {
			ceiling.Effective, ceiling.Binding = n, by
		}
	}
	limit(v.MaxParallelism, BindMaxParallelism)
	limit(v.Partitions, BindSourcePartitions)
	if c.SlotsBind {
		limit(slots.Free.Map(func(free float64) float64 { return float64(widest) + free }), BindTaskSlots)
	}
	ceiling.Headroom = ceiling.Effective.Map(func(e float64) float64 { return e / float64(v.Parallelism) })
	if m := keyGroups(v); m > 0 {
		ceiling.Wasted = OfInt(v.Parallelism - keygroup.Needed(v.Parallelism, m))
		if next, ok := keygroup.NextUseful(v.Parallelism, m); ok {
			ceiling.NextUseful = OfInt(next)
		}
	}
	if readers, ok := v.Partitions.Get(); ok && v.Source() {
		ceiling.Wasted = Of(max(0, float64(v.Parallelism)-readers))
	}
	return ceiling
}

// sizingOf returns what the present load needs at target utilisation:
// ceil(rate / (capacity a subtask · target)), where the capacity of a subtask
// is its records a second over its busy share, Flink's true processing rate
// (FLIP-271). The present load is what arrives now; while inputs wait, more
// would come, so that Required is then a lower bound.
func sizingOf(e *evidence, ceiling Ceiling, c Config) Sizing {
	var s Sizing
	if math.IsNaN(e.meanBusy) || math.IsNaN(e.meanLoad) || e.meanBusy <= 0 || e.meanLoad <= 0 {
		return s
	}
	var trueRate float64
	for i, b := range e.busy {
		if b > 0 && e.load[i] > 0 {
			trueRate += e.load[i] / b
		}
	}
	s.TrueRate = Of(trueRate)
	p := float64(e.v.Parallelism)
	capacity := e.meanLoad / e.meanBusy
	// The tolerance keeps 16.000000001 from becoming 17.
	s.Required = Of(max(1, math.Ceil(e.meanLoad*p/(capacity*c.TargetUtilisation)-1e-6)))
	s.RequiredHeadroom = ratio(ceiling.Effective, s.Required)
	return s
}
