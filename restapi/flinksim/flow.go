package flinksim

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// full is the busy share from which a subtask throttles what is upstream; a
// saturated one comes out at 1 but for rounding.
const full = 0.999

// saturatedBusy is the busy share that a saturated subtask shows: even then a
// few milliseconds of a second pass between two buffers.
const saturatedBusy = 0.993

// flow is the steady state of a job at given parallelisms.
type flow struct {
	vertices []vertexFlow
	// cpu is the processor seconds a second on each TaskManager.
	cpu []float64
	// progress is what the sources achieve of what they offer, 0–1; pressure is
	// the largest back-pressured share of any subtask.
	progress, pressure float64
}

// vertexFlow holds per subtask: records in and out a second, shares of time and
// of the vertex's state, the worker, and the owned partitions of a Kafka source.
type vertexFlow struct {
	in, out    []float64
	busy, bp   []float64
	state      []float64
	tm         []int
	partitions [][]int
	max        int
}

// solver carries the steps of newFlow.
type solver struct {
	job *Job
	par []int
	// from holds, per vertex, the indexes of its inputs.
	from [][]int
	cost [][]float64
	// limit is the factor at which a subtask's offered input can be worked off.
	limit [][]float64
	flow  *flow
}

// newFlow solves the job's steady state. worker says on which of n
// TaskManagers slot i is.
func newFlow(j *Job, par []int, n int, worker func(i int) int) *flow {
	s := &solver{job: j, par: par, flow: &flow{vertices: make([]vertexFlow, len(par)), cpu: make([]float64, n)}}
	s.from = make([][]int, len(par))
	s.cost = make([][]float64, len(par))
	s.limit = make([][]float64, len(par))
	for v := range par {
		s.place(v, worker)
		for _, in := range j.Vertices[v].Inputs {
			s.from[v] = append(s.from[v], slices.IndexFunc(j.Vertices, func(u Vertex) bool { return u.Name == in.From }))
		}
	}
	for v := range par {
		s.offer(v)
	}
	for v := len(par) - 1; v >= 0; v-- {
		s.throttle(v)
	}
	for v := range par {
		s.achieve(v)
	}
	for v := len(par) - 1; v >= 0; v-- {
		s.wait(v)
	}
	s.finish()
	return s.flow
}

// place assigns workers and computes what a record costs on each subtask.
func (s *solver) place(v int, worker func(int) int) {
	spec, p, f := &s.job.Vertices[v], s.par[v], &s.flow.vertices[v]
	f.max = spec.groups(p)
	f.tm = make([]int, p)
	s.cost[v] = make([]float64, p)
	owner := -1
	if spec.Costly != nil {
		owner = keygroup.Owner(keygroup.Group(spec.Costly.Hash, f.max), p, f.max)
	}
	for i := range p {
		f.tm[i] = worker(i)
		c := spec.Cost.Seconds()
		if sl := spec.SlowTaskManager; sl != nil && sl.TaskManager == f.tm[i] {
			c *= sl.Factor
		}
		if i == owner {
			c *= spec.Costly.Factor
		}
		s.cost[v][i] = c
	}
}

// offer computes the input of a vertex if nothing downstream were slow. A
// source reads no faster than it can work.
func (s *solver) offer(v int) {
	spec, p, f := &s.job.Vertices[v], s.par[v], &s.flow.vertices[v]
	if spec.source() {
		f.partitions = ownPartitions(spec, p)
		f.in = sourceRates(spec, p, f.partitions)
		for i := range f.in {
			if c := s.cost[v][i]; f.in[i]*c > 1 {
				f.in[i] = 1 / c
			}
		}
	} else {
		f.in = s.arrivals(v)
	}
	s.limit[v] = make([]float64, p)
	for i := range p {
		s.limit[v][i] = 1
		if load := f.in[i] * s.cost[v][i]; load > 1 {
			s.limit[v][i] = 1 / load
		}
		if slices.Contains(spec.Stalled, i) {
			s.limit[v][i] = 0
		}
	}
	f.out = s.written(v)
}

// written is what a vertex writes for what it reads.
func (s *solver) written(v int) []float64 {
	fanout := s.job.Vertices[v].Fanout
	if fanout == 0 {
		fanout = 1
	}
	out := make([]float64, s.par[v])
	for i, in := range s.flow.vertices[v].in {
		out[i] = in * fanout
	}
	return out
}

// arrivals distributes what the inputs write over the subtasks of v.
func (s *solver) arrivals(v int) []float64 {
	spec, p := &s.job.Vertices[v], s.par[v]
	in := make([]float64, p)
	for k, u := range s.from[v] {
		out := s.flow.vertices[u].out
		if spec.Inputs[k].Ship == Forward && len(out) == p {
			for i := range in {
				in[i] += out[i]
			}
			continue
		}
		total := sum(out)
		for i, share := range shares(spec, spec.Inputs[k].Ship, p) {
			in[i] += total * share
		}
	}
	return in
}

// throttle lowers the limits of v to those of its readers.
func (s *solver) throttle(v int) {
	s.readers(v, func(w int, forward bool) {
		least := slices.Min(s.limit[w])
		for i := range s.limit[v] {
			if forward {
				least = s.limit[w][i]
			}
			s.limit[v][i] = min(s.limit[v][i], least)
		}
	})
}

// readers calls f for each edge from v.
func (s *solver) readers(v int, f func(w int, forward bool)) {
	for w := v + 1; w < len(s.par); w++ {
		for k, u := range s.from[w] {
			if u == v {
				f(w, s.job.Vertices[w].Inputs[k].Ship == Forward && s.par[v] == s.par[w])
			}
		}
	}
}

// achieve computes the real rates and busy shares of v.
func (s *solver) achieve(v int) {
	spec, f := &s.job.Vertices[v], &s.flow.vertices[v]
	if spec.source() {
		for i := range f.in {
			f.in[i] *= s.limit[v][i]
		}
	} else {
		f.in = s.arrivals(v)
	}
	f.out = s.written(v)
	f.busy = make([]float64, s.par[v])
	for i := range f.busy {
		f.busy[i] = min(1, f.in[i]*s.cost[v][i])
		if slices.Contains(spec.Stalled, i) {
			f.busy[i] = 1
		}
	}
}

// wait computes back pressure: a subtask that some full reader holds up waits
// for all the time that it is not busy.
func (s *solver) wait(v int) {
	f := &s.flow.vertices[v]
	f.bp = make([]float64, s.par[v])
	s.readers(v, func(w int, forward bool) {
		r := &s.flow.vertices[w]
		held := func(i int) bool { return r.busy[i] >= full || r.busy[i]+r.bp[i] >= full && r.bp[i] > 0 }
		anyHeld := false
		for i := range r.busy {
			anyHeld = anyHeld || held(i)
		}
		for i := range f.bp {
			if forward && held(i) || !forward && anyHeld {
				f.bp[i] = 1 - f.busy[i]
			}
		}
	})
}

// finish turns the solved state into what subtasks show.
func (s *solver) finish() {
	offered, achieved := 0.0, 0.0
	for v := range s.par {
		spec, f := &s.job.Vertices[v], &s.flow.vertices[v]
		for i := range f.busy {
			s.flow.cpu[f.tm[i]] += f.busy[i] * spec.CPU
			if spec.source() && spec.Sleeps {
				f.busy[i] = 1 - f.bp[i]
			}
			f.busy[i] = min(f.busy[i], saturatedBusy)
			f.bp[i] = min(f.bp[i], 1-f.busy[i])
			s.flow.pressure = max(s.flow.pressure, f.bp[i])
		}
		f.state = stateShares(spec, s.par[v])
		if spec.source() {
			offered += spec.Rate
			achieved += sum(f.in)
		}
		s.sink(v)
	}
	s.flow.progress = 1
	if offered > 0 {
		s.flow.progress = min(1, achieved/offered)
	}
}

// sink clears the output of a vertex that nobody reads.
func (s *solver) sink(v int) {
	read := false
	s.readers(v, func(int, bool) { read = true })
	if !read {
		clear(s.flow.vertices[v].out)
	}
}

func sum(xs []float64) float64 {
	t := 0.0
	for _, x := range xs {
		t += x
	}
	return t
}
