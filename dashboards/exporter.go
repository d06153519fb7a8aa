package dashboards

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// exporter is about the exporter itself: whether it sees, and what it costs.
func exporter() board {
	return board{
		uid: ExporterUID, title: "Flink skew / Exporter", from: "now-3h",
		about:     "Health of the exporter itself: whether it reaches the JobManagers, how old its data is, what it costs them and Prometheus.",
		variables: []dashboard.VariableModel{datasourceVariable(), all(clusterVariable())},
		annotations: []dashboard.AnnotationQuery{mark(annotation{
			name: "Exporter restarts", colour: blue, step: "1m",
			expr:  maxBy("instance", "resets("+sel("exporter_polls_total", inClusters)+"[5m])") + " > 0",
			title: "{{instance}} restarted", text: "Its counters began at 0.",
		})},
		rows: []row{
			{"", append([]panel{words(3, exporterText)}, exporterNumbers()...)},
			{"Does it see?", exporterSight()},
			{"What it costs the JobManagers", exporterCost()},
			{"What it costs Prometheus, and itself", exporterSeries()},
		},
	}
}

const exporterText = `The exporter polls each JobManager on its own schedule and answers scrapes from memory: **a scrape costs the JobManager nothing**. When polls fail, *reached* falls to 0 at once with a reason, and the data goes after three intervals. **Data age** that climbs in saw-teeth is normal; one that only climbs is an outage. **Skipped polls** mean that a poll takes longer than the interval: raise the interval, or exclude jobs.`

func exporterNumbers() []panel {
	sum := func(title, about, expr string) panel { return number(title, about, 4, now(expr, "")) }
	return []panel{
		sum("Clusters not reached", "Clusters whose last poll failed.", "sum("+maxBy("cluster", sel("up", inClusters))+" == bool 0)").
			at(goodAtZero(red)).read(runbook("FlinkClusterUnreachable")),
		sum("Oldest data", "Age of the oldest snapshot. It is withdrawn after three poll intervals.",
			"max(time() - "+sel("exporter_snapshot_timestamp_seconds", inClusters)+")").in(unitSeconds).digits(0).at(ageSteps()).
			read(runbook("FlinkDataStale")),
		sum("Slowest poll", "Duration of the last poll of the slowest cluster.", "max("+sel("exporter_poll_duration_seconds", inClusters)+")").
			in(unitSeconds).digits(2),
		sum("Series shown", "Series of jobs, vertices, subtasks and slots.", "sum("+maxBy("cluster", sel("exporter_series", inClusters))+")").in(unitCount),
		sum("Series dropped in range", "Subtask series beyond the budget, and things listed twice, summed over polls.",
			"sum("+maxBy("cluster, reason", "increase("+sel("exporter_series_dropped_total", inClusters)+"[$__range])")+")").
			in(unitCount).digits(0).at(goodAtZero(orange)).read(runbook("FlinkSeriesDropped")),
		number("Subtask mode", "How much of single subtasks is shown after the series budget.", 4,
			now(maxBy("mode", sel("exporter_subtask_mode")), "{{mode}}")).withName(),
	}
}

func exporterSight() []panel {
	const by = "cluster"
	return []panel{
		states("Reached", "Whether the last poll of each cluster succeeded.", 12, 7, upCodes(),
			over(maxBy(by, sel("up", inClusters)), "{{cluster}}")).read(runbook("FlinkClusterUnreachable")),
		table("Why not", "Clusters that are not reached, and the reason. Empty is good.", 12, 7, "Cluster", false,
			column{title: "Cluster", label: "cluster", width: 200},
			column{title: "Reason", label: "reason", expr: maxBy("cluster, reason", sel("down_info", inClusters)), shape: asColour},
		).none("every cluster is reached").read(runbook("FlinkClusterUnreachable")),
		lines("Data age", "Since the last good poll began.", 8, unitSeconds,
			over("time() - "+maxBy(by, sel("exporter_snapshot_timestamp_seconds", inClusters)), "{{cluster}}")).read(runbook("FlinkDataStale")),
		lines("Failed polls", "By reason; only reasons that have occurred.", 8, unitPerSec,
			over(maxBy("cluster, reason", "rate("+sel("poll_failures_total", inClusters)+"[$__rate_interval])"), legendOf("cluster", "reason"))).
			read(runbook("FlinkPollsFailing")),
		lines("Skipped polls", "Polls not begun because the one before was still running.", 8, unitPerSec,
			over(maxBy(by, "rate("+sel("exporter_polls_skipped_total", inClusters)+"[$__rate_interval])"), "{{cluster}}")).
			read(runbook("FlinkPollsFailing")),
	}
}

func exporterCost() []panel {
	requests := func(by string) string {
		return "sum by (" + by + ") (" + maxBy("cluster, endpoint, code", "rate("+sel("exporter_requests_total", inClusters)+"[$__rate_interval])") + ")"
	}
	return []panel{
		lines("Requests, by cluster", "Requests a second to each JobManager.", 8, unitRequest, over(requests("cluster"), "{{cluster}}")),
		lines("Requests, by endpoint", "What is asked for.", 8, unitRequest, over(requests("endpoint"), "{{endpoint}}")).stacked(),
		lines("Requests, by status code", "Anything but 200 needs a look; none means no answer at all.", 8, unitRequest, over(requests("code"), "{{code}}")).
			named("200", fixed(green)).named("none", fixed(red)),
		lines("Poll duration", "Of the last poll, analysis included. It must stay below the poll interval.", 8, unitSeconds,
			over(maxBy("cluster", sel("exporter_poll_duration_seconds", inClusters)), "{{cluster}}")),
		lines("Bytes read", "Bytes a second read from each JobManager.", 8, unitBytesPS,
			over(maxBy("cluster", "rate("+sel("exporter_response_bytes_total", inClusters)+"[$__rate_interval])"), "{{cluster}}")),
		lines("Gaps", "Things that good polls lacked, a second, by reason: torn reads are left out rather than reported wrong.", 8, unitPerSec,
			over("sum by (reason) ("+maxBy("cluster, reason", "rate("+sel("exporter_gaps_total", inClusters)+"[$__rate_interval])")+")", "{{reason}}")),
	}
}

func exporterSeries() []panel {
	return []panel{
		lines("Series", "Series shown of each cluster.", 8, unitCount, over(maxBy("cluster", sel("exporter_series", inClusters)), "{{cluster}}")).stacked(),
		lines("Series dropped", "Dropped a second, by reason: raise the budget, or show fewer subtasks.", 8, unitPerSec,
			over("sum by (reason) ("+maxBy("cluster, reason", "rate("+sel("exporter_series_dropped_total", inClusters)+"[$__rate_interval])")+")", "{{reason}}")).
			read(runbook("FlinkSeriesDropped")),
		table("Exporters", "What runs, and how much of single subtasks it shows.", 8, 9, "Version", false,
			column{title: "Version", label: "version", expr: maxBy("instance, version, goversion", sel("exporter_build_info"))},
			column{title: "Go", label: "goversion"}, column{title: "Instance", label: "instance"},
			column{title: "Mode", label: "mode", expr: maxBy("instance, mode", sel("exporter_subtask_mode"))},
		),
	}
}
