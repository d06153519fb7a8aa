package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	sdkstat "github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/text"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// maxPoints bounds the steps of a range query: more than a panel has pixels
// for costs Prometheus time and shows nothing.
const maxPoints = 300

// panel is one panel before it has an id and a place.
type panel struct {
	kind, title, about string
	w, h               uint32
	targets            []target
	unit               string
	decimals           *float64
	min, max           *float64
	thresholds         *dashboard.ThresholdsConfig
	mappings           []dashboard.ValueMapping
	colour             dashboard.FieldColorModeId
	noValue            string
	links              []dashboard.DashboardLink
	// dataLinks are on every value of the panel.
	dataLinks       []dashboard.DashboardLink
	overrides       []dashboard.DashboardFieldConfigSourceOverrides
	transformations []dashboard.DataTransformerConfig
	custom, options any
	points          float64
}

// target is one query of a panel.
type target struct {
	expr, legend string
	instant      bool
	format       prometheus.PromQueryFormat
}

// now asks for the present, over for the time range.
func now(expr, legend string) target  { return target{expr: expr, legend: legend, instant: true} }
func over(expr, legend string) target { return target{expr: expr, legend: legend} }

func (p panel) build() dashboard.Panel {
	field := dashboard.FieldConfig{
		Decimals: p.decimals, Min: p.min, Max: p.max, Mappings: p.mappings, Thresholds: p.thresholds,
		Links: p.dataLinks, Custom: p.custom,
	}
	if p.unit != "" {
		field.Unit = &p.unit
	}
	if p.noValue != "" {
		field.NoValue = &p.noValue
	}
	if p.colour != "" {
		field.Color = &dashboard.FieldColor{Mode: p.colour}
	}
	built := dashboard.Panel{
		Type: p.kind, Title: &p.title, Datasource: source(), Links: p.links, Options: p.options,
		Transformations: p.transformations,
		FieldConfig:     &dashboard.FieldConfigSource{Defaults: field, Overrides: p.overrides},
	}
	if p.overrides == nil {
		built.FieldConfig.Overrides = []dashboard.DashboardFieldConfigSourceOverrides{}
	}
	if p.about != "" {
		built.Description = &p.about
	}
	for i, t := range p.targets {
		built.Targets = append(built.Targets, t.build(string(rune('A'+i))))
	}
	if len(p.targets) > 0 {
		built.MaxDataPoints = ptr(float64(maxPoints))
		if p.points > 0 {
			built.MaxDataPoints = &p.points
		}
	}
	return built
}

func (t target) build(ref string) variants.Dataquery {
	format := t.format
	if format == "" {
		format = prometheus.PromQueryFormatTimeSeries
	}
	return &prometheus.Dataquery{
		RefId: &ref, Expr: t.expr, LegendFormat: &t.legend, Format: &format, Datasource: source(),
		Instant: ptr(t.instant), Range: ptr(!t.instant), EditorMode: ptr(prometheus.QueryEditorModeCode),
	}
}

// words explains in Markdown, across the dashboard.
func words(h uint32, content string) panel {
	return panel{kind: "text", w: gridWidth, h: h, options: &text.Options{Mode: text.TextModeMarkdown, Content: content}}
}

// number shows the newest value, large.
func number(title, about string, w uint32, targets ...target) panel {
	o := sdkstat.NewOptions()
	o.GraphMode, o.ColorMode = common.BigValueGraphModeNone, common.BigValueColorModeBackground
	o.ReduceOptions = common.ReduceDataOptions{Calcs: []string{"lastNotNull"}}
	o.Orientation = common.VizOrientationAuto
	return panel{
		kind: "stat", title: title, about: about, w: w, h: 4, targets: targets, unit: unitInteger,
		thresholds: plain(), colour: dashboard.FieldColorModeIdThresholds, noValue: "–", options: o,
	}
}

// lines draws values over time.
func lines(title, about string, w uint32, unit string, targets ...target) panel {
	o := timeseries.NewOptions()
	o.Legend = common.VizLegendOptions{
		DisplayMode: common.LegendDisplayModeTable, Placement: common.LegendPlacementBottom, ShowLegend: true,
		Calcs: []string{"lastNotNull", "max"},
	}
	o.Tooltip = common.VizTooltipOptions{Mode: common.TooltipDisplayModeMulti, Sort: common.SortOrderDescending}
	return panel{
		kind: "timeseries", title: title, about: about, w: w, h: 9, targets: targets, unit: unit, min: ptr(0.0),
		thresholds: plain(), colour: dashboard.FieldColorModeIdPaletteClassic, options: o,
		custom: &common.GraphFieldConfig{
			DrawStyle: ptr(common.GraphDrawStyleLine), LineWidth: ptr(1.5), FillOpacity: ptr(5.0),
			ShowPoints: ptr(common.VisibilityModeNever),
			// A gap is something to see: the exporter or the job was away.
			SpanNulls:       &common.BoolOrFloat64{Bool: ptr(false)},
			ThresholdsStyle: &common.GraphThresholdsStyleConfig{Mode: common.GraphThresholdsStyleModeOff},
		},
	}
}

// marked draws the thresholds as lines across.
func (p panel) marked(t *dashboard.ThresholdsConfig) panel {
	p.thresholds = t
	c := *p.custom.(*common.GraphFieldConfig)
	c.ThresholdsStyle = &common.GraphThresholdsStyleConfig{Mode: common.GraphThresholdsStyleModeDashed}
	p.custom = &c
	return p
}

// reaching shows the axis up to a value at least.
func (p panel) reaching(v float64) panel {
	c := *p.custom.(*common.GraphFieldConfig)
	c.AxisSoftMax = &v
	p.custom = &c
	return p
}

// stacked fills and piles up the series.
func (p panel) stacked() panel {
	c := *p.custom.(*common.GraphFieldConfig)
	c.Stacking = &common.StackingConfig{Mode: ptr(common.StackingModeNormal), Group: ptr("A")}
	c.FillOpacity = ptr(60.0)
	p.custom = &c
	return p
}

// bars shows the newest value of each series as a bar.
func bars(title, about string, w, h uint32, targets ...target) panel {
	o := bargauge.NewOptions()
	o.DisplayMode, o.Orientation = common.BarGaugeDisplayModeBasic, common.VizOrientationHorizontal
	o.ReduceOptions = common.ReduceDataOptions{Calcs: []string{"lastNotNull"}}
	return panel{
		kind: "bargauge", title: title, about: about, w: w, h: h, targets: targets, unit: unitInteger, min: ptr(0.0),
		thresholds: plain(), colour: dashboard.FieldColorModeIdThresholds, options: o,
	}
}

// states draws which state held when.
func states(title, about string, w, h uint32, mappings []dashboard.ValueMapping, targets ...target) panel {
	o := statetimeline.NewOptions()
	o.ShowValue = common.VisibilityModeAuto
	o.Legend = common.VizLegendOptions{
		DisplayMode: common.LegendDisplayModeList, Placement: common.LegendPlacementBottom, ShowLegend: false, Calcs: []string{},
	}
	o.PerPage = nil // Grafana 10 does not know pages.
	return panel{
		kind: "state-timeline", title: title, about: about, w: w, h: h, targets: targets, mappings: mappings, unit: unitInteger,
		thresholds: plain(), colour: dashboard.FieldColorModeIdThresholds, options: o,
		custom: &statetimeline.FieldConfig{FillOpacity: ptr(uint32(80)), LineWidth: ptr(uint32(0))},
	}
}

// cells draws a row for each series and a column for each step of time.
func cells(title, about string, w, h uint32, t target, c heatmap.HeatmapColorOptions, unit string) panel {
	o := heatmap.NewOptions()
	o.Color = c
	o.FilterValues = nil // 0 is a value.
	o.CellValues = &heatmap.CellValues{Unit: &unit}
	o.YAxis.AxisPlacement = ptr(common.AxisPlacementLeft)
	o.Tooltip.Mode = common.TooltipDisplayModeSingle
	return panel{
		kind: "heatmap", title: title, about: about, w: w, h: h, targets: []target{t}, unit: unit, thresholds: plain(), options: o,
		points: 120,
	}
}

// withName shows the name of a series instead of its value.
func (p panel) withName() panel {
	o := *p.options.(*sdkstat.Options)
	o.TextMode = common.BigValueTextModeName
	p.options = &o
	return p
}

// withNames shows names and values, for several series in one panel.
func (p panel) withNames() panel {
	o := *p.options.(*sdkstat.Options)
	o.TextMode = common.BigValueTextModeValueAndName
	p.options = &o
	return p
}

// hidingZero leaves cells of 0 empty: buckets that nothing fell into.
func hidingZero(p panel) panel {
	o := *p.options.(*heatmap.Options)
	o.FilterValues = &heatmap.FilterValueRange{Le: ptr(float32(1e-9))}
	p.options = &o
	return p
}

// share ends the axis at 1, all of something.
func (p panel) share() panel {
	p.max = ptr(1.0)
	return p
}

// The modifiers return a changed copy.

func (p panel) in(unit string) panel                          { p.unit = unit; return p }
func (p panel) digits(n float64) panel                        { p.decimals = &n; return p }
func (p panel) high(h uint32) panel                           { p.h = h; return p }
func (p panel) from(v float64) panel                          { p.min = &v; return p }
func (p panel) at(t *dashboard.ThresholdsConfig) panel        { p.thresholds = t; return p }
func (p panel) mapped(m []dashboard.ValueMapping) panel       { p.mappings = m; return p }
func (p panel) none(text string) panel                        { p.noValue = text; return p }
func (p panel) read(links ...dashboard.DashboardLink) panel   { p.links = links; return p }
func (p panel) follow(links ...dashboard.DashboardLink) panel { p.dataLinks = links; return p }

// named overrides how one series looks.
func (p panel) named(series string, properties ...dashboard.DynamicConfigValue) panel {
	p.overrides = append(p.overrides[:len(p.overrides):len(p.overrides)], override("byName", series, properties...))
	return p
}

func override(matcher, name string, properties ...dashboard.DynamicConfigValue) dashboard.DashboardFieldConfigSourceOverrides {
	return dashboard.DashboardFieldConfigSourceOverrides{
		Matcher: dashboard.MatcherConfig{Id: matcher, Options: name}, Properties: properties,
	}
}

// Properties of overrides.

func fixed(colour string) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "color", Value: dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: &colour}}
}

func called(name string) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "displayName", Value: name}
}

func dashed() dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "custom.lineStyle", Value: common.LineStyle{Fill: ptr(common.LineStyleFillDash), Dash: []float64{8, 6}}}
}

func wide() dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "custom.lineWidth", Value: 2}
}

// matching overrides how the series look whose names match.
func (p panel) matching(pattern string, properties ...dashboard.DynamicConfigValue) panel {
	p.overrides = append(p.overrides[:len(p.overrides):len(p.overrides)], override("byRegexp", "/"+pattern+"/", properties...))
	return p
}
