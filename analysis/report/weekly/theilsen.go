package weekly

import (
	"math"
	"slices"
)

// point is one day's value.
type point struct {
	// day is a whole number of days from any origin.
	day   int
	value float64
}

// slope is growth a day with its confidence interval; a bound that the data do
// not give is infinite.
type slope struct{ perDay, low, high float64 }

// clear reports whether the interval leaves zero out.
func (s slope) clear() bool { return s.low > 0 || s.high < 0 }

// z95 is the standard normal quantile of a two-sided interval of 95 %.
const z95 = 1.96

// week is the period of the cycle that daily peaks have.
const week = 7

// theilSen returns the median of the slopes between pairs of points and its
// interval (Sen, "Estimates of the regression coefficient based on Kendall's
// tau", JASA 63, 1968): of the N sorted slopes those at (N ± C)/2, where C is
// z·sd of Kendall's S. With period > 1 only points that lie a whole number of
// periods apart are compared, and the variances of the seasons add up (Hirsch,
// Slack and Smith, "Techniques of trend analysis for monthly water quality
// data", Water Resources Research 18, 1982): Mondays are held against Mondays.
// ok is false without any pair.
func theilSen(points []point, period int) (s slope, ok bool) {
	var all []float64
	variance := 0.0
	for season := range period {
		var values []float64
		var in []point
		for _, p := range points {
			if ((p.day%period)+period)%period == season {
				in, values = append(in, p), append(values, p.value)
			}
		}
		for i := range in {
			for j := i + 1; j < len(in); j++ {
				if d := in[j].day - in[i].day; d != 0 {
					all = append(all, (in[j].value-in[i].value)/float64(d))
				}
			}
		}
		variance += kendallVariance(values)
	}
	if len(all) == 0 {
		return slope{}, false
	}
	slices.Sort(all)
	n, c := float64(len(all)), z95*math.Sqrt(variance)
	s = slope{perDay: median(all), low: math.Inf(-1), high: math.Inf(1)}
	// Ranks count from 1; rounding outwards widens the interval.
	if low := int(math.Floor((n - c) / 2)); low >= 1 {
		s.low = all[low-1]
	}
	if high := int(math.Ceil((n+c)/2)) + 1; high <= len(all) {
		s.high = all[high-1]
	}
	return s, true
}

// kendallVariance is that of Kendall's S without a trend, ties accounted for:
// (n(n-1)(2n+5) - Σ t(t-1)(2t+5)) / 18.
func kendallVariance(values []float64) float64 {
	term := func(n int) float64 { return float64(n) * float64(n-1) * float64(2*n+5) }
	sorted := slices.Sorted(slices.Values(values))
	v := term(len(sorted))
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		v -= term(j - i)
		i = j
	}
	return v / 18
}

// median of values, which it does not change; NaN of none.
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile interpolates between the two nearest values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
