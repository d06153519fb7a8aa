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
