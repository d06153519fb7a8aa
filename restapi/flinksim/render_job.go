package flinksim

import "strings"

// sharedTails are the parts of job details that copies have in common.
type sharedTails struct{ middle, nodes sharedBody }

// taskStates are the keys of task counts; the overview has them in lower case.
func taskStates() []string {
	return []string{stScheduled, finished, stDeploying, failed, "CANCELING", canceled, running, "RECONCILING", stInitializing, stCreated}
}

func (w view) taskCounts(v int) map[string]int {
	n := map[string]int{}
	for i := range w.run.par[v] {
		n[w.status(v, i, w.at)]++
	}
	return n
}

func (q *request) jobIDs() []byte {
	var e enc
	e.obj()
	e.keyArr("jobs")
	for _, en := range q.sim.order {
		if _, l := en.at(q.t); l.state != vanished {
			e.obj()
			e.kStr("id", en.id)
			e.kStr("status", l.state)
			e.end()
		}
	}
	e.endArr()
	e.end()
	return e.b
}

// jobsOverview lists the jobs; what copies have in common is rendered once.
func (q *request) jobsOverview() []byte {
	two := q.sim.env.feat.two
	tails := map[*jobState][]byte{}
	var e enc
	e.obj()
	e.keyArr("jobs")
	for _, en := range q.sim.order {
		state, l := en.at(q.t)
		if l.state == vanished {
			continue
		}
		tail, done := tails[state]
		if !done {
			w := view{life: &l, env: q.sim.env, spec: state.spec, at: q.sim.graphTime(q.t)}
			tail = w.overviewTail()
			tails[state] = tail
		}
		e.obj()
		e.kStr("jid", en.id)
		e.kStr("name", en.name)
		if two {
			e.kStr("jobType", "STREAMING")
			e.kStr("schedulerType", state.spec.scheduler())
		}
		e.b = append(append(e.b, ','), tail...)
		e.end()
	}
	e.endArr()
	e.end()
	return e.b
}

func (j *Job) scheduler() string {
	if j.Scheduler == "" {
		return "Default"
	}
	return j.Scheduler
}

func (w view) overviewTail() []byte {
	var e enc
	w.lifetime(&e)
	e.kStr("state", w.state)
	e.kInt("last-modification", millis(w.since))
	total, counts := 0, map[string]int{}
	for v := range w.run.par {
		for state, n := range w.taskCounts(v) {
			counts[state] += n
			total += n
		}
	}
	e.keyObj("tasks")
	e.kInt("total", int64(total))
	for _, state := range taskStates() {
		e.kInt(strings.ToLower(state), int64(counts[state]))
	}
	e.end()
	if w.env.feat.two {
		e.kInt("pending-operators", 0)
	}
	return e.b
}

// lifetime writes when the job began and ended.
func (w view) lifetime(e *enc) {
	start := w.stamps["INITIALIZING"]
	end := int64(-1)
	last := w.at
	if w.over() {
		end, last = millis(w.since), w.since
	}
	e.kInt("start-time", millis(start))
	e.kInt("end-time", end)
	e.kInt("duration", last.Sub(start).Milliseconds())
}

func (q *request) jobDetails() []byte {
	w := q.view()
	feat := &q.sim.env.feat
	middle := q.state.tails.middle.get(w.key(), w.detailsMiddle)
	nodes := q.planNodes(w)
	e := enc{b: make([]byte, 0, len(middle)+len(nodes)+512)}
	e.obj()
	e.kStr("jid", q.entry.id)
	if feat.two {
		e.kStr("application-id", q.entry.id)
	}
	e.kStr("name", q.entry.name)
	e.b = append(append(e.b, ','), middle...)
	q.plan(&e, nodes)
	if feat.two {
		e.kInt("pending-operators", 0)
	}
	e.end()
	return e.b
}

// detailsMiddle is all of the job's details that does not name the job.
func (w view) detailsMiddle() []byte {
	var e enc
	e.kBool("isStoppable", false)
	e.kStr("state", w.state)
	if w.env.feat.jobType {
		e.kStr("job-type", "STREAMING")
	}
	if w.env.feat.two {
		e.kStr("schedulerType", w.spec.scheduler())
	}
	w.lifetime(&e)
	e.kInt("maxParallelism", -1)
	e.kInt("now", millis(w.at))
	e.keyObj("timestamps")
	for _, state := range []string{"INITIALIZING", stCreated, running, "FAILING", failed, "CANCELLING", canceled, finished, restarting, suspended, "RECONCILING"} {
		at := int64(0)
		if t, reached := w.stamps[state]; reached {
			at = t.UnixMilli()
		}
		e.kInt(state, at)
	}
	e.end()
	all := map[string]int{}
	e.keyArr("vertices")
	for v := range w.run.par {
		status := w.vertex(&e, v)
		all[status]++
	}
	e.endArr()
	e.keyObj("status-counts")
	for _, state := range taskStates() {
		e.kInt(state, int64(all[state]))
	}
	e.end()
	return e.b
}

// vertex writes a vertex's summary and returns its status.
func (w view) vertex(e *enc, v int) string {
	spec, p := &w.spec.Vertices[v], w.run.par[v]
	counts := w.taskCounts(v)
	status := vertexStatus(counts, p)
	var total sample
	total.known = true
	var first, last task
	for i, s := range w.samples(v) {
		total.known = total.known && s.known
		total.in, total.out = total.in+s.in, total.out+s.out
		total.bytesIn, total.bytesOut = total.bytesIn+s.bytesIn, total.bytesOut+s.bytesOut
		total.busy, total.bp, total.idle = total.busy+s.busy, total.bp+s.bp, total.idle+s.idle
		k := w.task(v, i)
		if first.start.IsZero() || !k.start.IsZero() && k.start.Before(first.start) {
			first = k
		}
		if k.end.After(last.end) {
			last = k
		}
	}
	if status == running || status == stInitializing || status == stDeploying {
		last = task{}
	}
	e.obj()
	e.kStr("id", w.spec.vertexID(v))
	if w.env.feat.slotSharing {
		e.kStr("slotSharingGroupId", hexID(w.run.state.seed, 5))
	}
	e.kStr("name", spec.Name)
	e.kInt("maxParallelism", spec.reportedMax(p))
	e.kInt("parallelism", int64(p))
	e.kStr("status", status)
	e.kInt("start-time", millis(first.start))
	e.kInt("end-time", millis(last.end))
	e.kInt("duration", task{start: first.start, end: last.end}.duration(w.at))
	e.keyObj("tasks")
	for _, state := range taskStates() {
		e.kInt(state, int64(counts[state]))
	}
	e.end()
	w.ioMetrics(e, v, total)
	e.end()
	return status
}

// vertexStatus sums up subtasks as ExecutionJobVertex does.
func vertexStatus(counts map[string]int, p int) string {
	for _, s := range []string{failed, canceled, stInitializing, running, stDeploying, stScheduled} {
		if counts[s] > 0 {
			return s
		}
	}
	if counts[finished] == p {
		return finished
	}
	return stCreated
}
