package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// vertex is one vertex: its subtasks, and why they are as loaded as they are.
func vertex() board {
	return board{
		uid: VertexUID, title: "Flink skew / Vertex", from: "now-1h",
		about:       "One vertex: its subtasks over time, skew held against what the key-group layout explains, cost per record, the hot range.",
		variables:   vertexVariables(),
		annotations: annotations(inJob),
		rows: []row{
			{"", append([]panel{words(3, vertexText)}, vertexNumbers()...)},
			{"Subtasks", vertexSubtasks()},
			{"Why", vertexWhy()},
			{"Layout and ceiling", vertexLayout()},
			{"Flow, state and watermarks", vertexFlow()},
		},
	}
}

const vertexText = `**Hot rows in the heatmap are hot subtasks.** Then tell causes apart: records uneven *beyond the layout line* and cost even, one **key** is hot; skew *on* the layout line, the **key groups** do not divide evenly and another parallelism mends it; records even and cost uneven, a **host** is slow or some records are dear. Single subtasks are the hottest only (mode *top*) unless all are asked for with ` + "`--collector.subtasks=all`" + `; the distribution always holds all.`

func vertexNumbers() []panel {
	one := func(title, about, metric string) panel {
		return number(title, about, 3, now("max("+sel(metric, inVertex)+")", ""))
	}
	return []panel{
		number("Verdict", "Why its subtasks are as loaded as they are, in a word.", 6, now(verdictCode("vertex_id", inVertex), "")).
			mapped(verdictCodes()).read(document("All verdicts", "docs/verdicts")),
		one("Severity", "Highest of the verdict and the findings.", "vertex_severity").mapped(severityCodes()),
		one("Confidence", "How sure the verdict is.", "vertex_confidence").mapped(confidenceCodes()),
		one("Scaling helps", "Whether another parallelism would mend it.", "vertex_scaling_helps").mapped(scalingCodes()),
		one("Hot subtask", "Index of the hottest, while a skew verdict stands.", "vertex_hot_subtask").at(steps(orange)),
		number("Hot key groups", "First and last key group that the hottest subtask owns: a hot key falls in there. Check suspects with: flink-skew-exporter keys.", 6,
			now("max("+sel("vertex_hot_key_group_first", inVertex)+")", "first"),
			now("max("+sel("vertex_hot_key_group_last", inVertex)+")", "last")).at(steps(orange)).withNames(),
	}
}

func vertexSubtasks() []panel {
	perSubtask := func(metric string) string {
		return "max by (place, subtask) (" + padded(sel(metric, inVertex)) + ")"
	}
	colours := func(scheme string, top *float32) heatmap.HeatmapColorOptions {
		return heatmap.HeatmapColorOptions{
			Mode: ptr(heatmap.HeatmapColorModeScheme), Scheme: scheme, Fill: "dark-orange", Exponent: 0.5, Steps: 64,
			Scale: ptr(heatmap.HeatmapColorScaleExponential), Min: ptr(float32(0)), Max: top,
		}
	}
	buckets := over("max by (le) ("+sel("vertex_subtasks_busy_ratio_bucket", inVertex)+")", "{{le}}")
	buckets.format = prometheus.PromQueryFormatHeatmap
	return []panel{
		cells("Busy, by subtask", "One row a subtask, one column a step of time; the colour is the share of time it was busy. Rows come and go in mode top.", 16, 11,
			over(perSubtask("subtask_busy_ratio"), "{{subtask}}"), colours("YlOrRd", ptr(float32(1))), unitRatio),
		hidingZero(cells("Busy, distribution over all subtasks", "How many subtasks are how busy, whatever the mode. A lone dark cell at the top above a dark band below is skew.", 8, 11,
			buckets, colours("Oranges", nil), unitInteger)),
		vertexTable(),
	}
}

func vertexTable() panel {
	const by = "subtask"
	per := func(title, metric, unit string, decimals float64) column {
		return column{title: title, expr: maxBy(by, sel(metric, inVertex)), unit: unit, decimals: &decimals, width: 130}
	}
	bar := func(title, metric string, t *dashboard.ThresholdsConfig) column {
		c := per(title, metric, unitRatio, 0)
		c.max, c.thresholds, c.shape = ptr(1.0), t, asBar
		return c
	}
	ratio := func(over, under string) string {
		return maxBy(by, sel(over, inVertex)) + " / (" + maxBy(by, sel(under, inVertex)) + " > 0)"
	}
	return table("Subtasks now", "Hottest first. Records a key group tell a hot key from a layout that gave it more groups; cost a record tells a slow host.", 24, 9,
		"Busy", true,
		column{title: "Subtask", label: "subtask", width: 90},
		bar("Busy", "subtask_busy_ratio", busySteps()), bar("Back-pressured", "subtask_backpressured_ratio", backpressureSteps()),
		bar("Idle", "subtask_idle_ratio", steps(blue)),
		per("Records in", "subtask_records_in_per_second", unitRate, 1),
		column{title: "Cost a record", expr: ratio("subtask_busy_ratio", "subtask_records_in_per_second"), unit: unitSeconds, decimals: ptr(2.0), width: 130},
		per("Key groups", "subtask_key_groups", unitInteger, 0),
		column{title: "Records a key group", expr: ratio("subtask_records_in_per_second", "subtask_key_groups"), unit: unitRate, decimals: ptr(1.0), width: 160},
		per("State", "subtask_state_bytes", unitBytes, 1),
		column{title: "State a key group", expr: ratio("subtask_state_bytes", "subtask_key_groups"), unit: unitBytes, decimals: ptr(1.0), width: 140},
	)
}

func vertexWhy() []panel {
	skew := func(metric string, s analysis.Signal) string { return "max(" + sel(metric, inVertex, signal(s)) + ")" }
	layout := "max(" + sel("vertex_layout_skew_ratio", inVertex) + ")"
	return []panel{
		lines("Skew, held against the layout", "Largest divided by mean. The dashed line is what the layout of key groups makes by itself; what is above it has another cause.", 8, unitTimes,
			over(skew("vertex_skew_ratio", analysis.SignalBusy), "busy"),
			over(skew("vertex_skew_ratio", analysis.SignalRecordsIn), "records in"),
			over(skew("vertex_skew_ratio", analysis.SignalState), "state"),
			over(layout, "layout alone")).from(1).named("layout alone", dashed(), fixed(purple), wide()),
		lines("Excess: skew a key group", "Skew of the value per owned key group: 1 means that the layout explains all. Only behind a keyed exchange.", 8, unitTimes,
			over(maxBy("signal", sel("vertex_excess_skew_ratio", inVertex)), "{{signal}}")).marked(skewSteps()).from(1),
		lines("Flink's own score, for comparison", "Data skew as Flink's web UI computes it. It hides one hot subtask among many: ours must not.", 8, unitRatio,
			over(maxBy("signal", sel("vertex_webui_skew_ratio", inVertex)), "{{signal}}")).share(),
		lines("Cost a record, by subtask", "Busy seconds a record. All subtasks of one TaskManager high: a slow host. One alone: dear records.", 8, unitSeconds,
			over("max by (place, subtask) ("+padded(sel("subtask_busy_ratio", inVertex)+" / ("+sel("subtask_records_in_per_second", inVertex)+" > 0)")+")", "{{subtask}}")),
		lines("Records in, by subtask", "Records a second into each subtask shown.", 8, unitRate,
			over("max by (place, subtask) ("+padded(sel("subtask_records_in_per_second", inVertex))+")", "{{subtask}}")),
		statLines("Busy over subtasks", "Max far above median: few subtasks do the work.", "vertex_busy_ratio", unitRatio).marked(busySteps()).share(),
	}
}

// statLines draws the statistics over subtasks of a family.
func statLines(title, about, metric, unit string) panel {
	p := lines(title, about, 8, unit, over(maxBy("stat", sel(metric, inVertex, `stat!="sum"`)), "{{stat}}"))
	return p.named("max", fixed(red), wide()).named("mean", fixed(blue)).named("median", fixed(purple)).named("min", fixed(green))
}

func vertexLayout() []panel {
	one := func(metric, legend string) target { return over("max("+sel(metric, inVertex)+")", legend) }
	return []panel{
		statLines("Key groups a subtask", "A layout is uneven where max and min differ: the busiest subtask does the work of max groups. Only behind a keyed exchange.",
			"vertex_key_groups_per_subtask", unitInteger),
		lines("Parallelism against its ceiling", "Required above the ceiling: no scaling meets the load. Next useful is the nearest larger parallelism that takes load off the busiest.", 8, unitInteger,
			one("vertex_parallelism", "parallelism"), one("vertex_required_parallelism", "required"),
			one("vertex_next_useful_parallelism", "next useful"), one("vertex_ceiling", "ceiling"),
			one("vertex_source_partitions", "source partitions")).
			named("ceiling", fixed(red), dashed(), wide()).named("required", fixed(orange), wide()).named("parallelism", fixed(blue), wide()),
		lines("Records in against capacity", "Capacity is what the vertex could take in if all its subtasks were always busy.", 8, unitRate,
			one("vertex_records_in_per_second", "records in"), one("vertex_capacity_records_per_second", "capacity")).
			named("capacity", fixed(red), dashed()),
	}
}

func vertexFlow() []panel {
	return []panel{
		statLines("Back-pressured over subtasks", "Time spent waiting for output: the cause is downstream.", "vertex_backpressured_ratio", unitRatio).
			marked(backpressureSteps()).share(),
		statLines("State over subtasks", "Full state in the newest completed checkpoint.", "vertex_state_bytes", unitBytes),
		statLines("Checkpoint over subtasks", "End-to-end duration; one straggler delays the whole checkpoint.", "vertex_checkpoint_duration_seconds", unitSeconds),
		statLines("Watermark lag over subtasks", "The furthest behind holds back event time of all. Watermarks are read in turn, so up to five minutes ago.", "vertex_watermark_lag_seconds", unitSeconds),
		lines("Subtasks with fresh values", "Below the line there are too few for a verdict.", 8, unitRatio,
			over("max("+sel("vertex_subtask_coverage_ratio", inVertex)+")", "coverage")).
			marked(steps(red, step{analysis.Defaults().MinCoverage, green})).share(),
		states("Verdict over time", "When it had which verdict.", 8, 9, verdictCodes(), over(verdictCode("vertex", inVertex), "{{vertex}}")),
	}
}
