package flinksim

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// The JobStatus values that the simulation passes through.
const (
	running    = "RUNNING"
	restarting = "RESTARTING"
	canceled   = "CANCELED"
	finished   = "FINISHED"
	failed     = "FAILED"
	suspended  = "SUSPENDED"
	vanished   = "" // neither listed nor known
)

// env is what the jobs of one simulation share; it never changes.
type env struct {
	cluster Cluster
	feat    features
	begin   time.Time
	tms     []worker
}

// jobState is a job's life. Copies of one program share a jobState until an
// event befalls one of them alone.
type jobState struct {
	env  *env
	spec *Job
	// seed tells this program from others; slot is its first slot.
	seed   uint64
	slot   int
	ids    []string // of the vertices
	bodies []sharedBody
	tails  sharedTails

	mu      sync.Mutex
	now     life
	pending []timedEvent
}

// life is what a job looks like at one instant. Values are never changed once
// handed out; the next instant gets another.
type life struct {
	state string
	since time.Time
	// run is the newest execution; ended is when it stopped, zero while it runs.
	run   *execution
	ended time.Time
	// past is the execution before run, and when it ended.
	past      *execution
	pastEnded time.Time
	// stamps are the times at which states were last entered.
	stamps   map[string]time.Time
	restarts int
	// cpu is the processor seconds that past executions used on each worker.
	cpu []float64
}

type timedEvent struct {
	at time.Time
	Event
}

// execution is one run between (re)starts. Nothing of it ever changes, save
// what sizes remembers.
type execution struct {
	state   *jobState
	from    time.Time
	attempt int
	par     []int
	flow    *flow
	// firstCheckpoint is the id of its first checkpoint; restored is the one it began from, 0 for none.
	firstCheckpoint, restored int64
	restoredAt                time.Time
	sizes                     sizeCache
}

func newJobState(e *env, spec *Job, slot int) *jobState {
	s := &jobState{env: e, spec: spec, slot: slot, seed: mix(e.cluster.Seed, hashString(spec.Name))}
	s.bodies = make([]sharedBody, len(spec.Vertices))
	for v := range spec.Vertices {
		s.ids = append(s.ids, spec.vertexID(v))
	}
	start := e.begin.Add(-e.cluster.Age)
	s.now = life{stamps: map[string]time.Time{"INITIALIZING": start.Add(-1800 * time.Millisecond), "CREATED": start.Add(-700 * time.Millisecond)}}
	par := make([]int, len(spec.Vertices))
	for i := range par {
		par[i] = spec.Vertices[i].Parallelism
	}
	s.now.cpu = make([]float64, len(e.tms))
	s.start(start, par)
	for _, ev := range spec.Events {
		s.pending = append(s.pending, timedEvent{e.begin.Add(ev.After), ev})
	}
	slices.SortStableFunc(s.pending, func(a, b timedEvent) int { return a.at.Compare(b.at) })
	return s
}

// clone returns a job of the same past with a life of its own.
func (s *jobState) clone() *jobState {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &jobState{env: s.env, spec: s.spec, seed: s.seed, slot: s.slot, ids: s.ids, now: s.now, pending: slices.Clone(s.pending)}
	c.bodies = make([]sharedBody, len(s.bodies))
	return c
}

// at moves the job's life on to t and returns it. Asking for an earlier t than
// before returns the newest life.
func (s *jobState) at(t time.Time) life {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		next, ok := s.next()
		if !ok || next.at.After(t) {
			return s.now
		}
		if len(s.pending) > 0 && next.at.Equal(s.pending[0].at) && next.Kind == s.pending[0].Kind {
			s.pending = s.pending[1:]
		}
		s.apply(next)
	}
}

// next is the earliest thing that will happen by itself.
func (s *jobState) next() (timedEvent, bool) {
	var own timedEvent
	switch {
	case s.now.state == restarting:
		own = timedEvent{s.now.since.Add(s.downtime()), Event{Kind: Resume}}
	case s.now.state == running && s.spec.RestartEvery > 0:
		own = timedEvent{s.now.since.Add(s.spec.RestartEvery), Event{Kind: Restart}}
	}
	if len(s.pending) > 0 && (own.Kind == 0 || !s.pending[0].at.After(own.at)) {
		return s.pending[0], true
	}
	return own, own.Kind != 0
}

func (s *jobState) downtime() time.Duration {
	if s.spec.Downtime > 0 {
		return s.spec.Downtime
	}
	return 3 * time.Second
}

// do applies an event at t.
func (s *jobState) do(t time.Time, ev Event) {
	s.at(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apply(timedEvent{t, ev})
}

// apply changes the life. Events that make no sense in the present state, such
// as cancelling a job that has ended, do nothing.
func (s *jobState) apply(ev timedEvent) {
	ends := map[EventKind]string{Restart: restarting, Cancel: canceled, Finish: finished, Fail: failed, Suspend: suspended, Vanish: vanished}
	switch over := s.now.over(); {
	case over && ev.Kind != Vanish, s.now.state == vanished:
	case ev.Kind == RescaleTo && s.now.state == running:
		s.end(ev.at)
		s.start(ev.at, s.rescaled(ev.Parallelism))
	case ev.Kind == Resume && s.now.state != running:
		s.start(ev.at, s.now.run.par)
	case ev.Kind == Restart && s.now.state != running, ev.Kind == RescaleTo, ev.Kind == Resume:
	default:
		s.end(ev.at)
		s.enter(ends[ev.Kind], ev.at)
		if ev.Kind == Restart {
			s.now.restarts++
		}
	}
}

// over reports whether the job has reached a state that it does not leave.
func (l *life) over() bool {
	return l.state == canceled || l.state == finished || l.state == failed || l.state == vanished && l.run != nil
}

func (s *jobState) enter(state string, t time.Time) {
	s.now.state, s.now.since = state, t
	if state == vanished {
		return
	}
	s.now.stamps = maps.Clone(s.now.stamps)
	s.now.stamps[state] = t
}

// end closes the running execution.
func (s *jobState) end(t time.Time) {
	if s.now.state != running {
		return
	}
	s.now.ended = t
	cpu := slices.Clone(s.now.cpu)
	for k, rate := range s.now.run.flow.cpu {
		cpu[k] += rate * s.now.run.active(t.Sub(s.now.run.from)).Seconds()
	}
	s.now.cpu = cpu
}

// start begins an execution at t.
func (s *jobState) start(t time.Time, par []int) {
	x := &execution{state: s, from: t, par: par, firstCheckpoint: 1}
	if old := s.now.run; old != nil {
		x.attempt = old.attempt + 1
		x.firstCheckpoint = old.triggered(s.now.ended) + 1
		if done, ok := old.newest(s.now.ended); ok {
			x.restored, x.restoredAt = done, t
		} else {
			x.restored, x.restoredAt = old.restored, t
		}
		s.now.past, s.now.pastEnded = old, s.now.ended
		s.now.stamps = maps.Clone(s.now.stamps)
		if slices.Equal(old.par, par) {
			x.flow = old.flow
		}
	}
	if x.flow == nil {
		x.flow = newFlow(s.spec, par, len(s.env.tms), s.worker)
	}
	s.now.run, s.now.ended = x, time.Time{}
	s.enter(running, t)
}

func (s *jobState) worker(i int) int { return (s.slot + i) % len(s.env.tms) }

func (s *jobState) rescaled(to map[string]int) []int {
	par := slices.Clone(s.now.run.par)
	for i := range par {
		if p, ok := to[s.spec.Vertices[i].Name]; ok {
			par[i] = p
		}
	}
	return par
}

// validateEvent says why an event cannot happen to the job.
func (j *Job) validateEvent(ev Event) error {
	if ev.Kind < Restart || ev.Kind > Vanish {
		return fmt.Errorf("event kind %d is unknown", ev.Kind)
	}
	for name, p := range ev.Parallelism {
		i := slices.IndexFunc(j.Vertices, func(v Vertex) bool { return v.Name == name })
		if i < 0 {
			return fmt.Errorf("event: there is no vertex %q", name)
		}
		if m := j.Vertices[i].groups(p); p < 1 || p > m {
			return fmt.Errorf("event: vertex %q cannot run at %d of %d", name, p, m)
		}
	}
	return nil
}
