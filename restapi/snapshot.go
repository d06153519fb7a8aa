package restapi

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// What a Gap may be about.
const (
	whatOverview       = "overview"
	whatTaskManagers   = "taskmanagers"
	whatTMMetrics      = "taskmanager metrics"
	whatJob            = "job"
	whatCheckpoints    = "checkpoints"
	whatCheckpointPart = "checkpoint details"
	whatVertex         = "vertex"
	whatBackpressure   = "back pressure"
	whatWatermarks     = "watermarks"
	whatPartitions     = "partitions"
	whatBacklog        = "backlog"
)

// running is Flink's JobStatus of a job whose vertices are worth reading.
const running = "RUNNING"

// poll is the work of one Snapshot.
type poll struct {
	c    *Client
	ctx  context.Context
	snap analysis.Snapshot
	jobs []*jobRead
	tms  []*tmRead

	// names holds the vertexNames that are not in use.
	names sync.Pool
	// hosts maps TaskManager ids to machines, as the subtasks tell them.
	mu    sync.Mutex
	hosts map[string]string
}

// jobRead is a job being read; its fields are one worker's at a time.
type jobRead struct {
	job      analysis.Job
	nowMs    analysis.Num
	memory   *jobMemory
	vertices []*vertexRead
	gaps     []analysis.Gap
	// gone says that the job is not to be in the snapshot.
	gone bool
}

// Snapshot polls the cluster once. A part that cannot be read becomes a Gap;
// the poll fails only when the list of jobs cannot be read, since without it
// nothing is known, or when ctx was canceled. The error has a Reason.
func (c *Client) Snapshot(ctx context.Context) (analysis.Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.PollTimeout, errPollTime)
	defer cancel()
	c.polls++
	c.retries.Store(pollRetries)
	c.reload()

	p := &poll{c: c, ctx: ctx, hosts: map[string]string{}}
	p.snap = analysis.Snapshot{At: c.opts.Now(), Cluster: c.opts.Name, JobStates: map[string]int{}}
	entries, err := p.readLeader()
	if err != nil {
		return analysis.Snapshot{}, err
	}
	p.chooseJobs(entries)
	c.forget()
	p.readJobs()
	vertices := p.chooseVertices()
	c.each(len(vertices), func(i int) { p.readVertex(vertices[i]) })
	p.prime(vertices)
	p.readRotating()
	if errors.Is(ctx.Err(), context.Canceled) {
		reason, what := endOf(ctx)
		return analysis.Snapshot{}, c.fail(call{epJobs, epJobs}, reason, what, ctx.Err())
	}
	p.finish()
	return p.snap, nil
}

// reload reads secrets and certificates again. A file that is missing or half
// written for a moment leaves the old ones in use, and is told once.
func (c *Client) reload() {
	err := c.creds.load()
	if err == nil && c.network != nil {
		err = c.network.load()
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != c.reloadError {
		c.opts.Logger.Warn("cannot re-read credentials or certificates, the old ones stay in use",
			"cluster", c.opts.Name, "err", c.creds.scrub(text))
	}
	c.reloadError = text
}

// finish puts the parts together in the JobManager's order.
func (p *poll) finish() {
	p.finishTaskManagers()
	p.snap.Jobs = make([]analysis.Job, 0, len(p.jobs))
	for _, j := range p.jobs {
		j.finish()
		p.snap.Gaps = append(p.snap.Gaps, j.gaps...)
		if !j.gone {
			p.snap.Jobs = append(p.snap.Jobs, j.job)
		}
	}
	p.snap.Gaps = slices.Clip(p.snap.Gaps)
}

// finish collects the vertices' gaps. A rescale that fell between two calls
// tears the whole job: vertices read before and after it do not belong together.
func (j *jobRead) finish() {
	if !slices.ContainsFunc(j.vertices, func(r *vertexRead) bool { return r.rescaled }) {
		for _, r := range j.vertices {
			j.gaps = append(j.gaps, r.gaps...)
		}
		return
	}
	for i := range j.job.Vertices {
		dropDetail(&j.job.Vertices[i])
	}
	j.gaps = []analysis.Gap{{JobID: j.job.ID, What: whatJob, Reason: analysis.GapTorn}}
}

// dropDetail makes a vertex one whose subtasks were asked for and not had.
func dropDetail(v *analysis.Vertex) {
	v.Detail = analysis.DetailMissing
	v.Subtasks, v.Checkpoint = nil, nil
	v.Partitions, v.Backlog, v.Watermarks = analysis.Num{}, analysis.Num{}, nil
}

// gap makes the Gap of a failed call.
func gap(job, vertex, what string, err error) analysis.Gap {
	g := analysis.Gap{JobID: job, VertexID: vertex, What: what, Reason: analysis.GapFailed, Detail: Reason(err)}
	switch g.Detail {
	case ReasonNotFound:
		g.Reason, g.Detail = analysis.GapVanished, ""
	case ReasonTooLarge:
		g.Reason = analysis.GapLimit
	}
	return g
}
