package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// fleetRows bounds tables, so that a thousand jobs show the worst and no more.
const fleetRows = 25

// fleet is the widest view: which clusters are reached, and what to look at first.
func fleet() board {
	return board{
		uid: FleetUID, title: "Flink skew / Fleet", from: "now-6h",
		about:     "Clusters and jobs of Apache Flink, worst first: which vertices are skewed, saturated or at their ceiling.",
		variables: []dashboard.VariableModel{datasourceVariable(), all(clusterVariable())},
		annotations: []dashboard.AnnotationQuery{mark(annotation{
			name: "Restarts and rescales", colour: orange, step: "1m",
			expr:  "count by (cluster) (changes(" + sel("job_running_timestamp_seconds", inClusters) + "[5m]) > 0)",
			title: "{{cluster}}: jobs began to run anew", text: "They restarted or were rescaled; the job dashboard says which of the two.",
		})},
		rows: []row{
			{"", append([]panel{words(3, fleetText)}, fleetNumbers()...)},
			{"What is the matter", fleetMatters()},
			{"Ceilings", fleetCeilings()},
			{"Clusters", []panel{fleetClusters()}},
		},
	}
}

const fleetText = `**Start at *Worst first*.** A row is one vertex: its *verdict* names the cause in a word, *scaling helps* says whether more parallelism would mend it, and **◄ starts here** marks the vertex that the rest of the job waits for; a ← back-pressured one is only a victim. Click a verdict for its page, a job or a vertex to go there. *Headroom* is the ceiling divided by what the present load needs: below 1 × scaling cannot meet it. An empty field is unknown, never 0.`

func fleetNumbers() []panel {
	up := sel("up", inClusters)
	return []panel{
		number("Clusters reached", "Clusters whose last poll succeeded.", 3, now("sum("+maxBy("cluster", up)+")", "")),
		number("Clusters not reached", "Clusters whose last poll failed; what they last said is gone three polls later.", 3,
			now("sum("+maxBy("cluster", up)+" == bool 0)", "")).at(goodAtZero(red)).
			follow(drill("Exporter", ExporterUID)),
		number("Jobs running", "Jobs that the JobManagers list as RUNNING.", 3,
			now("sum("+maxBy("cluster", sel("cluster_jobs", inClusters, `state="RUNNING"`))+")", "")),
		number("Jobs critical", "Jobs with a vertex that is saturated and holds others up.", 3,
			now(jobsOf(analysis.SeverityCritical, inClusters), "")).at(goodAtZero(red)),
		number("Jobs warning", "Jobs whose worst vertex has a warning.", 3,
			now(jobsOf(analysis.SeverityWarning, inClusters), "")).at(goodAtZero(orange)),
		number("At the ceiling", "Vertices whose parallelism has reached what binds it. Vertices that are 1 of 1 by construction are left out.", 3,
			now(countAtCeiling(inClusters), "")).at(goodAtZero(orange)).none("0"),
		number("Load above ceiling", "Vertices whose present load needs more parallelism than they can ever get.", 3,
			now(counted("vertex_required_headroom_ratio", "< 1"), "")).at(goodAtZero(red)),
		number("Wasted subtasks", "Subtasks that could go without giving the busiest one more key groups or partitions.", 3,
			now(summed("vertex_wasted_subtasks"), "")).at(goodAtZero(purple)),
	}
}

// atCeiling are the vertices whose parallelism is at or above the ceiling, as
// they were scraped.
func atCeiling(scope string) string {
	return sel("vertex_ceiling_headroom_ratio", scope) + " <= 1 unless on (" + onVertex + ") " + sel("finding", scope, `finding="non_parallel"`)
}

// countAtCeiling counts them, each vertex once.
func countAtCeiling(scope string) string { return "count(" + maxBy(onVertex, atCeiling(scope)) + ")" }

func fleetMatters() []panel {
	set := worst(fleetRows, inClusters)
	bySeverity := lines("Jobs by their worst severity", "Each job counts once, with the worst of its vertices.", 16, unitInteger,
		over(`count_values("level", `+maxBy("cluster, job_id", sel("vertex_severity", inClusters))+")", "{{level}}")).stacked().high(10)
	for s := analysis.SeverityNone; s <= analysis.SeverityCritical; s++ {
		w := severityWord(s)
		bySeverity = bySeverity.named(string(rune('0'+int(s))), called(w.text), fixed(w.colour))
	}
	verdicts := bars("Vertices by verdict, now", "How many vertices carry which verdict.", 8, 10,
		now("sort_desc(count by (verdict) ("+maxBy(onVertex+", verdict", sel("vertex_verdict", inClusters))+"))", "{{verdict}}"))
	for _, v := range analysis.Verdicts() {
		w := verdictWord(v)
		verdicts = verdicts.named(string(v), called(w.text), fixed(w.colour))
	}
	return []panel{
		table("Worst first", "The vertices that are not well, by severity; where there are more than 25, those that their jobs wait for come first.", 24, 13,
			"Severity", true,
			severityColumn(inClusters, set), verdictColumn(inClusters, set), clusterColumn(), jobColumn(), vertexColumn(),
			bottleneckColumn(inClusters, set), scalingColumn(inClusters, set), busyColumn(inClusters, set, "max"),
			busyColumn(inClusters, set, "mean"),
			ratioColumn("Headroom", "vertex_required_headroom_ratio", inClusters, set), jobIDColumn(), vertexIDColumn(),
		).read(document("All verdicts", "docs/verdicts")),
		bySeverity, verdicts,
	}
}

func fleetCeilings() []panel {
	set := tightest(fleetRows, inClusters)
	columns := []column{
		ratioColumn("Headroom", "vertex_required_headroom_ratio", inClusters, set), clusterColumn(), jobColumn(), vertexColumn(),
		plainColumn("Parallelism", "vertex_parallelism", inClusters, set),
		plainColumn("Required", "vertex_required_parallelism", inClusters, set),
	}
	columns = append(columns, ceilingColumns(inClusters, set)...)
	columns = append(columns, jobIDColumn(), vertexIDColumn())

	full := fmt.Sprintf("bottomk(%d, %s)", fleetRows, atCeiling(inClusters))
	reached := []column{
		{
			title: "Ceiling / parallelism", expr: maxBy(byVertex, full), unit: unitTimes, decimals: ptr(2.0), thresholds: headroomSteps(),
			shape: asColour, width: 150,
		},
		jobColumn(), vertexColumn(),
	}
	reached = append(reached, ceilingColumns(inClusters, full)...)
	reached = append(reached, plainColumn("Wasted", "vertex_wasted_subtasks", inClusters, full), clusterColumn(), jobIDColumn(), vertexIDColumn())
	return []panel{
		table("Least headroom", "Ceiling divided by the parallelism that the present load needs, lowest first; at most 25.", 24, 9,
			"Headroom", false, columns...).read(drill("All ceilings", CeilingUID)),
		table("At the ceiling now", "Their parallelism is at or above what binds it; more subtasks would own nothing. At most 25.", 24, 7,
			"Ceiling / parallelism", false, reached...).read(drill("All ceilings", CeilingUID)),
	}
}

func fleetClusters() panel {
	const by = "cluster"
	info := func(title, metric string) column {
		return column{title: title, expr: maxBy(by, sel(metric, inClusters)), width: 120}
	}
	return table("Clusters", "What the exporter reaches, and what it found there.", 24, 7, "Cluster", false,
		column{title: "Cluster", label: "cluster", width: 200, links: []dashboard.DashboardLink{
			drill("Exporter", ExporterUID, "cluster"), drill("Ceilings", CeilingUID, "cluster"),
		}},
		column{title: "Reached", expr: maxBy(by, sel("up", inClusters)), mappings: upCodes(), shape: asBlock, width: 130},
		column{title: "Flink", label: "flink_version", expr: maxBy(by+", flink_version", sel("cluster_info", inClusters)), width: 100},
		column{title: "Jobs", expr: "sum by (cluster) (" + maxBy("cluster, state", sel("cluster_jobs", inClusters)) + ")", width: 90},
		info("TaskManagers", "cluster_taskmanagers"), info("Slots", "cluster_task_slots"), info("Slots free", "cluster_task_slots_free"),
		column{
			title: "Data age", expr: "time() - " + maxBy(by, sel("exporter_snapshot_timestamp_seconds", inClusters)), unit: unitSeconds,
			decimals: ptr(0.0), thresholds: ageSteps(), shape: asColour, width: 110,
		},
		column{title: "Poll takes", expr: maxBy(by, sel("exporter_poll_duration_seconds", inClusters)), unit: unitSeconds, decimals: ptr(2.0), width: 110},
		info("Series", "exporter_series"),
	)
}

// ageSteps hold the age of the data against the default interval of 15 s:
// after three of them the data is withdrawn.
func ageSteps() *dashboard.ThresholdsConfig { return steps(green, step{30, yellow}, step{45, red}) }
