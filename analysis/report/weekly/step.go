package weekly

import "math"

const (
	// stepSide is the least days on each side of a step.
	stepSide = 3
	// stepBetter is by what factor two levels must fit closer than a line does.
	stepBetter = 0.6
	// stepSize is how many times the usual distance from its level a step must measure.
	stepSize = 3
)

// step looks for the day that parts the values into two levels (medians) at
// the least sum of absolute deviations: least-absolute change-point detection
// with one change. It is a step when the levels fit clearly better than the
// line, and lie clearly farther apart than their own days do. Weekdays are
// evened out first where period says that there is a weekly cycle.
func step(points []point, l line, period int) (day int, before, after float64, ok bool) {
	even := evened(points, l, period)
	values := make([]float64, len(even))
	onLine := 0.0
	for i, p := range even {
		values[i] = p.value
		onLine += math.Abs(p.value - l.at(float64(p.day), l.perDay))
	}
	least, at := math.Inf(1), 0
	for i := stepSide; i <= len(values)-stepSide; i++ {
		if d := deviation(values[:i]) + deviation(values[i:]); d < least {
			least, at = d, i
		}
	}
	if at == 0 {
		return 0, 0, 0, false
	}
	before, after = median(values[:at]), median(values[at:])
	usual := least / float64(len(values))
	if least >= stepBetter*onLine || math.Abs(after-before) < stepSize*usual {
		return 0, 0, 0, false
	}
	return points[at].day, before, after, true
}

// evened takes from each value what its weekday is usually above the line.
func evened(points []point, l line, period int) []point {
	rest := make([][]float64, period)
	for _, p := range points {
		rest[p.day%period] = append(rest[p.day%period], p.value-l.at(float64(p.day), l.perDay))
	}
	out := make([]point, len(points))
	for i, p := range points {
		out[i] = p
		if period > 1 {
			out[i].value -= median(rest[p.day%period])
		}
	}
	return out
}

// deviation is the sum of absolute deviations from the median.
func deviation(values []float64) float64 {
	m, sum := median(values), 0.0
	for _, v := range values {
		sum += math.Abs(v - m)
	}
	return sum
}
