package promhistory

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/weekly"
)

// grid is the steps that a query is asked at.
type grid int

const (
	// now is the end of the week alone.
	now grid = iota
	// hourly and daily are the hours of the week, and the days before its end.
	hourly
	daily
)

// query is one question about a cluster, and where its answers go.
type query struct {
	grid grid
	// expr has $c for the matcher of the cluster and $by for the labels that a
	// vertex is known by.
	expr string
	// into returns where the values of a series of the answer belong.
	into func(b *book, labels model.Metric) *weekly.Series
	// points is what a number of points of a subquery is divided by, to be a
	// share; 0 leaves the values as they are.
	points float64
}

// expression fills in the cluster.
func (q query) expression(cluster string) string {
	return strings.NewReplacer("$c", "cluster="+strconv.Quote(cluster), "$by", "cluster, job_name, vertex").Replace(q.expr)
}

// clustersQuery finds the clusters of the last days.
func clustersQuery(days int) string {
	return fmt.Sprintf(`count by (cluster) (count_over_time(flink_skew_up[%dd]))`, days)
}

// sizeQuery counts the vertices of a cluster, which bounds the size of answers.
func sizeQuery(days int) query {
	return query{expr: fmt.Sprintf(`count(count by ($by) (count_over_time(flink_skew_vertex_parallelism{$c}[%dd])))`, days)}
}

const (
	// hourPoints and dayPoints are how many points the subqueries of an hour
	// and a day have.
	hourPoints = 12
	dayPoints  = 96
)

// queries are all that is asked about a cluster. saturated is the busy share
// from which on a subtask is saturated, hours the length of the week.
func queries(saturated float64, hours int) []query {
	all := clusterQueries()
	all = append(all, nowQueries(hours)...)
	all = append(all, hourlyQueries(saturated)...)
	return append(all, dailyQueries()...)
}

func clusterQueries() []query {
	return []query{
		{hourly, `count_over_time(max by (cluster) (flink_skew_up{$c})[1h:5m])`, func(b *book, _ model.Metric) *weekly.Series { return &b.cluster.Scraped }, hourPoints},
		{hourly, `sum_over_time(max by (cluster) (flink_skew_up{$c})[1h:5m])`, func(b *book, _ model.Metric) *weekly.Series { return &b.cluster.Up }, hourPoints},
		{now, `max by (cluster, flink_version) (last_over_time(flink_skew_cluster_info{$c}[1h]))`, (*book).version, 0},
		{now, `max by (cluster) (last_over_time(flink_skew_cluster_task_slots{$c}[1h]))`, func(b *book, _ model.Metric) *weekly.Series { return &b.slots }, 0},
		{now, `max by (cluster) (last_over_time(flink_skew_cluster_task_slots_free{$c}[1h]))`, func(b *book, _ model.Metric) *weekly.Series { return &b.slotsFree }, 0},
		{hourly, `max by (cluster, job_name, job_id) (last_over_time(flink_skew_job_running_timestamp_seconds{$c}[1h]))`, (*book).run, 0},
	}
}

// of makes the place of a vertex's values.
func of(place func(*vertexBook) *weekly.Series) func(*book, model.Metric) *weekly.Series {
	return func(b *book, labels model.Metric) *weekly.Series { return place(b.vertex(labels)) }
}

func nowQueries(hours int) []query {
	return []query{
		{now, `max by ($by) (last_over_time(flink_skew_vertex_wasted_subtasks{$c}[1h]))`, of(func(v *vertexBook) *weekly.Series { return &v.wasted }), 0},
		{now, `max by ($by) (last_over_time(flink_skew_vertex_state_bytes{$c, stat="sum"}[1d]))`, of(func(v *vertexBook) *weekly.Series { return &v.state }), 0},
		{now, fmt.Sprintf(`max by ($by) (max_over_time(flink_skew_vertex_busy_ratio{$c, stat="mean"}[%dh]))`, hours), of(func(v *vertexBook) *weekly.Series { return &v.busyPeak }), 0},
		// A job that is being redeployed has two ids within the hour, but not at one time.
		{now, `count by ($by) (max by (cluster, job_id, job_name, vertex_id, vertex) (flink_skew_vertex_parallelism{$c}))`, of(func(v *vertexBook) *weekly.Series { return &v.alike }), 0},
		{now, `max by ($by) (last_over_time(flink_skew_vertex_key_groups_per_subtask{$c, stat="max"}[1h]))`, of(func(v *vertexBook) *weekly.Series { return &v.keyed }), 0},
	}
}

func hourlyQueries(saturated float64) []query {
	return []query{
		{hourly, `count_over_time(max by ($by) (flink_skew_vertex_parallelism{$c})[1h:5m])`, of(func(v *vertexBook) *weekly.Series { return &v.Hourly.Seen }), hourPoints},
		{hourly, fmt.Sprintf(`sum_over_time((max by ($by) (flink_skew_vertex_busy_ratio{$c, stat="max"}) >= bool %g)[1h:5m])`, saturated), of(func(v *vertexBook) *weekly.Series { return &v.Hourly.Saturated }), hourPoints},
		{hourly, `max by ($by) (max_over_time(flink_skew_vertex_required_parallelism{$c}[1h]))`, of(func(v *vertexBook) *weekly.Series { return &v.Hourly.Required }), 0},
		{hourly, `max by ($by) (last_over_time(flink_skew_vertex_parallelism{$c}[1h]))`, of(func(v *vertexBook) *weekly.Series { return &v.Hourly.Parallelism }), 0},
		{hourly, `max by ($by) (last_over_time(flink_skew_vertex_max_parallelism{$c}[1h]))`, of(func(v *vertexBook) *weekly.Series { return &v.Hourly.MaxParallelism }), 0},
		{hourly, `min by ($by, binding) (last_over_time(flink_skew_vertex_ceiling{$c}[1h]))`, (*book).ceiling, 0},
		{hourly, `sum by ($by, verdict) (count_over_time(flink_skew_vertex_verdict{$c}[1h]))`, verdicts(func(v *vertexBook) map[analysis.VerdictID]*weekly.Series { return v.hourVerdicts }), 0},
	}
}

func dailyQueries() []query {
	return []query{
		{daily, `count_over_time(max by ($by) (flink_skew_vertex_parallelism{$c})[1d:15m])`, of(func(v *vertexBook) *weekly.Series { return &v.Daily.Seen }), dayPoints},
		{daily, `max by ($by) (max_over_time(flink_skew_vertex_required_parallelism{$c}[1d]))`, of(func(v *vertexBook) *weekly.Series { return &v.Daily.Required }), 0},
		{daily, `max by ($by) (last_over_time(flink_skew_vertex_parallelism{$c}[1d]))`, of(func(v *vertexBook) *weekly.Series { return &v.Daily.Parallelism }), 0},
		{daily, `max by ($by) (last_over_time(flink_skew_vertex_max_parallelism{$c}[1d]))`, of(func(v *vertexBook) *weekly.Series { return &v.Daily.MaxParallelism }), 0},
		{daily, `min by ($by) (last_over_time(flink_skew_vertex_ceiling{$c}[1d]))`, of(func(v *vertexBook) *weekly.Series { return &v.Daily.Ceiling }), 0},
		{daily, `sum by ($by, verdict) (count_over_time(flink_skew_vertex_verdict{$c}[1d]))`, verdicts(func(v *vertexBook) map[analysis.VerdictID]*weekly.Series { return v.dayVerdicts }), 0},
	}
}
