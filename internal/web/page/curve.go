package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// prediction is what one parallelism would leave on the busiest subtask at
// today's throughput: at best and at worst, by how load lies in its key groups.
type prediction struct {
	Parallelism int
	Low, High   analysis.Num
	Now         bool
}

// predictions are the Result's own, with the present parallelism among them.
func predictions(v *analysis.VertexResult) []prediction {
	var out []prediction
	for _, s := range v.Verdict.Advice.Steps {
		if s.BusiestLoad.Known() && s.Parallelism != v.Parallelism {
			high := s.BusiestHigh
			if !high.Known() || v.Verdict.ID == analysis.UniformSaturation {
				high = s.BusiestLoad // Even load: the worst case says nothing of it.
			}
			out = append(out, prediction{s.Parallelism, s.BusiestLoad, high, false})
		}
	}
	if len(out) == 0 || !v.Signals.Busy.Max.Known() {
		return nil
	}
	out = append(out, prediction{v.Parallelism, v.Signals.Busy.Max, v.Signals.Busy.Max, true})
	slices.SortFunc(out, func(a, b prediction) int { return cmp.Compare(a.Parallelism, b.Parallelism) })
	return out
}

// curve is what other parallelisms would do, drawn.
type curve struct {
	chart
	Band, Line string
	Points     []point
	// Full is the height of 100 %, Ceiling where no more subtasks can be had.
	Full    float64
	Ceiling *tick
	Anchor  string
	Steps   []step
	Floor   string
}

type point struct {
	X, Y float64
	Now  bool
	Text string
}

// step is a row of the table beside the curve.
type step struct {
	Parallelism, Load string
	Now, Over         bool
}

// newCurve returns nil when nothing is predicted.
func newCurve(v *analysis.VertexResult) *curve {
	ps := predictions(v)
	if len(ps) < 2 {
		return nil
	}
	c := &curve{chart: newChart()}
	first, last := ps[0].Parallelism, ps[len(ps)-1].Parallelism
	top := 1.0
	for _, p := range ps {
		top = max(top, p.High.Or(0))
	}
	top = niceAbove(top)
	// Parallelisms that are near in proportion are near on the axis.
	at := func(p int) float64 {
		return c.x(0.03 + 0.94*math.Log(float64(p)/float64(first))/math.Log(float64(last)/float64(first)))
	}
	var low, high []string
	for _, p := range ps {
		x, l, h := at(p.Parallelism), c.y(p.Low.Or(0)/top), c.y(p.High.Or(0)/top)
		if !p.Now || len(ps) == 2 {
			// What is measured now is no prediction; it is a point beside them.
			low = append(low, fmt.Sprintf("%v %v", x, l))
			high = append([]string{fmt.Sprintf("%v %v", x, h)}, high...)
		}
		load := loadRange(p)
		c.Points = append(c.Points, point{x, l, p.Now, fmt.Sprintf("%d: %s", p.Parallelism, load)})
		c.Steps = append(c.Steps, step{report.Whole(analysis.OfInt(p.Parallelism)), load, p.Now, p.High.Or(0) >= 1.005})
		if p.Now {
			c.XTicks = append([]tick{{At: x, Text: report.Whole(analysis.OfInt(p.Parallelism))}}, c.XTicks...)
		} else {
			c.XTicks = append(c.XTicks, tick{At: x, Text: report.Whole(analysis.OfInt(p.Parallelism))})
		}
	}
	c.XTicks = apart(c.XTicks)
	c.Line = "M" + strings.Join(low, "L")
	c.Band = c.Line + "L" + strings.Join(high, "L") + "Z"
	for _, share := range []float64{0, 0.5, 1} {
		c.YTicks = append(c.YTicks, tick{At: c.y(share), Text: report.Percent(analysis.Of(top * share))})
	}
	c.Full = c.y(1 / top)
	if limit, ok := v.Ceiling.Effective.Get(); ok && int(limit) >= first && int(limit) <= last {
		x := at(int(limit))
		c.Ceiling, c.Anchor = &tick{At: x, Text: "ceiling " + report.Whole(v.Ceiling.Effective)}, "start"
		if x > float64(c.Right-90) {
			c.Anchor = "end"
		}
	}
	if floor := v.Verdict.Advice.Floor; floor.Or(0) > 0 {
		c.Floor = report.Percent(floor)
	}
	c.Label = fmt.Sprintf("predicted load of the busiest subtask at parallelisms from %d to %d", first, last)
	return c
}

// apart leaves out ticks whose text would run into one that came before.
func apart(ticks []tick) []tick {
	var out []tick
	for _, t := range ticks {
		if !slices.ContainsFunc(out, func(o tick) bool { return math.Abs(o.At-t.At) < 30 }) {
			out = append(out, t)
		}
	}
	return out
}

func loadRange(p prediction) string {
	low, high := report.Percent(p.Low), report.Percent(p.High)
	if low == high {
		return low
	}
	return strings.TrimSuffix(low, " %") + "–" + high
}
