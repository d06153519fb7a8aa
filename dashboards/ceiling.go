package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// ceiling is about how far jobs can still scale: above for all, below the
// trend of one job, since weeks of a thousand jobs are too much to read.
func ceiling() board {
	return board{
		uid: CeilingUID, title: "Flink skew / Ceiling", from: "now-7d",
		about: "How far vertices can scale and how far the load makes them: headroom, what binds, the trend to the ceiling, useful parallelisms and wasted subtasks.",
		variables: append([]dashboard.VariableModel{datasourceVariable(), all(clusterVariable())},
			jobVariable(inClusters), all(vertexVariable(`cluster=~"$cluster",job_name="$job"`))),
		annotations: annotations(`cluster=~"$cluster",job_name="$job"`),
		rows: []row{
			{"", append([]panel{words(4, ceilingText)}, ceilingNumbers()...)},
			{"Now, all jobs of the chosen clusters", ceilingNow()},
			{"Trend of the chosen job: $job", ceilingTrend()},
		},
	}
}

const ceilingText = `**The ceiling** is the smallest of what binds: *max parallelism* (the number of key groups, fixed when the state was first written), *source partitions*, task slots if configured. **Headroom** is the ceiling divided by what the load *requires* at the target utilisation: below 1 × no scaling meets it.
**Useful parallelisms come in steps**: with 128 key groups every parallelism from 64 to 127 leaves two groups on the busiest subtask, so 65 to 127 only *waste* subtasks; the next useful one is 128. Raise max parallelism only after all else: it needs a savepoint rewritten offline, and the old one kept. The trend needs data over the whole time range; widen it to see further ahead.`

func ceilingNumbers() []panel {
	vertices := func(title, about, expr, colour string) panel {
		return number(title, about, 4, now(expr, "")).at(goodAtZero(colour)).none("0")
	}
	return []panel{
		vertices("At the ceiling", "Vertices whose parallelism is at or above what binds it, those that are 1 of 1 by construction left out.",
			countAtCeiling(inClusters), orange).read(runbook("FlinkCeilingReached")),
		vertices("Load above the ceiling", "Vertices whose present load needs more than they can ever get.",
			counted("vertex_required_headroom_ratio", "< 1"), red).
			read(runbook("FlinkRequiredAboveCeiling")),
		vertices("Headroom below 1.5 ×", "Vertices whose load has less than half its size left to grow.",
			counted("vertex_required_headroom_ratio", "< 1.5"), yellow).
			read(runbook("FlinkHeadroomLow")),
		vertices("Partitions bind", "Sources that have reached the number of their partitions.",
			"count("+maxBy(onVertex, sel("finding", inClusters, `finding="partition_ceiling"`))+")", purple).
			read(runbook("FlinkSourcePartitionsBind")),
		vertices("Wasted subtasks", "Subtasks that could go without giving the busiest one more to do.",
			summed("vertex_wasted_subtasks"), purple),
		vertices("Ceiling unknown", "Vertices of which no limit is known, so nothing is said of their headroom.",
			counted("vertex_ceiling_known", "== 0"), yellow),
	}
}

func ceilingNow() []panel {
	set := tightest(fleetRows, inClusters)
	columns := []column{
		ratioColumn("Headroom", "vertex_required_headroom_ratio", inClusters, set), jobColumn(), vertexColumn(),
		plainColumn("Parallelism", "vertex_parallelism", inClusters, set),
		plainColumn("Required", "vertex_required_parallelism", inClusters, set),
	}
	columns = append(columns, ceilingColumns(inClusters, set)...)
	columns = append(columns, verdictColumn(inClusters, set), clusterColumn(), jobIDColumn(), vertexIDColumn())
	return []panel{
		table("Headroom, least first", "What scaling can still do for the present load; at most 25 vertices.", 24, 10, "Headroom", false, columns...),
		divisors(),
	}
}

// divisors shows where the layout wastes subtasks, and which parallelism mends it.
func divisors() panel {
	set := fmt.Sprintf("topk(%d, %s > 0)", fleetRows, sel("vertex_wasted_subtasks", inClusters))
	same := maxBy(byVertex, among(sel("vertex_parallelism", inClusters), set)) + " - " + maxBy(byVertex, sel("vertex_wasted_subtasks", inClusters)+" > 0")
	groups := func(title, statistic string) column {
		return column{title: title, expr: maxBy(byVertex, among(sel("vertex_key_groups_per_subtask", inClusters, stat(statistic)), set)), width: 105}
	}
	return table("Divisors and wasted subtasks", "The same work is done at “as good at”; the next parallelism that takes load off the busiest subtask is “next useful”.",
		24, 8, "Wasted", true,
		plainColumn("Wasted", "vertex_wasted_subtasks", inClusters, set), jobColumn(), vertexColumn(),
		plainColumn("Parallelism", "vertex_parallelism", inClusters, set),
		column{title: "As good at", expr: same, width: 100},
		plainColumn("Next useful", "vertex_next_useful_parallelism", inClusters, set),
		plainColumn("Max parallelism", "vertex_max_parallelism", inClusters, set).sized(120),
		plainColumn("Partitions", "vertex_source_partitions", inClusters, set),
		groups("Groups, most", "max"), groups("Groups, least", "min"),
		column{
			title: "Layout skew", expr: maxBy(byVertex, among(sel("vertex_layout_skew_ratio", inClusters), set)), unit: unitTimes,
			decimals: ptr(2.0), thresholds: skewSteps(), shape: asColour, width: 110,
		},
		clusterColumn(), jobIDColumn(), vertexIDColumn(),
	).read(document("Key-group layout", "docs/verdicts/key_group_layout.md"))
}

// byName is what a vertex is in the trend.
const byName = "cluster, job_name, vertex"

// used is the share of the ceiling that the load needs: 1 is all of it.
func used() string { return usedAt("") }

// usedAt is used at another time, by an offset.
func usedAt(offset string) string {
	return fmt.Sprintf("1 / min by (%s) (%s%s)", byName, sel("vertex_required_headroom_ratio", inTrend), offset)
}

// usedRange is used over the time range, at about 300 points.
func usedRange() string { return "(" + used() + ")[$__range:$__interval]" }

// growth is the trend of used in a week, where there is one: the range is
// covered to its beginning, and the line explains at least half of what is
// seen. A line through T seconds with slope s has a standard deviation of
// s*T/sqrt(12), so that s*T above 2.45 standard deviations means r² above 0.5.
func growth() string {
	seen := fmt.Sprintf("deriv(%s) * 604800 and on (%s) %s", usedRange(), byName, usedAt(" offset $__range"))
	return fmt.Sprintf("(%s) and on (%s) deriv(%s) * $__range_s > 2.45 * stddev_over_time(%s)", seen, byName, usedRange(), usedRange())
}

func ceilingTrend() []panel {
	perVertex := func(metric, legend string) target {
		return over(maxBy(byName, sel(metric, inTrend)), "{{vertex}} "+legend)
	}
	share := steps(green, step{1 / 1.5, yellow}, step{1, red})
	percent := func(title, expr string) column {
		return column{title: title, expr: expr, unit: unitRatio, decimals: ptr(0.0), thresholds: share, shape: asColour, width: 130}
	}
	return []panel{
		lines("Share of the ceiling that the load needs", "At 100 % the load needs all that scaling can give. Peaks count, not means.", 14, unitRatio,
			over(used(), "{{vertex}}")).marked(share).reaching(1).high(11).read(runbook("FlinkCeilingPredicted")),
		lines("Parallelism, required and ceiling", "Dashed is the ceiling. Choose one vertex to see it clearly.", 10, unitInteger,
			perVertex("vertex_parallelism", "parallelism"), perVertex("vertex_required_parallelism", "required"),
			perVertex("vertex_ceiling", "ceiling")).high(11).matching(".* ceiling", dashed()),
		table("Trend to the ceiling", "Growth is given only where a line explains at least half of what is seen over the whole time range; weeks left only where it grows. Steady load has neither.",
			24, 7, "Needed at peak", true,
			column{title: "Vertex", label: "vertex", width: 300},
			percent("Needed now", used()),
			percent("Needed at peak", fmt.Sprintf("1 / min by (%s) (min_over_time(%s[$__range]))", byName, sel("vertex_required_headroom_ratio", inTrend))),
			column{title: "Growth a week", expr: growth(), unit: unitRatio, decimals: ptr(1.0), width: 140},
			column{
				title: "Weeks left", expr: fmt.Sprintf("((1 - %s) > 0) / on (%s) ((%s) > 0)", used(), byName, growth()),
				decimals: ptr(1.0), thresholds: steps(red, step{4, orange}, step{12, green}), shape: asColour, width: 120,
			},
			column{title: "Cluster", label: "cluster", width: 140}, column{title: "job_name", label: "job_name", hidden: true},
		).read(runbook("FlinkCeilingPredicted")),
	}
}
