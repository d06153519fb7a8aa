package picture

import (
	"fmt"
	"html"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/prom"
)

// named is a series with the name that its legend gives it.
type named struct {
	name  string
	field grafana.Field
	prom.Series
}

// series lists all series of a panel in the order of its queries.
func (p Page) series(panel grafana.Panel) ([]named, error) {
	var all []named
	for _, t := range panel.Targets {
		for _, s := range p.Answers[panel.ID][t.Ref] {
			name := legend(t.Legend, s.Labels)
			f, err := panel.FieldFor(name)
			if err != nil {
				return nil, err
			}
			if f.DisplayName != "" {
				name = f.DisplayName
			}
			all = append(all, named{name, f, s})
		}
	}
	return all, nil
}

func legend(format string, labels map[string]string) string {
	for name, value := range labels {
		format = strings.ReplaceAll(format, "{{"+name+"}}", value)
	}
	return format
}

// stat draws the newest value of each series, large.
func (p Page) stat(panel grafana.Panel, a area) (string, error) {
	all, err := p.series(panel)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return fmt.Sprintf("<div class=stat><div style='background:#22252b'>%s</div></div>", html.EscapeString(panel.FieldConfig.Defaults.NoValue)), nil
	}
	var b strings.Builder
	b.WriteString("<div class=stat>")
	for _, s := range all {
		v, _ := s.Last()
		text, paint := show(s.field, v)
		small := ""
		switch panel.Options.TextMode {
		case "name":
			text = s.name
		case "value_and_name":
			small = "<small>" + html.EscapeString(s.name) + "</small>"
		}
		size := min(30, (a.w/len(all)-10)*16/10/max(1, len([]rune(text))))
		fmt.Fprintf(&b, "<div style='background:%s;font-size:%dpx'>%s%s</div>", paint, size, small, html.EscapeString(text))
	}
	b.WriteString("</div>")
	return b.String(), nil
}

// bars draws the newest value of each series as a bar.
func (p Page) bars(panel grafana.Panel, a area) (string, error) {
	all, err := p.series(panel)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return empty(panel), nil
	}
	top := 0.0
	for _, s := range all {
		v, _ := s.Last()
		top = max(top, v)
	}
	height := min(30, a.h/len(all))
	var b strings.Builder
	for _, s := range all {
		v, _ := s.Last()
		text, paint := show(s.field, v)
		fmt.Fprintf(&b, "<div class=bar style='height:%dpx'><span>%s</span><div><i style='height:%dpx;width:%.1f%%;background:%s'></i></div><b>%s</b></div>",
			height, html.EscapeString(s.name), max(4, height-5), 100*v/max(top, 1e-9), paint, text)
	}
	return b.String(), nil
}
