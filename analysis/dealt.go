package analysis

import "slices"

// dealt is the load of a vertex without key groups: its records are dealt out to
// however many subtasks there are.
type dealt struct {
	loads []float64
	// sticks says that an input need not follow the parallelism, so that a subtask
	// may be left with all that one has today.
	sticks bool
}

// at predicts the busiest subtask: at best the load becomes even, at worst the
// unevenness of today stays.
func (d dealt) at(parallelism int) Band {
	var total, most float64
	for _, l := range d.loads {
		total, most = total+l, max(most, l)
	}
	scale := float64(len(d.loads)) / float64(parallelism)
	b := Band{Low: total / float64(parallelism), Likely: most * scale, High: most * scale}
	if d.sticks {
		b.High = max(b.High, most)
	}
	b.Low, b.High = b.Low*(1-leastNoise), b.High*(1+leastNoise)
	return b
}

// partitioned is the load of a source whose readers own whole partitions.
type partitioned struct {
	loads []float64
	// owned is how many partitions each reader has, partitions their sum.
	owned      []float64
	partitions int
}

// at predicts the busiest reader. The busiest of p readers owns ceil(N/p)
// partitions; which ones is the connector's choice, so that at worst they are
// those with most load, and a reader's load may be that of one of its partitions.
func (s partitioned) at(parallelism int) Band {
	readers := min(parallelism, s.partitions)
	k := (s.partitions + readers - 1) / readers
	var total, hottest float64
	for i, l := range s.loads {
		total += l
		if s.owned[i] > 0 {
			hottest = max(hottest, l/s.owned[i])
		}
	}
	mean := total / float64(s.partitions)
	b := Band{Low: max(total/float64(readers), hottest), Likely: max(mean*float64(k), hottest)}
	ordered := slices.Sorted(slices.Values(s.loads))
	for _, l := range ordered[len(ordered)-min(k, len(ordered)):] {
		b.High += l
	}
	b.High = max(b.High, b.Likely)
	b.Low, b.High = min(b.Low, b.Likely)*(1-leastNoise), b.High*(1+leastNoise)
	return b
}
