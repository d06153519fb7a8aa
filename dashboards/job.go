package dashboards

import (
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// job is one job: its vertices as a table, and what changed when.
func job() board {
	return board{
		uid: JobUID, title: "Flink skew / Job", from: "now-3h",
		about:       "One job: its vertices with verdicts, the bottleneck, busy and back-pressured time, state and checkpoints.",
		variables:   jobVariables(),
		annotations: annotations(inJob),
		rows: []row{
			{"", append([]panel{words(3, jobText)}, jobNumbers()...)},
			{"Vertices", jobVertices()},
			{"Load", jobLoad()},
			{"Skew", jobSkew()},
			{"State, checkpoints, watermarks and backlog", jobState()},
		},
	}
}

const jobText = `**Find the bottleneck first**: the vertex marked ◄, busy itself while its inputs are ← back-pressured. Those upstream wait for it, those downstream starve; only its verdict needs an answer. **Busy max far above busy mean** is skew: few subtasks work, the rest wait. **Max close to mean and both high** is plain saturation, which parallelism mends up to the ceiling. Orange marks are starts and restarts, purple ones rescales.`

func jobNumbers() []panel {
	return []panel{
		number("State", "Flink's job status.", 4, now(maxBy("state", sel("job_info", inJob)), "{{state}}")).
			named("RUNNING", fixed(green)).named("RESTARTING", fixed(orange)).named("FAILING", fixed(red)).withName(),
		number("Running for", "Since the job last began to run; a restart or a rescale begins it anew.", 4,
			now("time() - "+maxBy("job_id", sel("job_running_timestamp_seconds", inJob)), "")).in(unitSeconds).
			at(steps(orange, step{600, green})),
		number("Restarts in range", "New attempts of the job within the time range.", 4,
			now("sum("+maxBy("job_id", "increase("+sel("job_restarts_total", inJob)+"[$__range])")+")", "")).digits(0).at(goodAtZero(orange)),
		number("Worst severity", "The worst of its vertices.", 4, now("max("+sel("vertex_severity", inJob)+")", "")).mapped(severityCodes()),
		number("Vertices", "Vertices of the job graph that are shown.", 4, now("count("+maxBy("job_id, vertex_id", sel("vertex_parallelism", inJob))+")", "")),
		number("Busiest subtask", "The largest share of time that a subtask of any vertex is busy.", 4,
			now("max("+sel("vertex_busy_ratio", inJob, stat("max"))+")", "")).in(unitRatio).digits(0).at(busySteps()),
	}
}

func jobVertices() []panel {
	columns := []column{
		vertexColumn().sized(225), verdictColumn(inJob, "").sized(145), severityColumn(inJob, ""), bottleneckColumn(inJob, ""), scalingColumn(inJob, ""),
		busyColumn(inJob, "", "max"), busyColumn(inJob, "", "mean").narrow("Mean", 62), busyColumn(inJob, "", "median").narrow("Median", 66),
		{
			title: "Back-pressured", expr: maxBy(byVertex, sel("vertex_backpressured_ratio", inJob, stat("max"))), unit: unitRatio,
			decimals: ptr(0.0), max: ptr(1.0), thresholds: backpressureSteps(), shape: asBar, width: 110,
		},
		plainColumn("Parallelism", "vertex_parallelism", inJob, ""),
		plainColumn("Required", "vertex_required_parallelism", inJob, "").sized(72),
		ceilingColumns(inJob, "")[0],
		{title: "Records in", expr: maxBy(byVertex, sel("vertex_records_in_per_second", inJob)), unit: unitRate, decimals: ptr(1.0), width: 92},
		{title: "State", expr: maxBy(byVertex, sel("vertex_state_bytes", inJob, stat("sum"))), unit: unitBytes, decimals: ptr(1.0), width: 75},
		{title: "cluster", label: "cluster", hidden: true}, {title: "job_name", label: "job_name", hidden: true},
		jobIDColumn(), vertexIDColumn(),
		{title: "binding", label: "binding", hidden: true},
	}
	return []panel{
		table("Vertices", "One row a vertex, worst first. Click the verdict for its page, the vertex for its subtasks.", 24, 9,
			"Severity", true, columns...).read(document("All verdicts", "docs/verdicts")),
		states("Verdicts over time", "When each vertex had which verdict.", 15, 8, verdictCodes(),
			over(verdictCode("vertex_id, vertex", inJob), "{{vertex}}")),
		table("Findings", "What stands beside the verdicts.", 9, 8, "Weight", true,
			column{title: "Weight", expr: maxBy(byVertex+", finding, severity", graded(inJob)), mappings: severityCodes(), shape: asBlock, width: 100},
			column{title: "Finding", label: "finding", width: 190, links: links(toFinding())},
			column{title: "Vertex", label: "vertex", links: links(toVertex())},
			column{title: "severity", label: "severity", hidden: true},
			column{title: "cluster", label: "cluster", hidden: true}, column{title: "job_name", label: "job_name", hidden: true},
			jobIDColumn(), vertexIDColumn(),
		),
	}
}

func jobLoad() []panel {
	perVertex := func(metric string, matchers ...string) target {
		return over(maxBy("vertex_id, vertex", sel(metric, append([]string{inJob}, matchers...)...)), "{{vertex}}")
	}
	return []panel{
		lines("Busy, busiest subtask", "The largest share of time that a subtask was busy. At the red line it is saturated.", 8, unitRatio,
			perVertex("vertex_busy_ratio", stat("max"))).marked(busySteps()).share(),
		lines("Busy, mean", "The mean over subtasks. Where the busiest is far above it, there is skew.", 8, unitRatio,
			perVertex("vertex_busy_ratio", stat("mean"))).marked(busySteps()).share(),
		lines("Back-pressured, most", "The largest share of time that a subtask waited for output: somebody downstream is slow.", 8, unitRatio,
			perVertex("vertex_backpressured_ratio", stat("max"))).marked(backpressureSteps()).share(),
		lines("Records in", "Summed over subtasks. Flink counts none for sources.", 8, unitRate, perVertex("vertex_records_in_per_second")),
		lines("Records out", "Summed over subtasks. Flink counts none for sinks.", 8, unitRate, perVertex("vertex_records_out_per_second")),
		lines("Required parallelism", "What the present load needs at the target utilisation, if it were spread evenly.", 8, unitInteger,
			perVertex("vertex_required_parallelism")),
	}
}

func jobSkew() []panel {
	skew := func(title, about string, s analysis.Signal) panel {
		return lines(title, about, 8, unitTimes, over(maxBy("vertex_id, vertex", sel("vertex_skew_ratio", inJob, signal(s))), "{{vertex}}")).
			marked(skewSteps()).from(1)
	}
	return []panel{
		skew("Skew of busy time", "Busiest subtask divided by the mean; 1 is even.", analysis.SignalBusy),
		skew("Skew of records", "Most records into a subtask, divided by the mean.", analysis.SignalRecordsIn),
		skew("Skew of cost per record", "Dearest subtask divided by the mean: a slow host, or dear records.", analysis.SignalCostPerRecord),
	}
}

func jobState() []panel {
	perVertex := func(metric, statistic string) target {
		return over(maxBy("vertex_id, vertex", sel(metric, inJob, stat(statistic))), "{{vertex}}")
	}
	return []panel{
		lines("State", "Full state in the newest completed checkpoint, all subtasks.", 6, unitBytes, perVertex("vertex_state_bytes", "sum")).
			stacked(),
		lines("Checkpoint, slowest subtask", "End-to-end duration of the newest completed checkpoint.", 6, unitSeconds,
			perVertex("vertex_checkpoint_duration_seconds", "max")),
		lines("Watermark lag, furthest behind", "How far the input watermark is behind. Watermarks are read in turn, so up to five minutes ago.", 6, unitSeconds,
			perVertex("vertex_watermark_lag_seconds", "max")),
		lines("Backlog", "Records that wait in the partitions of sources; only where the source tells.", 6, unitCount,
			over(maxBy("vertex_id, vertex", sel("vertex_backlog_records", inJob)), "{{vertex}}")).none("no source of this job tells"),
	}
}
