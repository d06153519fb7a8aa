package flinksim

import (
	"sync"
	"time"
)

// firstTrigger is how long after the job is RUNNING its first checkpoint
// begins; every subtask runs by then.
const firstTrigger = 3 * time.Second

// historySize is web.checkpoints.history, Flink's default.
const historySize = 10

// checkpoint is one checkpoint of an execution.
type checkpoint struct {
	x       *execution
	id      int64
	trigger time.Time
	took    time.Duration
}

func (c checkpoint) acked() time.Time { return c.trigger.Add(c.took) }

// interval is the checkpoint interval, 0 when there is none.
func (j *Job) interval() time.Duration {
	switch {
	case j.CheckpointEvery < 0:
		return 0
	case j.CheckpointEvery == 0:
		return 10 * time.Second
	}
	return j.CheckpointEvery
}

// triggered is the id of the last checkpoint that began by t;
// firstCheckpoint-1 when there is none.
func (x *execution) triggered(t time.Time) int64 {
	every := x.state.spec.interval()
	age := t.Sub(x.from) - firstTrigger
	if every == 0 || age < 0 {
		return x.firstCheckpoint - 1
	}
	return x.firstCheckpoint + int64(age/every)
}

// checkpoint computes the one of that id. Barriers wait behind buffered
// records, so that back pressure makes checkpoints slow; the next one begins
// on time nevertheless, since none takes longer than nine tenths of the interval.
func (x *execution) checkpoint(id int64) checkpoint {
	every := x.state.spec.interval()
	k := id - x.firstCheckpoint
	h := mix(x.state.seed, uint64(id), 77)
	took := time.Duration((120 + 80*unit(h)) * float64(time.Millisecond))
	took += time.Duration(x.flow.pressure * (0.7 + 0.3*unit(splitmix(h))) * float64(6*time.Second))
	return checkpoint{x, id, x.from.Add(firstTrigger + time.Duration(k)*every), min(took, every*9/10).Truncate(time.Millisecond)}
}

// newest is the id of the newest checkpoint completed by t.
func (x *execution) newest(t time.Time) (int64, bool) {
	id := x.triggered(t)
	if id >= x.firstCheckpoint && x.checkpoint(id).acked().After(t) {
		id--
	}
	return id, id >= x.firstCheckpoint
}

// until is the time up to which the life's newest execution can have checkpoints.
func (l *life) until(t time.Time) time.Time {
	if !l.ended.IsZero() && l.ended.Before(t) {
		return l.ended
	}
	return t
}

// completed lists up to n completed checkpoints at t, newest first, those of
// the execution before included.
func (l *life) completed(t time.Time, n int) []checkpoint {
	var list []checkpoint
	add := func(x *execution, until time.Time) {
		if x == nil {
			return
		}
		id, ok := x.newest(until)
		for ; ok && id >= x.firstCheckpoint && len(list) < n; id-- {
			list = append(list, x.checkpoint(id))
		}
	}
	add(l.run, l.until(t))
	add(l.past, l.pastEnded)
	return list
}

// inProgress is the checkpoint under way at t.
func (l *life) inProgress(t time.Time) (checkpoint, bool) {
	id := l.run.triggered(t)
	if l.state != running || id < l.run.firstCheckpoint {
		return checkpoint{}, false
	}
	c := l.run.checkpoint(id)
	return c, c.acked().After(t)
}

// subtaskCheckpoint is one subtask's part. Sizes are bytes, times milliseconds.
type subtaskCheckpoint struct {
	state, written                             int64
	endToEnd, startDelay, sync, async, aligned int64
	processed                                  int64
}

// subtask computes the part of subtask i of vertex v.
func (c checkpoint) subtask(v, i int) subtaskCheckpoint {
	x := c.x
	spec, f := &x.state.spec.Vertices[v], &x.flow.vertices[v]
	h := mix(x.state.seed, uint64(c.id), uint64(v), uint64(i))
	var s subtaskCheckpoint
	s.state = c.state(spec, f, i)
	s.written = s.state
	if x.state.spec.Incremental && c.id%4 != 0 {
		s.written = s.state / 7
	}
	took := float64(c.took.Milliseconds())
	s.sync = int64(1 + 18*unit(h))
	s.async = int64(2+8*unit(splitmix(h))) + s.written/(100<<10)
	reach := 0.4 + 0.5*unit(splitmix(h+1)) // the share of took at which barriers arrive
	if v == len(x.par)-1 && i == 0 {
		reach = 1
	}
	s.endToEnd = max(int64(took*reach), min(int64(took), s.sync+s.async))
	s.startDelay = max(0, s.endToEnd-s.sync-s.async)
	if !spec.source() {
		s.aligned = s.startDelay / 4
		s.startDelay -= s.aligned
		s.processed = int64(f.in[i] * float64(s.aligned) / 1000 * spec.recordBytes())
	}
	return s
}

// state is the size of a subtask's state; it grows by 0.2 % a checkpoint, up to half.
func (c checkpoint) state(spec *Vertex, f *vertexFlow, i int) int64 {
	growth := 1 + min(0.5, 0.002*float64(c.id))
	size := int64(float64(spec.StateBytes) * f.state[i] * growth)
	if spec.source() {
		size += 265
	}
	return size
}

// sizeCache remembers the sums of checkpoints, which never change and are
// asked for with every look at the history.
type sizeCache struct {
	mu   sync.Mutex
	sums map[int64][2]int64
}

// sizes are the full state and what the checkpoint wrote, over all subtasks.
func (c checkpoint) sizes() (state, written int64) {
	cache := &c.x.sizes
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if s, known := cache.sums[c.id]; known {
		return s[0], s[1]
	}
	for v, p := range c.x.par {
		for i := range p {
			s := c.subtask(v, i)
			state, written = state+s.state, written+s.written
		}
	}
	if cache.sums == nil || len(cache.sums) > 4*historySize {
		cache.sums = map[int64][2]int64{}
	}
	cache.sums[c.id] = [2]int64{state, written}
	return state, written
}
