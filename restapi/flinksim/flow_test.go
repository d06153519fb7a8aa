package flinksim

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

func solve(j Job) *flow {
	par := make([]int, len(j.Vertices))
	for i := range par {
		par[i] = j.Vertices[i].Parallelism
	}
	return newFlow(&j, par, 3, func(i int) int { return i % 3 })
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*max(1, math.Abs(b)) }

// TestSharesOfTime: busy, back-pressured and idle are shares, so that what is
// left for idling is never negative.
func TestSharesOfTime(t *testing.T) {
	for _, c := range Demo(8) {
		for _, j := range c.Jobs {
			for v, f := range solve(j).vertices {
				for i := range f.busy {
					b, w := f.busy[i], f.bp[i]
					if b < 0 || w < 0 || b+w > 1+1e-12 {
						t.Errorf("%s vertex %d subtask %d: busy %v, back-pressured %v", j.Name, v, i, b, w)
					}
				}
			}
		}
	}
}

// TestRecordsAreKept: what a vertex writes is what its reader reads.
func TestRecordsAreKept(t *testing.T) {
	for _, c := range Demo(8) {
		for _, j := range c.Jobs {
			f := solve(j)
			for v := 1; v < len(f.vertices); v++ {
				if out, in := sum(f.vertices[v-1].out), sum(f.vertices[v].in); !near(out, in) {
					t.Errorf("%s: vertex %d writes %v, vertex %d reads %v", j.Name, v-1, out, v, in)
				}
			}
		}
	}
}

// TestOwnership: with even keys the input of a subtask is its share of key
// groups, and a hot key lands on the owner of its group.
func TestOwnership(t *testing.T) {
	for _, p := range []int{1, 3, 10, 16} {
		v := Vertex{Parallelism: p, MaxParallelism: 16, Keys: Keys{HotShare: 0.5, HotHash: 99}}
		got := shares(&v, Hash, p)
		hot := keygroup.Owner(keygroup.Group(99, 16), p, 16)
		for i, share := range got {
			first, last := keygroup.Range(i, p, 16)
			want := 0.5 * float64(last-first+1) / 16
			if i == hot {
				want += 0.5
			}
			if !near(share, want) {
				t.Errorf("p %d subtask %d: share %v, want %v", p, i, share, want)
			}
		}
	}
}

func TestGroupWeightsAndFewKeys(t *testing.T) {
	weights := make([]float64, 8)
	weights[7] = 3
	weights[0] = 1
	got := shares(&Vertex{Parallelism: 4, MaxParallelism: 8, Keys: Keys{GroupWeights: weights}}, Hash, 4)
	if want := []float64{0.25, 0, 0, 0.75}; !slices.Equal(got, want) {
		t.Errorf("weighted groups: %v, want %v", got, want)
	}
	got = shares(&Vertex{Parallelism: 8, MaxParallelism: 128, Keys: Keys{Distinct: 1}}, Hash, 8)
	want := make([]float64, 8)
	want[keygroup.Owner(keygroup.Group(0, 128), 8, 128)] = 1
	if !slices.Equal(got, want) {
		t.Errorf("one key: %v, want %v", got, want)
	}
}

// TestThrottle: one full subtask behind a HASH edge throttles the source to
// what it can take, the source waits, and the rest have room.
func TestThrottle(t *testing.T) {
	f := solve(hotKey(8))
	source, enrich, sink := f.vertices[0], f.vertices[1], f.vertices[2]
	hot := keygroup.Owner(keygroup.Group(42, 128), 8, 128)
	if !near(enrich.in[hot], 1000) || enrich.busy[hot] != saturatedBusy {
		t.Errorf("hot subtask reads %v a second and is busy %v, want 1000 and %v", enrich.in[hot], enrich.busy[hot], saturatedBusy)
	}
	if source.bp[0] < 0.9 {
		t.Errorf("source is back-pressured %v of the time", source.bp[0])
	}
	if f.progress >= 0.6 {
		t.Errorf("the sources achieve %v of what they offer, want about half", f.progress)
	}
	for i := range enrich.busy {
		if i != hot && (enrich.busy[i] > 0.2 || enrich.bp[i] > 0) {
			t.Errorf("subtask %d: busy %v, back-pressured %v, want room", i, enrich.busy[i], enrich.bp[i])
		}
	}
	if slices.Max(sink.bp) > 0 || sum(sink.out) != 0 {
		t.Errorf("sink: back-pressured %v, writes %v", sink.bp, sink.out)
	}
}

// TestForward: a stalled subtask behind FORWARD holds up its own writer alone,
// behind HASH everything.
func TestForward(t *testing.T) {
	j := stalled(8)
	f := solve(j)
	for i := range f.vertices[0].bp {
		if held := f.vertices[0].bp[i] > 0.9; held != (i == 1) {
			t.Errorf("reader %d: back-pressured %v", i, f.vertices[0].bp[i])
		}
	}
	if f.vertices[1].in[1] != 0 || f.vertices[1].busy[1] != saturatedBusy {
		t.Errorf("stalled subtask reads %v, busy %v", f.vertices[1].in[1], f.vertices[1].busy[1])
	}
	j.Vertices[1].Inputs[0].Ship = Hash
	f = solve(j)
	if sum(f.vertices[0].out) != 0 || slices.Min(f.vertices[0].bp) < 0.9 {
		t.Errorf("behind HASH the sources write %v and wait %v", f.vertices[0].out, f.vertices[0].bp)
	}
}

// TestMiddleBottleneck: what is above the slowest vertex waits, what is below idles.
func TestMiddleBottleneck(t *testing.T) {
	f := solve(backpressured(8))
	if slices.Min(f.vertices[0].bp) < 0.5 || slices.Min(f.vertices[1].bp) < 0.5 {
		t.Errorf("above: %v, %v", f.vertices[0].bp, f.vertices[1].bp)
	}
	if slices.Min(f.vertices[2].busy) < saturatedBusy || slices.Max(f.vertices[2].bp) > 0 {
		t.Errorf("bottleneck: busy %v, back-pressured %v", f.vertices[2].busy, f.vertices[2].bp)
	}
}

// TestJoin: the slower input does not suffer from what throttles the other.
func TestJoin(t *testing.T) {
	f := solve(Job{Vertices: []Vertex{
		{Name: "a", Parallelism: 1, Rate: 1000, Cost: time.Microsecond},
		{Name: "b", Parallelism: 1, Rate: 10, Cost: time.Microsecond},
		{Name: "slow", Parallelism: 1, Inputs: []Input{{"a", Rebalance}}, Cost: 10 * time.Millisecond},
		{Name: "join", Parallelism: 1, Inputs: []Input{{"slow", Hash}, {"b", Hash}}, Cost: time.Microsecond},
	}})
	if !near(f.vertices[0].in[0], 100) || !near(f.vertices[1].in[0], 10) || !near(f.vertices[3].in[0], 110) {
		t.Errorf("rates %v, %v, %v", f.vertices[0].in, f.vertices[1].in, f.vertices[3].in)
	}
	if f.vertices[1].bp[0] != 0 {
		t.Errorf("b is back-pressured %v", f.vertices[1].bp)
	}
}

// TestPartitions: readers own the partitions that Kafka's enumerator gives
// them: with 5 on 3, two readers have 2 and one has 1; with 5 on 8, three have none.
func TestPartitions(t *testing.T) {
	counts := func(p int) []int {
		var n []int
		for _, own := range ownPartitions(&Vertex{Topic: "orders5", Partitions: even(5)}, p) {
			n = append(n, len(own))
		}
		return n
	}
	if got := counts(3); slices.Max(got) != 2 || slices.Min(got) != 1 {
		t.Errorf("5 on 3: %v", got)
	}
	if got := counts(8); !slices.Equal(got[:5], []int{1, 1, 1, 1, 1}) || slices.Max(got[5:]) != 0 {
		t.Errorf("5 on 8: %v; a real cluster gave orders5 to readers 0 to 4", got)
	}
}

// TestPulse: a load that comes and goes moves nothing while it rests, and the
// three times still add up to the age.
func TestPulse(t *testing.T) {
	c := Cluster{Version: "2.3.0", Seed: 5, Jobs: []Job{hotKey(4)}}
	c.Jobs[0].Pulse = Pulse{On: 40 * time.Second, Off: 20 * time.Second}
	x := start(t, c).order[0].state.now.run
	for _, at := range []struct{ age, active time.Duration }{
		{0, 0}, {39 * time.Second, 39 * time.Second}, {40 * time.Second, 40 * time.Second}, {60 * time.Second, 40 * time.Second},
		{75 * time.Second, 55 * time.Second}, {179 * time.Second, 120 * time.Second},
	} {
		if got := x.active(at.age); got != at.active {
			t.Errorf("active for %v of %v, want %v", got, at.age, at.active)
		}
		for v := range x.par {
			busy, bp, idle := x.times(v, 0, at.age)
			if busy+bp+idle != at.age.Milliseconds() || min(busy, bp, idle) < 0 {
				t.Errorf("vertex %d at %v: busy %d, back-pressured %d, idle %d", v, at.age, busy, bp, idle)
			}
		}
	}
	in, _, _, _ := x.counters(1, 0, 40*time.Second)
	if later, _, _, _ := x.counters(1, 0, 60*time.Second); in == 0 || later != in {
		t.Errorf("%d records after 40 s, %d after 60 s, want as many", in, later)
	}
}
