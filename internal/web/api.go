package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// ClustersAnswer is the body of /api/v1/clusters.
type ClustersAnswer struct {
	GeneratedAt time.Time        `json:"generated_at"`
	Clusters    []ClusterSummary `json:"clusters"`
}

// ClusterSummary is a report.Cluster whose jobs are counted, not listed.
type ClusterSummary struct {
	report.Cluster
	// Jobs hides the list of the embedded cluster; /api/v1/jobs has it.
	Jobs *struct{} `json:"jobs,omitempty"`
	// Severity is the worst of all vertices.
	Severity analysis.Severity `json:"severity"`
}

// JobAnswer is the body of /api/v1/jobs/{cluster}/{job_id}: one job with the
// values of its subtasks.
type JobAnswer struct {
	GeneratedAt time.Time `json:"generated_at"`
	Cluster     string    `json:"cluster"`
	Up          bool      `json:"up"`
	Reason      string    `json:"reason"`
	// At is when the poll began that the job is from.
	At *time.Time `json:"at"`
	report.Job
}

// FindingsAnswer is the body of /api/v1/findings, worst first.
type FindingsAnswer struct {
	GeneratedAt time.Time     `json:"generated_at"`
	Findings    []FindingItem `json:"findings"`
}

// FindingItem is a verdict or a finding with its subject.
type FindingItem struct {
	Cluster  string `json:"cluster"`
	JobID    string `json:"job_id"`
	JobName  string `json:"job_name"`
	VertexID string `json:"vertex_id"`
	Vertex   string `json:"vertex"`
	// Kind is "verdict" or "finding".
	Kind string `json:"kind"`
	ID   string `json:"id"`
	report.Judged
}

// failure is the body of every error under /api/.
type failure struct {
	Error string `json:"error"`
}

type api struct{ view func() report.Input }

// newAPI answers everything under /api/, errors included, in JSON.
func newAPI(view func() report.Input) (http.Handler, error) {
	a := api{view}
	description, err := newDescription()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/clusters", a.clusters)
	mux.HandleFunc("/api/v1/jobs", a.jobs)
	mux.HandleFunc("/api/v1/jobs/{cluster}/{job_id}", a.job)
	mux.HandleFunc("/api/v1/jobs/{cluster}/{job_id}/whatif", a.whatIf)
	mux.HandleFunc("/api/v1/findings", a.findings)
	mux.HandleFunc("/api/v1/openapi.yaml", description.yaml)
	mux.HandleFunc("/api/v1/openapi.json", description.json)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "no such page; /api/v1/openapi.yaml describes those that there are")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !reads(r) {
			w.Header().Set("Allow", "GET, HEAD")
			fail(w, http.StatusMethodNotAllowed, "only GET and HEAD are answered here")
			return
		}
		mux.ServeHTTP(w, r)
	}), nil
}

func (a api) clusters(w http.ResponseWriter, _ *http.Request) {
	in := a.view()
	out := ClustersAnswer{GeneratedAt: in.GeneratedAt.UTC(), Clusters: []ClusterSummary{}}
	for _, c := range in.Clusters {
		one := report.Input{Clusters: []report.ClusterInput{c}}
		out.Clusters = append(out.Clusters, ClusterSummary{
			Cluster:  report.NewCluster(withoutJobs(c), report.Filter{}),
			Severity: report.Worst(one, report.Filter{}),
		})
	}
	answer(w, out)
}

// withoutJobs drops the jobs, so that they are not rendered in vain.
func withoutJobs(c report.ClusterInput) report.ClusterInput {
	if c.Result != nil {
		r := *c.Result
		r.Jobs = nil
		c.Result = &r
	}
	return c
}

// jobs answers with diagnose's document, without the values of subtasks. The
// query may choose by cluster (its name), job and vertex (an id or a part of the name).
func (a api) jobs(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	in := a.view()
	if name := q.Get("cluster"); name != "" {
		i := find(in, name)
		if i < 0 {
			fail(w, http.StatusNotFound, "no such cluster; /api/v1/clusters lists them")
			return
		}
		in.Clusters = in.Clusters[i : i+1]
	}
	answer(w, report.NewDocument(in, report.Filter{Job: q.Get("job"), Vertex: q.Get("vertex"), Brief: true}))
}

func (a api) job(w http.ResponseWriter, r *http.Request) {
	in := a.view()
	i := find(in, r.PathValue("cluster"))
	if i < 0 {
		fail(w, http.StatusNotFound, "no such cluster; /api/v1/clusters lists them")
		return
	}
	c := in.Clusters[i]
	id := r.PathValue("job_id")
	k := -1
	if c.Result != nil {
		k = slices.IndexFunc(c.Result.Jobs, func(j analysis.JobResult) bool { return j.ID == id })
	}
	if k < 0 {
		fail(w, http.StatusNotFound, "no such job in this cluster's last good poll; /api/v1/jobs lists them")
		return
	}
	only := *c.Result
	only.Jobs = only.Jobs[k : k+1]
	c.Result = &only
	doc := report.NewCluster(c, report.Filter{})
	answer(w, JobAnswer{
		GeneratedAt: in.GeneratedAt.UTC(), Cluster: doc.Cluster, Up: doc.Up, Reason: doc.Reason, At: doc.At, Job: doc.Jobs[0],
	})
}

// findings lists verdicts and findings of at least the severity of the query
// (info unless given), worst first.
func (a api) findings(w http.ResponseWriter, r *http.Request) {
	least := analysis.SeverityInfo
	if name := r.URL.Query().Get("severity"); name != "" {
		s, ok := ParseSeverity(name)
		if !ok || s == analysis.SeverityNone {
			fail(w, http.StatusBadRequest, "severity must be info, warning or critical")
			return
		}
		least = s
	}
	in := a.view()
	out := FindingsAnswer{GeneratedAt: in.GeneratedAt.UTC(), Findings: []FindingItem{}}
	for _, c := range report.NewDocument(in, report.Filter{Brief: true}).Clusters {
		for _, j := range c.Jobs {
			for i := range j.Vertices {
				out.Findings = append(out.Findings, items(c.Cluster, &j, &j.Vertices[i], least)...)
			}
		}
	}
	slices.SortStableFunc(out.Findings, func(a, b FindingItem) int { return int(b.Severity) - int(a.Severity) })
	answer(w, out)
}

func items(cluster string, j *report.Job, v *report.Vertex, least analysis.Severity) []FindingItem {
	var out []FindingItem
	add := func(kind, id string, judged report.Judged) {
		if judged.Severity >= least {
			out = append(out, FindingItem{
				Cluster: cluster, JobID: j.ID, JobName: j.Name, VertexID: v.ID, Vertex: v.Name, Kind: kind, ID: id, Judged: judged,
			})
		}
	}
	add("verdict", string(v.Verdict), v.Judged)
	for _, f := range v.Findings {
		add("finding", string(f.ID), f.Judged)
	}
	return out
}

// ParseSeverity reads a severity's name.
func ParseSeverity(name string) (analysis.Severity, bool) {
	for s := analysis.SeverityNone; s <= analysis.SeverityCritical; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return analysis.SeverityNone, false
}

func find(in report.Input, name string) int {
	return slices.IndexFunc(in.Clusters, func(c report.ClusterInput) bool { return c.Name == name })
}

func answer(w http.ResponseWriter, body any) { send(w, http.StatusOK, body) }

func fail(w http.ResponseWriter, status int, message string) { send(w, status, failure{message}) }

func send(w http.ResponseWriter, status int, body any) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", revalidate)
	w.WriteHeader(status)
	e := json.NewEncoder(EscapeControls(w))
	e.SetEscapeHTML(false)
	// An error here is that of a client that has gone; there is no one to tell.
	_ = e.Encode(body)
}
