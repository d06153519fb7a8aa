package analysis

import (
	"slices"
	"time"
)

// Analyze is a reducer: it takes the state after the previous poll and this
// poll's snapshot, and returns the next state and what the snapshot means. It
// changes neither argument. Snapshots must come in the order of their times.
func Analyze(prev State, s Snapshot, c Config) (State, Result) {
	a := analyzer{c: c, at: s.At, pace: newPace(s.At, &c), snapshot: &s, rules: rules(), findings: findingRules()}
	next := State{jobs: make(map[string]*jobState, len(s.Jobs)), taskManagers: advanceHosts(prev.taskManagers, &s, c)}
	a.hosts = next.taskManagers
	for i := range s.Jobs {
		job := &s.Jobs[i]
		next.jobs[job.ID] = advanceJob(prev.jobs[job.ID], job, s.At, a.pace)
	}
	a.weighHosts(next)
	r := Result{
		At: s.At, Cluster: s.Cluster, FlinkVersion: s.FlinkVersion, Slots: s.Slots,
		JobStates: s.JobStates, Jobs: make([]JobResult, 0, len(s.Jobs)), Gaps: s.Gaps,
	}
	if s.TaskManagers != nil {
		r.TaskManagers = OfInt(len(s.TaskManagers))
		r.Workers = a.workers()
	}
	for i := range s.Jobs {
		r.Jobs = append(r.Jobs, a.job(&s.Jobs[i], next.jobs[s.Jobs[i].ID]))
	}
	return next, r
}

// advanceJob returns the job's next state. A new RUNNING timestamp or another
// parallelism is a new epoch: what was known of the vertices no longer holds.
func advanceJob(prev *jobState, job *Job, at time.Time, p *pace) *jobState {
	next := &jobState{runningSince: job.RunningSince, vertices: make(map[string]*vertexState, len(job.Vertices))}
	if len(job.Vertices) == 0 {
		if prev != nil {
			*next = *prev // Between RUNNING states: nothing to measure, nothing to forget.
		}
		return next
	}
	moved := prev != nil && !prev.runningSince.Equal(job.RunningSince)
	rescaled := false
	attempts := 0
	for i := range job.Vertices {
		v := &job.Vertices[i]
		var was *vertexState
		if prev != nil {
			was = prev.vertices[v.ID]
		}
		var hot hotRange
		if was != nil {
			hot = was.hot
		}
		changed := was != nil && (moved || was.parallelism != v.Parallelism)
		if was != nil && was.parallelism != v.Parallelism {
			rescaled = true
		}
		if changed {
			was = nil
		}
		state := advanceVertex(was, v, job.Sink(v.ID), at, p)
		state.changed, state.hot = state.changed || changed, hot
		attempts = max(attempts, state.attempts)
		next.vertices[v.ID] = state
	}
	next.attempts = attempts
	switch {
	case prev == nil || prev.runningSince.IsZero():
		next.restarts = float64(next.attempts)
	case rescaled:
		next.restarts = prev.restarts
	default:
		next.restarts = prev.restarts + float64(max(0, attempts-prev.attempts))
		if moved && attempts <= prev.attempts {
			next.restarts++
		}
	}
	if prev != nil {
		next.attempts = max(next.attempts, prev.attempts)
	}
	return next
}

// analyzer holds what one call of Analyze needs throughout.
type analyzer struct {
	c        Config
	at       time.Time
	pace     *pace
	snapshot *Snapshot
	rules    []rule
	findings []func(*findingContext) (Finding, bool)
	hosts    map[string]hostState
	// dear counts, by TaskManager, the vertices whose records cost more there.
	dear map[string]int
	// busyOn is the busy seconds a second of all subtasks, by TaskManager.
	busyOn map[string]float64
	// evidence is reused from job to job, one an vertex.
	evidence []*evidence
	// counted are the TaskManagers with their numbers of subtasks, nil until
	// one is in doubt.
	counted []Worker
	scratch scratch
}

// weighHosts compares the TaskManagers over all jobs' vertices: a slow host
// shows in several of them.
func (a *analyzer) weighHosts(next State) {
	a.dear, a.busyOn = make(map[string]int), make(map[string]float64)
	e := a.evidenceAt(0)
	for i := range a.snapshot.Jobs {
		job := &a.snapshot.Jobs[i]
		for j := range job.Vertices {
			v := &job.Vertices[j]
			s := next.jobs[job.ID].vertices[v.ID]
			if s.tracks == nil || v.Detail == DetailSkipped {
				continue
			}
			measured := len(a.hosts) > 0
			dear := !v.Source() && s.mayBeDear(a.pace, a.c.CostEnter)
			if !measured && !dear {
				continue
			}
			e.gather(v, s, a.pace)
			if measured {
				for i, busy := range e.busy {
					if busy > 0 {
						a.busyOn[e.taskManager[i]] += busy
					}
				}
			}
			if !dear || e.maxBusy < a.c.ActivityBusy {
				continue
			}
			if host, _ := e.dearHost(a.c, a.c.CostEnter); host != "" {
				a.dear[host]++
			}
		}
	}
}

func (a *analyzer) evidenceAt(i int) *evidence {
	for len(a.evidence) <= i {
		a.evidence = append(a.evidence, &evidence{})
	}
	return a.evidence[i]
}

// job judges one job: first the load of all vertices, then each vertex with
// what its neighbours say, then what the victims wait for.
func (a *analyzer) job(job *Job, s *jobState) JobResult {
	r := JobResult{
		ID: job.ID, Name: job.Name, State: job.State, Scheduler: job.Scheduler,
		StartedAt: job.StartedAt, RunningSince: job.RunningSince,
		Vertices: make([]VertexResult, len(job.Vertices)),
	}
	if len(s.vertices) > 0 {
		r.Restarts = Of(s.restarts)
	}
	g := newGraph(job.Vertices)
	widest := make(map[string]int)
	for i := range job.Vertices {
		v := &job.Vertices[i]
		e := a.evidenceAt(i)
		e.gather(v, s.vertices[v.ID], a.pace)
		known := len(e.index) > 0 && v.Detail != DetailSkipped && !a.excluded(v)
		g.loads[i] = vertexLoad{
			known: known, maxBusy: e.maxBusy, meanBackPressured: e.meanBackPressd, maxBackPressured: e.maxBackPressured,
			held:   known && e.heldUp(a.c),
			silent: !known || e.maxBusy < a.c.ActivityBusy && e.maxBackPressured < a.c.ActivityBusy,
		}
		widest[v.SlotSharingGroup] = max(widest[v.SlotSharingGroup], v.Parallelism)
	}
	short := g.shortest(job.Vertices, a.evidence, a.c)
	demands := g.demands(job.Vertices, a.evidence, s.vertices, a.c)
	for i := range job.Vertices {
		v := &job.Vertices[i]
		x := vertexQuestion{v: v, e: a.evidence[i], s: s.vertices[v.ID], g: &g, at: i, widest: widest[v.SlotSharingGroup], demand: demands[i]}
		if short.vertex == i {
			x.short = &short
		}
		r.Vertices[i] = a.vertex(x)
		a.adviseFromNeighbours(&r.Vertices[i].Verdict, job, &g, i)
	}
	return r
}

// adviseFromNeighbours adds what only the rest of the job knows: what a victim
// waits for, and whether records arrive combined already.
func (a *analyzer) adviseFromNeighbours(v *Verdict, job *Job, g *graph, i int) {
	switch v.ID {
	case Backpressured:
		if cause := g.cause(i, a.c); cause >= 0 {
			v.Advice.Cause = job.Vertices[cause].ID
		}
	case HotKey, FewKeys:
		v.Advice.PreAggregation = preAggregation(job.Vertices, a.evidence, i)
	case SlowTaskManager:
		workers, measures := a.suspects([]string{v.Advice.TaskManager})
		v.Advice.Workers, v.Evidence = workers, slices.Concat(v.Evidence, measures)
	}
}

// excluded reports whether the vertex is to get no verdict.
func (a *analyzer) excluded(v *Vertex) bool {
	return a.c.ExcludeVertices != nil && a.c.ExcludeVertices.MatchString(v.Name)
}

// vertexQuestion is one vertex with its surroundings.
type vertexQuestion struct {
	v      *Vertex
	e      *evidence
	s      *vertexState
	g      *graph
	at     int // position in the graph
	widest int // parallelism of its slot sharing group
	short  *shortage
	demand demand
}

// vertex judges one vertex and describes it.
func (a *analyzer) vertex(x vertexQuestion) VertexResult {
	v, e, s := x.v, x.e, x.s
	r := VertexResult{
		ID: v.ID, Name: v.Name, Parallelism: v.Parallelism, MaxParallelism: v.MaxParallelism, Keyed: v.Keyed(),
		Inputs: v.Inputs, Partitions: v.Partitions, Backlog: v.Backlog, Coverage: s.coverage(v), Windows: s.windows,
		Layout: layoutOf(v), Ceiling: ceilingOf(v, x.widest, a.snapshot.Slots, a.c), Limits: limitsOf(v, x.widest, a.snapshot.Slots, a.c), Findings: []Finding{},
	}
	a.describe(&r, v, s)
	if a.excluded(v) {
		r.Verdict = Verdict{ID: NotEnoughData, Judgement: Judgement{
			Confidence: ConfidenceHigh, ScalingHelps: ScalingNA, Subtasks: []int{}, Advice: Advice{Missing: MissingExcluded},
		}}
		return r
	}
	hasData := len(e.index) > 0 && v.Detail != DetailSkipped && r.Coverage.Or(0) >= a.c.MinCoverage
	if hasData {
		r.Sizing = sizingOf(e, x.demand, r.Ceiling, a.c)
	}
	q := &inquiry{evidence: e, c: a.c, held: s.steady.held.ID, heldSeverity: s.steady.held.Severity, inputs: x.g.inputsOf(x.at, a.c), dear: a.dear}
	if a.c.Trace {
		q.checks = &r.Checks
	}
	verdict := judgeVertex(q, s, a.rules)
	if s.steady.held.ID == "" || verdict.ID == NotEnoughData || s.freshAt.Equal(a.at) || v.Detail == DetailSkipped {
		s.steady = s.steady.take(verdict, a.c) // A poll without a new window is no vote.
	}
	r.Verdict = s.steady.held
	if r.Verdict.Subtasks == nil {
		r.Verdict.Subtasks = []int{}
	}
	if a.c.Silenced[string(r.Verdict.ID)] {
		r.Verdict.Severity = SeverityNone
	}
	s.narrowHotRange(&r)
	switch {
	case !hasData:
		s.root = steadyFlag{}
	case s.freshAt.Equal(a.at):
		s.root = s.root.take(x.g.root(x.at, a.c), a.c)
	}
	fc := &findingContext{q: q, s: s, result: &r, root: s.root.on, hosts: a.hosts, busyOn: a.busyOn, hasData: hasData, short: x.short, a: a}
	for _, find := range a.findings {
		if f, ok := find(fc); ok && !a.c.Silenced[string(f.ID)] {
			if f.Subtasks == nil {
				f.Subtasks = []int{}
			}
			r.Findings = append(r.Findings, f)
		}
	}
	r.Hot = hotOf(&r)
	return r
}
