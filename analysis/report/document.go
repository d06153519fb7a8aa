package report

import (
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Document is the object that diagnose --format=json prints. In it and in all
// below, an absent number is null and an array is never null.
type Document struct {
	GeneratedAt time.Time `json:"generated_at"`
	Clusters    []Cluster `json:"clusters"`
}

// Cluster is one cluster of the document.
type Cluster struct {
	Cluster string `json:"cluster"`
	Up      bool   `json:"up"`
	// Reason says why the last poll failed; empty while the cluster is up.
	Reason       string `json:"reason"`
	FlinkVersion string `json:"flink_version"`
	// At is when the poll began that the jobs are from; null without one.
	At *time.Time `json:"at"`
	// Polls is how many polls the verdicts rest on, over SpanSeconds.
	Polls        int            `json:"polls"`
	SpanSeconds  float64        `json:"span_seconds"`
	Slots        analysis.Slots `json:"slots"`
	TaskManagers analysis.Num   `json:"task_managers"`
	// Workers are the TaskManagers one by one.
	Workers   []analysis.Worker `json:"workers"`
	JobStates map[string]int    `json:"job_states"`
	Jobs      []Job             `json:"jobs"`
	Gaps      []analysis.Gap    `json:"gaps"`
}

// Job is one job that has not ended.
type Job struct {
	ID        string       `json:"job_id"`
	Name      string       `json:"job_name"`
	State     string       `json:"state"`
	Scheduler string       `json:"scheduler"`
	Restarts  analysis.Num `json:"restarts"`
	// StartedAt and RunningSince are null when Flink did not give them.
	StartedAt    *time.Time `json:"started_at"`
	RunningSince *time.Time `json:"running_since"`
	Vertices     []Vertex   `json:"vertices"`
}

// Vertex is one vertex with its verdict, the proof, and the words for both.
type Vertex struct {
	ID             string             `json:"vertex_id"`
	Name           string             `json:"vertex"`
	Parallelism    int                `json:"parallelism"`
	MaxParallelism analysis.Num       `json:"max_parallelism"`
	Verdict        analysis.VerdictID `json:"verdict"`
	Judged
	Skew     map[analysis.Signal]Skew `json:"skew"`
	Ceiling  Ceiling                  `json:"ceiling"`
	Findings []Finding                `json:"findings"`
	// Keyed is whether an input is hash-partitioned.
	Keyed  bool             `json:"keyed"`
	Inputs []analysis.Input `json:"inputs"`
	// Partitions is the number of source partitions seen, null when unknown.
	Partitions analysis.Num `json:"partitions"`
	// Backlog is the records that wait in a source's partitions, null when unknown.
	Backlog analysis.Num `json:"backlog"`
	// Coverage is the share of subtasks with fresh values, 0–1.
	Coverage            analysis.Num `json:"coverage"`
	Windows             int          `json:"windows"`
	WindowSeconds       analysis.Num `json:"window_seconds"`
	RecordsInPerSecond  analysis.Num `json:"records_in_per_second"`
	RecordsOutPerSecond analysis.Num `json:"records_out_per_second"`
	TrueRate            analysis.Num `json:"true_rate"`
	// Sizing is what the demand needs, and Limits what bounds the parallelism.
	Sizing analysis.Sizing  `json:"sizing"`
	Limits analysis.Limits  `json:"limits"`
	Layout *analysis.Layout `json:"layout"`
	Hot    *analysis.Hot    `json:"hot"`
	// SubtaskValues are those of the newest window; empty in a brief document.
	SubtaskValues []analysis.SubtaskResult `json:"subtask_values"`
	// Checks are the rules that were asked; empty without a trace.
	Checks []Check `json:"checks"`
}

// Judged is what a verdict and a finding have in common.
type Judged struct {
	Severity     analysis.Severity     `json:"severity"`
	Confidence   analysis.Confidence   `json:"confidence"`
	ScalingHelps analysis.ScalingHelps `json:"scaling_helps"`
	// Subtasks are the indexes it is about; empty means the whole vertex.
	Subtasks []int              `json:"subtasks"`
	Evidence []analysis.Measure `json:"evidence"`
	// Summary says what is the matter, Advice what to do and Caution what not
	// to do; the latter two are empty when there is nothing to say.
	Summary string `json:"summary"`
	Advice  string `json:"advice"`
	Caution string `json:"caution"`
	// Scaling says what other parallelisms would leave on the busiest subtask,
	// as text that goes on after a label; empty when nothing is predicted.
	Scaling string `json:"scaling"`
	// AdviceData is what the advice rests on.
	AdviceData AdviceData `json:"advice_data"`
	// Docs is the address of the page in the project's documentation.
	Docs string `json:"docs"`
}

// AdviceData is the advice as data.
type AdviceData struct {
	Missing     analysis.MissingReason  `json:"missing"`
	Steps       []analysis.Step         `json:"steps"`
	KeyGroups   *analysis.KeyGroupRange `json:"key_groups"`
	Floor       analysis.Num            `json:"floor"`
	Key         string                  `json:"key"`
	Cause       string                  `json:"cause"`
	TaskManager string                  `json:"task_manager"`
	// Workers are the TaskManagers to look at.
	Workers []analysis.Worker `json:"workers"`
	// PreAggregation is the first phase of a two-phase aggregation; null when
	// there is none.
	PreAggregation *analysis.PreAggregation `json:"pre_aggregation"`
}

// Finding is a fact beside the verdict.
type Finding struct {
	ID analysis.FindingID `json:"id"`
	Judged
}

// Skew is how one signal is spread over the subtasks.
type Skew struct {
	Max    analysis.Num `json:"max"`
	Mean   analysis.Num `json:"mean"`
	Median analysis.Num `json:"median"`
	Min    analysis.Num `json:"min"`
	P95    analysis.Num `json:"p95"`
	// Ratio is max/mean.
	Ratio analysis.Num `json:"ratio"`
	// LayoutRatio is what the key-group layout alone makes, Excess what it does
	// not explain; null unless the vertex is keyed.
	LayoutRatio analysis.Num `json:"layout_ratio"`
	Excess      analysis.Num `json:"excess"`
	// WebUIRatio is Flink's own data-skew percentage / 100.
	WebUIRatio analysis.Num `json:"webui_ratio"`
}

// Ceiling is how far the vertex can be scaled and how far it must be.
type Ceiling struct {
	MaxParallelism analysis.Num `json:"max_parallelism"`
	Effective      analysis.Num `json:"effective"`
	// Binding is what limits it; null when no limit is known.
	Binding               *analysis.Binding `json:"binding"`
	HeadroomRatio         analysis.Num      `json:"headroom_ratio"`
	RequiredParallelism   analysis.Num      `json:"required_parallelism"`
	RequiredHeadroomRatio analysis.Num      `json:"required_headroom_ratio"`
	WastedSubtasks        analysis.Num      `json:"wasted_subtasks"`
	NextUseful            analysis.Num      `json:"next_useful_parallelism"`
}

// NewDocument returns the document of the chosen jobs and vertices. Clusters
// keep the order of the input, jobs are by name and id, vertices topological.
func NewDocument(in Input, f Filter) Document {
	d := Document{GeneratedAt: in.GeneratedAt.UTC(), Clusters: []Cluster{}}
	for _, c := range in.Clusters {
		d.Clusters = append(d.Clusters, NewCluster(c, f))
	}
	return d
}

// NewCluster returns one cluster of the document.
func NewCluster(c ClusterInput, f Filter) Cluster {
	out := Cluster{
		Cluster: valid(c.Name), Up: c.Up, Reason: c.Reason, Polls: c.Polls, SpanSeconds: c.Span.Seconds(),
		Workers: []analysis.Worker{}, JobStates: map[string]int{}, Jobs: []Job{}, Gaps: []analysis.Gap{},
	}
	r := c.Result
	if r == nil {
		return out
	}
	out.FlinkVersion, out.Slots, out.TaskManagers, out.At = valid(r.FlinkVersion), r.Slots, r.TaskManagers, instant(r.At)
	out.Workers = append(out.Workers, workers(r.Workers)...)
	if r.JobStates != nil {
		out.JobStates = r.JobStates
	}
	for _, j := range f.jobs(r) {
		vs := f.vertices(j)
		if len(vs) == 0 && f.Vertex != "" {
			continue
		}
		out.Jobs = append(out.Jobs, newJob(j, vs, f))
	}
	for _, g := range r.Gaps {
		if f.Job != "" && g.JobID != "" && !hasJob(out.Jobs, g.JobID) {
			continue
		}
		out.Gaps = append(out.Gaps, g)
	}
	return out
}

func hasJob(jobs []Job, id string) bool {
	for i := range jobs {
		if jobs[i].ID == id {
			return true
		}
	}
	return false
}

func newJob(j *analysis.JobResult, vs []*analysis.VertexResult, f Filter) Job {
	out := Job{
		ID: j.ID, Name: valid(j.Name), State: j.State, Scheduler: j.Scheduler, Restarts: j.Restarts,
		StartedAt: instant(j.StartedAt), RunningSince: instant(j.RunningSince), Vertices: []Vertex{},
	}
	for _, v := range vs {
		out.Vertices = append(out.Vertices, NewVertex(j, v, f))
	}
	return out
}

// NewVertex returns one vertex of the document. The job is where its
// neighbours' names and back pressure are found.
func NewVertex(j *analysis.JobResult, v *analysis.VertexResult, f Filter) Vertex {
	out := Vertex{
		ID: v.ID, Name: valid(v.Name), Parallelism: v.Parallelism, MaxParallelism: v.MaxParallelism,
		Verdict: v.Verdict.ID, Judged: judged(&v.Verdict.Judgement, Explain(j, v), VerdictDocs(v.Verdict.ID)),
		Skew: map[analysis.Signal]Skew{}, Findings: []Finding{}, Keyed: v.Keyed, Inputs: v.Inputs,
		Partitions: v.Partitions, Backlog: v.Backlog, Checks: checks(v), Coverage: v.Coverage, Windows: v.Windows, WindowSeconds: v.WindowSeconds,
		RecordsInPerSecond: v.RecordsInPerSecond, RecordsOutPerSecond: v.RecordsOutPerSecond, TrueRate: v.Sizing.TrueRate, Sizing: v.Sizing, Limits: v.Limits,
		Layout: v.Layout, Hot: v.Hot, SubtaskValues: v.Subtasks,
		Ceiling: Ceiling{
			MaxParallelism: v.MaxParallelism, Effective: v.Ceiling.Effective, HeadroomRatio: v.Ceiling.Headroom,
			RequiredParallelism: v.Sizing.Required, RequiredHeadroomRatio: v.Sizing.RequiredHeadroom,
			WastedSubtasks: v.Ceiling.Wasted, NextUseful: v.Ceiling.NextUseful,
		},
	}
	if b := v.Ceiling.Binding; b != "" {
		out.Ceiling.Binding = &b
	}
	if out.Inputs == nil {
		out.Inputs = []analysis.Input{}
	}
	if out.SubtaskValues == nil || f.Brief {
		out.SubtaskValues = []analysis.SubtaskResult{}
	}
	layout := analysis.Num{}
	if v.Layout != nil {
		layout = analysis.Of(v.Layout.Ratio)
	}
	v.Signals.Each(func(s analysis.Signal, d *analysis.Distribution) {
		out.Skew[s] = Skew{
			Max: d.Max, Mean: d.Mean, Median: d.Median, Min: d.Min, P95: d.P95,
			Ratio: d.Skew, LayoutRatio: layout, Excess: d.Excess, WebUIRatio: d.WebUISkew,
		}
	})
	for i := range v.Findings {
		fd := &v.Findings[i]
		out.Findings = append(out.Findings, Finding{fd.ID, judged(&fd.Judgement, ExplainFinding(j, v, fd), FindingDocs(fd.ID))})
	}
	return out
}

func judged(j *analysis.Judgement, w Words, docs string) Judged {
	out := Judged{
		Severity: j.Severity, Confidence: j.Confidence, ScalingHelps: j.ScalingHelps, Subtasks: j.Subtasks, Evidence: j.Evidence,
		Summary: strings.Join(w.Summary, " "), Advice: strings.Join(w.Do, " "), Caution: w.caution(), Scaling: w.Scaling, Docs: docs,
		AdviceData: AdviceData{
			Missing: j.Advice.Missing, Steps: j.Advice.Steps, KeyGroups: j.Advice.KeyGroups, Floor: j.Advice.Floor,
			Key: valid(j.Advice.Key), Cause: j.Advice.Cause, TaskManager: valid(j.Advice.TaskManager),
			PreAggregation: j.Advice.PreAggregation, Workers: workers(j.Advice.Workers),
		},
	}
	if out.Subtasks == nil {
		out.Subtasks = []int{}
	}
	if out.Evidence == nil {
		out.Evidence = []analysis.Measure{}
	}
	if out.AdviceData.Steps == nil {
		out.AdviceData.Steps = []analysis.Step{}
	}
	return out
}

// workers are the TaskManagers with names that are valid UTF-8.
func workers(ws []analysis.Worker) []analysis.Worker {
	out := make([]analysis.Worker, 0, len(ws))
	for _, w := range ws {
		w.ID, w.Host = valid(w.ID), valid(w.Host)
		out = append(out, w)
	}
	return out
}

// valid keeps the text as it is but for bytes that are no UTF-8. JSON escapes
// control characters by itself, and readers may need the whole name.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// instant returns nil for a time that is not known.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
