package dashboards

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// The label lists that queries aggregate by.
const (
	byJob    = "cluster, job_id, job_name"
	byVertex = "cluster, job_id, job_name, vertex_id, vertex"
	// onVertex identifies a vertex when series of two families are joined.
	onVertex = "cluster, job_id, vertex_id"
)

// The scopes of the dashboards: which series the chosen variables leave.
const (
	inClusters = `cluster=~"$cluster"`
	inJob      = `cluster="$cluster",job_name="$job",job_id=~"$job_id"`
	inVertex   = inJob + `,vertex="$vertex",vertex_id=~"$vertex_id"`
	// inTrend goes by names, so that a redeployed job keeps its history.
	inTrend = `cluster=~"$cluster",job_name="$job",vertex=~"$vertex"`
)

// sel is a selector of one of our families, its prefix left out.
func sel(metric string, matchers ...string) string {
	return collector.Prefix + metric + "{" + strings.Join(matchers, ",") + "}"
}

// maxBy keeps one series a subject, however many exporters watch it.
func maxBy(labels, expr string) string { return fmt.Sprintf("max by (%s) (%s)", labels, expr) }

// stat matches the statistic over subtasks.
func stat(name string) string { return fmt.Sprintf("stat=%q", name) }

// signal matches the signal that a skew is about.
func signal(name analysis.Signal) string { return fmt.Sprintf("signal=%q", string(name)) }

// verdictCode turns the verdict, which is a label, into a number that panels
// can colour and draw over time: its place in the closed set. A vertex has
// exactly one verdict, so at most one operand has a series for it.
func verdictCode(labels, scope string) string {
	var parts []string
	for i, v := range analysis.Verdicts() {
		parts = append(parts, fmt.Sprintf("%s * %d", sel("vertex_verdict", scope, fmt.Sprintf("verdict=%q", string(v))), i))
	}
	return maxBy(labels, strings.Join(parts, " or "))
}

// jobsOf counts jobs whose worst vertex has the severity; 0 where there are
// jobs and none is that bad, absent where no job is known.
func jobsOf(severity analysis.Severity, scope string) string {
	return fmt.Sprintf("sum(%s == bool %d)", maxBy("cluster, job_id", sel("vertex_severity", scope)), severity)
}

// worst ranks vertices that are not well: by severity, and among equals those
// that their job waits for. It returns the n first series, as they were
// scraped: where two exporters watch one cluster, fewer vertices.
//
// This and what follows run over every vertex of a fleet, at each refresh.
// Filters come before aggregations, which cost far more a series.
func worst(n int, scope string) string {
	severity := sel("vertex_severity", scope) + " > 0"
	return fmt.Sprintf("topk(%d, (%s) + 0.5 * %s or %s)", n, severity, sel("vertex_bottleneck", scope), severity)
}

// tightest ranks vertices by what scaling can still do for the present load.
func tightest(n int, scope string) string {
	return fmt.Sprintf("bottomk(%d, %s)", n, sel("vertex_required_headroom_ratio", scope))
}

// counted is how many vertices fulfil a condition: 0 where the metric is known
// and none does, absent where it is not known at all.
func counted(metric, condition string) string {
	s := sel(metric, inClusters)
	return fmt.Sprintf("count(%s) or 0 * count(%s)", maxBy(onVertex, s+" "+condition), s)
}

// summed adds up a count of each vertex, once for each vertex.
func summed(metric string) string {
	s := sel(metric, inClusters)
	return fmt.Sprintf("sum(%s) or 0 * count(%s)", maxBy(onVertex, s+" > 0"), s)
}

// among keeps the vertices of expr that are in set.
func among(expr, set string) string {
	if set == "" {
		return expr
	}
	return fmt.Sprintf("%s and on (%s) %s", expr, onVertex, set)
}

// graded turns a finding's severity, which is a label, into a number to sort by.
func graded(matchers ...string) string {
	var parts []string
	for s := analysis.SeverityCritical; s > analysis.SeverityNone; s-- {
		with := append([]string{}, matchers...)
		parts = append(parts, fmt.Sprintf("%s * %d", sel("finding", append(with, fmt.Sprintf("severity=%q", s.String()))...), s))
	}
	return strings.Join(parts, " or ")
}

// padded adds a label by which subtasks sort as numbers: Prometheus orders
// series by text, and 10 would come before 2.
func padded(expr string) string {
	for digits, zeros := 1, "000"; digits <= 3; digits, zeros = digits+1, zeros[1:] {
		expr = fmt.Sprintf(`label_replace(%s, "place", "%s$1", "subtask", "(%s)")`, expr, zeros, strings.Repeat(".", digits))
	}
	return fmt.Sprintf(`label_replace(%s, "place", "$1", "subtask", "(.{4,})")`, expr)
}
