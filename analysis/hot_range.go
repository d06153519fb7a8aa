package analysis

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"

// hotRange is where a vertex's one hot key must be, as far as the parallelisms
// seen so far tell. It outlives restarts and rescales of the job, because a key
// keeps its key group while maxParallelism stays.
type hotRange struct {
	m           int
	first, last int
}

// narrow intersects the range with that of the hot subtask at the present
// parallelism. Ranges that do not meet are of another key: the newest counts.
func (h hotRange) narrow(subtask, p, m int) hotRange {
	first, last := keygroup.Range(subtask, p, m)
	if h.m == m && h.first <= last && first <= h.last {
		return hotRange{m: m, first: max(h.first, first), last: min(h.last, last)}
	}
	return hotRange{m: m, first: first, last: last}
}

// narrowHotRange puts the narrowed range into a hot_key verdict about a single
// subtask. It is remembered once two windows agree; one alone may be a flap.
func (s *vertexState) narrowHotRange(r *VertexResult) {
	m := int(r.MaxParallelism.Or(0))
	if r.Verdict.ID != HotKey || len(r.Verdict.Subtasks) != 1 || !keygroup.Valid(r.Parallelism, m) {
		return
	}
	narrowed := s.hot.narrow(r.Verdict.Subtasks[0], r.Parallelism, m)
	if s.steady.agreed >= 2 {
		s.hot = narrowed
	}
	r.Verdict.Advice.KeyGroups = &KeyGroupRange{First: narrowed.first, Last: narrowed.last}
}
