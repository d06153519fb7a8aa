package analysis

import "testing"

func TestCeiling(t *testing.T) {
	hash := []Input{{From: "x", Ship: ShipHash}}
	free := Slots{Total: OfInt(108), Free: OfInt(8)}
	for _, c := range []struct {
		name      string
		v         Vertex
		slotsBind bool
		effective Num
		binding   Binding
		headroom  Num
		wasted    Num
		next      Num
	}{
		{"100 of 128", Vertex{Parallelism: 100, MaxParallelism: Of(128), Inputs: hash}, false,
			Of(128), BindMaxParallelism, Of(1.28), Of(36), Of(128)},
		{"at the ceiling", Vertex{Parallelism: 128, MaxParallelism: Of(128), Inputs: hash}, false,
			Of(128), BindMaxParallelism, Of(1), Of(0), Num{}},
		{"unknown is not 128", Vertex{Parallelism: 4, Inputs: hash}, false, Num{}, "", Num{}, Num{}, Num{}},
		{"no key groups without HASH", Vertex{Parallelism: 100, MaxParallelism: Of(128), Inputs: []Input{{From: "x", Ship: ShipRebalance}}}, false,
			Of(128), BindMaxParallelism, Of(1.28), Num{}, Num{}},
		{"partitions bind", Vertex{Parallelism: 100, MaxParallelism: Of(180), Partitions: Of(15)}, false,
			Of(15), BindSourcePartitions, Of(.15), Of(85), Num{}},
		{"free slots bind when told to", Vertex{Parallelism: 100, MaxParallelism: Of(128), Inputs: hash}, true,
			Of(108), BindTaskSlots, Of(1.08), Of(36), Of(128)},
	} {
		cfg := Defaults()
		cfg.SlotsBind = c.slotsBind
		got := ceilingOf(&c.v, c.v.Parallelism, free, cfg)
		want := Ceiling{Effective: c.effective, Binding: c.binding, Headroom: c.headroom, Wasted: c.wasted, NextUseful: c.next}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

// TestSizing: 48,000 records a second at 4,000 each and 75 % need 16 subtasks.
func TestSizing(t *testing.T) {
	v := judged(t, "keyed", roomySource(), keyed(12, 128, even(12, 1), even(12, 4000)))
	if !near(v.Sizing.TrueRate, 48_000, 5) || !near(v.Sizing.Required, 16, 0) || !near(v.Sizing.RequiredHeadroom, 8, 1e-9) {
		t.Errorf("%+v", v.Sizing)
	}
	half := judged(t, "keyed", roomySource(), keyed(12, 128, even(12, .5), even(12, 2000)))
	if !near(half.Sizing.TrueRate, 48_000, 5) || !near(half.Sizing.Required, 8, 0) {
		t.Errorf("at half the load: %+v", half.Sizing)
	}
	idle := judged(t, "keyed", roomySource(), keyed(12, 128, even(12, 0), even(12, 0)))
	if idle.Sizing != (Sizing{}) {
		t.Errorf("of no load: %+v", idle.Sizing)
	}
}

func TestLayoutMedian(t *testing.T) {
	for _, c := range []struct {
		p, m   int
		median float64
	}{{100, 128, 1}, {10, 16, 2}, {4, 6, 1.5}, {4, 128, 32}} {
		l := layoutOf(&Vertex{Parallelism: c.p, MaxParallelism: OfInt(c.m), Inputs: []Input{{Ship: ShipHash}}})
		if l == nil || l.Median != c.median {
			t.Errorf("%d of %d: %+v, want median %v", c.p, c.m, l, c.median)
		}
	}
	if layoutOf(&Vertex{Parallelism: 4, MaxParallelism: Of(2), Inputs: []Input{{Ship: ShipHash}}}) != nil {
		t.Error("a layout of 4 subtasks over 2 key groups")
	}
}
