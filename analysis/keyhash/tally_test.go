package keyhash

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

func text(s string) []Field { return []Field{{Text: s}} }

// TestTally holds the sums of a random stream against ones kept in maps.
func TestTally(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tally := NewTally([]int{128, 720}, nil)
	counts := map[int32]int64{}
	total := int64(0)
	for range 50_000 {
		k, n := int32(random.ExpFloat64()*300), random.Int64N(10)
		counts[k] += n
		total += n
		if err := tally.Add(k, text(strconv.Itoa(int(k))), n); err != nil {
			t.Fatal(err)
		}
	}
	if keys, exact := tally.Distinct(); keys != int64(len(counts)) || !exact || tally.Total() != total || tally.Lines() != 50_000 {
		t.Errorf("%d keys of %d, exact %v, total %d of %d", keys, len(counts), exact, tally.Total(), total)
	}
	skews := tally.Skews([]int{1, 5, 100, 500})
	if len(skews) != 7 { // 500 is above 128.
		t.Fatalf("%d skews", len(skews))
	}
	for _, s := range skews {
		load, keys := make([]int64, s.Parallelism), make([]int64, s.Parallelism)
		for k, n := range counts {
			i := keygroup.Owner(keygroup.Group(k, s.MaxParallelism), s.Parallelism, s.MaxParallelism)
			load[i], keys[i] = load[i]+n, keys[i]+1
		}
		idle := 0
		for i, sh := range s.Shares {
			first, last := keygroup.Range(i, s.Parallelism, s.MaxParallelism)
			if (sh != Share{first, last, load[i], keys[i]}) {
				t.Errorf("%d of %d subtask %d: %+v, want %d and %d keys", s.Parallelism, s.MaxParallelism, i, sh, load[i], keys[i])
			}
			if load[i] == 0 {
				idle++
			}
		}
		mean := float64(total) / float64(s.Parallelism)
		if s.Count.Max != slices.Max(load) || load[s.Count.Subtask] != s.Count.Max || s.Count.Mean != mean || s.Count.Ratio != float64(s.Count.Max)/mean ||
			s.Keys.Max != slices.Max(keys) || s.Idle != idle || s.Equivalent() != float64(s.Parallelism)/s.Count.Ratio {
			t.Errorf("%+v", s)
		}
	}
	all := tally.Skews(nil)
	if want := len(keygroup.Useful(128)) + len(keygroup.Useful(720)); len(all) != want {
		t.Errorf("%d useful layouts, want %d", len(all), want)
	}
	heaviest, complete := tally.Heaviest()
	if len(heaviest) != len(counts) || !complete {
		t.Errorf("%d keys followed of %d, complete %v", len(heaviest), len(counts), complete)
	}
	for i, h := range heaviest {
		if h.Count != counts[h.Hash] || h.Missed != 0 || i > 0 && h.Count > heaviest[i-1].Count {
			t.Errorf("%d: %+v, want %d", i, h, counts[h.Hash])
		}
	}
}

// TestTallyRefuses leaves the tally as it was.
func TestTallyRefuses(t *testing.T) {
	tally := NewTally([]int{8}, nil)
	if err := tally.Add(1, text("1"), -1); err == nil {
		t.Error("a count below 0 is taken")
	}
	if err := tally.Add(1, text("1"), math.MaxInt64); err != nil {
		t.Error(err)
	}
	if err := tally.Add(1, text("1"), 1); err == nil || tally.Total() != math.MaxInt64 || tally.Lines() != 1 {
		t.Errorf("%v, total %d of %d lines", err, tally.Total(), tally.Lines())
	}
}

// TestNothing: without a count there is no ratio and no best choice.
func TestNothing(t *testing.T) {
	tally := NewTally([]int{8}, nil)
	if err := tally.Add(1, text("1"), 0); err != nil {
		t.Fatal(err)
	}
	skews := tally.Skews([]int{2})
	if !math.IsNaN(skews[0].Count.Ratio) || skews[0].Keys.Ratio != 2 || Best(skews) != -1 || Best(nil) != -1 {
		t.Errorf("%+v, best %d", skews, Best(skews))
	}
}

// TestWanted follows only the keys of the groups asked for, and counts all.
func TestWanted(t *testing.T) {
	tally := NewTally([]int{128}, func(g int) bool { return g == keygroup.Group(7, 128) })
	for k := range int32(100) {
		if err := tally.Add(k, text(strconv.Itoa(int(k))), 1); err != nil {
			t.Fatal(err)
		}
	}
	keys, all := tally.Heaviest()
	if len(keys) == 0 || len(keys) > 10 || !all || tally.Total() != 100 {
		t.Errorf("%d keys, total %d", len(keys), tally.Total())
	}
	for _, k := range keys {
		if keygroup.Group(k.Hash, 128) != keygroup.Group(7, 128) {
			t.Errorf("%+v", k)
		}
	}
}

// TestFingerprints: keys whose texts run into one another differ.
func TestFingerprints(t *testing.T) {
	tally := NewTally([]int{1}, nil)
	keys := [][]Field{
		{{Text: "a"}, {Text: "b"}}, {{Text: "ab"}, {Text: ""}}, {{Text: ""}, {Text: "ab"}}, {{Null: true}, {Text: "ab"}}, {{Text: "ab"}, {Null: true}},
		{{Null: true}}, {{Text: ""}}, {{Text: "\x00"}},
	}
	for range 2 {
		for _, k := range keys {
			if err := tally.Add(1, k, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n, _ := tally.Distinct(); n != int64(len(keys)) {
		t.Errorf("%d keys, want %d", n, len(keys))
	}
}

// TestDistinctSample: past its room the table holds a sample that stands for all,
// whatever repeats.
func TestDistinctSample(t *testing.T) {
	d := newDistinct(1 << 12)
	random := rand.New(rand.NewPCG(3, 4))
	prints := make([]uint64, 200_000)
	for i := range prints {
		prints[i] = random.Uint64()
	}
	for range 2 {
		for i, p := range prints {
			d.add(p, int32(i))
		}
	}
	got := float64(int64(d.used) * d.weight())
	// Some 2,000 keys are left, so that 10 % are four standard deviations and a half.
	if got < 180_000 || got > 220_000 || len(d.prints) != 1<<12 || d.used < 1<<10 || d.used >= 3<<10 {
		t.Errorf("%v of 200,000, %d in %d slots", got, d.used, len(d.prints))
	}
	seen := 0
	d.each(func(hash int32) {
		seen++
		if int(hash) >= len(prints) {
			t.Errorf("hash %d", hash)
		}
	})
	if seen != d.used {
		t.Errorf("%d of %d", seen, d.used)
	}
	few := newDistinct(1 << 12)
	for _, p := range []uint64{0, 1 << 63, 5, 5, 0} {
		few.add(p, 1)
	}
	if few.used != 2 || few.weight() != 1 { // 0 stands for a free slot and shares its neighbour's place.
		t.Errorf("%d keys", few.used)
	}
}

// TestHeavy: heavy keys of a long stream of light ones are all found, bounds hold,
// and keys that may have been heavier unseen are not listed.
func TestHeavy(t *testing.T) {
	h := newHeavy(100)
	random := rand.New(rand.NewPCG(5, 6))
	true64 := map[uint64]int64{}
	for i := range 100_000 {
		print, n := uint64(1000+i), int64(1)
		if i%4 == 0 {
			print, n = uint64(random.IntN(8)), random.Int64N(5)
		}
		true64[print] += n
		h.add(print, int32(print), text(strconv.Itoa(int(print))), n)
	}
	keys, all := h.list()
	if len(keys) != 8 || all {
		t.Fatalf("%d keys, all %v", len(keys), all)
	}
	for i, k := range keys {
		if want := true64[uint64(k.Hash)]; k.Hash >= 8 || k.Count > want || k.Count+k.Missed < want {
			t.Errorf("%d: %+v, want %d", i, k, want)
		}
	}
}

// TestHeldText bounds what is kept of a key.
func TestHeldText(t *testing.T) {
	h := newHeavy(2)
	long := strings.Repeat("ä", 1000)
	h.add(1, 1, []Field{{Text: long}, {Text: "b"}}, 2)
	h.add(2, 2, text("short"), 1)
	keys, _ := h.list()
	if !keys[0].Cut || keys[0].Fields[0].Text != long[:128] || keys[0].Fields[1].Text != "b" || keys[1].Cut {
		t.Errorf("%+v", keys)
	}
	odd := newHeavy(1)
	odd.add(1, 1, text("x"+long), 1)
	if got, _ := odd.list(); got[0].Fields[0].Text != ("x" + long)[:255] {
		t.Errorf("cut inside a character: %d bytes", len(got[0].Fields[0].Text))
	}
}

func TestBest(t *testing.T) {
	skew := func(m, p int, most int64) Skew {
		return Skew{MaxParallelism: m, Parallelism: p, Count: Load{Max: most}}
	}
	for name, c := range map[string]struct {
		skews []Skew
		want  int
	}{
		"the least":           {[]Skew{skew(128, 5, 30), skew(128, 10, 20), skew(128, 20, 10)}, 2},
		"not worth the slots": {[]Skew{skew(128, 5, 30), skew(128, 10, 20), skew(128, 20, 20)}, 1},
		"close enough":        {[]Skew{skew(128, 10, 105), skew(128, 20, 100)}, 0},
		"not close enough":    {[]Skew{skew(128, 10, 106), skew(128, 20, 100)}, 1},
		"ceiling":             {[]Skew{skew(128, 10, 102), skew(720, 10, 100), skew(256, 10, 101)}, 1},
		"none":                {nil, -1},
	} {
		if got := Best(c.skews); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// BenchmarkKeys hashes and counts keys: 167,000 a second are 10 million a minute.
func BenchmarkKeys(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 8))
	for name, field := range map[string]func() []Field{
		"string":             func() []Field { return text("customer-" + strconv.Itoa(random.IntN(1e7))) },
		"long":               func() []Field { return text(strconv.Itoa(random.IntN(1e7))) },
		"sql(bigint,string)": func() []Field { return append(text(strconv.Itoa(random.IntN(1e7))), Field{Text: "region-west"}) },
	} {
		b.Run(name, func(b *testing.B) {
			keys := make([][]Field, 1<<20)
			for i := range keys {
				keys[i] = field()
			}
			typ, err := Parse(name)
			if err != nil {
				b.Fatal(err)
			}
			h, tally := typ.NewHasher(), NewTally([]int{128, 720, 32768}, nil)
			b.ResetTimer()
			for i := range b.N {
				k := keys[i%len(keys)]
				hash, err := h.Hash(k)
				if err != nil {
					b.Fatal(err)
				}
				if err := tally.Add(hash, k, 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keys/s")
		})
	}
}
