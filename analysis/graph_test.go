package analysis

import "testing"

// chain is a vertex fed by another over REBALANCE.
func chain(id, from string, busy, pressed float64) scene {
	s := scene{id: id, name: id, p: 2, m: 128, from: from, ship: ShipRebalance, busy: even(2, busy), pressed: even(2, pressed), in: even(2, 500), out: even(2, 500)}
	if from == "" {
		s.ship = ""
	}
	return s
}

func bottlenecks(r Result) (ids []string) {
	for i := range r.Jobs[0].Vertices {
		if v := &r.Jobs[0].Vertices[i]; v.Finding(Bottleneck) != nil {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

func TestBottleneck(t *testing.T) {
	quiet := chain("quiet", "source", 0, 0)
	for _, c := range []struct {
		name   string
		scenes []scene
		want   string // "" none
		causes map[string]string
	}{
		{"a saturated sink behind a chain of victims",
			[]scene{chain("source", "", .01, .99), chain("middle", "source", .1, .9), chain("sink", "middle", 1, 0)},
			"sink", map[string]string{"source": "sink", "middle": "sink"}},
		{"a quiet vertex in between is walked through",
			[]scene{chain("source", "", .01, .99), quiet, chain("sink", "quiet", 1, 0)},
			"sink", map[string]string{"source": "sink"}},
		{"busy, but nothing waits for it",
			[]scene{chain("source", "", .3, 0), chain("sink", "source", 1, 0)}, "", nil},
		{"a busy source has no inputs that wait",
			[]scene{chain("source", "", 1, 0), chain("sink", "source", .1, 0)}, "", nil},
		{"of two branches the slow one is the cause",
			[]scene{chain("source", "", .01, .99), chain("fast", "source", .2, 0), chain("slow", "source", .97, 0)},
			"slow", map[string]string{"source": "slow"}},
		{"never idle and not full: half busy, and waiting for the rest",
			[]scene{chain("source", "", .01, .99), chain("middle", "source", .6, .38), chain("sink", "middle", 1, 0)},
			"sink", nil},
		{"idle for some of the time: what it waits for is no matter",
			[]scene{chain("source", "", .01, .99), chain("middle", "source", .6, .25), chain("sink", "middle", 1, 0)}, "", nil},
		{"a source that never idles may sleep",
			[]scene{chain("source", "", .6, .38), chain("sink", "source", 1, 0)}, "", nil},
	} {
		_, r := history(Defaults(), 4, c.scenes...)
		got := bottlenecks(r)
		if c.want == "" && len(got) != 0 || c.want != "" && (len(got) != 1 || got[0] != c.want) {
			t.Errorf("%s: bottlenecks %v, want %q", c.name, got, c.want)
		}
		for victim, cause := range c.causes {
			if v := find(t, r, victim); v.Verdict.ID != Backpressured || v.Verdict.Advice.Cause != cause {
				t.Errorf("%s: %s is %s and waits for %q, want %q", c.name, victim, v.Verdict.ID, v.Verdict.Advice.Cause, cause)
			}
		}
	}
}

// TestJoinWithTwoSources: either input that waits makes the join a root.
func TestJoinWithTwoSources(t *testing.T) {
	snapshot := func(n int) Snapshot {
		s := poll(n, chain("left", "", .01, .99), chain("right", "", .3, 0), chain("join", "left", 1, 0))
		join := &s.Jobs[0].Vertices[2]
		join.Inputs = append(join.Inputs, Input{From: "right", Ship: ShipRebalance})
		return s
	}
	var state State
	var r Result
	for n := range 4 {
		state, r = Analyze(state, snapshot(n), Defaults())
	}
	if got := bottlenecks(r); len(got) != 1 || got[0] != "join" {
		t.Errorf("bottlenecks %v", got)
	}
	if v := find(t, r, "right"); v.Verdict.ID != Balanced {
		t.Errorf("the input that does not wait is %s", v.Verdict.ID)
	}
}

// TestGraphOfCycles: iterations make cycles; the walk must end.
func TestGraphOfCycles(t *testing.T) {
	g := newGraph([]Vertex{
		{ID: "a", Inputs: []Input{{From: "b"}}}, {ID: "b", Inputs: []Input{{From: "a"}}}, {ID: "c", Inputs: []Input{{From: "gone"}}},
	})
	for i := range g.loads {
		g.loads[i].silent = true
	}
	if g.inputsOf(0, Defaults()).pressed || g.cause(0, Defaults()) != -1 || g.inputsOf(2, Defaults()).pressed {
		t.Error("pressure out of nowhere")
	}
}
