package weekly

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// frame maps days and values to the coordinates of an SVG; y grows downwards.
type frame struct {
	left, top, width, height float64
	// days are on the x axis from 0, most is the value at the top.
	days, most float64
}

func (f frame) x(day float64) float64 { return f.left + f.width*day/math.Max(1, f.days) }
func (f frame) y(v float64) float64 {
	return f.top + f.height*(1-math.Max(0, math.Min(v, f.most))/f.most)
}

// place writes a point as SVG coordinates.
func (f frame) place(day, v float64) string { return fmt.Sprintf("%.1f,%.1f", f.x(day), f.y(v)) }

// paths draws a series as polylines, broken where it is absent. A day that
// stands alone becomes a short stroke.
func (f frame) paths(s Series) []string {
	var out []string
	var run []string
	flush := func() {
		if len(run) == 1 {
			run = append(run, run[0])
		}
		if len(run) > 0 {
			out = append(out, strings.Join(run, " "))
		}
		run = nil
	}
	for i, n := range s {
		v, ok := n.Get()
		if !ok {
			flush()
			continue
		}
		run = append(run, f.place(float64(i), v))
	}
	flush()
	return out
}

// spark is a small chart inside a table.
type spark struct {
	Required, Ceiling []string
	Label             string
}

func newSpark(v *Vertex) *spark {
	most, any := scale(v)
	if !any {
		return nil
	}
	f := frame{left: 1, top: 2, width: 118, height: 24, days: float64(len(v.Daily.Required) - 1), most: most}
	return &spark{f.paths(v.Daily.Required), f.paths(v.Daily.Ceiling), chartLabel(v)}
}

// scale is the value at the top of a vertex's chart, and whether there is
// anything to draw. A ceiling far above all else would flatten the rest, so
// that it is then left out of sight.
func scale(v *Vertex) (most float64, any bool) {
	required, at := v.Daily.Required.max()
	parallelism, _ := v.Daily.Parallelism.max()
	ceiling, _ := v.Daily.Ceiling.max()
	most = math.Max(required.Or(0), parallelism.Or(0))
	if c := ceiling.Or(0); c <= 4*most {
		most = math.Max(most, c)
	}
	return math.Max(1, most*1.08), at >= 0
}

// chartLabel is what a screen reader says of a chart.
func chartLabel(v *Vertex) string {
	return fmt.Sprintf("needed at the daily peak: %s now, ceiling %s, trend %s", report.Show(v.Peak, report.Thousands), v.ceiling(), v.Trend.words())
}

// chart is a vertex's history with its dates.
type chart struct {
	Title, Caption, Label          string
	Required, Ceiling, Parallelism []string
	// Cone is the polygon of the forecast, empty without dates.
	Cone string
	// Now is the x of the end of the history, Base and Right the axes' ends.
	Now, Base, Right float64
	Ticks            []tick
	Levels           []tick
}

// tick is a mark of an axis.
type tick struct {
	At   float64
	Text string
}

const (
	chartWidth  = 560.0
	chartHeight = 190.0
	// aheadDays is how many days of the future a forecast shows.
	aheadDays = 28
)

func newChart(r *Report, v *Vertex) *chart {
	most, any := scale(v)
	if !any {
		return nil
	}
	days := float64(len(v.Daily.Required) - 1)
	f := frame{left: 40, top: 12, width: chartWidth - 68, height: chartHeight - 40, days: days, most: most}
	if v.Reached.Kind == ReachDates {
		f.days += aheadDays
	}
	c := &chart{
		Title: v.subject(), Label: chartLabel(v), Caption: v.caption(), Required: f.paths(v.Daily.Required), Parallelism: f.paths(v.Daily.Parallelism),
		Now: tenth(f.x(days)), Base: f.top + f.height, Right: f.left + f.width,
	}
	if ceiling, _ := v.Daily.Ceiling.last(); ceiling.Or(0) <= most {
		c.Ceiling = f.paths(v.Daily.Ceiling)
	}
	for day := days; day >= 0; day -= 7 {
		c.Ticks = append(c.Ticks, tick{tenth(f.x(day)), r.dayAt(day, days)})
	}
	if v.Reached.Kind == ReachDates {
		c.Cone = v.cone(f, r.Until, days)
		for day := days + 7; day <= days+aheadDays; day += 7 {
			c.Ticks = append(c.Ticks, tick{tenth(f.x(day)), r.dayAt(day, days)})
		}
	}
	for level := 0.0; level <= most; level += gridStep(most) {
		c.Levels = append(c.Levels, tick{tenth(f.y(level)), report.Number(level)})
	}
	return c
}

// tenth rounds a coordinate: more digits would draw nothing else.
func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// gridStep is 1, 2 or 5 times a power of ten, so that up to five lines fit.
func gridStep(most float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(most/5)))
	for _, n := range []float64{1, 2, 5} {
		if most/(n*power) <= 5 {
			return n * power
		}
	}
	return 10 * power
}

// dayAt is the date of a point of the x axis.
func (r *Report) dayAt(day, last float64) string {
	return r.Until.Add(time.Duration((day - last) * 24 * float64(time.Hour))).Format("2 Jan")
}

// caption is the line under a chart.
func (v *Vertex) caption() string {
	return fmt.Sprintf("Needs %s at peak of %s; trend %s; reached: %s.", v.peak(), v.ceiling(), v.Trend.words(), v.Reached.words())
}

// cone is the forecast: from the level of a busy day now to the days on which
// the ceiling is reached at the earliest and the latest, cut at the right edge.
func (v *Vertex) cone(f frame, until time.Time, days float64) string {
	ceiling := v.Ceiling.Or(0)
	from := math.Min(ceiling, v.Trend.line.at(days, v.Trend.line.perDay)+v.Trend.line.busy)
	toward := func(t *time.Time) string {
		if t == nil {
			return f.place(f.days, from)
		}
		ahead := math.Max(0.5, t.Sub(until).Hours()/24)
		if ahead <= aheadDays {
			return f.place(days+ahead, ceiling)
		}
		return f.place(f.days, from+(ceiling-from)*aheadDays/ahead)
	}
	points := []string{f.place(days, from), toward(v.Reached.Earliest)}
	if e := v.Reached.Earliest; e.Sub(until).Hours()/24 < aheadDays {
		l := v.Reached.Latest
		if l == nil || l.Sub(until).Hours()/24 > aheadDays {
			points = append(points, f.place(f.days, ceiling))
		}
	}
	return strings.Join(append(points, toward(v.Reached.Latest)), " ")
}

// strip is a cluster's coverage, one stretch after the other.
type strip struct {
	Cluster, Text string
	Stretches     []stretch
}

// stretch is a run of hours of one kind, in units of hours.
type stretch struct {
	From, Width float64
	Kind, Text  string
}

func newStrip(r *Report, c *Cluster) strip {
	s := strip{Cluster: c.Cluster, Text: fmt.Sprintf("%s of %d h", report.Show(c.SeenHours, report.Thousands), r.Hours)}
	if c.Failed != "" {
		s.Text = c.Failed
		return s
	}
	if r.From == nil {
		s.Text = "the present"
		return s
	}
	s.Stretches = append(s.Stretches, stretch{0, float64(r.Hours), "seen", "seen"})
	for i := range c.Gaps {
		g := &c.Gaps[i]
		s.Stretches = append(s.Stretches, stretch{g.From.Sub(*r.From).Hours(), g.To.Sub(g.From).Hours(), string(g.Kind), g.words()})
	}
	return s
}

// bar is a verdict's hours.
type bar struct {
	ID, Hours, Places string
	Width             float64
}

func (r *Report) bars() []bar {
	all := r.skewHours()
	most := 0.0
	for _, x := range all {
		most = math.Max(most, x.hours)
	}
	var out []bar
	for i, line := range r.skewLines() {
		_, places, _ := strings.Cut(line, ": ")
		out = append(out, bar{string(all[i].id), hours(all[i].hours), places, math.Max(1, math.Round(200*all[i].hours/most))})
	}
	return out
}

// known reports whether any of the numbers is.
func known(all ...analysis.Num) bool {
	for _, n := range all {
		if n.Known() {
			return true
		}
	}
	return false
}
