package picture

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/prom"
)

// Sizes in pixels.
const (
	// Width is the width of a page.
	Width = 1440
	// rowHeight and gap are Grafana's: a panel of height h takes h*(30+8)-8.
	rowHeight, gap = 30, 8
	headHeight     = 64
)

// Answers are the series of each query of a panel, by its ref.
type Answers map[string][]prom.Series

// Mark is a point in time that an annotation marks.
type Mark struct {
	At     time.Time
	Colour string
}

// Page is what is drawn.
type Page struct {
	Board grafana.Board
	// Chosen are the variables as shown above the panels, in order.
	Chosen [][2]string
	// Titles are the panels' titles with variables replaced, by panel id.
	Titles     map[int]string
	Answers    map[int]Answers
	Marks      []Mark
	Start, End time.Time
}

// Height is the height of the page in pixels.
func (p Page) Height() int {
	bottom := 0
	for _, panel := range p.Board.Panels {
		bottom = max(bottom, panel.Grid.Y+panel.Grid.H)
	}
	return headHeight + bottom*(rowHeight+gap) + gap
}

// HTML draws the page.
func (p Page) HTML() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><meta charset=utf-8><style>%s</style><body style='width:%dpx;height:%dpx'>", style, Width, p.Height())
	fmt.Fprintf(&b, "<header><b>%s</b>", html.EscapeString(p.Board.Title))
	for _, c := range p.Chosen {
		fmt.Fprintf(&b, "<span class=var><i>%s</i>%s</span>", html.EscapeString(c[0]), html.EscapeString(c[1]))
	}
	fmt.Fprintf(&b, "<span class=var><i>from – to</i>%s</span></header>", span(p.Start, p.End))
	for _, panel := range p.Board.Panels {
		body, err := p.panel(panel)
		if err != nil {
			return "", err
		}
		b.WriteString(body)
	}
	return b.String(), nil
}

func span(start, end time.Time) string {
	layout := "15:04"
	if end.Sub(start) > 24*time.Hour {
		layout = "2 Jan"
	}
	return start.UTC().Format(layout) + " – " + end.UTC().Format(layout)
}

// area is the inside of a panel, in pixels.
type area struct{ w, h int }

// panel draws one panel in its place.
func (p Page) panel(panel grafana.Panel) (string, error) {
	column := float64(Width-gap) / 24
	g := panel.Grid
	x, y := gap+int(float64(g.X)*column), headHeight+g.Y*(rowHeight+gap)
	w, h := int(float64(g.W)*column)-gap, g.H*(rowHeight+gap)-gap
	title := html.EscapeString(p.Titles[panel.ID])
	place := fmt.Sprintf("style='left:%dpx;top:%dpx;width:%dpx;height:%dpx'", x, y, w, h)
	if panel.Type == "row" {
		return fmt.Sprintf("<div class=row %s>⌄ %s</div>", place, title), nil
	}
	inner := area{w - 16, h - 36}
	if panel.Type == "text" {
		inner.h = h - 12
	}
	body, err := p.body(panel, inner)
	if err != nil {
		return "", fmt.Errorf("draw %s / %s: %w", p.Board.UID, panel.Title, err)
	}
	head := ""
	if panel.Title != "" {
		head = fmt.Sprintf("<h2>%s</h2>", title)
	}
	return fmt.Sprintf("<section %s>%s<div class=body style='height:%dpx'>%s</div></section>", place, head, inner.h, body), nil
}

func (p Page) body(panel grafana.Panel, a area) (string, error) {
	switch panel.Type {
	case "text":
		return markdown(panel.Options.Content), nil
	case "stat":
		return p.stat(panel, a)
	case "table":
		return p.table(panel, a)
	case "timeseries":
		return p.lines(panel, a)
	case "heatmap":
		return p.heatmap(panel, a)
	case "state-timeline":
		return p.states(panel, a)
	case "bargauge":
		return p.bars(panel, a)
	default:
		return "", fmt.Errorf("panels of type %s cannot be drawn", panel.Type)
	}
}

// empty is what a panel without data shows.
func empty(panel grafana.Panel) string {
	text := panel.FieldConfig.Defaults.NoValue
	if text == "" || text == "–" {
		text = "No data"
	}
	return "<div class=none>" + html.EscapeString(text) + "</div>"
}

const style = `
*{box-sizing:border-box;margin:0}
body{background:#111217;color:#ccccdc;font:13px/1.45 "DejaVu Sans",sans-serif;position:relative}
header{height:56px;padding:16px 12px;font-size:16px}
.var{margin-left:14px;font-size:12px;background:#181b1f;border:1px solid #2f323a;padding:5px 8px;border-radius:2px}
.var i{font-style:normal;color:#8e8e9c;margin-right:8px}
section{position:absolute;background:#181b1f;border:1px solid #25282e;border-radius:2px;padding:4px 7px;overflow:hidden}
.row{position:absolute;font-size:15px;padding:4px 2px;color:#e6e6f0}
h2{font-size:13px;font-weight:600;height:26px;padding:3px 1px;white-space:nowrap;overflow:hidden}
.body{overflow:hidden;position:relative}
.none{display:flex;height:100%;align-items:center;justify-content:center;color:#8e8e9c}
.md{font-size:13px;padding:2px 4px}.md p{margin-bottom:3px}.md code{background:#25282e;padding:0 3px}
.stat{display:flex;height:100%;gap:4px}.stat div{flex:1;display:flex;flex-direction:column;align-items:center;justify-content:center;border-radius:2px;color:#fff;white-space:nowrap;overflow:hidden}
.stat small{font-size:12px;opacity:.85}
table{border-collapse:collapse;width:100%;font-size:12px;table-layout:fixed}
th{text-align:left;color:#6e9fff;font-weight:500;padding:3px 6px;white-space:nowrap;overflow:hidden}
td{padding:2px 6px;border-top:1px solid #25282e;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;height:23px}
td.n,th.n{text-align:right}
.gauge{display:flex;align-items:center;gap:5px}.gauge div{flex:1;height:13px;background:#25282e}.gauge div i{display:block;height:13px}.gauge span{width:40px;text-align:right}
.legend{display:grid;grid-template-columns:minmax(0,1fr) 78px 78px;font-size:11px;column-gap:6px}
.legend b{font-weight:500;color:#6e9fff;text-align:right}.legend span{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.legend em{font-style:normal;text-align:right}
.legend i{display:inline-block;width:13px;height:3px;margin-right:6px;vertical-align:middle}
svg text{fill:#9a9aa8;font:10.5px "DejaVu Sans",sans-serif}svg .in{fill:#fff}
.bar{display:flex;align-items:center;font-size:12px;gap:8px}.bar span{width:158px;text-align:right;white-space:nowrap}.bar div{flex:1;background:#22252b}.bar div i{display:block}.bar b{width:34px;font-weight:600}
`
