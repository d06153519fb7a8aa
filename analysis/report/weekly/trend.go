package weekly

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TrendKind is what the daily peaks have done. The set is closed.
type TrendKind string

// The kinds.
const (
	// TrendShort: too few days have been seen to say.
	TrendShort TrendKind = "not_enough_data"
	// TrendFlat: any growth is too small to matter.
	TrendFlat TrendKind = "flat"
	// TrendRising and TrendFalling: steadily so, in both halves of the time.
	TrendRising  TrendKind = "rising"
	TrendFalling TrendKind = "falling"
	// TrendStep: one level, then another; no trend.
	TrendStep TrendKind = "step"
	// TrendUnclear: it moves, but neither steadily nor in one step.
	TrendUnclear TrendKind = "unclear"
)

// Trend is how the parallelism that the load needs at its daily peak changes.
type Trend struct {
	Kind TrendKind `json:"kind"`
	// PerWeek is the growth, and Low and High its interval of 95 %, in
	// subtasks a week; absent with TrendShort, and where the data give no bound.
	PerWeek analysis.Num `json:"per_week"`
	Low     analysis.Num `json:"per_week_low"`
	High    analysis.Num `json:"per_week_high"`
	// Days is how many days it rests on.
	Days int `json:"days"`
	// StepDay is the first day of the new level, as an index into the daily
	// values, Before and After are the levels; only with TrendStep.
	StepDay int          `json:"-"`
	Before  analysis.Num `json:"step_before"`
	After   analysis.Num `json:"step_after"`

	line line
}

// line is the fitted one: value(day) = level + slope·(day - pivot).
type line struct {
	slope
	level, pivot float64
	// busy is by how much a busy day, one in ten, is above the line.
	busy float64
}

const (
	// minDays and minSpan are the least days with values, and the least from
	// the first to the last of them: two weekly cycles.
	minDays = 10
	minSpan = 2*week - 1
	// seasonalDays is from what span on weekdays are compared with themselves:
	// within less a step could not be told from growth.
	seasonalDays = 3*week - 1
	// minGrowth is the share of the level that must be gained or lost over the
	// time seen to be worth a word, that of the alert FlinkCeilingPredicted.
	minGrowth = 0.05
	// steady is the share of the whole time's pace that each half must have.
	steady = 1.0 / 3
	// flatWeek is the growth a week, as a share of the level, within which the
	// interval of a flat trend must lie.
	flatWeek = 0.05
)

// trendOf judges daily peaks; an absent one is a day not seen well enough.
func trendOf(daily Series) Trend {
	points := pointsOf(daily)
	t := Trend{Kind: TrendShort, Days: len(points)}
	if len(points) < minDays || points[len(points)-1].day-points[0].day < minSpan {
		return t
	}
	span := points[len(points)-1].day - points[0].day
	period := 1
	if span >= seasonalDays {
		period = week
	}
	s, ok := theilSen(points, period)
	if !ok {
		return t
	}
	t.PerWeek, t.Low, t.High = analysis.Of(s.perDay*week), analysis.Of(s.low*week), analysis.Of(s.high*week)
	t.line = fit(points, s)
	level := math.Max(1, math.Abs(t.line.level))
	grown := s.perDay * float64(span)
	enough := math.Abs(grown) >= minGrowth*level
	if at, before, after, found := step(points, t.line, period); found && math.Abs(after-before) >= minGrowth*level {
		t.Kind, t.StepDay, t.Before, t.After = TrendStep, at, analysis.Of(before), analysis.Of(after)
		return t
	}
	switch {
	case enough && s.clear() && inHalves(points, s, period):
		t.Kind = TrendRising
		if s.perDay < 0 {
			t.Kind = TrendFalling
		}
	case !enough && s.low*week >= -flatWeek*level && s.high*week <= flatWeek*level:
		t.Kind = TrendFlat
	default:
		t.Kind = TrendUnclear
	}
	return t
}

func pointsOf(daily Series) []point {
	var points []point
	for i, n := range daily {
		if v, ok := n.Get(); ok {
			points = append(points, point{i, v})
		}
	}
	return points
}

// fit lays the line of a slope through the points' middle.
func fit(points []point, s slope) line {
	l := line{slope: s, pivot: float64(points[0].day+points[len(points)-1].day) / 2}
	var rest []float64
	for _, p := range points {
		rest = append(rest, p.value-s.perDay*(float64(p.day)-l.pivot))
	}
	l.level = median(rest)
	l.busy = math.Max(0, quantile(rest, 0.9)-l.level)
	return l
}

// at is the line's value with the given slope about the pivot.
func (l line) at(day, perDay float64) float64 { return l.level + perDay*(day-l.pivot) }

// inHalves reports whether each half of the time goes the same way at no less
// than a third of the whole's pace: a step lies in one half, a spike comes back.
func inHalves(points []point, s slope, period int) bool {
	middle := float64(points[0].day+points[len(points)-1].day) / 2
	split := 0
	for split < len(points) && float64(points[split].day) < middle {
		split++
	}
	for _, half := range [][]point{points[:split], points[split:]} {
		h, ok := theilSen(half, period)
		if !ok {
			h, ok = theilSen(half, 1)
		}
		if !ok || h.perDay*math.Copysign(1, s.perDay) < steady*math.Abs(s.perDay) {
			return false
		}
	}
	return true
}
