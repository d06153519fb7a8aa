package analysis

import (
	"testing"
	"time"
)

// heldUpPipeline is source → dealt a → dealt b; b takes half as many records as a, and
// holds the others up at the given rate.
func heldUpPipeline(rate float64) []scene {
	return []scene{
		{id: "s", name: "Source: s", p: 2, m: 128, pressed: even(2, .9), busy: even(2, .1), out: even(2, rate/2)},
		{id: "a", name: "a", p: 2, m: 128, ship: ShipRebalance, from: "s", busy: even(2, .2), pressed: even(2, .8), in: even(2, rate/2), out: even(2, rate/4)},
		{id: "b", name: "b", p: 4, m: 128, ship: ShipRebalance, from: "a", busy: even(4, 1), in: even(4, rate/8)},
	}
}

// growing analyses polls in which the source's backlog grows by so much a second.
func growing(scenes []scene, first, perSecond float64) Result {
	var state State
	var r Result
	for n := range 6 {
		s := poll(n, scenes...)
		s.Jobs[0].Vertices[0].Backlog = Of(first + perSecond*float64(n)*15)
		state, r = Analyze(state, s, Defaults())
	}
	return r
}

// TestDemandIsPropagated: the source brings 1000 a second and its backlog grows
// by 1000, so that everything downstream has to do twice what it does.
func TestDemandIsPropagated(t *testing.T) {
	r := growing(heldUpPipeline(1000), 0, 1000)
	for id, want := range map[string]struct{ demand, required, catchUp float64 }{
		"s": {2000, 1, 42}, "a": {2000, 2, 42}, "b": {1000, 11, 21},
	} {
		v := find(t, r, id)
		if !near(v.Sizing.Demand, want.demand, 20) || !near(v.Sizing.Required, want.required, 0) || !near(v.Sizing.CatchUpRate, want.catchUp, 1) {
			t.Errorf("%s: %+v, want %+v", id, v.Sizing, want)
		}
		if v.Sizing.DemandAtLeast {
			t.Errorf("%s: a demand that is known is called a lower bound", id)
		}
	}
}

// TestDemandOfAHeldUpSourceIsALowerBound: without a backlog nobody knows what
// it holds back; with room nothing is held back.
func TestDemandOfAHeldUpSourceIsALowerBound(t *testing.T) {
	v := judged(t, "b", heldUpPipeline(1000)...)
	if !v.Sizing.DemandAtLeast || !near(v.Sizing.Demand, 500, 5) || !near(v.Sizing.DemandRatio, 1, 1e-9) {
		t.Errorf("held up: %+v", v.Sizing)
	}
	v = judged(t, "keyed", roomySource(), keyed(4, 128, even(4, .5), even(4, 1000)))
	if v.Sizing.DemandAtLeast {
		t.Errorf("with room: %+v", v.Sizing)
	}
}

// TestShrinkingBacklogMakesNoDemandSmaller: what is worked off is not there for ever,
// but a vertex is not to be shrunk while it is.
func TestShrinkingBacklogMakesNoDemandSmaller(t *testing.T) {
	r := growing(heldUpPipeline(1000), 1_000_000, -500)
	v := find(t, r, "b")
	if !near(v.Sizing.Demand, 250, 10) || !near(v.Sizing.DemandRatio, 1, 1e-9) || !near(v.Sizing.Required, 6, 0) {
		t.Errorf("%+v", v.Sizing)
	}
	if got, want := v.Sizing.RequiredCatchUp.Or(0), v.Sizing.Required.Or(0); got <= want {
		t.Errorf("to catch up %v, want more than %v", got, want)
	}
}

// TestJoinWeighsItsInputs: one of two inputs of a join wants twice as much.
func TestJoinWeighsItsInputs(t *testing.T) {
	vs := []Vertex{
		{ID: "x", Parallelism: 1}, {ID: "y", Parallelism: 1},
		{ID: "j", Parallelism: 1, Inputs: []Input{{From: "x"}, {From: "y"}}},
	}
	es := []*evidence{
		{load: []float64{100}, out: []float64{100}}, {load: []float64{300}, out: []float64{300}}, {load: []float64{400}, out: []float64{0}},
	}
	states := map[string]*vertexState{"x": {backlog: backlogTrack{grown: 100, span: 1}}, "y": {}, "j": {}}
	g := newGraph(vs)
	if d := g.demands(vs, es, states, Defaults())[2]; !near(d.wanted, 500, 1e-9) {
		t.Errorf("wanted %v, want 2·100 + 300", d.wanted)
	}
}

// TestBacklogGrowth: an old reading shown again is no reading.
func TestBacklogGrowth(t *testing.T) {
	var b backlogTrack
	at := epoch
	step := func(n Num) Num {
		at = at.Add(10 * time.Second)
		b = b.advance(n, at, paceAt(at))
		return b.growth()
	}
	if g := step(Of(1000)); g.Known() {
		t.Errorf("growth %v of one reading", g)
	}
	step(Of(1000))
	if g := step(Of(4000)); !near(g, 150, 1e-9) {
		t.Errorf("growth %v, want 3000 in 20 s", g)
	}
	if g := step(Num{}); g.Known() {
		t.Errorf("growth %v of an unknown backlog", g)
	}
	step(Of(0))
	if g := step(Of(0)); !near(g, 0, 1e-9) {
		t.Errorf("growth %v of none", g)
	}
}
