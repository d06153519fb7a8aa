package analysis

import (
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// scratch are slices that describe reuses from vertex to vertex.
type scratch struct {
	// columns are values by signal and position, NaN where there is none.
	columns       [7][]float64
	sorted        []float64
	index, groups []int32
}

// gather turns rows of subtasks into columns of signals.
func (sc *scratch) gather(rows []SubtaskResult) {
	sc.index, sc.groups = sc.index[:0], sc.groups[:0]
	for i := range sc.columns {
		sc.columns[i] = slices.Grow(sc.columns[i][:0], len(rows))[:len(rows)]
	}
	for i := range rows {
		t := &rows[i]
		sc.index, sc.groups = append(sc.index, t.Index), append(sc.groups, t.KeyGroups)
		for j, n := range [...]Num{t.Busy, t.BackPressured, t.Idle, t.RecordsIn, t.RecordsOut, t.BytesIn, t.CostPerRecord} {
			sc.columns[j][i] = n.Or(math.NaN())
		}
	}
}

// describe fills the vertex's distributions and subtasks from the newest window.
func (a *analyzer) describe(r *VertexResult, v *Vertex, s *vertexState) {
	a.describeCheckpoint(r, v)
	if v.Detail == DetailSkipped || s.tracks == nil {
		return
	}
	r.Subtasks = s.freshResults(a.pace)
	if len(r.Subtasks) == 0 {
		return
	}
	sc := &a.scratch
	sc.gather(r.Subtasks)
	groups := sc.groups
	if r.Layout == nil {
		groups = nil
	}
	g := &r.Signals
	for i, d := range []*Distribution{&g.Busy, &g.BackPressured, &g.Idle, &g.RecordsIn, &g.RecordsOut, &g.BytesIn, &g.CostPerRecord} {
		*d = distribution(sc.columns[i], sc.index, groups, &sc.sorted)
	}
	g.CostPerRecord.Excess = Num{} // A cost is no load to be shared out over key groups.
	g.WatermarkLag = a.watermarkLag(v)
	if g.RecordsIn.Count == v.Parallelism {
		r.RecordsInPerSecond = g.RecordsIn.Sum
	}
	if g.RecordsOut.Count == v.Parallelism {
		r.RecordsOutPerSecond = g.RecordsOut.Sum
	}
	r.WindowSeconds = s.windowSeconds
}

// freshResults are the vertex's subtasks that have fresh values, shared with
// the state when that is all of them.
func (s *vertexState) freshResults(p *pace) []SubtaskResult {
	if s.fresh == len(s.results) {
		return s.results
	}
	some := make([]SubtaskResult, 0, s.fresh)
	for i := range s.tracks {
		if s.tracks[i].fresh(p) {
			some = append(some, s.results[i])
		}
	}
	return some
}

// describeCheckpoint fills state size and duration of the newest completed checkpoint.
func (a *analyzer) describeCheckpoint(r *VertexResult, v *Vertex) {
	if v.Checkpoint == nil {
		return
	}
	m := keyGroups(v)
	sc := &a.scratch
	sc.index, sc.groups = sc.index[:0], sc.groups[:0]
	var state, duration []float64
	for _, t := range v.Checkpoint.Subtasks {
		if int(t.Index) >= v.Parallelism {
			return // The checkpoint was taken at another parallelism.
		}
		sc.index = append(sc.index, t.Index)
		if m > 0 {
			sc.groups = append(sc.groups, int32(keygroup.Count(int(t.Index), v.Parallelism, m)))
		}
		state = append(state, t.StateBytes.Or(math.NaN()))
		duration = append(duration, t.EndToEndMs.Or(math.NaN())/1000)
	}
	groups := sc.groups
	if m == 0 {
		groups = nil
	}
	r.Signals.State = distribution(state, sc.index, groups, &sc.sorted)
	r.Signals.CheckpointDuration = distribution(duration, sc.index, nil, &sc.sorted)
}

// watermarkLag is how far each subtask's input watermark was behind the time it
// was read, in seconds; a watermark ahead of it is no lag.
func (a *analyzer) watermarkLag(v *Vertex) Distribution {
	if v.Watermarks == nil {
		return Distribution{ArgMax: -1}
	}
	var lag []float64
	var index []int32
	for _, w := range v.Watermarks.Subtasks {
		if ms, ok := w.Ms.Get(); ok {
			lag = append(lag, max(0, float64(v.Watermarks.At.UnixMilli())-ms)/1000)
			index = append(index, w.Index)
		}
	}
	return distribution(lag, index, nil, &a.scratch.sorted)
}

// hotOf names the hottest subtask while a skew verdict stands.
func hotOf(r *VertexResult) *Hot {
	switch r.Verdict.ID {
	case HotKey, KeyGroupLayout, HotPartition, PartitionLayout, SlowTaskManager, CostlyRecords, UnevenInput, FewKeys:
	default:
		return nil
	}
	// Of those that the verdict names, save few_keys, which names the idle ones.
	named := map[int]bool{}
	if r.Verdict.ID != FewKeys {
		for _, i := range r.Verdict.Subtasks {
			named[i] = true
		}
	}
	hottest := -1
	for i := range r.Subtasks {
		t := &r.Subtasks[i]
		if len(named) > 0 && !named[int(t.Index)] {
			continue
		}
		if hottest < 0 || t.Busy.Or(0) > r.Subtasks[hottest].Busy.Or(0) {
			hottest = i
		}
	}
	if hottest < 0 {
		return nil
	}
	h := &Hot{Subtask: int(r.Subtasks[hottest].Index)}
	if r.Layout != nil && h.Subtask < r.Parallelism {
		first, last := keygroup.Range(h.Subtask, r.Parallelism, int(r.MaxParallelism.Or(0)))
		h.KeyGroups = &KeyGroupRange{First: first, Last: last}
		if r.Verdict.ID == HotKey && len(r.Verdict.Subtasks) == 1 {
			h.KeyGroups = r.Verdict.Advice.KeyGroups // Narrowed by earlier parallelisms.
		}
	}
	return h
}
