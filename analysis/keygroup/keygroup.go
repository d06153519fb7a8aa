package keygroup

import (
	"fmt"
	"math/bits"
)

const (
	// UpperBound is the largest maxParallelism that Flink accepts, 2^15
	// (KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM).
	UpperBound = 1 << 15
	// defaultLowerBound is the smallest ceiling that Flink derives.
	defaultLowerBound = 1 << 7
)

// Valid reports whether 0 < p ≤ m ≤ UpperBound, which is what Flink demands of
// a parallelism p under a maxParallelism m.
func Valid(p, m int) bool { return 0 < p && p <= m && m <= UpperBound }

func mustBeValid(p, m int) {
	if !Valid(p, m) {
		panic(fmt.Sprintf("keygroup: parallelism %d of %d is not in 1…%d", p, m, UpperBound))
	}
}

// Range returns the first and last key group, both inclusive, that subtask i
// of parallelism p owns under maxParallelism m; 0 ≤ i < p. It is Flink's
// KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex.
func Range(i, p, m int) (first, last int) {
	mustBeValid(p, m)
	if i < 0 || i >= p {
		panic(fmt.Sprintf("keygroup: subtask %d of parallelism %d", i, p))
	}
	return rangeOf(i, p, m)
}

// rangeOf is Range without its checks. Products of valid arguments are at most
// 2^30, so that 32 bits hold them; division of those is several times as fast.
func rangeOf(i, p, m int) (first, last int) {
	a, b, c := uint32(i), uint32(p), uint32(m)
	return int((a*c + b - 1) / b), int(((a+1)*c - 1) / b)
}

// Count returns how many key groups subtask i owns: ceil(m/p) or floor(m/p).
func Count(i, p, m int) int {
	first, last := Range(i, p, m)
	return last - first + 1
}

// Owner returns the subtask of parallelism p that owns key group g of m. It is
// Flink's KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup.
func Owner(g, p, m int) int {
	mustBeValid(p, m)
	if g < 0 || g >= m {
		panic(fmt.Sprintf("keygroup: key group %d of %d", g, m))
	}
	return ownerOf(g, p, m)
}

// ownerOf is Owner without its checks.
func ownerOf(g, p, m int) int { return int(uint32(g) * uint32(p) / uint32(m)) }

// Group returns the key group, 0…m-1, of a key whose Java hashCode is hash. It
// is Flink's KeyGroupRangeAssignment.computeKeyGroupForKeyHash.
func Group(hash int32, m int) int {
	mustBeValid(1, m)
	return int(murmur(hash)) % m
}

// murmur is MathUtils.murmurHash: one round of MurmurHash3's 32-bit variant
// over the four bytes of code, made non-negative the way Flink does it.
func murmur(code int32) int32 {
	h := uint32(code)
	h *= 0xcc9e2d51
	h = bits.RotateLeft32(h, 15)
	h *= 0x1b873593
	h = bits.RotateLeft32(h, 13)
	h = h*5 + 0xe6546b64
	h ^= 4
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	switch s := int32(h); {
	case s >= 0:
		return s
	case s != -1<<31:
		return -s
	default:
		return 0
	}
}

// DefaultMax returns the maxParallelism that Flink derives at the first start
// of an operator of parallelism p when none was set:
// min(max(nextPowerOfTwo(p + p/2), 128), 32768). It is Flink's
// KeyGroupRangeAssignment.computeDefaultMaxParallelism.
func DefaultMax(p int) int {
	mustBeValid(p, UpperBound)
	v := p + p/2
	pow := 1 << bits.Len(uint(v-1)) // the smallest power of two that is not below v
	return min(max(pow, defaultLowerBound), UpperBound)
}

// Busiest returns how many key groups the busiest subtask owns, ceil(m/p).
func Busiest(p, m int) int {
	mustBeValid(p, m)
	return (m + p - 1) / p
}

// LayoutRatio returns the skew that the layout alone makes: the busiest
// subtask's key groups over the mean, ceil(m/p)·p/m. It is at least 1.
func LayoutRatio(p, m int) float64 {
	return float64(Busiest(p, m)*p) / float64(m)
}

// Needed returns the smallest parallelism whose busiest subtask owns no more
// key groups than at p. The p - Needed(p, m) subtasks above it do nothing for
// the throughput of evenly loaded key groups.
func Needed(p, m int) int {
	k := Busiest(p, m)
	return (m + k - 1) / k
}

// NextUseful returns the smallest parallelism above p whose busiest subtask
// owns fewer key groups than at p; ok is false when there is none (each
// subtask owns one group already).
func NextUseful(p, m int) (next int, ok bool) {
	k := Busiest(p, m)
	if k == 1 {
		return 0, false
	}
	return (m + k - 2) / (k - 1), true
}

// PreviousUseful returns the largest useful parallelism below p whose busiest
// subtask owns more groups than at p; ok is false when there is none.
func PreviousUseful(p, m int) (prev int, ok bool) {
	n := Needed(p, m)
	if n == 1 {
		return 0, false
	}
	return Needed(n-1, m), true
}

// Useful returns, ascending, the parallelisms worth running under m: the
// smallest of each step, ceil(m/k) for k = m … 1. There are fewer than 2·√m + 1.
func Useful(m int) []int {
	mustBeValid(1, m)
	var ps []int
	for p := 1; ; {
		ps = append(ps, p)
		next, ok := NextUseful(p, m)
		if !ok {
			return ps
		}
		p = next
	}
}
