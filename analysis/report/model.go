package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Input is all that a report is made of.
type Input struct {
	// GeneratedAt is when the report is made, by the caller's clock.
	GeneratedAt time.Time
	Clusters    []ClusterInput
}

// ClusterInput is what is known of one cluster.
type ClusterInput struct {
	// Name is the configured name, without credentials.
	Name string
	// Up is whether the last poll succeeded; Reason, from the closed set of the
	// source, says why not.
	Up     bool
	Reason string
	// Polls is how many polls the result rests on, Span the time between the
	// first and the last of them.
	Polls int
	Span  time.Duration
	// Result is that of the last good poll, nil when there has been none.
	Result *analysis.Result
	// Note is what the caller knows beside it, such as that three jobs run and
	// none is watched; a part of a sentence without a full stop. Text and
	// Markdown show it, in place of "no job runs" where there is nothing else.
	Note string
}

// Filter chooses jobs and vertices. Each of Job and Vertex is an id or a part
// of a name, whatever the case; empty chooses all.
type Filter struct {
	Job    string
	Vertex string
	// Brief leaves the subtasks' values out of the document.
	Brief bool
}

func matches(pattern, id, name string) bool {
	return pattern == "" || pattern == id || strings.Contains(strings.ToLower(name), strings.ToLower(pattern))
}

// jobs returns the chosen jobs, by name and then id, since the JobManager lists
// them in no order that lasts.
func (f Filter) jobs(r *analysis.Result) []*analysis.JobResult {
	var out []*analysis.JobResult
	if r == nil {
		return nil
	}
	for i := range r.Jobs {
		if j := &r.Jobs[i]; matches(f.Job, j.ID, j.Name) {
			out = append(out, j)
		}
	}
	slices.SortStableFunc(out, func(a, b *analysis.JobResult) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// vertices returns the chosen vertices of a job in Flink's topological order.
func (f Filter) vertices(j *analysis.JobResult) []*analysis.VertexResult {
	var out []*analysis.VertexResult
	for i := range j.Vertices {
		if v := &j.Vertices[i]; matches(f.Vertex, v.ID, v.Name) {
			out = append(out, v)
		}
	}
	return out
}

// Worst returns the highest severity of the chosen vertices, for exit codes.
func Worst(in Input, f Filter) analysis.Severity {
	worst := analysis.SeverityNone
	for _, c := range in.Clusters {
		for _, j := range f.jobs(c.Result) {
			for _, v := range f.vertices(j) {
				worst = max(worst, v.Severity())
			}
		}
	}
	return worst
}

// JSON writes the document of the chosen jobs and vertices, indented, with a
// newline at its end. An error is that of w.
func JSON(w io.Writer, in Input, f Filter) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(NewDocument(in, f)); err != nil {
		return fmt.Errorf("write the JSON report: %w", err)
	}
	return nil
}
