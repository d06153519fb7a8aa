package report

import (
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// of and none make the numbers of fixtures short.
func of(v float64) analysis.Num { return analysis.Of(v) }

var none = analysis.Num{}

// subtask is one subtask's values in a fixture: busy, records a second, and
// what they imply.
type subtask struct {
	busy, records float64
	partitions    analysis.Num
	tm            string
}

// at is the time of all fixtures.
func at() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

// keyed returns a vertex behind a HASH exchange with the given subtasks.
func keyed(m int, ss ...subtask) *analysis.VertexResult {
	v := vertexOf("v2", "enrich & count: by(customer), v2.1", ss...)
	v.Keyed, v.MaxParallelism = true, analysis.OfInt(m)
	v.Inputs = []analysis.Input{{From: "v1", Ship: analysis.ShipHash}}
	p := len(ss)
	v.Layout = &analysis.Layout{Max: keygroup.Busiest(p, m), Min: m / p, Mean: float64(m) / float64(p), Median: float64(m / p), Ratio: keygroup.LayoutRatio(p, m)}
	for i := range v.Subtasks {
		v.Subtasks[i].KeyGroups = int32(keygroup.Count(i, p, m))
	}
	v.Ceiling = analysis.Ceiling{Effective: analysis.OfInt(m), Binding: analysis.BindMaxParallelism, Headroom: of(float64(m) / float64(p)), Wasted: analysis.OfInt(p - keygroup.Needed(p, m))}
	if next, ok := keygroup.NextUseful(p, m); ok {
		v.Ceiling.NextUseful = analysis.OfInt(next)
	}
	return v
}

// vertexOf returns a vertex fed by a rebalance.
func vertexOf(id, vertexName string, ss ...subtask) *analysis.VertexResult {
	v := &analysis.VertexResult{
		ID: id, Name: vertexName, Parallelism: len(ss), MaxParallelism: of(128), Coverage: of(1), Windows: 3, WindowSeconds: of(11),
		Inputs: []analysis.Input{{From: "v1", Ship: analysis.ShipRebalance}},
	}
	var busy, records, cost []float64
	for i, s := range ss {
		r := analysis.SubtaskResult{Index: int32(i), TaskManager: s.tm, Busy: of(s.busy), Idle: of(1 - s.busy), RecordsIn: of(s.records), RecordsOut: of(s.records), Partitions: s.partitions}
		if s.records > 0 {
			r.CostPerRecord = of(s.busy / s.records)
			cost = append(cost, s.busy/s.records)
		}
		v.Subtasks = append(v.Subtasks, r)
		busy, records = append(busy, s.busy), append(records, s.records)
	}
	v.Signals.Busy, v.Signals.RecordsIn, v.Signals.RecordsOut, v.Signals.CostPerRecord = dist(busy), dist(records), dist(records), dist(cost)
	v.Signals.BackPressured = dist(make([]float64, len(ss)))
	v.RecordsInPerSecond, v.RecordsOutPerSecond = v.Signals.RecordsIn.Sum, v.Signals.RecordsOut.Sum
	return v
}

// source returns a source of n partitions.
func source(n int, ss ...subtask) *analysis.VertexResult {
	v := vertexOf("v1", "Source: orders topic -> decode", ss...)
	v.Inputs, v.Partitions = nil, analysis.OfInt(n)
	v.Signals.RecordsIn = analysis.Distribution{ArgMax: -1}
	for i := range v.Subtasks {
		v.Subtasks[i].RecordsIn, v.Subtasks[i].CostPerRecord = none, none
	}
	v.Signals.CostPerRecord = analysis.Distribution{ArgMax: -1}
	v.Ceiling = analysis.Ceiling{Effective: analysis.OfInt(n), Binding: analysis.BindSourcePartitions}
	return v
}

// dist computes a distribution the plain way.
func dist(vs []float64) analysis.Distribution {
	d := analysis.Distribution{Count: len(vs), ArgMax: -1}
	if len(vs) == 0 {
		return d
	}
	sum := 0.0
	for i, v := range vs {
		sum += v
		if d.ArgMax < 0 || v > vs[d.ArgMax] {
			d.ArgMax = i
		}
	}
	sorted := slices.Sorted(slices.Values(vs))
	mean := sum / float64(len(vs))
	d.Max, d.Mean, d.Median, d.Min, d.Sum = of(slices.Max(vs)), of(mean), of(sorted[len(sorted)/2]), of(sorted[0]), of(sum)
	if mean > 0 {
		d.Skew = of(slices.Max(vs) / mean)
	}
	return d
}

// judge sets the verdict.
func judge(v *analysis.VertexResult, id analysis.VerdictID, s analysis.Severity, h analysis.ScalingHelps, subtasks []int, ms ...analysis.Measure) *analysis.VertexResult {
	v.Verdict = analysis.Verdict{ID: id, Judgement: analysis.Judgement{Severity: s, Confidence: analysis.ConfidenceHigh, ScalingHelps: h, Subtasks: subtasks, Evidence: ms}}
	return v
}

// find adds a finding.
func find(v *analysis.VertexResult, id analysis.FindingID, s analysis.Severity, ms ...analysis.Measure) *analysis.VertexResult {
	v.Findings = append(v.Findings, analysis.Finding{ID: id, Judgement: analysis.Judgement{Severity: s, Confidence: analysis.ConfidenceHigh, ScalingHelps: analysis.ScalingNA, Evidence: ms}})
	return v
}

func ratio(n string, v, threshold float64) analysis.Measure {
	return analysis.Measure{Name: n, Value: of(v), Unit: analysis.UnitRatio, Threshold: of(threshold)}
}

// victim is the back-pressured source in front of v2.
func victim() *analysis.VertexResult {
	v := vertexOf("v1", "Source: orders source -> parse", subtask{busy: 0.01, records: 1900}, subtask{busy: 0.01, records: 1900})
	v.Inputs = nil
	v.Signals.BackPressured = dist([]float64{0.99, 0.99})
	for i := range v.Subtasks {
		v.Subtasks[i].BackPressured = of(0.99)
	}
	judge(v, analysis.Backpressured, analysis.SeverityInfo, analysis.ScalingNA, nil, ratio("backpressured_mean", 0.99, 0.5))
	v.Verdict.Advice.Cause = "v2"
	return v
}

// sink is balanced.
func sink() *analysis.VertexResult {
	return judge(vertexOf("v3", "format -> warehouse sink", subtask{busy: 0.31, records: 950}, subtask{busy: 0.3, records: 950}), analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil)
}

// cluster wraps one job's vertices.
func cluster(vs ...*analysis.VertexResult) ClusterInput {
	j := analysis.JobResult{ID: "6c1f0a8e", Name: "orders-enrichment", State: "RUNNING", Restarts: of(0)}
	for _, v := range vs {
		j.Vertices = append(j.Vertices, *v)
	}
	return ClusterInput{
		Name: "jobmanager:8081", Up: true, Polls: 4, Span: 33 * time.Second,
		Result: &analysis.Result{At: at(), Cluster: "jobmanager:8081", FlinkVersion: "2.3.0", Slots: analysis.Slots{Total: of(108), Free: of(8)}, Jobs: []analysis.JobResult{j}},
	}
}
