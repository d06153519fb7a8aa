//go:build !race

package keygroup

import (
	"fmt"
	"runtime"
	"testing"
)

// TestRangesPartition holds for every p ≤ M ≤ 2048: the ranges of all subtasks
// cover 0…M-1 once, in order; their sizes differ by at most one; and the owner
// of a range's ends is the subtask it belongs to. That is 1.4 billion ranges,
// so that every processor takes a part of the M, and what is called are the
// functions behind Range's and Owner's checks; TestChecksChangeNothing holds
// those to them.
func TestRangesPartition(t *testing.T) {
	t.Parallel()
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		t.Run(fmt.Sprintf("part_%d", part), func(t *testing.T) {
			t.Parallel()
			for m := 1 + part; m <= 2048; m += parts {
				for p := 1; p <= m; p++ {
					if err := partitions(p, m); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// partitions returns an error unless the ranges of p subtasks partition m groups.
func partitions(p, m int) error {
	next, least, most := 0, m/p, (m+p-1)/p
	for i := range p {
		first, last := rangeOf(i, p, m)
		if first != next || last < first {
			return fmt.Errorf("M %d p %d subtask %d: range %d…%d does not begin at %d", m, p, i, first, last, next)
		}
		next = last + 1
		if size := next - first; size != least && size != most {
			return fmt.Errorf("M %d p %d subtask %d owns %d groups", m, p, i, size)
		}
		if ownerOf(first, p, m) != i || ownerOf(last, p, m) != i {
			return fmt.Errorf("M %d p %d: range %d…%d of subtask %d is owned by %d and %d",
				m, p, first, last, i, ownerOf(first, p, m), ownerOf(last, p, m))
		}
	}
	if next != m {
		return fmt.Errorf("M %d p %d: ranges end at %d", m, p, next)
	}
	return nil
}
