package restapi

import (
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// readJobs reads the running jobs and, beside them, the TaskManagers' CPU.
func (p *poll) readJobs() {
	var todo []*jobRead
	for _, j := range p.jobs {
		if j.gone {
			continue
		}
		if j.job.State != running {
			j.notRunning()
			continue
		}
		todo = append(todo, j)
	}
	details := make([]jobDetail, len(todo))
	errs := make([]error, len(todo))
	p.c.each(len(p.tms)+len(todo), func(i int) {
		if i < len(p.tms) {
			p.readTaskManager(p.tms[i])
			return
		}
		i -= len(p.tms)
		to := jobCall(epJob, todo[i].job.ID, "")
		details[i], errs[i] = fetch(p.ctx, p.c, to, decodeJob)
	})
	var alive []*jobRead
	for i, j := range todo {
		if p.takeJob(j, details[i], errs[i]) {
			alive = append(alive, j)
		}
	}
	p.c.each(len(alive), func(i int) { p.readCheckpoints(alive[i]) })
}

func (j *jobRead) notRunning() {
	j.gaps = append(j.gaps, analysis.Gap{JobID: j.job.ID, What: whatJob, Reason: analysis.GapNotRunning})
}

// takeJob takes a job's own answer and reports whether its vertices are to be read.
func (p *poll) takeJob(j *jobRead, d jobDetail, err error) bool {
	switch {
	case err != nil:
		j.gaps = append(j.gaps, gap(j.job.ID, "", whatJob, err))
		// A vanished job is dropped; one that cannot be read stays listed.
		j.gone = Reason(err) == ReasonNotFound
		return false
	case d.id != j.job.ID:
		j.gaps = append(j.gaps, analysis.Gap{JobID: j.job.ID, What: whatJob, Reason: analysis.GapTorn})
		return false
	case ended(d.state):
		j.gaps = append(j.gaps, analysis.Gap{JobID: j.job.ID, What: whatJob, Reason: analysis.GapVanished})
		j.gone = true
		return false
	}
	j.job.State = d.state
	if d.scheduler != "" {
		j.job.Scheduler = d.scheduler
	}
	if d.state != running {
		j.notRunning()
		return false
	}
	j.job.RunningSince = millis(d.runningMs)
	j.nowMs = d.nowMs
	j.memory = p.c.recall(j.job.ID, d.runningMs)
	listed := len(d.vertices)
	j.job.Vertices = uniqueVertices(d.vertices)
	if len(j.job.Vertices) < listed {
		j.gaps = append(j.gaps, analysis.Gap{JobID: j.job.ID, What: whatVertex, Reason: analysis.GapFailed, Detail: ReasonBadRequest})
	}
	return true
}

// uniqueVertices drops vertices whose id cannot be asked for or came before.
func uniqueVertices(all []analysis.Vertex) []analysis.Vertex {
	kept := all[:0]
	seen := make(map[string]bool, len(all))
	for _, v := range all {
		if goodID(v.ID) && !seen[v.ID] {
			seen[v.ID] = true
			kept = append(kept, v)
		}
	}
	return kept
}

// chooseVertices decides for each vertex whether its details are read.
func (p *poll) chooseVertices() []*vertexRead {
	var all []*vertexRead
	for _, j := range p.jobs {
		if j.memory == nil {
			continue
		}
		nowMs := j.nowMs.Or(float64(p.snap.At.UnixMilli()))
		for i := range j.job.Vertices {
			v := &j.job.Vertices[i]
			r := &vertexRead{job: j, v: v, memory: j.memory.recallVertex(v)}
			j.vertices = append(j.vertices, r)
			if r.memory.skip(v, nowMs, p.c.opts.ActivityFloor, p.c.polls) {
				v.Detail = analysis.DetailSkipped
				p.recallDetails(r)
				continue
			}
			all = append(all, r)
		}
	}
	return all
}
