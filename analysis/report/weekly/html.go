package weekly

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// page is the template of the HTML report.
//
//go:embed page.html.tmpl
var page string

// maxCharts is how many vertices get a chart of their own.
const maxCharts = 6

// htmlPage is what the template shows.
type htmlPage struct {
	Title, Scope, Basis string
	Headline            []string
	Many, History       bool
	Rows                []htmlRow
	Left                string
	Charts              []*chart
	Bars                []bar
	Strips              []strip
	Hours               int
	Sections            []section
}

// htmlRow is a line of the table.
type htmlRow struct {
	Cluster, Subject, Now, Peak, Ceiling, Headroom, Trend, Reached, Do string
	// Level is how pressing it is: now, soon or none. Sign says it without colour.
	Level, Sign string
	Spark       *spark
}

// section is a list under a heading.
type section struct {
	Heading string
	Items   []string
}

// HTML writes the report as one page that needs nothing else: styles and
// charts are inline, light or dark as the reader's system is, no script. An
// error is that of w.
func HTML(w io.Writer, r *Report, o Options) error {
	t, err := template.New("report").Parse(page)
	if err != nil {
		return fmt.Errorf("read the template of the report: %w", err)
	}
	if err := t.Execute(w, newPage(r, o)); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func newPage(r *Report, o Options) htmlPage {
	shown, more, calm := r.lines(o.Top)
	p := htmlPage{
		Title: r.title(), Scope: strings.Join(r.scope(), " · "), Basis: r.basis(), Headline: r.headline(),
		Many: len(r.Clusters) > 1, History: r.From != nil, Left: left(more, calm), Bars: r.bars(), Hours: r.Hours,
	}
	for _, v := range shown {
		p.Rows = append(p.Rows, newRow(v))
		if c := newChart(r, v); c != nil && len(p.Charts) < maxCharts && known(v.Ceiling) {
			p.Charts = append(p.Charts, c)
		}
	}
	for i := range r.Clusters {
		p.Strips = append(p.Strips, newStrip(r, &r.Clusters[i]))
	}
	for _, s := range []section{
		{"What changed since the week before", r.changeLines(o)},
		{"Saturated", r.saturatedLines(o)},
		{"Subtasks that do nothing for throughput", r.wastedLines(o)},
		{"Ceilings that look derived", r.derivedLines(o)},
		{"What could not be seen", r.unseenLines()},
	} {
		if len(s.Items) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p
}

func newRow(v *Vertex) htmlRow {
	row := htmlRow{
		Cluster: v.Cluster, Subject: v.subject(), Now: report.Show(v.Parallelism, report.Thousands), Peak: v.peak(), Ceiling: v.ceiling(),
		Headroom: times(v.PeakHeadroom), Trend: v.Trend.words(), Reached: v.Reached.words(), Do: v.do(),
		Level: "none", Spark: newSpark(v),
	}
	switch v.Reached.Kind {
	case ReachNow:
		row.Level, row.Sign = "now", "■"
	case ReachDates:
		row.Level, row.Sign = "soon", "▲"
	}
	return row
}
