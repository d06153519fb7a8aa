//go:build !race

package keygroup

import "testing"

// TestRangesPartition holds for every p ≤ M ≤ 2048: the ranges of all subtasks
// cover 0…M-1 once, in order; their sizes differ by at most one; and the owner
// of a range's ends is the subtask it belongs to.
func TestRangesPartition(t *testing.T) {
	t.Parallel()
	for m := 1; m <= 2048; m++ {
		for p := 1; p <= m; p++ {
			next := 0
			for i := range p {
				first, last := Range(i, p, m)
				if first != next || last < first {
					t.Fatalf("M %d p %d subtask %d: range %d…%d does not begin at %d", m, p, i, first, last, next)
				}
				if size := last - first + 1; size != m/p && size != (m+p-1)/p {
					t.Fatalf("M %d p %d subtask %d owns %d groups", m, p, i, size)
				}
				if Owner(first, p, m) != i || Owner(last, p, m) != i {
					t.Fatalf("M %d p %d: range %d…%d of subtask %d is owned by %d and %d",
						m, p, first, last, i, Owner(first, p, m), Owner(last, p, m))
				}
				next = last + 1
			}
			if next != m {
				t.Fatalf("M %d p %d: ranges end at %d", m, p, next)
			}
		}
	}
}
