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
func (t *track) advance(s *Subtask, p *pace) (w window, ok bool) {
	if s.State != Running {
		*t = track{}
		return w, false
	}
	if t.based && (t.attempt != s.Attempt || fell(t.base.RecordsIn, s.RecordsIn) || fell(t.base.RecordsOut, s.RecordsOut)) {
		*t = track{}
	}
	settled := warm(s, p.warmUpMs)
	if !t.based || !t.settled {
		t.rebase(s, settled)
		return w, false
	}
	w, ok = measure(t, s)
	if !ok {
		return w, false
	}
	t.sums.add(&w, p.keep(w.seconds))
	t.freshAt = p.at
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

// warm reports whether the attempt has been RUNNING for so long. Flink before
// 1.17 does not tell how long a state has lasted; the attempt's age is taken
// there.
func warm(s *Subtask, atLeastMs float64) bool {
	ms, ok := s.RunningMs.Get()
	if !ok {
		ms, ok = s.AgeMs.Get()
	}
	return !ok || ms >= atLeastMs
}

// fell reports whether a counter went down, which only a new attempt explains.
// Busy time is not asked: Flink computes it from the other times and it may
// fall by rounding.
func fell(before, now Num) bool {
	b, okB := before.Get()
	n, okN := now.Get()
	return okB && okN && n < b
}

// cacheMs is how long Flink before 1.17 may go on answering a busy subtask's
// counters from its cache, which it refreshes every 10 s when asked
// (metrics.fetcher.update-interval) and later on a host that is short of CPU.
// Times that add up would tell a repeated answer from a subtask that got
// nothing; the gauges do not, and only the latter lasts.
const cacheMs = 30_000

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
		if s.Gauges.Busy.Or(0) > 0 && in.Or(0)+out.Or(0)+bytes.Or(0) <= 0 && ms < cacheMs {
			return w, false
		}
	}
	if ms <= 0 {
		return w, false
	}
	w = window{seconds: ms / 1000, busy: share(busy, ms), backPressured: share(backPressured, ms), idle: share(idle, ms)}
	if !backPressured.Known() && s.Gauges != nil {
		w.busy, w.backPressured, w.idle = s.Gauges.Busy, s.Gauges.BackPressured, s.Gauges.Idle
	}
	w.recordsIn, w.recordsOut, w.bytesIn = rate(in, w.seconds), rate(out, w.seconds), rate(bytes, w.seconds)
	w.cost = ratio(w.busy, w.recordsIn)
	return w, true
}

// share is a part of the whole, at most 1.
func share(part Num, whole float64) Num {
	v, ok := part.Get()
	if !ok {
		return part
	}
	return Of(min(1, v/whole))
}

// rate is a growth a second.
func rate(growth Num, seconds float64) Num {
	v, ok := growth.Get()
	if !ok {
		return growth
	}
	return Of(v / seconds)
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

// pace is what a poll's windows are held against, worked out once for all
// subtasks.
type pace struct {
	// at is the time of the poll and oldest that of the oldest window that
	// still speaks for its subtask, in Unix milliseconds.
	at, oldest int64
	warmUpMs   float64
	// halfLife is Config.Window in seconds.
	halfLife float64
	// seconds and kept are the arguments and outcome of the last call of keep.
	// Flink refreshes all subtasks of a TaskManager together, so that
	// neighbours often have windows of one length.
	seconds, kept float64
	// lengths is reused from vertex to vertex.
	lengths []float64
}

func newPace(at time.Time, c *Config) *pace {
	return &pace{
		at: at.UnixMilli(), oldest: at.UnixMilli() - c.MaxAge.Milliseconds(),
		warmUpMs: float64(c.WarmUp.Milliseconds()), halfLife: c.Window.Seconds(),
	}
}

// keep returns the weight that the past keeps after a window of so many
// seconds: half for each half-life.
func (p *pace) keep(seconds float64) float64 {
	if p.seconds != seconds {
		p.seconds, p.kept = seconds, math.Exp2(-seconds/p.halfLife)
	}
	return p.kept
}

// fresh reports whether the subtask's last window is young enough to speak for it.
func (t *track) fresh(p *pace) bool { return t.freshAt != 0 && t.freshAt >= p.oldest }

// add weighs a window in; of what was there it keeps the given share.
func (s *sums) add(w *window, keep float64) {
	past := float64(s.seconds) * keep
	s.busy = weigh(s.busy, w.busy, w.seconds, keep, past)
	s.backPressured = weigh(s.backPressured, w.backPressured, w.seconds, keep, past)
	s.idle = weigh(s.idle, w.idle, w.seconds, keep, past)
	s.recordsIn = weigh(s.recordsIn, w.recordsIn, w.seconds, keep, past)
	s.recordsOut = weigh(s.recordsOut, w.recordsOut, w.seconds, keep, past)
	s.seconds = float32(past + w.seconds)
}

// weigh returns a sum after a window of so much a second; past is how many
// seconds the sum's earlier windows still count for.
func weigh(sum float32, perSecond Num, seconds, keep, past float64) float32 {
	v, ok := perSecond.Get()
	if !ok {
		return float32(math.NaN())
	}
	before := float64(sum) * keep
	if math.IsNaN(before) {
		before = past * v // Unknown before: as if it had been so all along.
	}
	return float32(before + v*seconds)
}
