package picture

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/prom"
)

// scale is a colour between pale yellow and dark red for a share of 0 to 1.
func scale(v float64) string {
	stops := [][3]float64{{255, 255, 204}, {254, 217, 118}, {253, 141, 60}, {227, 26, 28}, {128, 0, 38}}
	v = min(1, max(0, v)) * float64(len(stops)-1)
	i := min(int(v), len(stops)-2)
	mix := func(k int) int { return int(stops[i][k] + (stops[i+1][k]-stops[i][k])*(v-float64(i))) }
	return fmt.Sprintf("rgb(%d,%d,%d)", mix(0), mix(1), mix(2))
}

// heatmap draws a row for each series, or for each bucket of a histogram, the
// first at the bottom.
func (p Page) heatmap(panel grafana.Panel, a area) (string, error) {
	all, err := p.series(panel)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return empty(panel), nil
	}
	byNumber := func(a, b named) int { return cmp.Compare(numeric(a.name), numeric(b.name)) }
	slices.SortStableFunc(all, byNumber)
	if panel.Targets[0].Format == "heatmap" {
		all = perBucket(all)
	}
	q := plot{x: 46, y: 4, w: float64(a.w - 54), h: float64(a.h - 44), start: p.Start, end: p.End}
	top := 0.0
	for _, s := range all {
		top = max(top, largest(s.Series))
	}
	if panel.Options.Color.Max != nil {
		top = *panel.Options.Color.Max
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg width=%d height=%d>", a.w, a.h)
	row, width := q.h/float64(len(all)), q.w*float64(stepOf(all))/float64(q.end.Sub(q.start))
	for i, s := range all {
		y := q.y + q.h - row*float64(i+1)
		if row > 9 || i%int(math.Ceil(11/row)) == 0 {
			fmt.Fprintf(&b, "<text x=%.0f y=%.1f text-anchor=end>%s</text>", q.x-5, y+row/2+4, html.EscapeString(s.name))
		}
		for _, pt := range s.Points {
			if hidden := panel.Options.FilterValues.LE; !math.IsNaN(pt.V) && (hidden == nil || pt.V > *hidden) {
				fmt.Fprintf(&b, "<rect x=%.1f y=%.1f width=%.1f height=%.1f fill='%s'/>", q.at(pt.T), y+.5, max(1, width-.6), max(1, row-1), scale(pt.V/max(top, 1e-9)))
			}
		}
	}
	p.times(&b, q)
	p.marks(&b, q)
	for i := range 100 {
		fmt.Fprintf(&b, "<rect x=%.1f y=%d width=2.2 height=8 fill='%s'/>", q.x+float64(i)*2, a.h-20, scale(float64(i)/100))
	}
	f := panel.FieldConfig.Defaults
	fmt.Fprintf(&b, "<text x=%.0f y=%d>0 – %s</text></svg>", q.x+208, a.h-12, html.EscapeString(format(f, top)))
	return b.String(), nil
}

func numeric(name string) float64 {
	v, err := strconv.ParseFloat(name, 64)
	if err != nil {
		return math.Inf(1)
	}
	return v
}

// perBucket turns counts up to a bound into counts between bounds, and names
// each bucket by its upper bound.
func perBucket(cumulative []named) []named {
	out := make([]named, len(cumulative))
	below := map[int64]float64{}
	for i, s := range cumulative {
		out[i] = s
		out[i].Points = nil
		for _, pt := range s.Points {
			at := pt.T.UnixMilli()
			out[i].Points = append(out[i].Points, prom.Point{T: pt.T, V: pt.V - below[at]})
			below[at] = pt.V
		}
	}
	return out
}

// stepOf is the smallest distance of two points.
func stepOf(all []named) time.Duration {
	step := time.Hour * 24 * 365
	for _, s := range all {
		for i := 1; i < len(s.Points); i++ {
			step = min(step, s.Points[i].T.Sub(s.Points[i-1].T))
		}
	}
	return step
}

// states draws when each series had which value.
func (p Page) states(panel grafana.Panel, a area) (string, error) {
	all, err := p.series(panel)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return empty(panel), nil
	}
	q := plot{x: 200, y: 2, w: float64(a.w - 206), h: float64(a.h - 22), start: p.Start, end: p.End}
	row, step := min(46, q.h/float64(len(all))), stepOf(all)
	var b strings.Builder
	fmt.Fprintf(&b, "<svg width=%d height=%d>", a.w, a.h)
	for i, s := range all {
		y := q.y + row*float64(i)
		name := []rune(s.name)
		if len(name) > 32 {
			name = append(name[:31], '…')
		}
		fmt.Fprintf(&b, "<text x=%.0f y=%.1f text-anchor=end>%s</text>", q.x-6, y+row/2+4, html.EscapeString(string(name)))
		for from := 0; from < len(s.Points); {
			to := from
			for to+1 < len(s.Points) && s.Points[to+1].V == s.Points[from].V && s.Points[to+1].T.Sub(s.Points[to].T) <= 2*step {
				to++
			}
			text, paint := show(s.field, s.Points[from].V)
			x, end := q.at(s.Points[from].T), min(q.x+q.w, q.at(s.Points[to].T.Add(step)))
			fmt.Fprintf(&b, "<rect x=%.1f y=%.1f width=%.1f height=%.1f fill='%s' opacity=.85 />", x, y+1.5, max(1, end-x-.5), row-3, paint)
			if end-x > float64(len([]rune(text)))*6.6 {
				fmt.Fprintf(&b, "<text class=in x=%.1f y=%.1f>%s</text>", x+5, y+row/2+4, html.EscapeString(text))
			}
			from = to + 1
		}
	}
	p.times(&b, q)
	b.WriteString("</svg>")
	return b.String(), nil
}
