package picture

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/prom"
)

// plot is the inside of a panel with an axis of time below and one of values
// at the left.
type plot struct {
	x, y, w, h float64
	start, end time.Time
	low, high  float64
}

func (q plot) at(t time.Time) float64 {
	return q.x + q.w*float64(t.Sub(q.start))/float64(q.end.Sub(q.start))
}
func (q plot) up(v float64) float64 { return q.y + q.h*(1-(v-q.low)/(q.high-q.low)) }

// times draws the axis of time and the marks of annotations.
func (p Page) times(b *strings.Builder, q plot) {
	layout := "15:04:05"
	if q.end.Sub(q.start) > 24*time.Hour {
		layout = "2 Jan"
	} else if q.end.Sub(q.start) > 20*time.Minute {
		layout = "15:04"
	}
	n := max(1, int(q.w/110))
	for i := 0; i <= n; i++ {
		t := q.start.Add(q.end.Sub(q.start) * time.Duration(i) / time.Duration(n))
		anchor := "middle"
		switch i {
		case 0:
			anchor = "start"
		case n:
			anchor = "end"
		}
		fmt.Fprintf(b, "<text x=%.0f y=%.0f text-anchor=%s>%s</text>", q.at(t), q.y+q.h+15, anchor, t.UTC().Format(layout))
	}
}

func (p Page) marks(b *strings.Builder, q plot) {
	for _, m := range p.Marks {
		if m.At.Before(q.start) || m.At.After(q.end) {
			continue
		}
		x := q.at(m.At)
		fmt.Fprintf(b, "<path d='M%.1f %.1fV%.1f' stroke='%s' stroke-dasharray='4 3' opacity=.8 /><path d='M%.1f %.1fl4 7h-8z' fill='%s'/>",
			x, q.y, q.y+q.h, colour(m.Colour), x, q.y+q.h-1, colour(m.Colour))
	}
}

// ticks are about n round values from low to high.
func ticks(low, high float64, n int) []float64 {
	raw := (high - low) / float64(n)
	size := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if size*m >= raw {
			size *= m
			break
		}
	}
	var all []float64
	for v := math.Ceil(low/size-1e-9) * size; v <= high+size*1e-6; v += size {
		all = append(all, v)
	}
	return all
}

// bounds returns the range of values to draw. Stacked series add up.
func bounds(all []named, f grafana.Field, stacked bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	sums := map[int64]float64{}
	for _, s := range all {
		for _, pt := range s.Points {
			v := pt.V
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if stacked {
				sums[pt.T.UnixMilli()] += v
				v = sums[pt.T.UnixMilli()]
			}
			low, high = min(low, v), max(high, v)
		}
	}
	if f.Min != nil {
		low = min(low, *f.Min)
	}
	if f.Max != nil {
		high = max(high, *f.Max)
	} else {
		high += (high - low) * 0.06
	}
	if f.Custom.SoftMax != nil {
		high = max(high, *f.Custom.SoftMax*1.03)
	}
	if !(high > low) {
		high = low + 1
	}
	return low, high
}

func (p Page) lines(panel grafana.Panel, a area) (string, error) {
	all, err := p.series(panel)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return empty(panel), nil
	}
	f := panel.FieldConfig.Defaults
	rows := min(len(all)+1, max(2, a.h*2/5/16))
	height := a.h - rows*16 - 4
	stacked := f.Custom.Stacking.Mode == "normal"
	low, high := bounds(all, f, stacked)
	q := plot{x: 64, y: 5, w: float64(a.w - 72), h: float64(height - 24), start: p.Start, end: p.End, low: low, high: high}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg width=%d height=%d>", a.w, height)
	for _, v := range ticks(low, high, max(2, height/38)) {
		fmt.Fprintf(&b, "<path d='M%.0f %.1fH%.0f' stroke='#25282e'/><text x=%.0f y=%.1f text-anchor=end>%s</text>",
			q.x, q.up(v), q.x+q.w, q.x-6, q.up(v)+4, html.EscapeString(format(f, v)))
	}
	p.times(&b, q)
	if f.Custom.ThresholdsStyle.Mode == "dashed" {
		for _, s := range f.Thresholds.Steps {
			if s.Value != nil && *s.Value > low && *s.Value <= high {
				fmt.Fprintf(&b, "<path d='M%.0f %.1fH%.0f' stroke='%s' stroke-dasharray='7 5' opacity=.75 />", q.x, q.up(*s.Value), q.x+q.w, colour(s.Color))
			}
		}
	}
	base := map[int64]float64{}
	for i, s := range all {
		drawLine(&b, q, s, stroke{paint: paintOf(s, i), gap: 3 * stepOf(all), base: base, stacked: stacked})
	}
	p.marks(&b, q)
	b.WriteString("</svg>")
	b.WriteString("<div class=legend><span></span><b>Last</b><b>Max</b>")
	for i, s := range all[:min(len(all), rows-1)] {
		last, _ := s.Last()
		fmt.Fprintf(&b, "<span><i style='background:%s'></i>%s</span><em>%s</em><em>%s</em>", paintOf(s, i), html.EscapeString(s.name),
			html.EscapeString(format(s.field, last)), html.EscapeString(format(s.field, largest(s.Series))))
	}
	b.WriteString("</div>")
	return b.String(), nil
}

func paintOf(s named, n int) string {
	if s.field.Color.Mode == "fixed" {
		return colour(s.field.Color.Fixed)
	}
	return hue(n)
}

func largest(s prom.Series) float64 {
	top := math.Inf(-1)
	for _, pt := range s.Points {
		if !math.IsNaN(pt.V) {
			top = max(top, pt.V)
		}
	}
	return top
}

// stroke is how a line is drawn.
type stroke struct {
	paint string
	// gap is how far apart two points are no longer joined.
	gap time.Duration
	// base is how high the series below reach, by Unix milliseconds; it is
	// raised where lines are stacked.
	base    map[int64]float64
	stacked bool
}

func drawLine(b *strings.Builder, q plot, s named, k stroke) {
	var path, under strings.Builder
	var last time.Time
	var back []string
	for _, pt := range s.Points {
		if math.IsNaN(pt.V) || math.IsInf(pt.V, 0) {
			continue
		}
		v, floor := pt.V, q.low
		if k.stacked {
			floor = k.base[pt.T.UnixMilli()]
			v += floor
			k.base[pt.T.UnixMilli()] = v
		}
		op := "L"
		if last.IsZero() || pt.T.Sub(last) > k.gap {
			op = "M"
		}
		last = pt.T
		fmt.Fprintf(&path, "%s%.1f %.1f", op, q.at(pt.T), q.up(v))
		back = append(back, fmt.Sprintf("L%.1f %.1f", q.at(pt.T), q.up(floor)))
	}
	if k.stacked {
		under.WriteString(path.String())
		for i := len(back) - 1; i >= 0; i-- {
			under.WriteString(back[i])
		}
		fmt.Fprintf(b, "<path d='%sZ' fill='%s' opacity=.55 />", under.String(), k.paint)
	}
	dash, width := "", 1.5
	if s.field.Custom.LineStyle.Fill == "dash" {
		dash = "stroke-dasharray='8 6'"
	}
	if s.field.Custom.LineWidth > width {
		width = s.field.Custom.LineWidth
	}
	fmt.Fprintf(b, "<path d='%s' fill=none stroke='%s' stroke-width=%.1f %s/>", path.String(), k.paint, width, dash)
}
