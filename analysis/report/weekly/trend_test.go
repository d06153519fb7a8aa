package weekly

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// days makes a series of daily peaks.
func days(n int, value func(day int) float64) Series {
	s := make(Series, n)
	for i := range s {
		s[i] = analysis.Of(value(i))
	}
	return s
}

// weekend is a weekly cycle: two days of seven are lower by that share.
func weekend(day int, share float64) float64 {
	if day%7 >= 5 {
		return 1 - share
	}
	return 1
}

func TestTrendKinds(t *testing.T) {
	gap := func(s Series, from, to int) Series {
		for i := from; i < to; i++ {
			s[i] = analysis.Num{}
		}
		return s
	}
	for name, c := range map[string]struct {
		s    Series
		want TrendKind
	}{
		"nothing":            {nil, TrendShort},
		"a week":             {days(7, func(d int) float64 { return 50 + float64(d) }), TrendShort},
		"days missing":       {gap(days(28, func(d int) float64 { return 50 + float64(d) }), 0, 20), TrendShort},
		"too few of many":    {gap(days(28, func(d int) float64 { return 50 + float64(d) }), 4, 24), TrendShort},
		"constant":           {days(28, func(int) float64 { return 50 }), TrendFlat},
		"nearly constant":    {days(28, func(d int) float64 { return 50 + float64(d%2) }), TrendFlat},
		"two weeks' growth":  {days(14, func(d int) float64 { return 50 + 2*float64(d) }), TrendRising},
		"growth":             {days(28, func(d int) float64 { return 50 + float64(d) }), TrendRising},
		"growth, weekends":   {days(28, func(d int) float64 { return (50 + float64(d)) * weekend(d, 0.5) }), TrendRising},
		"growth with a gap":  {gap(days(28, func(d int) float64 { return 50 + float64(d) }), 10, 14), TrendRising},
		"fall":               {days(28, func(d int) float64 { return 80 - float64(d) }), TrendFalling},
		"step up":            {days(28, func(d int) float64 { return 50 + 30*b(d >= 17) }), TrendStep},
		"step down":          {days(28, func(d int) float64 { return 50 - 20*b(d >= 9) }), TrendStep},
		"step in two weeks":  {days(14, func(d int) float64 { return 50 + 30*b(d >= 7) }), TrendStep},
		"step, weekends":     {days(28, func(d int) float64 { return (50 + 30*b(d >= 14)) * weekend(d, 0.4) }), TrendStep},
		"small step":         {days(28, func(d int) float64 { return 100 + 2*b(d >= 14) }), TrendFlat},
		"weekends":           {days(28, func(d int) float64 { return 60 * weekend(d, 0.5) }), TrendFlat},
		"one spike":          {days(28, func(d int) float64 { return 50 + 70*b(d == 20) }), TrendFlat},
		"up and down again":  {days(28, func(d int) float64 { return 50 + 4*(14-math.Abs(float64(d)-14)) }), TrendUnclear},
		"two weeks, weekend": {days(14, func(d int) float64 { return 60 * weekend(d, 0.5) }), TrendFlat},
	} {
		if got := trendOf(c.s); got.Kind != c.want {
			t.Errorf("%s: %s (%+v), want %s", name, got.Kind, got, c.want)
		}
	}
}

func b(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// TestStepIsDated: the step lies where it was put, between the levels that it parts.
func TestStepIsDated(t *testing.T) {
	got := trendOf(days(28, func(d int) float64 { return 50 + 30*b(d >= 17) }))
	if got.StepDay != 17 || got.Before != analysis.Of(50) || got.After != analysis.Of(80) {
		t.Errorf("got day %d from %v to %v, want day 17 from 50 to 80", got.StepDay, got.Before, got.After)
	}
}

// TestTheilSen: a slope by hand, its interval by Sen's ranks. Of 1, 2, 4, 3, 6
// the ten slopes are, sorted, -1 2/3 1 1 1 1.25 4/3 1.5 2 3; Kendall's variance
// is 5·4·15/18, so that C = 8.002 and the ranks are 0 and 11: both bounds open.
func TestTheilSen(t *testing.T) {
	s, ok := theilSen([]point{{0, 1}, {1, 2}, {2, 4}, {3, 3}, {4, 6}}, 1)
	if !ok || s.perDay != 1.125 || !math.IsInf(s.low, -1) || !math.IsInf(s.high, 1) {
		t.Errorf("got %+v, want 1.125 without bounds", s)
	}
	if got, want := kendallVariance([]float64{1, 2, 2, 3}), (4.0*3*13-2*1*9)/18; math.Abs(got-want) > 1e-12 {
		t.Errorf("variance with a tie is %v, want %v", got, want)
	}
	if _, ok := theilSen([]point{{0, 1}, {1, 2}}, week); ok {
		t.Error("two days within a week have a slope between weeks")
	}
}

// noisy is a load with noise that lasts from day to day, as load has.
func noisy(r *rand.Rand, n int, level func(day int) float64) Series {
	e := 0.0
	return days(n, func(d int) float64 {
		e = 0.4*e + 0.03*r.NormFloat64()
		return math.Ceil(level(d) * weekend(d, 0.3) * (1 + e))
	})
}

// TestTrendOfNoise counts over seeded series what is said of a load whose truth
// is known: no date without growth, growth found, and the true day within the dates.
func TestTrendOfNoise(t *testing.T) {
	const runs = 400
	r := rand.New(rand.NewPCG(1, 2))
	until := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	var wrong, stepped, found, held int
	for range runs {
		if k := trendOf(noisy(r, 28, func(int) float64 { return 90 })).Kind; k == TrendRising || k == TrendFalling {
			wrong++
		}
		at := 4 + r.IntN(20)
		if k := trendOf(noisy(r, 28, func(d int) float64 { return 60 + 40*b(d >= at) })).Kind; k == TrendRising {
			stepped++
		}
		// 60 and one more a day: 128 is reached on day 68, 41 days after day 27.
		trend := trendOf(noisy(r, 28, func(d int) float64 { return 60 + float64(d) }))
		if trend.Kind != TrendRising {
			continue
		}
		found++
		reach := reachOf(trend, 128, 95, 28, until)
		truth := until.AddDate(0, 0, 41)
		if reach.Kind == ReachDates && !reach.Earliest.After(truth) && (reach.Latest == nil || !reach.Latest.Before(truth)) {
			held++
		}
	}
	t.Logf("of %d: trend in noise %d, trend in a step %d, growth found %d, true day within the dates %d", runs, wrong, stepped, found, held)
	if wrong > runs/25 || stepped > runs/25 {
		t.Errorf("a trend was seen in %d of %d loads without one and in %d of %d steps, want 4 %% at most", wrong, runs, stepped, runs)
	}
	if found < runs*95/100 || held < found*80/100 {
		t.Errorf("growth was found in %d of %d, the true day lay within the dates in %d", found, runs, held)
	}
}

func TestReach(t *testing.T) {
	until := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)
	growth := trendOf(days(28, func(d int) float64 { return 50 + float64(d) }))
	day := func(n int) string { return until.AddDate(0, 0, n).Format(time.DateOnly) }
	// The last day needs 77, and 97 is 20 days further, give or take a tenth.
	r := reachOf(growth, 97, 77, 28, until)
	if r.Kind != ReachDates || r.Earliest.Format(time.DateOnly) > day(20) || r.Earliest.Format(time.DateOnly) < day(15) ||
		r.Latest.Format(time.DateOnly) < day(20) || r.Latest.Format(time.DateOnly) > day(23) {
		t.Errorf("got %s, %v to %v, want dates about %s", r.Kind, r.Earliest, r.Latest, day(20))
	}
	for name, c := range map[string]struct {
		t       Trend
		ceiling float64
		want    ReachKind
	}{
		"at it already": {growth, 77, ReachNow},
		"far away":      {growth, 1024, ReachFar},
		"flat":          {trendOf(days(28, func(int) float64 { return 50 })), 97, ReachNone},
		"too short":     {trendOf(days(7, func(int) float64 { return 50 })), 97, ReachUnknown},
		"a step":        {trendOf(days(28, func(d int) float64 { return 40 + 30*b(d > 12) })), 97, ReachNone},
	} {
		if got := reachOf(c.t, c.ceiling, 77, 28, until); got.Kind != c.want {
			t.Errorf("%s: %s, want %s", name, got.Kind, c.want)
		}
	}
}
