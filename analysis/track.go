package analysis

import (
	"math"
	"time"
)

// track is what is remembered of one subtask between polls.
type track struct {
	// base are the counters from which the next window is measured, read when
	// the attempt was baseAgeMs old.
	base      Counters
	baseAgeMs Num
	// sums weigh all windows of the attempt, newer ones more.
	sums sums
	// freshAt is when a window was last closed, in Unix milliseconds; 0 before the first.
	freshAt int64
	attempt int32
	// based says that base is set; settled, that the attempt had warmed up by then.
	based, settled bool
}

// sums are seconds and counts over past windows, each halved for every
// Config.Window that has passed since. A signal that the newest window lacked
// is NaN.
type sums struct {
	seconds                   float32
	busy, backPressured, idle float32 // seconds
	recordsIn, recordsOut     float32
}

// window is what one subtask did between two answers.
type window struct {
	seconds                   float64
	busy, backPressured, idle Num // shares of time, 0–1
	recordsIn, recordsOut     Num // per second
	bytesIn                   Num // per second
	cost                      Num // busy seconds a record in
}

// advance takes the subtask's newest answer and returns the window it closes;
// ok is false when there is none: the first answer of an attempt, one before
// it has warmed up, or an answer that repeats Flink's cache.
//
// forget is kept from subtask to subtask of a vertex.
func (t *track) advance(s *Subtask, at time.Time, c Config, forget *forgetting) (w window, ok bool) {
	if s.State != Running {
		*t = track{}
		return w, false
	}
	if t.based && (t.attempt != s.Attempt || fell(t.base.RecordsIn, s.RecordsIn) || fell(t.base.RecordsOut, s.RecordsOut)) {
		*t = track{}
	}
	settled := warm(s, c)
	if !t.based || !t.settled {
		t.rebase(s, settled)
		return w, false
	}
	w, ok = measure(t, s)
	if !ok {
		return w, false
	}
	t.sums.add(w, forget.over(w.seconds, c.Window))
	t.freshAt = at.UnixMilli()
	t.rebase(s, true)
	return w, true
}

func (t *track) rebase(s *Subtask, settled bool) {
	if !s.known() {
		return // An incomplete answer: Flink's cache has nothing of this subtask yet.
	}
	t.base, t.baseAgeMs, t.attempt = s.Counters, s.AgeMs, s.Attempt
	t.based, t.settled = true, settled
}

// known reports whether an answer holds anything to measure from.
func (s *Subtask) known() bool {
	return s.RecordsIn.Known() || s.RecordsOut.Known() || s.BackPressuredMs.Known() || s.Gauges != nil
}

// warm reports whether the attempt has been RUNNING for Config.WarmUp. Flink
// before 1.17 does not tell how long a state has lasted; the attempt's age is
// taken there.
func warm(s *Subtask, c Config) bool {
	ms, ok := s.RunningMs.Get()
	if !ok {
		ms, ok = s.AgeMs.Get()
	}
	return !ok || ms >= float64(c.WarmUp.Milliseconds())
}

// fell reports whether a counter went down, which only a new attempt explains.
// Busy time is not asked: Flink computes it from the other times and it may
// fall by rounding.
func fell(before, now Num) bool {
	b, okB := before.Get()
	n, okN := now.Get()
	return okB && okN && n < b
}

// measure forms the window between the track's base and the answer.
func measure(t *track, s *Subtask) (w window, ok bool) {
	busy, backPressured, idle := grown(t.base.BusyMs, s.BusyMs), grown(t.base.BackPressuredMs, s.BackPressuredMs), grown(t.base.IdleMs, s.IdleMs)
	in, out, bytes := grown(t.base.RecordsIn, s.RecordsIn), grown(t.base.RecordsOut, s.RecordsOut), grown(t.base.BytesIn, s.BytesIn)
	age := grown(t.baseAgeMs, s.AgeMs)

	var ms float64
	switch {
	case busy.Known() && backPressured.Known() && idle.Known():
		// The three times add up to the time measured, whatever the clock says.
		ms = busy.Or(0) + backPressured.Or(0) + idle.Or(0)
		if ms <= 0 {
			return w, false
		}
	case backPressured.Known() && idle.Known():
		// Busy time cannot be measured (NaN on sources that do not report it).
		if backPressured.Or(0)+idle.Or(0)+in.Or(0)+out.Or(0) <= 0 {
			return w, false
		}
		ms = max(age.Or(0), backPressured.Or(0)+idle.Or(0))
	case s.Gauges != nil:
		ms = age.Or(0)
	}
	if ms <= 0 {
		return w, false
	}
	share := func(part Num) Num { return part.Map(func(v float64) float64 { return min(1, v/ms) }) }
	w = window{seconds: ms / 1000, busy: share(busy), backPressured: share(backPressured), idle: share(idle)}
	if !backPressured.Known() && s.Gauges != nil {
		w.busy, w.backPressured, w.idle = s.Gauges.Busy, s.Gauges.BackPressured, s.Gauges.Idle
	}
	rate := func(n Num) Num { return n.Map(func(v float64) float64 { return v / w.seconds }) }
	w.recordsIn, w.recordsOut, w.bytesIn = rate(in), rate(out), rate(bytes)
	w.cost = ratio(w.busy, w.recordsIn)
	return w, true
}

// grown returns how much a counter has grown, at least 0.
func grown(before, now Num) Num {
	b, okB := before.Get()
	n, okN := now.Get()
	if !okB || !okN {
		return Num{}
	}
	return Of(max(0, n-b))
}

// forgetting remembers how much of the past a window of some length leaves.
// Flink refreshes all subtasks of a TaskManager together, so that neighbours
// often have windows of one length.
type forgetting struct{ seconds, keep float64 }

// over returns the weight that the past keeps: half for each halfLife.
func (f *forgetting) over(seconds float64, halfLife time.Duration) float64 {
	if f.seconds != seconds {
		f.seconds, f.keep = seconds, math.Exp2(-seconds/halfLife.Seconds())
	}
	return f.keep
}

// add weighs a window in; of what was there it keeps the given share.
func (s *sums) add(w window, keep float64) {
	weigh := func(sum *float32, perSecond Num) {
		v, ok := perSecond.Get()
		if !ok {
			*sum = float32(math.NaN())
			return
		}
		before := float64(*sum) * keep
		if math.IsNaN(before) {
			before = float64(s.seconds) * keep * v // Unknown before: as if it had been so all along.
		}
		*sum = float32(before + v*w.seconds)
	}
	weigh(&s.busy, w.busy)
	weigh(&s.backPressured, w.backPressured)
	weigh(&s.idle, w.idle)
	weigh(&s.recordsIn, w.recordsIn)
	weigh(&s.recordsOut, w.recordsOut)
	s.seconds = float32(float64(s.seconds)*keep + w.seconds)
}
