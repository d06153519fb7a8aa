package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// WhatIf is a curve with its subject and the words for it, as whatif
// --format=json prints it and the JSON API serves it.
type WhatIf struct {
	GeneratedAt time.Time `json:"generated_at"`
	// Source is where the numbers are from: live, tape, savepoint or keys.
	Source   string `json:"source"`
	Cluster  string `json:"cluster"`
	JobID    string `json:"job_id"`
	JobName  string `json:"job_name"`
	VertexID string `json:"vertex_id"`
	// Vertex is the name of the vertex or operator, or of the list of keys.
	Vertex string `json:"vertex"`
	// Verdict is that of a live vertex, empty otherwise.
	Verdict analysis.VerdictID `json:"verdict"`
	// Summary are whole sentences, the most important first.
	Summary []string `json:"summary"`
	// Missing says why there is no curve; empty when there is one.
	Missing analysis.CurveMissing `json:"missing"`
	// Curve is null when Missing says why.
	Curve *analysis.Curve `json:"curve"`
	// Sizing is that of a live vertex, null otherwise.
	Sizing *analysis.Sizing `json:"sizing"`
	// AutoscalerWhy says why the operator's autoscaler asks for something else; may be empty.
	AutoscalerWhy string `json:"autoscaler_difference"`
}

// NewWhatIf returns the what-if of a live vertex at so many times its present
// demand, which is what arrives, or more where sources are held up and it is
// known how much they hold back.
func NewWhatIf(cluster string, j *analysis.JobResult, v *analysis.VertexResult, load float64) WhatIf {
	out := WhatIf{
		Source: "live", Cluster: valid(cluster), JobID: j.ID, JobName: valid(j.Name), VertexID: v.ID, Vertex: valid(v.Name),
		Verdict: v.Verdict.ID, Sizing: &v.Sizing,
	}
	beside := []int{}
	for _, n := range []analysis.Num{v.Sizing.Required, v.Sizing.RequiredCatchUp, v.Sizing.Autoscaler, v.Limits.TaskSlots, v.Ceiling.Effective} {
		if p, ok := n.Get(); ok {
			beside = append(beside, int(p))
		}
	}
	curve, missing := analysis.WhatIf(v, load*v.Sizing.DemandRatio.Or(1), beside...)
	if out.Missing = missing; missing == "" {
		out.Curve = &curve
	}
	out.AutoscalerWhy = autoscalerWhy(v, out.Curve)
	out.Summary = out.liveWords(v)
	return out
}

// NewExactWhatIf returns the what-if of a curve that is of no live vertex.
func NewExactWhatIf(source, name string, c *analysis.Curve) WhatIf {
	out := WhatIf{Source: source, Vertex: valid(name), Curve: c}
	out.Summary = out.curveWords()
	return out
}

// JSON writes it as one object, indented. An error is that of w.
func (wi *WhatIf) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(wi); err != nil {
		return fmt.Errorf("write the what-if: %w", err)
	}
	return nil
}

// CSV writes a line for each parallelism; without a curve the heading alone.
func (wi *WhatIf) CSV(w io.Writer) error {
	rows := [][]string{{"parallelism", "low", "likely", "high", "mean", "unit", "useful", "beyond_ceiling", "present"}}
	if wi.Curve != nil {
		for _, p := range wi.Curve.Points {
			row := []string{strconv.Itoa(p.Parallelism)}
			for _, n := range []float64{p.Low, p.Likely, p.High, p.Mean} {
				row = append(row, strconv.FormatFloat(n, 'g', 6, 64))
			}
			rows = append(rows, append(row, string(wi.Curve.Unit), strconv.FormatBool(p.Useful), strconv.FormatBool(p.Beyond),
				strconv.FormatBool(p.Parallelism == wi.Curve.Parallelism)))
		}
	}
	out := csv.NewWriter(w)
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write the what-if: %w", err)
	}
	return nil
}
