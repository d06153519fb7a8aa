package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func distributionOf(values []float64, groups []int32) Distribution {
	index := make([]int32, len(values))
	for i := range index {
		index[i] = int32(i)
	}
	var scratch []float64
	return distribution(values, index, groups, &scratch)
}

// TestQuantilesAgreeWithSorting on random values, many of them equal.
func TestQuantilesAgreeWithSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		values := make([]float64, 1+rng.IntN(60))
		for i := range values {
			values[i] = float64(rng.IntN(1 + rng.IntN(50)))
		}
		sorted := slices.Sorted(slices.Values(values))
		mid, p95 := quantiles(slices.Clone(values))
		if rank := int(math.Ceil(.95*float64(len(sorted)))) - 1; mid != median(sorted) || p95 != sorted[rank] {
			t.Fatalf("%v: median %v, p95 %v; want %v, %v", values, mid, p95, median(sorted), sorted[rank])
		}
	}
}

func near(n Num, want, tolerance float64) bool {
	v, ok := n.Get()
	return ok && math.Abs(v-want) <= tolerance
}

func TestDistribution(t *testing.T) {
	d := distributionOf([]float64{3, unknown, 1, 4, 0}, nil)
	if d.Count != 4 || d.ArgMax != 3 || !near(d.Max, 4, 0) || !near(d.Min, 0, 0) || !near(d.Mean, 2, 0) ||
		!near(d.Median, 2, 0) || !near(d.Sum, 8, 0) || !near(d.Skew, 2, 0) || !near(d.P95, 4, 0) || d.Excess.Known() {
		t.Errorf("%+v", d)
	}
	if d := distributionOf([]float64{unknown, unknown}, nil); d != (Distribution{ArgMax: -1}) {
		t.Errorf("of nothing: %+v", d)
	}
	if d := distributionOf([]float64{0, 0}, nil); d.Skew.Known() || d.WebUISkew.Known() || !near(d.Max, 0, 0) {
		t.Errorf("a ratio to nothing: %+v", d)
	}
}

// TestSkewSeesWhatFlinkDoesNot: one subtask at ten times the others. Flink's
// score (FLINK-34025) fades from 100 % to 7 % as parallelism grows; max/mean
// does not.
func TestSkewSeesWhatFlinkDoesNot(t *testing.T) {
	for _, c := range []struct {
		p           int
		flink, skew float64
	}{{4, 1, 3.08}, {16, .675, 6.4}, {64, .243, 8.77}, {100, .163, 9.17}, {256, .068, 9.66}, {1000, .018, 9.91}} {
		d := distributionOf(with(even(c.p, 100), c.p/2, 1000), nil)
		if !near(d.WebUISkew, c.flink, .0006) || !near(d.Skew, c.skew, .006) {
			t.Errorf("p %d: Flink %v, max/mean %v; want %v, %v", c.p, d.WebUISkew, d.Skew, c.flink, c.skew)
		}
	}
}

// TestExcess: what the layout explains is no excess.
func TestExcess(t *testing.T) {
	groups := []int32{2, 1, 1, 2}
	if d := distributionOf([]float64{20, 10, 10, 20}, groups); !near(d.Excess, 1, 1e-9) || !near(d.Skew, 4.0/3, 1e-9) {
		t.Errorf("proportional: %+v", d)
	}
	if d := distributionOf([]float64{20, 30, 10, 20}, groups); !near(d.Excess, 30/(80.0/6), 1e-9) {
		t.Errorf("one above its share: %+v", d)
	}
}

func TestFewHigh(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		high   []int
		ratio  float64
	}{
		{"one of five", []float64{10, 10, 70, 10, 10}, []int{2}, 7},
		{"one of two", []float64{3, 1}, []int{0}, 3},
		{"two of eight", []float64{10, 90, 10, 10, 80, 10, 10, 10}, []int{1, 4}, 8.5},
		{"at most a quarter", []float64{9, 9, 9, 1, 1, 1}, []int{0}, 9 / 4.2},
		{"unknown is neither", []float64{unknown, 10, 40}, []int{2}, 4},
		{"all alike", even(4, 5), []int{0}, 1},
		{"all zero", even(4, 0), nil, math.Inf(1)},
		{"one value", []float64{1}, nil, math.Inf(1)},
		{"the rest is zero", []float64{0, 5, 0}, []int{1}, math.Inf(1)},
	} {
		s := fewHigh(c.values)
		if !slices.Equal(s.high, c.high) || !(math.Abs(s.ratio()-c.ratio) < 1e-9 || s.ratio() == c.ratio) {
			t.Errorf("%s: %v ratio %v; want %v, %v", c.name, s.high, s.ratio(), c.high, c.ratio)
		}
	}
}
