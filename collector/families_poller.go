package collector

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// pollerSpec is the row of one series a cluster.
func pollerSpec(f Family, value func(*pollerView) analysis.Num) row[*pollerView] {
	f.Cardinality = "1 a cluster"
	return row[*pollerView]{Family: f, values: one(value)}
}

// pollerRows are there for every configured cluster, reached or not.
func pollerRows() []row[*pollerView] { return slices.Concat(healthRows(), costRows()) }

// healthRows say whether and when polls succeed.
func healthRows() []row[*pollerView] {
	type view = *pollerView
	return []row[*pollerView]{
		pollerSpec(Family{
			Name: "up", Type: Gauge, Stability: Stable,
			Help: "1 if the last poll of the cluster succeeded, else 0; there even if the cluster was never reached.",
		}, func(p view) analysis.Num { return flag(p.pub.Up) }),
		{
			Family: Family{
				Name: "down_info", Type: Gauge, Stability: Experimental, Labels: []string{"reason"},
				Cardinality: "1 a cluster that is down",
				Help:        "1 while flink_skew_up is 0; the label is why, pending before the first poll has ended.",
			},
			values: func(p view, put emit) {
				if !p.pub.Up {
					put(analysis.Of(1), labels{p.pub.Reason})
				}
			},
		},
		{
			Family: Family{
				Name: "poll_failures_total", Type: Counter, Stability: Stable, Labels: []string{"reason"},
				Cardinality: "1 a cluster and reason that has occurred",
				Help:        "Failed polls by reason; only reasons that have occurred.",
			},
			values: func(p view, put emit) { putCounts(p.pub.Failures, put) },
		},
		pollerSpec(Family{
			Name: "exporter_polls_total", Type: Counter, Stability: Experimental,
			Help: "Ended polls, good and bad.",
		}, func(p view) analysis.Num { return analysis.Of(float64(p.pub.Polls)) }),
		pollerSpec(Family{
			Name: "exporter_polls_skipped_total", Type: Counter, Stability: Experimental,
			Help: "Polls not begun because the one before was still running; the next is delayed, never stacked.",
		}, func(p view) analysis.Num { return analysis.Of(float64(p.pub.Skipped)) }),
		pollerSpec(Family{
			Name: "exporter_poll_duration_seconds", Type: Gauge, Stability: Stable,
			Help: "Duration of the last ended poll, analysis included.",
		}, func(p view) analysis.Num {
			if p.pub.Polls == 0 {
				return analysis.Num{}
			}
			return analysis.Of(p.pub.Duration.Seconds())
		}),
		pollerSpec(Family{
			Name: "exporter_snapshot_timestamp_seconds", Type: Gauge, Stability: Stable,
			Help: "When the last good poll began, as Unix time; all data of the cluster is of then.",
		}, func(p view) analysis.Num {
			if p.pub.Result == nil {
				return analysis.Num{}
			}
			return unixSeconds(p.pub.Result.At)
		}),
		{
			Family: Family{
				Name: "exporter_gaps_total", Type: Counter, Stability: Experimental, Labels: []string{"reason"},
				Cardinality: "1 a cluster and reason that has occurred",
				Help:        "Things that good polls lacked, by reason; vanished are jobs that ended between two requests of one poll.",
			},
			values: func(p view, put emit) { putCounts(p.pub.Gaps, put) },
		},
	}
}

// costRows say what the exporter costs the JobManager and Prometheus.
func costRows() []row[*pollerView] {
	type view = *pollerView
	return []row[*pollerView]{
		{
			Family: Family{
				Name: "exporter_requests_total", Type: Counter, Stability: Stable, Labels: []string{"endpoint", "code"},
				Cardinality: "1 a cluster, endpoint and status code that has occurred",
				Help:        "Requests sent to the JobManager; code is the HTTP status, none without an answer.",
			},
			values: putRequests,
		},
		pollerSpec(Family{
			Name: "exporter_response_bytes_total", Type: Counter, Stability: Stable,
			Help: "Bytes of answers read from the JobManager.",
		}, responseBytes),
		pollerSpec(Family{
			Name: "exporter_series", Type: Gauge, Stability: Stable,
			Help: "Series shown of the cluster's jobs, vertices, subtasks and slots; 0 when the data is too old to be shown.",
		}, func(p view) analysis.Num { return analysis.OfInt(p.series) }),
		{
			Family: Family{
				Name: "exporter_series_dropped_total", Type: Counter, Stability: Stable, Labels: []string{"reason"},
				Cardinality: "2 a cluster",
				Help:        "Dropped per good poll: subtask series beyond the budget, and things listed again under an id already taken.",
			},
			values: func(p view, put emit) { putCounts(p.dropped, put) },
		},
	}
}

// responseBytes is absent when nobody counts.
func responseBytes(p *pollerView) analysis.Num {
	if p.observer == nil {
		return analysis.Num{}
	}
	return analysis.Of(float64(p.observer.bytes.Load()))
}
