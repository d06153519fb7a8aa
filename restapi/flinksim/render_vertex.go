package flinksim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// sharedBody keeps the last rendering of an answer. Copies of a program, and
// readers that come within one refresh, get the same bytes.
type sharedBody struct{ last atomic.Pointer[rendered] }

type rendered struct {
	key  bodyKey
	body []byte
}

// bodyKey is all that a rendering depends on.
type bodyKey struct {
	run   *execution
	state string
	// asOf and at are the times of the metrics and of the states, in nanoseconds.
	asOf, at int64
}

func (s *sharedBody) get(k bodyKey, render func() []byte) []byte {
	if r := s.last.Load(); r != nil && r.key == k {
		return r.body
	}
	b := render()
	s.last.Store(&rendered{k, b})
	return b
}

// view is a life as one answer shows it: the times that it is of.
type view struct {
	*life
	env  *env
	spec *Job
	// asOf is the metric store's time, zero when it is empty; at is that of states.
	asOf, at time.Time
}

func (q *request) view() view {
	return view{&q.life, q.sim.env, q.state.spec, q.sim.metrics(q.t), q.sim.graphTime(q.t)}
}

func (w view) key() bodyKey {
	k := bodyKey{run: w.run, state: w.state, at: w.at.UnixNano()}
	if !w.asOf.IsZero() {
		k.asOf = w.asOf.UnixNano()
	}
	return k
}

// vertexID is the same for every deployment of the program.
func (j *Job) vertexID(v int) string {
	return hexID(hashString(j.Vertices[v].Name), uint64(v), 11)
}

func (w view) samples(v int) []sample {
	out := make([]sample, w.run.par[v])
	for i := range out {
		out[i] = w.sample(v, i, w.asOf)
	}
	return out
}

// task is what the execution graph knows of a subtask.
type task struct {
	status string
	// start is when it was deployed, zero before; end is when it stopped, zero
	// while it runs.
	start, end time.Time
	// spent are the milliseconds in each state, -1 for one not reached, in the
	// order of stateNames.
	spent [5]int64
}

// forever is longer than any simulation and short enough to be added to a time.
const forever = 100 * 365 * 24 * time.Hour

// stateNames are the states on a subtask's way, in order.
func stateNames() [5]string {
	return [5]string{stCreated, stScheduled, stDeploying, stInitializing, running}
}

func (w view) task(v, i int) task {
	g, from := w.run.stages(v, i), w.run.from
	k := task{status: w.status(v, i, w.at), start: from.Add(g.start())}
	last := w.at
	if k.status == canceled || k.status == failed || k.status == finished {
		k.end = w.ended
		if slices.Contains(w.spec.Vertices[v].Finished, i) {
			k.end = from.Add(finishedAfter)
		}
		last = k.end
	}
	begin := from
	for n, d := range [5]time.Duration{g.created, g.scheduled, g.deploying, g.initializing, forever} {
		k.spent[n] = -1
		if left := last.Sub(begin); left >= 0 {
			k.spent[n] = min(d, left).Milliseconds()
			begin = begin.Add(d) // beyond last when the state is not over
		}
	}
	if last.Before(k.start) {
		k.start = time.Time{}
	}
	return k
}

// millis is Flink's form of a time, -1 for none.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.UnixMilli()
}

func (k task) duration(at time.Time) int64 {
	if k.start.IsZero() {
		return -1
	}
	if !k.end.IsZero() {
		at = k.end
	}
	return at.Sub(k.start).Milliseconds()
}

func (q *request) vertexDetails() []byte {
	w := q.view()
	return q.state.bodies[q.vertex].get(w.key(), func() []byte { return w.vertexDetails(q.vertex) })
}

func (w view) vertexDetails(v int) []byte {
	spec := &w.spec.Vertices[v]
	p := w.run.par[v]
	e := enc{b: make([]byte, 0, 4096+640*p)}
	e.obj()
	e.kStr("id", w.spec.vertexID(v))
	e.kStr("name", spec.Name)
	e.kInt("parallelism", int64(p))
	e.kInt("maxParallelism", spec.reportedMax(p))
	e.kInt("now", millis(w.at))
	samples := w.samples(v)
	tasks := make([]task, p)
	e.keyArr("subtasks")
	for i := range tasks {
		tasks[i] = w.task(v, i)
		w.subtask(&e, v, i, tasks[i], samples[i])
	}
	e.endArr()
	if w.env.feat.accumulated {
		w.aggregated(&e, samples, tasks, spec.NoBusyTime)
	}
	e.end()
	return e.b
}

func (v *Vertex) reportedMax(p int) int64 {
	if v.MaxParallelism < 0 {
		return -1
	}
	return int64(v.groups(p))
}

func (w view) subtask(e *enc, v, i int, k task, s sample) {
	e.obj()
	e.kInt("subtask", int64(i))
	e.kStr("status", k.status)
	e.kInt("attempt", int64(w.run.attempt))
	w.location(e, v, i)
	e.kInt("start-time", millis(k.start))
	e.kInt("end-time", millis(k.end))
	e.kInt("duration", k.duration(w.at))
	w.ioMetrics(e, v, s)
	e.kStr("taskmanager-id", w.env.tms[w.run.flow.vertices[v].tm[i]].id)
	if w.env.feat.accumulated {
		e.keyObj("status-duration")
		for n, ms := range k.spent {
			e.kInt(stateNames()[n], ms)
		}
		e.end()
	}
	e.kInt("start_time", millis(k.start))
	e.end()
}

func (w view) location(e *enc, v, i int) {
	tm := w.env.tms[w.run.flow.vertices[v].tm[i]]
	if w.env.feat.host {
		e.kStr("host", tm.host)
	}
	if w.env.feat.endpoint {
		e.kStr("endpoint", fmt.Sprintf("%s:%d", tm.host, tm.port))
	}
}

func (w view) ioMetrics(e *enc, v int, s sample) {
	e.keyObj("metrics")
	counter := func(name string, value int64) {
		e.kInt(name, value)
		e.kBool(name+"-complete", s.known)
	}
	counter("read-bytes", s.bytesIn)
	counter("write-bytes", s.bytesOut)
	counter("read-records", s.in)
	counter("write-records", s.out)
	if w.env.feat.accumulated {
		e.kInts(s.bp, "accumulated-backpressured-time")
		e.kInts(s.idle, "accumulated-idle-time")
		busy := float64(s.busy)
		if w.spec.Vertices[v].NoBusyTime && s.known {
			busy = math.NaN()
		}
		e.kDbl("accumulated-busy-time", busy)
	}
	e.end()
}

// aggregated is the block over all subtasks, since 1.17.
func (w view) aggregated(e *enc, samples []sample, tasks []task, noBusy bool) {
	e.keyObj("aggregated")
	e.keyObj("metrics")
	for _, m := range []struct {
		name string
		get  func(*sample) int64
	}{
		{"write-records", func(s *sample) int64 { return s.out }},
		{"accumulated-backpressured-time", func(s *sample) int64 { return s.bp }},
		{"accumulated-idle-time", func(s *sample) int64 { return s.idle }},
		{"write-bytes", func(s *sample) int64 { return s.bytesOut }},
		{"read-bytes", func(s *sample) int64 { return s.bytesIn }},
		{"read-records", func(s *sample) int64 { return s.in }},
		{"accumulated-busy-time", func(s *sample) int64 {
			if noBusy {
				return 0 // (long) NaN is 0 in Java
			}
			return s.busy
		}},
	} {
		values := make([]int64, len(samples))
		for i := range samples {
			values[i] = m.get(&samples[i])
		}
		aggregate(e, m.name, values)
	}
	e.end()
	e.keyObj("status-duration")
	for n, name := range stateNames() {
		values := make([]int64, len(tasks))
		for i := range tasks {
			values[i] = tasks[i].spent[n]
		}
		aggregate(e, name, values)
	}
	e.end()
	e.end()
}

func aggregate(e *enc, name string, values []int64) {
	slices.SortFunc(values, cmp.Compare[int64])
	total := int64(0)
	for _, v := range values {
		total += v
	}
	n := len(values)
	at := func(q float64) int64 { return values[min(n-1, int(q*float64(n)))] }
	e.keyObj(name)
	e.kInt("p25", at(0.25))
	e.kInt("min", values[0])
	e.kInt("avg", total/int64(n))
	e.kInt("median", at(0.5))
	e.kInt("max", values[n-1])
	e.kInt("sum", total)
	e.kInt("p95", at(0.95))
	e.kInt("p75", at(0.75))
	e.end()
}
