package dashboards

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	sdktable "github.com/grafana/grafana-foundation-sdk/go/table"
)

// shape is how the cells of a column are painted.
type shape int

const (
	asText shape = iota
	// asColour paints the text, asBlock the background, asBar a bar within the cell.
	asColour
	asBlock
	asBar
)

// column is a column of a table: the values of a query, or a label.
type column struct {
	title string
	// expr is the query. Empty for a column that is a label of other queries.
	expr string
	// label is the label shown; with expr too, the label is shown and the
	// value, which is 1, is hidden.
	label      string
	hidden     bool
	unit       string
	decimals   *float64
	max        *float64
	thresholds *dashboard.ThresholdsConfig
	mappings   []dashboard.ValueMapping
	shape      shape
	width      float64
	links      []dashboard.DashboardLink
}

// table joins the columns on the labels that all queries aggregate by.
func table(title, about string, w, h uint32, sortBy string, descending bool, columns ...column) panel {
	o := sdktable.NewOptions()
	o.SortBy = []common.TableSortByFieldState{{DisplayName: sortBy, Desc: &descending}}
	o.Footer = &common.TableFooterOptions{Reducer: []string{"sum"}}
	p := panel{
		kind: "table", title: title, about: about, w: w, h: h, options: o, thresholds: plain(), noValue: "–",
		colour: dashboard.FieldColorModeIdThresholds,
		custom: &common.TableFieldOptions{Align: common.FieldTextAlignmentAuto, Filterable: ptr(true)},
	}
	exclude, rename, order := map[string]bool{"Time": true}, map[string]string{}, map[string]int{}
	for i, c := range columns {
		value := ""
		if c.expr != "" {
			ref := string(rune('A' + len(p.targets)))
			p.targets = append(p.targets, target{expr: c.expr, instant: true, format: prometheus.PromQueryFormatTable})
			value = "Value #" + ref
		}
		if c.label != "" {
			if value != "" {
				exclude[value] = true
			}
			value = c.label
		}
		rename[value], order[value] = c.title, i
		p.overrides = append(p.overrides, override("byName", c.title, c.properties()...))
	}
	if len(p.targets) == 1 {
		// Grafana numbers the values only where there are several queries.
		only := "Value"
		exclude[only], rename[only], order[only] = exclude["Value #A"], rename["Value #A"], order["Value #A"]
		if rename[only] == "" {
			delete(rename, only)
			delete(order, only)
		}
	}
	p.transformations = []dashboard.DataTransformerConfig{
		{Id: "merge", Options: map[string]any{}},
		{Id: "organize", Options: map[string]any{"excludeByName": exclude, "renameByName": rename, "indexByName": order}},
	}
	return p
}

// properties are the column's overrides of the panel's defaults.
func (c column) properties() []dashboard.DynamicConfigValue {
	var ps []dashboard.DynamicConfigValue
	add := func(id string, value any) { ps = append(ps, dashboard.DynamicConfigValue{Id: id, Value: value}) }
	if c.hidden {
		add("custom.hidden", true)
	}
	if c.unit != "" {
		add("unit", c.unit)
	}
	if c.decimals != nil {
		add("decimals", *c.decimals)
	}
	if c.max != nil {
		add("min", 0)
		add("max", *c.max)
	}
	if c.thresholds != nil {
		add("thresholds", c.thresholds)
	}
	if c.mappings != nil {
		add("mappings", c.mappings)
	}
	if c.width > 0 {
		add("custom.width", c.width)
	}
	if c.links != nil {
		add("links", c.links)
	}
	switch c.shape {
	case asColour:
		add("custom.cellOptions", map[string]any{"type": "color-text"})
	case asBlock:
		add("custom.cellOptions", map[string]any{"type": "color-background", "mode": "basic"})
	case asBar:
		add("custom.cellOptions", map[string]any{"type": "gauge", "mode": "basic", "valueDisplayMode": "text"})
	case asText:
	}
	return ps
}

// Columns that several tables share. A vertex is named by its labels; the ids
// are hidden, but links need them.

func clusterColumn() column { return column{title: "Cluster", label: "cluster", width: 120} }

func jobColumn() column {
	return column{title: "Job", label: "job_name", width: 190, links: links(toJob())}
}

func vertexColumn() column {
	return column{title: "Vertex", label: "vertex", width: 240, links: links(toVertex())}
}

func jobIDColumn() column    { return column{title: "Job id", label: "job_id", hidden: true} }
func vertexIDColumn() column { return column{title: "Vertex id", label: "vertex_id", hidden: true} }

// verdictColumn shows the verdict of each vertex of the set.
func verdictColumn(scope, set string) column {
	return column{
		title: "Verdict", label: "verdict", expr: maxBy(byVertex+", verdict", among(sel("vertex_verdict", scope), set)),
		mappings: verdictNames(), shape: asBlock, width: 155, links: links(toVerdict()),
	}
}

func severityColumn(scope, set string) column {
	return column{
		title: "Severity", expr: maxBy(byVertex, among(sel("vertex_severity", scope), set)),
		mappings: severityCodes(), shape: asBlock, width: 90,
	}
}

func bottleneckColumn(scope, set string) column {
	return column{
		title: "Bottleneck", expr: maxBy(byVertex, among(sel("vertex_bottleneck", scope), set)),
		mappings: bottleneckCodes(), shape: asColour, width: 98,
	}
}

func scalingColumn(scope, set string) column {
	return column{
		title: "Scaling helps", expr: maxBy(byVertex, among(sel("vertex_scaling_helps", scope), set)),
		mappings: scalingCodes(), shape: asColour, width: 98,
	}
}

// busyColumn shows a statistic of the busy share over subtasks.
func busyColumn(scope, set, statistic string) column {
	return column{
		title: "Busy " + statistic, expr: maxBy(byVertex, among(sel("vertex_busy_ratio", scope, stat(statistic)), set)),
		unit: unitRatio, decimals: ptr(0.0), max: ptr(1.0), thresholds: busySteps(), shape: asBar, width: 110,
	}
}

// narrow shows the number in colour instead of a bar, under a shorter title.
func (c column) narrow(title string, width float64) column {
	c.title, c.shape, c.width = title, asColour, width
	return c
}

// sized sets the width in pixels.
func (c column) sized(width float64) column {
	c.width = width
	return c
}

// plainColumn shows a number of a vertex as it is.
func plainColumn(title, metric, scope, set string) column {
	return column{title: title, expr: maxBy(byVertex, among(sel(metric, scope), set)), width: 88}
}

// ratioColumn shows a headroom, coloured where it ends.
func ratioColumn(title, metric, scope, set string) column {
	return column{
		title: title, expr: maxBy(byVertex, among(sel(metric, scope), set)), unit: unitTimes, decimals: ptr(2.0),
		thresholds: headroomSteps(), shape: asColour, width: 95,
	}
}

// ceilingColumns are the ceiling and, as a label of the same query, what binds it.
func ceilingColumns(scope, set string) []column {
	return []column{
		{title: "Ceiling", expr: maxBy(byVertex+", binding", among(sel("vertex_ceiling", scope), set)), width: 75},
		{title: "Binds", label: "binding", width: 150, mappings: mapping(map[string]word{
			"max_parallelism":   {"max parallelism", blue},
			"source_partitions": {"source partitions", purple},
			"task_slots":        {"task slots", grey},
		})},
	}
}

// legendOf joins labels for the legend of a series.
func legendOf(labels ...string) string { return "{{" + strings.Join(labels, "}} / {{") + "}}" }
