package collector

import (
	"maps"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// clusterRows are the families of a cluster's last good snapshot.
func clusterRows() []row[*clusterView] {
	return []row[*clusterView]{
		{
			Family: Family{
				Name: "cluster_info", Type: Gauge, Stability: Stable, Labels: []string{"flink_version"},
				Cardinality: "1 a cluster",
				Help:        "Always 1; the label is the version that the JobManager reports.",
			},
			values: func(c *clusterView, put emit) { put(analysis.Of(1), labels{CleanLabel(c.r.FlinkVersion)}) },
		},
		{
			Family: Family{
				Name: "cluster_task_slots", Type: Gauge, Stability: Stable, Cardinality: "1 a cluster",
				Help: "Task slots of the cluster.",
			},
			values: one(func(c *clusterView) analysis.Num { return c.r.Slots.Total }),
		},
		{
			Family: Family{
				Name: "cluster_task_slots_free", Type: Gauge, Stability: Stable, Cardinality: "1 a cluster",
				Help: "Task slots that no job holds.",
			},
			values: one(func(c *clusterView) analysis.Num { return c.r.Slots.Free }),
		},
		{
			Family: Family{
				Name: "cluster_taskmanagers", Type: Gauge, Stability: Stable, Cardinality: "1 a cluster",
				Help: "Registered TaskManagers.",
			},
			values: one(func(c *clusterView) analysis.Num { return c.r.TaskManagers }),
		},
		{
			Family: Family{
				Name: "cluster_jobs", Type: Gauge, Stability: Stable, Labels: []string{"state"},
				Cardinality: "1 a job state that occurs",
				Help:        "Jobs that the JobManager lists, by Flink's job status; absent while unknown.",
			},
			values: jobStates,
		},
		{
			Family: Family{
				Name: "snapshot_gaps", Type: Gauge, Stability: Experimental, Labels: []string{"reason"},
				Cardinality: "1 a reason that occurs",
				Help:        "Things that the last good snapshot lacks, by reason: a torn read is left out rather than reported wrong.",
			},
			values: func(c *clusterView, put emit) {
				for _, reason := range slices.Sorted(maps.Keys(c.gaps)) {
					put(analysis.OfInt(c.gaps[reason]), labels{reason})
				}
			},
		},
	}
}

// jobStates adds up states that are one label value once cleaned.
func jobStates(c *clusterView, put emit) {
	counts := make(map[string]int, len(c.r.JobStates))
	for state, n := range c.r.JobStates {
		counts[CleanLabel(state)] += n
	}
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		put(analysis.OfInt(counts[state]), labels{state})
	}
}

// jobRows are the families of a job that has not ended.
func jobRows() []row[*jobView] {
	return []row[*jobView]{
		{
			Family: Family{
				Name: "job_info", Type: Gauge, Stability: Stable, Labels: []string{"state", "scheduler"},
				Cardinality: "1 a job",
				Help:        "Always 1; state is Flink's job status, scheduler is empty before Flink 2.",
			},
			values: func(j *jobView, put emit) {
				put(analysis.Of(1), labels{CleanLabel(j.r.State), CleanLabel(j.r.Scheduler)})
			},
		},
		{
			Family: Family{
				Name: "job_restarts_total", Type: Counter, Stability: Stable, Cardinality: "1 a job",
				Help: "New attempts of the job: those before the first poll, as far as attempt numbers tell, and those seen since.",
			},
			values: one(func(j *jobView) analysis.Num { return j.r.Restarts }),
		},
		{
			Family: Family{
				Name: "job_running_timestamp_seconds", Type: Gauge, Stability: Stable, Cardinality: "1 a job",
				Help: "When the job last entered RUNNING, as Unix time; a restart or a rescale moves it.",
			},
			values: one(func(j *jobView) analysis.Num { return unixSeconds(j.r.RunningSince) }),
		},
	}
}

// unixSeconds returns t as Unix time with millisecond resolution, absent for
// the zero time.
func unixSeconds(t time.Time) analysis.Num {
	if t.IsZero() {
		return analysis.Num{}
	}
	return analysis.Of(float64(t.UnixMilli()) / 1000)
}
