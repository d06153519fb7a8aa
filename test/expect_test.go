package test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// expectation returns what is expected of a vertex, and false for one that a
// scenario does not name.
func expectation(s jobs.Scenario, vertex string) (jobs.Expectation, bool) {
	for part, e := range s.Expect {
		if strings.Contains(vertex, part) {
			return e, true
		}
	}
	return jobs.Expectation{}, false
}

// checkDiagnosis returns everything in which a diagnosis of a scenario's job is wrong.
func checkDiagnosis(d product.Diagnosis, s jobs.Scenario) error {
	if len(d.Clusters) != 1 {
		return fmt.Errorf("%d clusters, want 1", len(d.Clusters))
	}
	if c := d.Clusters[0]; !c.Up {
		return fmt.Errorf("cluster %q is not up: %s", c.Cluster, c.Reason)
	}
	i := slices.IndexFunc(d.Clusters[0].Jobs, func(j product.Job) bool { return j.JobName == s.Name })
	if i < 0 {
		return fmt.Errorf("job %q is missing", s.Name)
	}
	var wrong []error
	seen := 0
	for _, v := range d.Clusters[0].Jobs[i].Vertices {
		e, named := expectation(s, v.Vertex)
		if named {
			seen++
		}
		if err := checkVertex(v, e, named); err != nil {
			wrong = append(wrong, fmt.Errorf("%s / %s: %w (evidence %s, advice %s)", s.Name, v.Vertex, err, v.Evidence, v.Advice))
		}
	}
	if seen != len(s.Expect) {
		wrong = append(wrong, fmt.Errorf("%s: %d of the %d vertices that matter are there", s.Name, seen, len(s.Expect)))
	}
	return errors.Join(wrong...)
}

// checkVertex returns what is wrong of one vertex; one that no scenario names
// need only be quiet.
func checkVertex(v product.Vertex, e jobs.Expectation, named bool) error {
	var wrong []error
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	warns := v.Severity == "warning" || v.Severity == "critical"
	if warns != e.Warns && !e.MayWarn {
		say("severity %q of verdict %q, want a warning: %t", v.Severity, v.Verdict, e.Warns)
	}
	if !named {
		return errors.Join(wrong...)
	}
	if !slices.Contains(e.Verdicts, v.Verdict) {
		say("verdict %q (confidence %q), want one of %q", v.Verdict, v.Confidence, e.Verdicts)
	}
	if e.Subtasks != nil && !slices.Equal(v.Subtasks, e.Subtasks) {
		say("it is about subtasks %v, want %v", v.Subtasks, e.Subtasks)
	}
	if e.ScalingHelps != "" && v.ScalingHelps != e.ScalingHelps {
		say("scaling helps: %q, want %q", v.ScalingHelps, e.ScalingHelps)
	}
	wrong = append(wrong, checkFindings(v, e), checkWords(v, e))
	if e.MinRecordsSkew > 0 {
		switch ratio := v.Skew["records_in"].Ratio; {
		case ratio == nil:
			say("skew of records in is absent")
		case *ratio < e.MinRecordsSkew:
			say("skew of records in %g, want at least %g", *ratio, e.MinRecordsSkew)
		}
	}
	return errors.Join(wrong...)
}

// checkFindings returns what is wrong of the findings beside a verdict.
func checkFindings(v product.Vertex, e jobs.Expectation) error {
	stands := map[string]product.Finding{}
	for _, f := range v.Findings {
		stands[f.ID] = f
	}
	var wrong []error
	for _, id := range e.Findings {
		if _, ok := stands[id]; !ok {
			wrong = append(wrong, fmt.Errorf("finding %q is missing in %v", id, v.Findings))
		}
	}
	for _, id := range e.NotFindings {
		if f, ok := stands[id]; ok {
			wrong = append(wrong, fmt.Errorf("finding %q stands: %v", id, f))
		}
	}
	for id, want := range e.FindingSubtasks {
		if got := stands[id].Subtasks; !slices.Equal(got, want) {
			wrong = append(wrong, fmt.Errorf("finding %q is about subtasks %v, want %v", id, got, want))
		}
	}
	return errors.Join(wrong...)
}

// checkWords returns which words are missing in a vertex's summary and advice,
// and which are there that must not be.
func checkWords(v product.Vertex, e jobs.Expectation) error {
	words := v.Summary + "\n" + string(v.Advice)
	var wrong []error
	for _, say := range e.Says {
		if !strings.Contains(words, say) {
			wrong = append(wrong, fmt.Errorf("it does not say %q: %s", say, words))
		}
	}
	for _, say := range e.SaysNot {
		if strings.Contains(words, say) {
			wrong = append(wrong, fmt.Errorf("it says %q: %s", say, words))
		}
	}
	return errors.Join(wrong...)
}

// Numbers of flink_skew_vertex_severity.
const severityWarning = 2

// checkMetrics returns everything in which a scrape's series of a scenario's job are wrong.
func checkMetrics(m product.Scrape, s jobs.Scenario) error {
	verdicts := m.Samples("flink_skew_vertex_verdict", product.Labels{"job_name": s.Name})
	var wrong []error
	seen := 0
	for _, verdict := range verdicts {
		e, named := expectation(s, verdict.Labels["vertex"])
		if named {
			seen++
		}
		if err := checkSeries(m, verdict.Labels, e, named); err != nil {
			wrong = append(wrong, fmt.Errorf("%s / %s: %w", s.Name, verdict.Labels["vertex"], err))
		}
	}
	// Each vertex has one verdict series, so that one of two would be counted twice.
	if seen != len(s.Expect) {
		wrong = append(wrong, fmt.Errorf("%s: %d verdict series of vertices that matter, want %d", s.Name, seen, len(s.Expect)))
	}
	return errors.Join(append(wrong, checkLayout(m, s))...)
}

// checkSeries holds one vertex's verdict, severity and skew series against the expectation.
func checkSeries(m product.Scrape, verdict product.Labels, e jobs.Expectation, named bool) error {
	vertex := product.Labels{"job_id": verdict["job_id"], "vertex_id": verdict["vertex_id"]}
	severity, err := m.Value("flink_skew_vertex_severity", vertex)
	if err != nil {
		return err
	}
	var wrong []error
	if warns := severity >= severityWarning; warns != e.Warns && !e.MayWarn {
		wrong = append(wrong, fmt.Errorf("severity %g of verdict %q, want a warning: %t", severity, verdict["verdict"], e.Warns))
	}
	if named && !slices.Contains(e.Verdicts, verdict["verdict"]) {
		wrong = append(wrong, fmt.Errorf("verdict %q, want one of %q", verdict["verdict"], e.Verdicts))
	}
	if e.MinRecordsSkew > 0 {
		skew, err := m.Value("flink_skew_vertex_skew_ratio", with(vertex, "signal", "records_in"))
		if err == nil && skew < e.MinRecordsSkew {
			err = fmt.Errorf("skew of records in %g, want at least %g", skew, e.MinRecordsSkew)
		}
		wrong = append(wrong, err)
	}
	if len(e.Subtasks) == 1 {
		wrong = append(wrong, wantValue(m, "flink_skew_vertex_hot_subtask", vertex, float64(e.Subtasks[0])))
	}
	return errors.Join(wrong...)
}

// checkLayout holds the series of the keyed vertex that follow from its
// parallelism alone, and makes sure that no other vertex has any.
func checkLayout(m product.Scrape, s jobs.Scenario) error {
	const groups = "flink_skew_vertex_key_groups_per_subtask"
	job := product.Labels{"job_name": s.Name}
	keyed := m.Samples(groups, with(job, "stat", "max"))
	if s.Keyed == "" {
		if len(keyed) > 0 {
			return fmt.Errorf("%s: key groups of %v, want of none", s.Name, keyed)
		}
		return nil
	}
	if len(keyed) != 1 || !strings.Contains(keyed[0].Labels["vertex"], s.Keyed) {
		return fmt.Errorf("%s: key groups of %v, want of the keyed vertex alone", s.Name, keyed)
	}
	vertex := product.Labels{"job_id": keyed[0].Labels["job_id"], "vertex_id": keyed[0].Labels["vertex_id"]}
	p, ceiling := float64(s.Parallelism), float64(s.MaxParallelism)
	return errors.Join(
		wantValue(m, "flink_skew_vertex_parallelism", vertex, p),
		wantValue(m, "flink_skew_vertex_max_parallelism", vertex, ceiling),
		wantValue(m, groups, with(vertex, "stat", "max"), math.Ceil(ceiling/p)),
		wantValue(m, groups, with(vertex, "stat", "mean"), ceiling/p),
		wantValue(m, groups, with(vertex, "stat", "min"), math.Floor(ceiling/p)),
		wantValue(m, "flink_skew_vertex_layout_skew_ratio", vertex, math.Ceil(ceiling/p)*p/ceiling),
		wantValue(m, "flink_skew_vertex_subtask_coverage_ratio", vertex, 1),
	)
}

// wantValue returns an error unless the one series that carries the labels has the value.
func wantValue(m product.Scrape, family string, labels product.Labels, want float64) error {
	got, err := m.Value(family, labels)
	if err == nil && math.Abs(got-want) > 1e-9 {
		err = fmt.Errorf("%s%v is %g, want %g", family, labels, got, want)
	}
	return err
}

// with returns the labels and one more.
func with(l product.Labels, name, value string) product.Labels {
	more := product.Labels{name: value}
	for n, v := range l {
		more[n] = v
	}
	return more
}
