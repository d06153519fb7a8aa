package analysis

import (
	"math"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// State is all that is remembered between polls of one cluster. Its zero value
// is the state before the first poll. A State never changes once Analyze has
// returned it, so that an old one may be analysed again with the same outcome.
//
// It is bounded by the cluster: one entry a job that the newest snapshot
// lists, a vertex and a subtask of it, and a TaskManager.
type State struct {
	jobs         map[string]*jobState
	taskManagers map[string]hostState
}

// jobState is what is remembered of a job.
type jobState struct {
	runningSince time.Time
	// attempts is the highest attempt number seen, restarts the count exported.
	attempts int
	restarts float64
	vertices map[string]*vertexState
}

// vertexState is what is remembered of a vertex while its parallelism and its
// job's RUNNING timestamp stay the same.
type vertexState struct {
	parallelism int
	tracks      []track
	// results are the newest values by position; those of Result share them.
	results []SubtaskResult
	// fresh is how many subtasks had fresh values at the newest poll.
	fresh int
	// attempts is the highest attempt number among the subtasks.
	attempts int
	// windowSeconds is the median length of the newest windows.
	windowSeconds Num
	// windows counts polls that closed a window.
	windows int
	// freshAt is when the last of them was.
	freshAt time.Time
	// changed is set from a restart or rescale to the first window after it.
	changed bool
	steady  steady
	// root says that the slow path of the job starts here.
	root steadyFlag
	// hot is where the hot key must be; it outlives restarts and rescales.
	hot hotRange
	// backlog says by how much a source's backlog grows.
	backlog backlogTrack
}

// hostState is what is remembered of a TaskManager.
type hostState struct {
	cpuSeconds float64
	at         time.Time
	// used and span are CPU seconds and seconds, weighed as sums are.
	used, span float64
	// cores is how many processors the process may use.
	cores Num
}

// cpu returns the CPU seconds a second that the process used, absent before
// two readings.
func (h hostState) cpu() Num {
	if h.span <= 0 {
		return Num{}
	}
	return Of(h.used / h.span)
}

// advanceHosts measures the CPU use of the TaskManagers.
func advanceHosts(prev map[string]hostState, s *Snapshot, c Config) map[string]hostState {
	next := make(map[string]hostState, len(s.TaskManagers))
	for _, tm := range s.TaskManagers {
		h, seen := prev[tm.ID]
		now, ok := tm.CPUSeconds.Get()
		switch {
		case !ok && !seen:
			continue
		case ok && (!seen || now < h.cpuSeconds):
			h = hostState{cpuSeconds: now, at: tm.CPUAt}
		case ok && now > h.cpuSeconds && tm.CPUAt.After(h.at):
			span := tm.CPUAt.Sub(h.at).Seconds()
			keep := math.Exp2(-span / c.Window.Seconds())
			h.used, h.span = h.used*keep+now-h.cpuSeconds, h.span*keep+span
			h.cpuSeconds, h.at = now, tm.CPUAt
		}
		h.cores = tm.CPUCores
		next[tm.ID] = h
	}
	return next
}

// advanceVertex returns the vertex's next state from its previous one (nil
// when there is none or it no longer holds) and this poll's answer.
func advanceVertex(prev *vertexState, v *Vertex, sink bool, at time.Time, p *pace) *vertexState {
	next := &vertexState{parallelism: v.Parallelism}
	if prev != nil {
		*next = *prev
	}
	next.attempts = 0
	next.backlog = next.backlog.advance(v.Backlog, at, p)
	if v.Detail != DetailFresh {
		next.fresh = next.countFresh(p)
		return next
	}
	next.tracks = make([]track, v.Parallelism)
	next.results = make([]SubtaskResult, v.Parallelism)
	for i := range next.results {
		next.results[i].Index = int32(i)
	}
	m := keyGroups(v)
	lengths := p.lengths[:0]
	for i := range v.Subtasks {
		s := &v.Subtasks[i]
		if s.Index < 0 || int(s.Index) >= v.Parallelism {
			continue
		}
		next.attempts = max(next.attempts, int(s.Attempt))
		t, r := &next.tracks[s.Index], &next.results[s.Index]
		known := prev != nil && prev.tracks != nil
		if known {
			*t = prev.tracks[s.Index]
		}
		w, ok := t.advance(s, p)
		switch {
		case ok:
			lengths = append(lengths, w.seconds)
			*r = SubtaskResult{
				Index: s.Index, Busy: w.busy, BackPressured: w.backPressured, Idle: w.idle,
				RecordsIn: w.recordsIn, RecordsOut: w.recordsOut, BytesIn: w.bytesIn, CostPerRecord: w.cost,
			}
		case known && t.fresh(p):
			*r = prev.results[s.Index]
		}
		r.TaskManager, r.Partitions = s.TaskManager, s.Partitions
		if m > 0 {
			r.KeyGroups = int32(keygroup.Count(int(s.Index), v.Parallelism, m))
		}
	}
	p.lengths = lengths
	next.fresh = next.countFresh(p)
	next.addState(v.Checkpoint)
	blankUnmeasured(next.results, v.Source(), sink)
	if len(lengths) > 0 {
		next.windowSeconds = Of(middle(lengths))
		next.windows++
		next.freshAt = at
		next.changed = false
	}
	return next
}

// addState puts the full state sizes of the newest checkpoint beside the values.
func (s *vertexState) addState(c *VertexCheckpoint) {
	if c == nil {
		return
	}
	for _, t := range c.Subtasks {
		if int(t.Index) < len(s.results) {
			s.results[t.Index].StateBytes = t.StateBytes
		}
	}
}

// blankUnmeasured makes absent what Flink does not count and answers as 0: the
// input of some sources, the output of sinks (FLINK-7286).
func blankUnmeasured(results []SubtaskResult, source, sink bool) {
	if !source && !sink {
		return
	}
	for i := range results {
		if source && results[i].RecordsIn.Or(0) > 0 || sink && results[i].RecordsOut.Or(0) > 0 {
			return // It is counted after all.
		}
	}
	for i := range results {
		if source {
			results[i].RecordsIn, results[i].BytesIn, results[i].CostPerRecord = Num{}, Num{}, Num{}
		}
		if sink {
			results[i].RecordsOut = Num{}
		}
	}
}

// countFresh counts the subtasks that have fresh values.
func (s *vertexState) countFresh(p *pace) int {
	n := 0
	for i := range s.tracks {
		if s.tracks[i].fresh(p) {
			n++
		}
	}
	return n
}

// coverage is the share of the vertex's subtasks that have fresh values; those
// that have finished count on neither side.
func (s *vertexState) coverage(v *Vertex) Num {
	if s.tracks == nil || v.Detail == DetailSkipped {
		return Num{}
	}
	if s.fresh == v.Parallelism {
		return Of(1)
	}
	finished := 0
	for i := range v.Subtasks {
		if v.Subtasks[i].State == "FINISHED" {
			finished++
		}
	}
	if v.Parallelism == finished {
		return Num{}
	}
	return Of(float64(s.fresh) / float64(v.Parallelism-finished))
}
