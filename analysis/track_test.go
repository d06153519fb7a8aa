package analysis

import (
	"math"
	"testing"
	"time"
)

// answer is a subtask ten minutes old with the given times (ms) and counts.
func answer(busy, pressed, idle, in float64) Subtask {
	total := busy + pressed + idle
	return Subtask{
		State: Running, RunningMs: Of(600_000 + total), AgeMs: Of(600_000 + total),
		Counters: Counters{BusyMs: Of(busy), BackPressuredMs: Of(pressed), IdleMs: Of(idle), RecordsIn: Of(in), RecordsOut: Of(in)},
	}
}

func paceAt(at time.Time) *pace {
	c := Defaults()
	return newPace(at, &c)
}

func feed(t *track, answers ...Subtask) (w window, ok bool) {
	for i := range answers {
		w, ok = t.advance(&answers[i], paceAt(epoch.Add(time.Duration(i)*10*time.Second)))
	}
	return w, ok
}

func TestWindowNeedsNoClock(t *testing.T) {
	var tr track
	w, ok := feed(&tr, answer(1000, 0, 0, 100), answer(4000, 1000, 6000, 600))
	if !ok || w.seconds != 10 || !near(w.busy, .3, 1e-9) || !near(w.backPressured, .1, 1e-9) || !near(w.idle, .6, 1e-9) {
		t.Errorf("%+v %t", w, ok)
	}
	if !near(w.recordsIn, 50, 1e-9) || !near(w.cost, .006, 1e-9) {
		t.Errorf("records %v, cost %v", w.recordsIn, w.cost)
	}
}

// TestRepeatedAnswerIsNoWindow: Flink answers from a cache; the same numbers
// again mean no new data, and the next window covers both spans.
func TestRepeatedAnswerIsNoWindow(t *testing.T) {
	var tr track
	first, again := answer(1000, 0, 0, 100), answer(1000, 0, 0, 100)
	again.AgeMs = Of(611_000)
	if _, ok := feed(&tr, first, again); ok {
		t.Error("a repeated answer closed a window")
	}
	later := answer(11_000, 0, 10_000, 1100)
	w, ok := tr.advance(&later, paceAt(epoch.Add(20*time.Second)))
	if !ok || w.seconds != 20 || !near(w.busy, .5, 1e-9) || !near(w.recordsIn, 50, 1e-9) {
		t.Errorf("%+v %t", w, ok)
	}
}

// TestBusyMayFallByRounding: Flink computes busy time from the others, and it
// falls by some milliseconds now and then. Only counters that fall are a restart.
func TestBusyMayFallByRounding(t *testing.T) {
	var tr track
	w, ok := feed(&tr, answer(1000, 0, 0, 100), answer(990, 10_010, 0, 101))
	if !ok || !near(w.busy, 0, 0) || !near(w.backPressured, 1, 0) {
		t.Errorf("%+v %t", w, ok)
	}
}

func TestNewAttemptStartsAnew(t *testing.T) {
	for name, next := range map[string]Subtask{
		"attempt + 1":   func() Subtask { s := answer(5000, 0, 5000, 900); s.Attempt = 1; return s }(),
		"counters fell": answer(5000, 0, 5000, 90),
	} {
		var tr track
		if w, ok := feed(&tr, answer(1000, 0, 0, 100), next); ok {
			t.Errorf("%s: window across attempts %+v", name, w)
		}
		after := answer(8000, 0, 12_000, 1900)
		after.Attempt = next.Attempt
		w, ok := tr.advance(&after, paceAt(epoch.Add(time.Minute)))
		if !ok || !near(w.busy, .3, 1e-9) {
			t.Errorf("%s: next window %+v %t", name, w, ok)
		}
	}
}

// TestWarmUp: the load of starting and restoring is not the load of running.
func TestWarmUp(t *testing.T) {
	young := func(ms, busy float64) Subtask {
		s := answer(busy, 0, ms-busy, busy)
		s.RunningMs, s.AgeMs = Of(ms), Of(ms+5000)
		return s
	}
	var tr track
	if _, ok := feed(&tr, young(5000, 5000), young(15_000, 15_000), young(25_000, 25_000)); ok {
		t.Error("a window that began before the attempt was warm")
	}
	last := young(35_000, 26_000)
	if w, ok := tr.advance(&last, paceAt(epoch.Add(time.Minute))); !ok || !near(w.busy, .1, 1e-9) {
		t.Errorf("first warm window %+v %t", w, ok)
	}
}

// TestOnlyRunningSubtasksCount: a finished or restoring subtask keeps its last values.
func TestOnlyRunningSubtasksCount(t *testing.T) {
	for _, state := range []string{"FINISHED", "INITIALIZING", "DEPLOYING", "CANCELED", "FAILED"} {
		var tr track
		ended := answer(11_000, 0, 0, 1000)
		ended.State = state
		if _, ok := feed(&tr, answer(1000, 0, 0, 100), answer(6000, 0, 0, 600), ended); ok || tr.freshAt != 0 {
			t.Errorf("%s still counts", state)
		}
	}
}

func TestIncompleteAnswerKeepsTheBaseline(t *testing.T) {
	var tr track
	blank := Subtask{State: Running, RunningMs: Of(610_000), AgeMs: Of(610_000)}
	if _, ok := feed(&tr, answer(1000, 0, 0, 100), blank); ok {
		t.Error("an answer without numbers closed a window")
	}
	later := answer(6000, 0, 15_000, 300)
	if w, ok := tr.advance(&later, paceAt(epoch.Add(time.Minute))); !ok || w.seconds != 20 || !near(w.busy, .25, 1e-9) {
		t.Errorf("%+v %t", w, ok)
	}
}

func TestBusyNotMeasurable(t *testing.T) {
	nan := func(pressed, idle, out float64) Subtask {
		s := answer(0, pressed, idle, out)
		s.BusyMs = Num{}
		return s
	}
	var tr track
	a, b := nan(1000, 0, 100), nan(8000, 0, 300)
	b.AgeMs = a.AgeMs.Map(func(v float64) float64 { return v + 10_000 })
	w, ok := feed(&tr, a, b)
	if !ok || w.busy.Known() || !near(w.backPressured, .7, 1e-9) || w.cost.Known() {
		t.Errorf("%+v %t", w, ok)
	}
}

func TestGaugesWhenThereAreNoAccumulatedTimes(t *testing.T) {
	old := func(age, in float64) Subtask {
		return Subtask{
			State: Running, AgeMs: Of(age), Counters: Counters{RecordsIn: Of(in), RecordsOut: Of(in)},
			Gauges: &Ratios{Busy: Of(.8), BackPressured: Of(0), Idle: Of(.2)},
		}
	}
	var tr track
	w, ok := feed(&tr, old(600_000, 100), old(610_000, 600))
	if !ok || !near(w.busy, .8, 0) || !near(w.recordsIn, 50, 1e-9) || !near(w.cost, .016, 1e-9) {
		t.Errorf("%+v %t", w, ok)
	}
}

// TestRepeatedAnswerIsNoStall: without accumulated times an answer from Flink's
// cache looks like a busy subtask without records.
func TestRepeatedAnswerIsNoStall(t *testing.T) {
	old := func(age, in, busy float64) Subtask {
		return Subtask{
			State: Running, AgeMs: Of(age), Counters: Counters{RecordsIn: Of(in), RecordsOut: Of(in)},
			Gauges: &Ratios{Busy: Of(busy), BackPressured: Of(0), Idle: Of(1 - busy)},
		}
	}
	var tr track
	if w, ok := feed(&tr, old(600_000, 100, 1), old(610_000, 100, 1)); ok {
		t.Errorf("a window of a repeated answer: %+v", w)
	}
	moved := old(620_000, 1100, 1)
	if w, ok := tr.advance(&moved, paceAt(epoch.Add(20*time.Second))); !ok || !near(w.recordsIn, 50, 1e-9) {
		t.Errorf("%+v %t; the next window is of both", w, ok)
	}
	for _, c := range []struct {
		what     string
		age      float64
		busy     float64
		isWindow bool
	}{
		{"just within what a cache explains", 649_999, 1, false},
		{"standing for longer than that", 650_000, 1, true},
		{"idle, which needs no records", 630_000, 0, true},
	} {
		again, a := tr, old(c.age, 1100, c.busy)
		if w, ok := again.advance(&a, paceAt(epoch.Add(30*time.Second))); ok != c.isWindow {
			t.Errorf("%s: %+v %t", c.what, w, ok)
		}
	}
}

// TestSumsForget: a window counts half as much after Config.Window.
func TestSumsForget(t *testing.T) {
	p := paceAt(epoch) // Its Config.Window is a minute.
	for _, c := range []struct{ seconds, keep float64 }{{60, .5}, {120, .25}, {60, .5}, {15, math.Sqrt(math.Sqrt(.5))}} {
		if got := p.keep(c.seconds); math.Abs(got-c.keep) > 1e-12 {
			t.Errorf("%v seconds keep %v, want %v", c.seconds, got, c.keep)
		}
	}
	var s sums
	busy := func(v float64) *window {
		return &window{seconds: 60, busy: Of(v), backPressured: Of(0), idle: Of(1 - v), recordsIn: Of(1), recordsOut: Of(1)}
	}
	s.add(busy(1), .5)
	s.add(busy(0), .5)
	if got := float64(s.busy / s.seconds); math.Abs(got-1.0/3) > 1e-6 {
		t.Errorf("busy %v after a busy and an idle minute, want 1/3", got)
	}
	s.add(&window{seconds: 60, recordsIn: Of(1)}, .5)
	if !math.IsNaN(float64(s.busy)) {
		t.Errorf("busy %v though the newest window lacks it", s.busy)
	}
}
