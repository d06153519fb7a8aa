package keygroup

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestOwnerAgreesWithRange checks every group, not only the ends, for some M.
func TestOwnerAgreesWithRange(t *testing.T) {
	for _, m := range []int{1, 2, 3, 16, 127, 128, 256, 720} {
		for p := 1; p <= m; p++ {
			for g := range m {
				first, last := Range(Owner(g, p, m), p, m)
				if g < first || g > last {
					t.Fatalf("M %d p %d: group %d is outside its owner's range %d…%d", m, p, g, first, last)
				}
			}
		}
	}
}

// TestChecksChangeNothing: Range and Owner are their unchecked forms, also at
// the largest M, where products come closest to what 32 bits hold. The wanted
// values are computed here in 64 bits.
func TestChecksChangeNothing(t *testing.T) {
	for _, m := range []int{1, 2, 3, 16, 128, 720, 2048, UpperBound - 1, UpperBound} {
		for _, p := range []int{1, 2, 3, 10, 100, 1000, m - 1, m} {
			if !Valid(p, m) {
				continue
			}
			for i := range p {
				first, last := Range(i, p, m)
				if f, l := (i*m+p-1)/p, ((i+1)*m-1)/p; first != f || last != l {
					t.Fatalf("Range(%d, %d, %d) = %d…%d, want %d…%d", i, p, m, first, last, f, l)
				}
				if a, b := Owner(first, p, m), Owner(last, p, m); a != i || b != i {
					t.Fatalf("M %d p %d: range %d…%d of subtask %d is owned by %d and %d", m, p, first, last, i, a, b)
				}
				if f, l := rangeOf(i, p, m); f != first || l != last || ownerOf(f, p, m) != i {
					t.Fatalf("M %d p %d subtask %d: unchecked %d…%d, owner %d", m, p, i, f, l, ownerOf(f, p, m))
				}
			}
		}
	}
}

// TestLayouts is the table of layout skew that the documentation shows.
func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		m, p     int
		counts   map[int]int // key groups a subtask → how many subtasks
		ratio    float64
		maxByMin float64
	}{
		{128, 5, map[int]int{26: 3, 25: 2}, 1.016, 1.04},
		{10, 3, map[int]int{4: 1, 3: 2}, 1.2, 1.33},
		{16, 10, map[int]int{2: 6, 1: 4}, 1.25, 2},
		{128, 100, map[int]int{2: 28, 1: 72}, 1.5625, 2},
		{256, 171, map[int]int{2: 85, 1: 86}, 1.336, 2},
		{128, 85, map[int]int{2: 43, 1: 42}, 1.328, 2},
		{256, 86, map[int]int{3: 84, 2: 2}, 1.008, 1.5},
		{512, 172, map[int]int{3: 168, 2: 4}, 1.008, 1.5},
		{64, 7, map[int]int{10: 1, 9: 6}, 1.094, 1.11},
	} {
		t.Run(fmt.Sprintf("%d_of_%d", c.p, c.m), func(t *testing.T) {
			counts := map[int]int{}
			most, least := 0, math.MaxInt
			for i := range c.p {
				n := Count(i, c.p, c.m)
				counts[n]++
				most, least = max(most, n), min(least, n)
			}
			if fmt.Sprint(counts) != fmt.Sprint(c.counts) {
				t.Errorf("subtasks by key groups: got %v, want %v", counts, c.counts)
			}
			if r := LayoutRatio(c.p, c.m); math.Abs(r-c.ratio) > 0.0006 {
				t.Errorf("layout ratio: got %.4f, want %.4f", r, c.ratio)
			}
			if r := float64(most) / float64(least); math.Abs(r-c.maxByMin) > 0.006 {
				t.Errorf("max/min: got %.3f, want %.3f", r, c.maxByMin)
			}
			if most != Busiest(c.p, c.m) {
				t.Errorf("busiest: got %d, want %d", Busiest(c.p, c.m), most)
			}
		})
	}
}

// TestGroup holds Group to values that MathUtils.murmurHash of Flink 2.3.0 printed.
func TestGroup(t *testing.T) {
	for _, c := range []struct {
		hash int32
		want int32 // MathUtils.murmurHash(hash)
	}{
		{0, 593689054}, {1, 68075478}, {2, 1085422463}, {42, 1134849565}, {-1, 1982413648},
		{math.MaxInt32, 1653689534}, {math.MinInt32, 1718298732}, {-1155099828, 916300390},
		{99162322, 1715862179},    // "hello".hashCode()
		{-1772111243, 1296182128}, // "customer-17".hashCode()
	} {
		if got := murmur(c.hash); got != c.want {
			t.Errorf("murmur(%d) = %d, want %d", c.hash, got, c.want)
		}
		for _, m := range []int{1, 16, 128, 32768} {
			if got := Group(c.hash, m); got != int(c.want)%m {
				t.Errorf("Group(%d, %d) = %d, want %d", c.hash, m, got, int(c.want)%m)
			}
		}
	}
}

// TestMurmurChecksum folds a million hashes the way a Java program over
// MathUtils.murmurHash of Flink 2.3.0 did (s = 31·s + hash, 64 bits); half of
// them come out negative before Flink's sign rule.
func TestMurmurChecksum(t *testing.T) {
	var s int64
	for h := int32(-500000); h < 500000; h++ {
		s = s*31 + int64(murmur(h))
	}
	if want := int64(6199477295133131472); s != want {
		t.Errorf("checksum %d, want %d", s, want)
	}
}

// TestGroupSpreads: consecutive hashes fall to all groups, none much more than its share.
func TestGroupSpreads(t *testing.T) {
	const m, n = 128, 128 * 1000
	counts := make([]int, m)
	for h := range int32(n) {
		counts[Group(h, m)]++
	}
	if least, most := slices.Min(counts), slices.Max(counts); least < 850 || most > 1150 {
		t.Errorf("groups hold %d…%d keys of a mean of 1000", least, most)
	}
}

func TestDefaultMax(t *testing.T) {
	for _, c := range []struct{ p, want int }{
		{1, 128}, {85, 128}, {86, 256}, {170, 256}, {171, 256}, {172, 512}, {341, 512}, {342, 1024},
		{21845, 32768}, {30000, 32768}, {32768, 32768},
	} {
		if got := DefaultMax(c.p); got != c.want {
			t.Errorf("DefaultMax(%d) = %d, want %d", c.p, got, c.want)
		}
	}
}

// TestUseful: with 128 key groups every parallelism from 64 to 127 leaves the
// busiest subtask two groups, so that the next worth running is 128.
func TestUseful(t *testing.T) {
	for _, p := range []int{64, 65, 100, 127} {
		if got := Needed(p, 128); got != 64 {
			t.Errorf("Needed(%d, 128) = %d, want 64", p, got)
		}
		if got, ok := NextUseful(p, 128); got != 128 || !ok {
			t.Errorf("NextUseful(%d, 128) = %d, %t; want 128", p, got, ok)
		}
		if got, ok := PreviousUseful(p, 128); got != 43 || !ok {
			t.Errorf("PreviousUseful(%d, 128) = %d, %t; want 43", p, got, ok)
		}
	}
	if _, ok := NextUseful(128, 128); ok {
		t.Error("NextUseful(128, 128) found a step above the ceiling")
	}
	if _, ok := PreviousUseful(1, 128); ok {
		t.Error("PreviousUseful(1, 128) found a step below 1")
	}
	if got := Useful(16); !slices.Equal(got, []int{1, 2, 3, 4, 6, 8, 16}) {
		t.Errorf("Useful(16) = %v", got)
	}
}

// TestUsefulExhaustive compares the closed forms with a search, for all p ≤ M ≤ 300.
func TestUsefulExhaustive(t *testing.T) {
	for m := 1; m <= 300; m++ {
		useful := Useful(m)
		for p := 1; p <= m; p++ {
			least := p
			for least > 1 && Busiest(least-1, m) == Busiest(p, m) {
				least--
			}
			if got := Needed(p, m); got != least {
				t.Fatalf("Needed(%d, %d) = %d, want %d", p, m, got, least)
			}
			if isUseful := least == p; slices.Contains(useful, p) != isUseful {
				t.Fatalf("Useful(%d) = %v; %d belongs: %t", m, useful, p, isUseful)
			}
			next, ok := NextUseful(p, m)
			want := p + 1
			for want <= m && Busiest(want, m) == Busiest(p, m) {
				want++
			}
			if ok != (want <= m) || ok && next != want {
				t.Fatalf("NextUseful(%d, %d) = %d, %t; want %d", p, m, next, ok, want)
			}
		}
	}
}

func TestOutOfRangePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"p above M":      func() { Range(0, 129, 128) },
		"p zero":         func() { Range(0, 0, 128) },
		"M above bound":  func() { Range(0, 1, UpperBound+1) },
		"subtask":        func() { Range(5, 5, 128) },
		"group":          func() { Owner(128, 5, 128) },
		"negative group": func() { Owner(-1, 5, 128) },
		"M zero":         func() { Group(1, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
