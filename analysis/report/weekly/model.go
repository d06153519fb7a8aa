package weekly

import (
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Report is the whole report, and the object of its JSON. An absent number is
// null, an array is never null. Hours are of the week, 0 to its length.
type Report struct {
	Basis Basis `json:"basis"`
	// From and Until bound the week, in UTC; with a basis other than
	// Prometheus From is null.
	From  *time.Time `json:"from"`
	Until time.Time  `json:"until"`
	// Hours is the length of the week, Days that of the daily values.
	Hours    int       `json:"hours"`
	Days     int       `json:"days"`
	Totals   Totals    `json:"totals"`
	Clusters []Cluster `json:"clusters"`
	// Vertices are those that run now, worst first.
	Vertices []Vertex `json:"vertices"`
	Changes  []Change `json:"changes"`
}

// Totals are the headline.
type Totals struct {
	Clusters int `json:"clusters"`
	Jobs     int `json:"jobs"`
	Vertices int `json:"vertices"`
	// SeenHours is the mean over the clusters of the hours in which they were
	// seen; absent without history.
	SeenHours analysis.Num `json:"seen_hours"`
	// The next count jobs: those that will meet a ceiling by the trend, and
	// those that needed all of one at their peak.
	WillReach int `json:"jobs_that_will_reach_their_ceiling"`
	AtPeak    int `json:"jobs_at_their_ceiling_at_peak"`
	// DerivedCeilings counts jobs with a ceiling that looks derived and is less
	// than four times what is needed.
	DerivedCeilings int `json:"jobs_with_a_derived_ceiling"`
	// WastedSubtasks are those of all vertices.
	WastedSubtasks analysis.Num `json:"wasted_subtasks"`
}

// Cluster is what was seen of a cluster.
type Cluster struct {
	Cluster string `json:"cluster"`
	// Failed says why its history could not be read; empty when it could.
	Failed       string       `json:"failed"`
	FlinkVersion string       `json:"flink_version"`
	Slots        analysis.Num `json:"task_slots"`
	SlotsFree    analysis.Num `json:"task_slots_free"`
	Jobs         int          `json:"jobs"`
	Vertices     int          `json:"vertices"`
	// SeenHours are those in which the exporter reached it.
	SeenHours analysis.Num `json:"seen_hours"`
	Gaps      []Gap        `json:"gaps"`
	// HourlySeen is the share of each hour in which it was seen, 0–1.
	HourlySeen Series `json:"hourly_seen"`
}

// GapKind is why hours are missing. The set is closed.
type GapKind string

// The kinds.
const (
	// GapUnreachable: the exporter was there, the cluster did not answer it.
	GapUnreachable GapKind = "unreachable"
	// GapNoData: Prometheus has nothing from the exporter.
	GapNoData GapKind = "no_data"
)

// Gap is a run of hours less than half of which was seen.
type Gap struct {
	Kind GapKind   `json:"kind"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Vertex is one line of the report.
type Vertex struct {
	Cluster string `json:"cluster"`
	Job     string `json:"job_name"`
	Vertex  string `json:"vertex"`
	// Alike is how many vertices share this line, 1 as a rule.
	Alike          int          `json:"alike"`
	Parallelism    analysis.Num `json:"parallelism"`
	MaxParallelism analysis.Num `json:"max_parallelism"`
	Required       analysis.Num `json:"required_parallelism"`
	// Peak is the parallelism that the week's largest load needed, at PeakAt,
	// which is null without history. PeakAtLeast: all subtasks were busy, so
	// that more may have been needed.
	Peak        analysis.Num `json:"peak_required_parallelism"`
	PeakAt      *time.Time   `json:"peak_at"`
	PeakAtLeast bool         `json:"peak_at_least"`
	Ceiling     analysis.Num `json:"ceiling"`
	// Binding is what limits it, empty when no limit is known.
	Binding analysis.Binding `json:"binding"`
	// Headroom is ceiling / parallelism, PeakHeadroom ceiling / peak.
	Headroom     analysis.Num `json:"headroom_ratio"`
	PeakHeadroom analysis.Num `json:"peak_headroom_ratio"`
	Trend        Trend        `json:"trend"`
	Reached      Reach        `json:"reached"`
	// SeenHours are those in which it was there; SaturatedHours those in which
	// its busiest subtask was saturated; OverHours those whose peak needed more
	// than the ceiling.
	SeenHours      analysis.Num `json:"seen_hours"`
	SaturatedHours analysis.Num `json:"saturated_hours"`
	OverHours      analysis.Num `json:"hours_over_ceiling"`
	// Verdict is the most frequent one of the last hour.
	Verdict analysis.VerdictID `json:"verdict"`
	// VerdictHours are those of the verdicts that ask for something.
	VerdictHours map[analysis.VerdictID]float64 `json:"verdict_hours"`
	Wasted       analysis.Num                   `json:"wasted_subtasks"`
	// Derived: the ceiling looks derived by Flink rather than chosen.
	Derived    bool         `json:"derived_ceiling"`
	StateBytes analysis.Num `json:"state_bytes"`
	Advice     Advice       `json:"advice"`
	// Daily are the values of the days, the newest last.
	Daily Daily `json:"daily"`
}

// Daily are the days of a vertex, for charts.
type Daily struct {
	Required    Series `json:"required_parallelism"`
	Parallelism Series `json:"parallelism"`
	Ceiling     Series `json:"ceiling"`
}

// ChangeKind is what is another than a week before. The set is closed.
type ChangeKind string

// The kinds.
const (
	JobNew            ChangeKind = "job_new"
	JobGone           ChangeKind = "job_gone"
	JobRedeployed     ChangeKind = "job_redeployed"
	JobRestarted      ChangeKind = "job_restarted"
	Rescaled          ChangeKind = "rescaled"
	MaxChanged        ChangeKind = "max_parallelism_changed"
	CeilingChanged    ChangeKind = "ceiling_changed"
	PeakChanged       ChangeKind = "peak_changed"
	VerdictHoursMoved ChangeKind = "verdict_hours_changed"
)

// Change is one difference to the week before.
type Change struct {
	Cluster string     `json:"cluster"`
	Job     string     `json:"job_name"`
	Vertex  string     `json:"vertex"` // empty for the whole job
	Kind    ChangeKind `json:"kind"`
	// Subject is the verdict whose hours changed, else empty.
	Subject analysis.VerdictID `json:"subject"`
	From    analysis.Num       `json:"from"`
	To      analysis.Num       `json:"to"`
}
