package analysis

import "math"

// Limits are the parallelisms that a vertex cannot go beyond, or gains nothing
// beyond, by what sets them. One that is not known is absent.
type Limits struct {
	// MaxParallelism is Flink's: nothing above it is started.
	MaxParallelism Num `json:"max_parallelism"`
	// SourcePartitions is the number of a source's partitions: further readers idle.
	SourcePartitions Num `json:"source_partitions"`
	// TaskSlots is what the slots that are free now allow: the widest vertex of
	// the slot sharing group and one more for each. More slots can be added.
	TaskSlots Num `json:"task_slots"`
	// SlotsBind says that the slots limit what can be run (Config.SlotsBind).
	SlotsBind bool `json:"slots_bind"`
}

// limitsOf returns the vertex's limits. widest is the largest parallelism in
// its slot sharing group.
func limitsOf(v *Vertex, widest int, slots Slots, c Config) Limits {
	l := Limits{
		MaxParallelism: v.MaxParallelism, SlotsBind: c.SlotsBind,
		TaskSlots: slots.Free.Map(func(free float64) float64 { return float64(widest) + free }),
	}
	if v.Source() {
		l.SourcePartitions = v.Partitions
	}
	return l
}

// ceiling returns the smallest limit and what sets it.
func (l Limits) ceiling() (at Num, by Binding) {
	limit := func(n Num, what Binding) {
		if v, ok := n.Get(); ok && v >= 1 && v < at.Or(math.Inf(1)) {
			at, by = n, what
		}
	}
	limit(l.MaxParallelism, BindMaxParallelism)
	limit(l.SourcePartitions, BindSourcePartitions)
	if l.SlotsBind {
		limit(l.TaskSlots, BindTaskSlots)
	}
	return at, by
}
