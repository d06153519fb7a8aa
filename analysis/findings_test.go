package analysis

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// after analyses polls of the scenes, each changed by f before it is analysed.
func after(c Config, polls int, f func(*Snapshot), scenes ...scene) (State, Result) {
	var state State
	var r Result
	for n := range polls {
		s := poll(n, scenes...)
		f(&s)
		state, r = Analyze(state, s, c)
	}
	return state, r
}

func evidenceOf(t *testing.T, ms []Measure, name string) Measure {
	t.Helper()
	for _, m := range ms {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no measure %s in %+v", name, ms)
	return Measure{}
}

func TestStateSkew(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name  string
		p, m  int
		sizes []float64
		want  []int
	}{
		{"one subtask with four times the state", 4, 128, []float64{100 * mib, 100 * mib, 400 * mib, 100 * mib}, []int{2}},
		{"below the factor", 4, 128, []float64{100 * mib, 100 * mib, 210 * mib, 100 * mib}, nil},
		{"small state is no matter", 4, 128, []float64{mib, mib, 50 * mib, mib}, nil},
		{"what the layout makes is no excess", 3, 4, []float64{200 * mib, 100 * mib, 100 * mib}, nil},
	} {
		s := keyed(c.p, c.m, even(c.p, .3), even(c.p, 100))
		s.checkpointSize = c.sizes
		v := judged(t, "keyed", roomySource(), s)
		f := v.Finding(StateSkew)
		if (f != nil) != (c.want != nil) || f != nil && !slices.Equal(f.Subtasks, c.want) {
			t.Errorf("%s: %+v", c.name, f)
		}
		if f != nil && evidenceOf(t, f.Evidence, "state_written_share").Value.Or(1) > .01 {
			t.Errorf("%s: an incremental checkpoint is taken for a full one", c.name)
		}
	}
}

func TestCheckpointStraggler(t *testing.T) {
	for _, c := range []struct {
		slowestMs float64
		want      bool
	}{{9000, true}, {5000, true}, {4900, false}} {
		_, r := after(Defaults(), 2, func(s *Snapshot) {
			v := &s.Jobs[0].Vertices[1]
			v.Checkpoint = &VertexCheckpoint{ID: 1}
			for i := range 4 {
				k := SubtaskCheckpoint{Index: int32(i), StateBytes: Of(1), DeltaBytes: Of(1), EndToEndMs: Of(600)}
				if i == 3 {
					k.EndToEndMs, k.StartDelayMs, k.SyncMs = Of(c.slowestMs), Of(c.slowestMs-200), Of(20)
				}
				v.Checkpoint.Subtasks = append(v.Checkpoint.Subtasks, k)
			}
		}, roomySource(), keyed(4, 128, even(4, .3), even(4, 100)))
		v := find(t, r, "keyed")
		f := v.Finding(CheckpointStraggler)
		if (f != nil) != c.want {
			t.Fatalf("%v ms: %+v", c.slowestMs, f)
		}
		if f == nil {
			continue
		}
		if !slices.Equal(f.Subtasks, []int{3}) || !near(evidenceOf(t, f.Evidence, "checkpoint_start_delay").Value, c.slowestMs/1000-.2, 1e-9) ||
			evidenceOf(t, f.Evidence, "checkpoint_async").Value.Known() {
			t.Errorf("%v ms: %+v", c.slowestMs, f)
		}
	}
}

func TestWatermarkHeld(t *testing.T) {
	now := epoch.Add(-time.Second)
	set := func(behind time.Duration) SubtaskWatermark {
		return SubtaskWatermark{State: WatermarkSet, Ms: OfInt(now.Add(-behind).UnixMilli())}
	}
	none, ended := SubtaskWatermark{State: WatermarkNone}, SubtaskWatermark{State: WatermarkEnded}
	for _, c := range []struct {
		name  string
		marks []SubtaskWatermark
		want  []int
	}{
		{"one a minute behind", []SubtaskWatermark{set(0), set(time.Minute), set(0), set(0)}, []int{1}},
		{"59 seconds are not", []SubtaskWatermark{set(0), set(59 * time.Second), set(0), set(0)}, nil},
		{"one without", []SubtaskWatermark{set(0), set(0), none, set(0)}, []int{2}},
		{"no event time at all", []SubtaskWatermark{none, none, none, none}, nil},
		{"an ended input holds nobody", []SubtaskWatermark{set(0), ended, set(0), set(0)}, nil},
		{"all equally late", []SubtaskWatermark{set(time.Hour), set(time.Hour), set(time.Hour), set(time.Hour)}, nil},
		{"most have none: starting up", []SubtaskWatermark{set(0), none, none, none}, nil},
	} {
		_, r := after(Defaults(), 2, func(s *Snapshot) {
			w := &VertexWatermarks{At: s.At, Subtasks: slices.Clone(c.marks)}
			for i := range w.Subtasks {
				w.Subtasks[i].Index = int32(i)
			}
			s.Jobs[0].Vertices[1].Watermarks = w
		}, roomySource(), keyed(4, 128, even(4, .3), even(4, 100)))
		v := find(t, r, "keyed")
		if f := v.Finding(WatermarkHeld); (f != nil) != (c.want != nil) || f != nil && !slices.Equal(f.Subtasks, c.want) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// TestWatermarkLag: unset and ended watermarks are no lag of 292 million years.
func TestWatermarkLag(t *testing.T) {
	_, r := after(Defaults(), 2, func(s *Snapshot) {
		s.Jobs[0].Vertices[1].Watermarks = &VertexWatermarks{At: s.At.Add(-time.Minute), Subtasks: []SubtaskWatermark{
			{Index: 0, State: WatermarkSet, Ms: OfInt(s.At.Add(-70 * time.Second).UnixMilli())},
			{Index: 1, State: WatermarkNone}, {Index: 2, State: WatermarkEnded},
			{Index: 3, State: WatermarkSet, Ms: OfInt(s.At.Add(time.Hour).UnixMilli())},
		}}
	}, roomySource(), keyed(4, 128, even(4, .3), even(4, 100)))
	lag := find(t, r, "keyed").Signals.WatermarkLag
	if lag.Count != 2 || !near(lag.Max, 10, 1e-9) || !near(lag.Min, 0, 0) {
		t.Errorf("%+v", lag)
	}
}

// TestCatchUp: 1,000 records a second and a backlog of 900,000 to clear in 30
// minutes need 1.5 times the rate.
func TestCatchUp(t *testing.T) {
	for _, c := range []struct {
		busy, backlog float64
		want          bool
	}{
		{.7, 900_000, true}, {.6, 900_000, false}, {.7, 59_000, false}, {.95, 100_000, true},
	} {
		_, r := after(Defaults(), 3, func(s *Snapshot) { s.Jobs[0].Vertices[0].Backlog = Of(c.backlog) },
			roomySource(), keyed(4, 128, even(4, c.busy), even(4, 250)))
		v := find(t, r, "keyed")
		f := v.Finding(CatchUpShort)
		if (f != nil) != c.want {
			t.Errorf("busy %v, backlog %v: %+v", c.busy, c.backlog, f)
		}
		if f != nil && c.backlog == 900_000 {
			if needed := evidenceOf(t, f.Evidence, "records_needed").Value; !near(needed, 1500, 1) {
				t.Errorf("records needed %v, want 1500", needed)
			}
		}
	}
	_, r := history(Defaults(), 3, roomySource(), keyed(4, 128, even(4, .99), even(4, 250)))
	if v := find(t, r, "keyed"); v.Finding(CatchUpShort) != nil {
		t.Error("short of catching up with an unknown backlog")
	}
}

func TestDerivedCeiling(t *testing.T) {
	for _, c := range []struct {
		p, m       int
		stands     bool
		severity   Severity
		confidence Confidence
	}{
		{4, 128, true, SeverityNone, ConfidenceMedium},
		{50, 128, true, SeverityInfo, ConfidenceMedium},
		{100, 128, true, SeverityInfo, ConfidenceLow},
		{172, 512, true, SeverityInfo, ConfidenceMedium},
		{100, 720, false, 0, ""}, {4, 1024, false, 0, ""}, {10, 16, false, 0, ""}, {171, 300, false, 0, ""},
	} {
		v := judged(t, "keyed", roomySource(), keyed(c.p, c.m, even(c.p, .3), even(c.p, 100)))
		f := v.Finding(DerivedCeiling)
		if (f != nil) != c.stands || f != nil && (f.Severity != c.severity || f.Confidence != c.confidence) {
			t.Errorf("%d of %d: %+v", c.p, c.m, f)
		}
	}
}

// TestPredict: what another parallelism leaves on the busiest subtask.
func TestPredict(t *testing.T) {
	v := judged(t, "keyed", pressedSource(), keyed(4, 128, []float64{1, .2, .2, .2}, []float64{1000, 200, 200, 200}))
	if v.Verdict.ID != HotKey {
		t.Fatalf("%s", v.Verdict.ID)
	}
	floor := v.Verdict.Advice.Floor.Or(0)
	if floor < .8 || floor > .81 { // 31 of its 32 groups carry 200/32 each.
		t.Errorf("floor %v", floor)
	}
	steps := v.Verdict.Advice.Steps
	if len(steps) < 3 || steps[len(steps)-1].Parallelism != 128 {
		t.Fatalf("steps %+v", steps)
	}
	for _, s := range steps {
		low, high := s.BusiestLoad.Or(-1), s.BusiestHigh.Or(-1)
		if low < floor-1e-9 || high < low {
			t.Errorf("at %d: %v…%v under a floor of %v", s.Parallelism, low, high, floor)
		}
		if s.Parallelism > 4 && high > 1.2001 {
			t.Errorf("at %d: %v is more than two of today's subtasks carry", s.Parallelism, high)
		}
	}
}

// TestPredictBounds: for loads that are even over key groups the likely load is
// the truth, whatever the parallelism, and the bounds hold it.
func TestPredictBounds(t *testing.T) {
	const m = 128
	for p := 1; p <= m; p++ {
		s := newSpread(byGroups(p, m, 1.0/m), m)
		for _, other := range keygroup.Useful(m) {
			b := s.at(other)
			truth := float64(keygroup.Busiest(other, m)) / m
			if b.Low > truth || math.Abs(b.Likely-truth) > 1e-9 || b.High < truth-1e-9 {
				t.Fatalf("from %d to %d: %+v, truth %v", p, other, b, truth)
			}
		}
	}
}

// TestHotRangeNarrows: the ranges of successive parallelisms are intersected,
// and always hold the planted key group.
func TestHotRangeNarrows(t *testing.T) {
	const m, planted = 128, 37
	var state State
	n, width := 0, m
	for k, p := range []int{5, 7, 9, 11} {
		hot := keygroup.Owner(planted, p, m)
		var r Result
		for range 4 {
			s := poll(n, pressedSource(), keyed(p, m, with(even(p, .2), hot, 1), with(even(p, 100), hot, 1000)))
			s.Jobs[0].RunningSince = epoch.Add(time.Duration(k) * time.Second)
			state, r = Analyze(state, s, Defaults())
			n++
		}
		v := find(t, r, "keyed")
		g := v.Verdict.Advice.KeyGroups
		if v.Verdict.ID != HotKey || g == nil || g.First > planted || g.Last < planted {
			t.Fatalf("p %d: %s, range %+v without %d", p, v.Verdict.ID, g, planted)
		}
		if got := g.Last - g.First + 1; got > width || p == 11 && got >= 12 {
			t.Errorf("p %d: %d key groups after %d", p, got, width)
		} else {
			width = got
		}
		if *v.Hot.KeyGroups != *g {
			t.Errorf("p %d: exported range %+v, advised %+v", p, v.Hot.KeyGroups, g)
		}
	}
}

// TestHotRangeOfAnotherKey: ranges that do not meet are of another key.
func TestHotRangeOfAnotherKey(t *testing.T) {
	h := hotRange{}.narrow(1, 5, 128)
	if got := h.narrow(5, 7, 128); got.first != 92 || got.last != 109 {
		t.Errorf("%+v, want subtask 5 of 7: 92…109", got)
	}
	if got := h.narrow(1, 5, 256); got.m != 256 || got.first != 52 {
		t.Errorf("another maxParallelism: %+v", got)
	}
}

func TestPreAggregation(t *testing.T) {
	local := keyed(4, 128, even(4, .3), even(4, 1000))
	local.id, local.ship, local.out = "local", ShipForward, even(4, 500)
	local.description = "[3]:LocalGroupAggregate(groupBy=[c], select=[c, COUNT(*)])"
	global := keyed(5, 128, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1300))
	global.from = "local"
	global.description = "[5]:GlobalGroupAggregate(groupBy=[c], select=[c])"
	source := pressedSource()
	v := judged(t, "keyed", source, local, global)
	p := v.Verdict.Advice.PreAggregation
	if v.Verdict.ID != HotKey || p == nil || p.Local != "local" || !near(p.Gain, 2, .01) {
		t.Errorf("%s, %+v", v.Verdict.ID, p)
	}
	global.description = "[4]:GroupAggregate(groupBy=[c], select=[c])"
	if v = judged(t, "keyed", source, local, global); v.Verdict.Advice.PreAggregation != nil {
		t.Error("a one-phase aggregate is taken for the second phase of two")
	}
	source.description = "[1]:TableSourceScan(table=[[t]])\n[2]:LocalWindowAggregate(groupBy=[c])"
	global.from, global.description = "source", "[4]:GlobalWindowAggregate(groupBy=[c])"
	v = judged(t, "keyed", source, global)
	if p = v.Verdict.Advice.PreAggregation; p == nil || p.Gain.Known() {
		t.Errorf("a source that combines in its own chain: %+v; its gain is not known", p)
	}
}

// TestExcluded: no verdict, no finding, and the bottleneck search walks through.
func TestExcluded(t *testing.T) {
	c := Defaults()
	c.ExcludeVertices = regexp.MustCompile("^middle")
	_, r := history(c, 4, chain("source", "", .01, .99), chain("middle", "source", .1, .9), chain("sink", "middle", 1, 0))
	v := find(t, r, "middle")
	if v.Verdict.ID != NotEnoughData || v.Verdict.Advice.Missing != MissingExcluded || len(v.Findings) != 0 {
		t.Errorf("%s, missing %s, %+v", v.Verdict.ID, v.Verdict.Advice.Missing, v.Findings)
	}
	if got := bottlenecks(r); len(got) != 1 || got[0] != "sink" {
		t.Errorf("bottlenecks %v", got)
	}
}

func TestSilenced(t *testing.T) {
	c := Defaults()
	c.Silenced = map[string]bool{"hot_key": true, "bottleneck": true}
	_, r := history(c, 4, hotScenes()...)
	v := find(t, r, "keyed")
	if v.Verdict.ID != HotKey || v.Verdict.Severity != SeverityNone || v.Finding(Bottleneck) != nil {
		t.Errorf("%s is %s, findings %+v", v.Verdict.ID, v.Verdict.Severity, v.Findings)
	}
}

// TestTrace: every rule says why it did or did not fire, and asking does not
// change the verdict.
func TestTrace(t *testing.T) {
	c := Defaults()
	c.Trace = true
	_, r := history(c, 4, hotScenes()...)
	v := find(t, r, "keyed")
	if v.Verdict.ID != HotKey || len(v.Checks) != len(rules()) {
		t.Fatalf("%s, %d checks of %d rules", v.Verdict.ID, len(v.Checks), len(rules()))
	}
	var told []string
	for _, check := range v.Checks {
		if check.Why.Name == "" {
			t.Errorf("%s says nothing", check.Rule)
		}
		if check.Fired {
			told = append(told, check.Rule)
		}
	}
	if strings.Join(told, " ") != "hot_key" {
		t.Errorf("fired: %v", told)
	}
	if _, r = history(Defaults(), 4, hotScenes()...); find(t, r, "keyed").Checks != nil {
		t.Error("traced without being asked")
	}
}
