package keyhash

// GroupCounts returns the counts by key group under a maxParallelism of the
// tally, nil when it has no such.
func (t *Tally) GroupCounts(maxParallelism int) []float64 {
	for _, c := range t.ceilings {
		if c.max != maxParallelism {
			continue
		}
		counts := make([]float64, c.max)
		for g, n := range c.counts {
			counts[g] = float64(n)
		}
		return counts
	}
	return nil
}
