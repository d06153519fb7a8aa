package migration

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Choice is the max parallelism to go to, and why.
type Choice struct {
	// Recorded is the largest of those in effect now, Largest the largest
	// parallelism needed.
	Recorded, Largest int
	Target            int
	// Divisors are parallelisms, from a quarter of Largest on, that load all
	// subtasks alike at Target; the first two dozen of them.
	Divisors []int
	// Composite has many divisors, where powers of two are too coarse; 0 when
	// none is large enough.
	Composite, CompositeDivisors int
	// OffsetBytes is how much the key groups' offsets take in the metadata of a
	// savepoint, now and then: 8 bytes a key group and keyed operator
	// (KeyGroupRangeOffsets).
	OffsetBytes, OffsetBytesThen float64
}

// mostDivisors bounds a list that people read.
const mostDivisors = 24

// choose takes a power of two, four to eight times the largest parallelism.
func choose(in Input, all []keyed) Choice {
	c := Choice{Target: in.Target}
	for _, k := range all {
		c.Recorded = max(c.Recorded, k.MaxParallelism)
		c.Largest = max(c.Largest, k.needs(in.Foreseen))
	}
	c.Largest = max(c.Largest, 1)
	if c.Target == 0 {
		c.Target = min(keygroup.UpperBound, 1<<bits.Len(uint(roomy*c.Largest-1)))
	}
	for p := max(1, c.Largest/4); p <= c.Target && len(c.Divisors) < mostDivisors; p++ {
		if c.Target%p == 0 {
			c.Divisors = append(c.Divisors, p)
		}
	}
	c.Composite, c.CompositeDivisors = composite(roomy * c.Largest)
	c.OffsetBytes = 8 * float64(c.Recorded*len(all))
	c.OffsetBytesThen = 8 * float64(c.Target*len(all))
	return c
}

// composite is the smallest number from at least on, up to Flink's bound, that
// has more divisors than any before it.
func composite(atLeast int) (n, divisors int) {
	most := 0
	for i := 1; i <= keygroup.UpperBound; i++ {
		d := countDivisors(i)
		if d > most {
			most = d
			if i >= atLeast {
				return i, d
			}
		}
	}
	return 0, 0
}

func countDivisors(n int) int {
	count := 0
	for i := 1; i*i <= n; i++ {
		if n%i == 0 {
			count++
			if i*i < n {
				count++
			}
		}
	}
	return count
}

// Reasons says why, a sentence each.
func (c Choice) Reasons() []string {
	times := float64(c.Target) / float64(c.Largest)
	first := fmt.Sprintf("%s is %s × the largest parallelism needed (%s)", report.Thousands(float64(c.Target)), report.Number(times), report.Thousands(float64(c.Largest)))
	if c.Target&(c.Target-1) == 0 {
		first += ", and a power of two"
	}
	out := []string{first + ". Four to eight times is room enough; far more makes many tiny parts of state."}
	out = append(out, "Parallelisms that load all subtasks alike: "+list(c.Divisors)+".")
	if c.Composite > 0 && c.Composite != c.Target {
		out = append(out, fmt.Sprintf("Where these are too coarse: %s has %d divisors.", report.Thousands(float64(c.Composite)), c.CompositeDivisors))
	}
	return append(out, fmt.Sprintf("In the metadata of each savepoint the offsets of key groups grow from %s to %s.", report.Bytes(c.OffsetBytes), report.Bytes(c.OffsetBytesThen)))
}

// next is the smallest useful parallelism at the target from the largest needed on.
func (c Choice) next() int {
	for _, p := range keygroup.Useful(c.Target) {
		if p >= c.Largest && slices.Contains(c.Divisors, p) {
			return p
		}
	}
	return min(c.Largest, c.Target)
}
