package restapi

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Unlimited as a budget reads everything in every poll, which is what a
// recording wants.
const Unlimited = math.MaxInt

const (
	// minWatermarkBudget and watermarkShare make the default budget: so many
	// vertices a poll, or so large a share of all if that is more, so that
	// each comes round within ten polls however many there are.
	minWatermarkBudget = 4
	watermarkShare     = 25
	// maxWatermarkAge is how long an answer is shown. It tells when it was
	// read, but the subtask that held the others back may long have moved on.
	maxWatermarkAge = 10 * time.Minute
)

// watermarkBudget returns how many of n vertices are read in a poll.
func watermarkBudget(option, n int) int {
	switch {
	case option < 0:
		return 0
	case option > 0:
		return min(option, n)
	}
	return min(n, max(minWatermarkBudget, (n+watermarkShare-1)/watermarkShare))
}

// longestAgo returns the budget of vertices whose turn was longest ago, and
// makes this poll their last turn. A vertex that is new queues behind those
// that wait already, so that short jobs cannot crowd out long ones.
func longestAgo(all []*vertexRead, budget, poll int, turn func(*vertexMemory) *int) []*vertexRead {
	if len(all) > budget {
		slices.SortStableFunc(all, func(a, b *vertexRead) int { return cmp.Compare(*turn(a.memory), *turn(b.memory)) })
		all = all[:budget]
	}
	for _, r := range all {
		*turn(r.memory) = poll
	}
	return all
}

// readRotating reads what is not read of every vertex in every poll, and gives
// each vertex the newest answer that there is, of this poll or an earlier one.
func (p *poll) readRotating() {
	var all, consumers, sources []*vertexRead
	for _, j := range p.jobs {
		for _, r := range j.vertices {
			// What is torn or cold has nothing that could be believed.
			if r.v.Detail == analysis.DetailMissing || r.rescaled || r.cold {
				continue
			}
			all = append(all, r)
			if !r.v.Source() {
				consumers = append(consumers, r)
			} else if p.hasBacklog(r) {
				sources = append(sources, r)
			} else {
				r.memory.backlog = analysis.Num{}
			}
		}
	}
	o := p.c.opts
	consumers = longestAgo(consumers, watermarkBudget(o.WatermarkBudget, len(consumers)), p.c.polls,
		func(m *vertexMemory) *int { return &m.watermarksTurn })
	sources = longestAgo(sources, backlogBudget(o.BacklogBudget, len(sources)), p.c.polls,
		func(m *vertexMemory) *int { return &m.backlogTurn })
	p.c.each(len(consumers)+len(sources), func(i int) {
		if i < len(consumers) {
			p.readWatermarks(consumers[i])
		} else {
			p.readBacklog(sources[i-len(consumers)])
		}
	})
	for _, r := range all {
		r.recallRotating(p.snap.At)
	}
}

// recallRotating attaches what was read last, unless it is too old by now.
func (r *vertexRead) recallRotating(now time.Time) {
	m := r.memory
	if w := m.watermarks; w != nil {
		if now.Sub(w.At) > maxWatermarkAge {
			m.watermarks = nil
		}
		r.v.Watermarks = m.watermarks
	}
	if m.backlog.Known() {
		if now.Sub(m.backlogAt) > maxBacklogAge {
			m.backlog = analysis.Num{}
		}
		r.v.Backlog = m.backlog
	}
}

// readWatermarks reads the input watermarks of a vertex's subtasks. The answer
// is kept for the polls in which it is not the vertex's turn, and after a
// failure; snapshots share it, so it is never changed.
func (p *poll) readWatermarks(r *vertexRead) {
	marks, err := fetch(p.ctx, p.c, r.call(epWatermarks, "/watermarks"), decodeWatermarks)
	if err != nil {
		if Reason(err) != ReasonNotFound {
			r.failed(whatWatermarks, err)
		}
		return
	}
	marks = slices.DeleteFunc(marks, func(w analysis.SubtaskWatermark) bool { return int(w.Index) >= r.v.Parallelism })
	r.memory.watermarks = nil
	if len(marks) > 0 {
		r.memory.watermarks = &analysis.VertexWatermarks{At: p.c.opts.Now(), Subtasks: marks}
	}
}
