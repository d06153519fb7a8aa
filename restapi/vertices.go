package restapi

import (
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// primeDelay lets Flink fill its metric cache, which it begins to do on the
// first request and has done within about a second.
const primeDelay = 1500 * time.Millisecond

// vertexRead is a vertex being read; its fields are one worker's at a time.
type vertexRead struct {
	job    *jobRead
	v      *analysis.Vertex
	memory *vertexMemory
	gaps   []analysis.Gap
	// cold says that Flink's metric cache had nothing of it yet.
	cold bool
	// rescaled says that its parallelism is not that of the job's answer.
	rescaled bool
}

func (r *vertexRead) call(endpoint, rest string) call {
	return vertexCall(endpoint, r.job.job.ID, r.v.ID, rest)
}

func (r *vertexRead) gap(what string, reason analysis.GapReason) {
	r.gaps = append(r.gaps, analysis.Gap{JobID: r.job.job.ID, VertexID: r.v.ID, What: what, Reason: reason})
}

func (r *vertexRead) failed(what string, err error) {
	r.gaps = append(r.gaps, gap(r.job.job.ID, r.v.ID, what, err))
}

// readVertex reads all subtasks of one vertex and what else belongs to them.
func (p *poll) readVertex(r *vertexRead) {
	r.gaps, r.cold = nil, false
	names, ok := p.names.Get().(*vertexNames)
	if !ok {
		names = newVertexNames()
	}
	d, err := fetch(p.ctx, p.c, r.call(epVertex, ""), names.decode)
	p.names.Put(names)
	if err != nil {
		dropDetail(r.v)
		r.failed(whatVertex, err)
		return
	}
	p.noteHosts(d.hosts)
	if !r.take(d) {
		dropDetail(r.v)
		r.gap(whatVertex, analysis.GapTorn)
		return
	}
	if r.cold {
		r.blank()
		return
	}
	r.memory.read = true
	p.readGauges(r)
	p.readPartitions(r)
	p.readCheckpointPart(r)
}

// take takes the answer, or reports that it is not of the job that was read:
// of another parallelism, or with attempts that began after the job's answer.
func (r *vertexRead) take(d vertexDetail) bool {
	if d.id != r.v.ID || d.parallelism != r.v.Parallelism {
		r.rescaled = true
		return false
	}
	jobNow, okJob := r.job.nowMs.Get()
	now, okNow := d.nowMs.Get()
	kept := d.subtasks[:0]
	for _, s := range d.subtasks {
		// An ended attempt's age stands still and tells no beginning.
		if age, ok := s.AgeMs.Get(); ok && okJob && okNow && now-age > jobNow && lives(s.State) {
			return false
		}
		if s.Index >= 0 && int(s.Index) < r.v.Parallelism {
			kept = append(kept, s)
		}
	}
	r.v.Subtasks, r.v.Detail = kept, analysis.DetailFresh
	if !r.v.MaxParallelism.Known() {
		r.v.MaxParallelism = d.maxParallelism
	}
	r.cold = d.cold
	return true
}

// lives reports an ExecutionState that is not the last.
func lives(state string) bool {
	switch state {
	case "FINISHED", "CANCELED", "FAILED", "CANCELING":
		return false
	}
	return true
}

// blank removes every number that a cold cache made up: zeros that look like idleness.
func (r *vertexRead) blank() {
	r.v.Totals = analysis.Counters{}
	for i := range r.v.Subtasks {
		r.v.Subtasks[i].Counters = analysis.Counters{}
	}
	r.gap(whatVertex, analysis.GapCold)
}

// recallDetails gives a skipped vertex what is known of it without asking.
func (p *poll) recallDetails(r *vertexRead) {
	if o, ok := p.c.partitions.Get(r.partitionKey()); ok {
		r.v.Partitions = o.total
	}
	if key, ok := r.checkpointKey(); ok {
		r.v.Checkpoint, _ = p.c.checkpoints.Get(key)
	}
}

// readGauges reads the back-pressure answer where Flink has no accumulated
// times, which is before 1.17.
func (p *poll) readGauges(r *vertexRead) {
	runs := false
	for _, s := range r.v.Subtasks {
		if s.State == analysis.Running {
			runs = true
			if s.BusyMs.Known() || s.BackPressuredMs.Known() || s.IdleMs.Known() {
				return
			}
		}
	}
	if !runs {
		return
	}
	b, err := fetch(p.ctx, p.c, r.call(epBackpressure, "/backpressure"), decodeBackpressure)
	switch {
	case err != nil:
		r.failed(whatBackpressure, err)
		return
	case !b.ok:
		r.gap(whatBackpressure, analysis.GapCold)
		return
	}
	for i := range r.v.Subtasks {
		if s := &r.v.Subtasks[i]; s.State == analysis.Running {
			if ratios, ok := b.ratios[s.Index]; ok {
				s.Gauges = &ratios
			}
		}
	}
}

// prime gives Flink's metric cache time, once in a job's run and on the first
// poll for the TaskManagers, and reads again what was cold. The very request
// that found it cold made Flink fill it.
func (p *poll) prime(vertices []*vertexRead) {
	var cold []*vertexRead
	for _, r := range vertices {
		if r.cold && !r.job.memory.primed {
			cold = append(cold, r)
		}
	}
	for _, j := range p.jobs {
		if j.memory != nil {
			j.memory.primed = true
		}
	}
	var coldTMs []*tmRead
	if p.c.polls == 1 {
		for _, t := range p.tms {
			if t.cold {
				coldTMs = append(coldTMs, t)
			}
		}
	}
	if p.c.opts.NoPrime || len(cold)+len(coldTMs) == 0 || !pause(p.ctx, primeDelay) {
		return
	}
	p.c.each(len(cold)+len(coldTMs), func(i int) {
		if i < len(cold) {
			p.readVertex(cold[i])
		} else {
			p.readTaskManager(coldTMs[i-len(cold)])
		}
	})
}

func (p *poll) noteHosts(hosts map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, host := range hosts {
		// Should two answers disagree, the order of answers must not decide.
		if known, ok := p.hosts[id]; !ok || host < known {
			p.hosts[id] = host
		}
	}
}
