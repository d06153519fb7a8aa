package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Frame of a chart in its own units; it is drawn as wide as there is room.
const (
	chartWidth  = 560
	chartHeight = 250
	chartLeft   = 78
	chartRight  = 16
	chartTop    = 26
	chartBottom = 40
)

// chart holds what charts have in common.
type chart struct {
	Width, Height            int
	Left, Right, Top, Bottom int // edges of the plot
	XTicks, YTicks           []tick
	Label                    string
}

type tick struct {
	At   float64
	Text string
	// Anchor is where the text hangs by, the middle when empty.
	Anchor string
}

func newChart() chart {
	return chart{
		Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartWidth - chartRight, Top: chartTop, Bottom: chartHeight - chartBottom,
	}
}

// x and y place shares of 0–1 of the axes.
func (c *chart) x(share float64) float64 { return round(chartLeft + share*float64(c.Right-c.Left)) }
func (c *chart) y(share float64) float64 {
	return round(float64(c.Bottom) - share*float64(c.Bottom-c.Top))
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// scatter is records against cost: a hot key is to the right, a slow host or
// costly records above.
type scatter struct {
	chart
	Dots []dot
}

type dot struct {
	X, Y  float64
	Named bool
	Text  string
	// Tag is drawn beside dots that the verdict names, while they are few.
	Tag string
	// Flip puts the tag on the left.
	Flip bool
}

// taggedDots is up to how many named dots carry their index.
const taggedDots = 6

// newScatter returns nil when fewer than two subtasks have both numbers.
func newScatter(rows []report.Row) *scatter {
	s := &scatter{chart: newChart()}
	var most, dearest float64
	n, named := 0, 0
	known := func(r *report.Row) bool { return r.Records.Known() && r.CostPerRecord.Or(0) > 0 }
	for i := range rows {
		if r := &rows[i]; known(r) {
			most, dearest = max(most, r.Records.Or(0)), max(dearest, r.CostPerRecord.Or(0))
			n++
			if r.Named {
				named++
			}
		}
	}
	if n < 2 || most <= 0 || dearest <= 0 {
		return nil
	}
	right, top := niceAbove(most), niceAbove(dearest)
	for _, share := range []float64{0, 0.5, 1} {
		x := tick{At: s.x(share), Text: report.Amount(analysis.Of(right*share), analysis.UnitRecordsPerSecond)}
		if share == 1 {
			x.Anchor = "end"
		}
		s.XTicks = append(s.XTicks, x)
		s.YTicks = append(s.YTicks, tick{At: s.y(share), Text: report.Amount(analysis.Of(top*share), analysis.UnitSeconds)})
	}
	for i := range rows {
		r := &rows[i]
		if !known(r) {
			continue
		}
		d := dot{X: s.x(r.Records.Or(0) / right), Y: s.y(r.CostPerRecord.Or(0) / top), Named: r.Named}
		if n <= 200 {
			d.Text = fmt.Sprintf("subtask %d: %s, %s a record", r.Index,
				report.Amount(r.Records, analysis.UnitRecordsPerSecond), report.Amount(r.CostPerRecord, analysis.UnitSeconds))
		}
		if r.Named && named <= taggedDots {
			d.Tag = strconv.Itoa(int(r.Index))
			d.Flip = d.X > float64(s.Right-40)
		}
		s.Dots = append(s.Dots, d)
	}
	s.Label = fmt.Sprintf("records against time a record of %s; records reach %s, time a record %s", report.Count(n, "subtask"),
		report.Amount(analysis.Of(most), analysis.UnitRecordsPerSecond), report.Amount(analysis.Of(dearest), analysis.UnitSeconds))
	return s
}

// niceAbove is the next of 1, 1.2, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten
// that leaves a little room.
func niceAbove(v float64) float64 {
	v *= 1.02
	scale := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 1.2, 1.5, 2, 3, 4, 5, 6, 8} {
		if step*scale >= v {
			return step * scale
		}
	}
	return 10 * scale
}
