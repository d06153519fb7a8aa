package flinksim

import (
	"math"
	"slices"
	"time"
)

// Execution states of a subtask.
const (
	stCreated      = "CREATED"
	stScheduled    = "SCHEDULED"
	stDeploying    = "DEPLOYING"
	stInitializing = "INITIALIZING"
)

// stages are how long a subtask spent in each state on its way to RUNNING.
type stages struct {
	created, scheduled, deploying, initializing time.Duration
}

func (g stages) start() time.Duration { return g.created + g.scheduled }

func (g stages) ready() time.Duration { return g.start() + g.deploying + g.initializing }

// stages of one subtask: seeded, between 0.2 and 2.5 s in all.
func (x *execution) stages(v, i int) stages {
	h := mix(x.state.seed, uint64(x.attempt), uint64(v), uint64(i))
	ms := func(least, spread float64) time.Duration {
		h = splitmix(h)
		return time.Duration(least+spread*unit(h)) * time.Millisecond
	}
	return stages{ms(10, 40), ms(20, 60), ms(80, 400), ms(60, 1900)}
}

// status is a subtask's ExecutionState at t, and when it reached it.
func (l *life) status(v, i int, t time.Time) string {
	x := l.run
	if slices.Contains(x.state.spec.Vertices[v].Finished, i) && t.Sub(x.from) >= finishedAfter {
		return finished
	}
	switch l.state {
	case restarting, failed:
		if i == 0 && v == len(x.par)-1 {
			return failed
		}
		return canceled
	case canceled, finished:
		return l.state
	case suspended:
		return canceled
	}
	g, age := x.stages(v, i), t.Sub(x.from)
	switch {
	case age < g.created:
		return stCreated
	case age < g.start():
		return stScheduled
	case age < g.start()+g.deploying:
		return stDeploying
	case age < g.ready():
		return stInitializing
	}
	return running
}

// finishedAfter is when Finished subtasks end.
const finishedAfter = 15 * time.Second

// sample is what the metric store knows of one subtask. Times are in
// milliseconds, gauges in milliseconds a second, rates per second.
type sample struct {
	// known is false when the store has nothing of this attempt yet.
	known                               bool
	busy, bp, idle                      int64
	in, out, bytesIn, bytesOut          int64
	gaugeBusy, gaugeBp, gaugeIdle       int64
	inPerSecond, outPerSecond           float64
	bytesInPerSecond, bytesOutPerSecond float64
}

// gaugeSpan is what the TimeMsPerSecond gauges cover, meterSpan what the
// PerSecond rates of counters do (MeterView's 60 s).
const (
	gaugeSpan = 10 * time.Second
	meterSpan = 60 * time.Second
)

// sample reads subtask i of vertex v as of the metric store's time.
func (l *life) sample(v, i int, asOf time.Time) sample {
	x := l.run
	end := asOf
	if !l.ended.IsZero() && l.ended.Before(end) {
		end = l.ended
	}
	if slices.Contains(x.state.spec.Vertices[v].Finished, i) {
		if done := x.from.Add(finishedAfter); done.Before(end) {
			end = done
		}
	}
	age := end.Sub(x.from) - x.stages(v, i).ready()
	if asOf.IsZero() || age <= 0 || slices.Contains(x.state.spec.Vertices[v].Unreported, i) {
		return sample{}
	}
	s := sample{known: true}
	s.busy, s.bp, s.idle = x.times(v, i, age)
	before := max(0, age-gaugeSpan)
	_, bp, idle := x.times(v, i, before)
	if span := (age - before).Seconds(); span > 0 {
		s.gaugeBp = int64(math.Round(float64(s.bp-bp) / span))
		s.gaugeIdle = int64(math.Round(float64(s.idle-idle) / span))
		s.gaugeBusy = max(0, 1000-s.gaugeBp-s.gaugeIdle)
	}
	var in, out, bytesIn, bytesOut int64
	s.in, s.out, s.bytesIn, s.bytesOut = x.counters(v, i, age)
	in, out, bytesIn, bytesOut = x.counters(v, i, max(0, age-meterSpan))
	perSecond := func(now, then int64) float64 { return float64(now-then) / meterSpan.Seconds() }
	s.inPerSecond, s.outPerSecond = perSecond(s.in, in), perSecond(s.out, out)
	s.bytesInPerSecond, s.bytesOutPerSecond = perSecond(s.bytesIn, bytesIn), perSecond(s.bytesOut, bytesOut)
	return s
}

// active is for how long of an age the load was on.
func (x *execution) active(age time.Duration) time.Duration {
	p := x.state.spec.Pulse
	if p.Off == 0 {
		return age
	}
	period := p.On + p.Off
	return age/period*p.On + min(age%period, p.On)
}

// times are the accumulated milliseconds at an age; they add up to it.
func (x *execution) times(v, i int, age time.Duration) (busy, bp, idle int64) {
	f := &x.flow.vertices[v]
	b, w := f.busy[i], f.bp[i]
	rest := 1 - b
	resting := age.Milliseconds()
	age = x.active(age)
	resting -= age.Milliseconds()
	total := age.Seconds() * 1000
	if rest > 0 {
		wobble := x.wobble(v, i, 1, age) * 1000 * min(b, rest)
		other := rest*total - wobble
		bp = int64(other * w / rest)
		idle = int64(other * (rest - w) / rest)
	}
	return age.Milliseconds() - bp - idle, bp, idle + resting
}

// counters are records and bytes as the task level counts them at an age.
func (x *execution) counters(v, i int, age time.Duration) (in, out, bytesIn, bytesOut int64) {
	f, spec := &x.flow.vertices[v], &x.state.spec.Vertices[v]
	age = x.active(age)
	t := age.Seconds() + x.wobble(v, i, 2, age)
	in, out = int64(f.in[i]*t), int64(f.out[i]*t)
	bytesIn, bytesOut = int64(f.in[i]*t*spec.recordBytes()), int64(f.out[i]*t*spec.recordBytes())
	if spec.source() && (!spec.kafka() || !x.state.env.feat.kafkaRecordsIn) {
		in, bytesIn = 0, 0
	}
	return in, out, bytesIn, bytesOut
}

// wobble is seeded noise in seconds that is 0 at age 0 and whose slope stays
// within the cluster's noise, so that what it is added to never falls.
func (x *execution) wobble(v, i int, kind uint64, age time.Duration) float64 {
	noise := x.state.env.cluster.Noise
	if noise == 0 {
		return 0
	}
	h := mix(x.state.seed, kind, uint64(v), uint64(i))
	omega := 2 * math.Pi / (20 + 40*unit(h))
	phase := 2 * math.Pi * unit(splitmix(h))
	return noise / omega * (math.Sin(omega*age.Seconds()+phase) - math.Sin(phase))
}
