package analysis

import (
	"math"
	"slices"
)

// distribution describes values, one a subtask; NaN marks a subtask that gave
// none. index maps positions to subtask indexes. scratch is reused between
// calls and must have no values that the caller needs.
//
// groups, when not nil, are the owned key groups by position; Excess is then
// the largest value per group over the overall value per group.
func distribution(values []float64, index []int32, groups []int32, scratch *[]float64) Distribution {
	d := Distribution{ArgMax: -1}
	known := (*scratch)[:0]
	var sum, sumGroups float64
	most, least := math.Inf(-1), math.Inf(1)
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		known = append(known, v)
		sum += v
		if groups != nil {
			sumGroups += float64(groups[i])
		}
		if v < least { // As everywhere here: cheaper than min, which minds NaN.
			least = v
		}
		if v > most {
			most, d.ArgMax = v, int(index[i])
		}
	}
	*scratch = known
	if len(known) == 0 {
		return d
	}
	n := len(known)
	mean := sum / float64(n)
	d.Count = n
	d.Max, d.Mean, d.Min, d.Sum = Of(most), Of(mean), Of(least), Of(sum)
	if least < most {
		mid, p95 := quantiles(known)
		d.Median, d.P95 = Of(mid), Of(p95)
	} else { // All alike is common.
		d.Median, d.P95 = d.Max, d.Max
	}
	if mean <= 0 || least < 0 {
		return d // A ratio to nothing, or of signed values, says nothing.
	}
	d.Skew = Of(max(1, most/mean))
	var deviation float64
	for _, v := range known {
		deviation += math.Abs(v - mean)
	}
	d.WebUISkew = Of(min(1, deviation/float64(n)/mean))
	if groups != nil && sumGroups > 0 {
		var worst float64 // a group
		for i, v := range values {
			// Multiplied out, for a division costs ten times as much; false for NaN.
			if g := float64(groups[i]); g > 0 && v > worst*g {
				worst = v / g
			}
		}
		d.Excess = Of(max(1, worst/(sum/sumGroups)))
	}
	return d
}

// quantiles returns the median and the 95th percentile (nearest rank) of
// values, which it reorders. Selecting costs less than half of sorting, and
// this is done a handful of times for every vertex in every poll.
func quantiles(values []float64) (mid, p95 float64) {
	n := len(values)
	half := n / 2
	mid = middle(values)
	rank := int(math.Ceil(0.95*float64(n))) - 1
	if rank > half {
		nth(values[half:], rank-half)
	}
	return mid, values[rank]
}

// middle returns the median of values, which it leaves with the upper half
// behind the lower.
func middle(values []float64) float64 {
	half := len(values) / 2
	nth(values, half)
	mid := values[half]
	if len(values)%2 == 1 {
		return mid
	}
	below := values[0]
	for _, v := range values[:half] {
		if v > below {
			below = v
		}
	}
	return (below + mid) / 2
}

// nth reorders values so that the k-th smallest, from 0, stands at k, nothing
// larger before it and nothing smaller behind (Hoare's selection).
func nth(values []float64, k int) {
	for low, high := 0, len(values)-1; low < high; {
		pivot := values[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return
		}
	}
}

// median of ascending values, which must not be empty.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// split is a separation of values into few high ones and the rest.
type split struct {
	// high are positions of the high values, ascending; none when there is no split.
	high []int
	// highMean and restMean are the means of the two groups.
	highMean, restMean float64
	// gap is the smallest high value over the largest of the rest.
	gap float64
}

// ratio is how far the groups are apart; +Inf when the rest is zero.
func (s split) ratio() float64 {
	if s.restMean <= 0 {
		return math.Inf(1)
	}
	return s.highMean / s.restMean
}

// fewHigh cuts values at the widest relative gap that leaves at most a quarter
// of them, or two of four, on the high side. Unlike a z-score, whose largest
// possible value on n subtasks is sqrt(n-1), it can find one high value of two.
// NaN values belong to neither side.
func fewHigh(values []float64) split {
	order := make([]int, 0, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	if len(order) < 2 {
		return split{}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		}
		return 0
	})
	best, gap := 0, 0.0
	for h := 1; h <= max(1, min(2, len(order)/2), len(order)/4); h++ {
		low := values[order[h]]
		g := math.Inf(1)
		if low > 0 {
			g = values[order[h-1]] / low
		} else if values[order[h-1]] <= 0 {
			break // Zeros on both sides of the cut: no gap here or further down.
		}
		if g > gap {
			best, gap = h, g
		}
	}
	if best == 0 {
		return split{}
	}
	s := split{high: slices.Sorted(slices.Values(order[:best])), gap: gap}
	for i, o := range order {
		if i < best {
			s.highMean += values[o] / float64(best)
		} else {
			s.restMean += values[o] / float64(len(order)-best)
		}
	}
	return s
}

// meanOf returns the mean of values at the positions for which keep holds,
// and how many they are; NaN values are left out.
func meanOf(values []float64, keep func(int) bool) (mean float64, n int) {
	for i, v := range values {
		if keep(i) && !math.IsNaN(v) {
			mean += v
			n++
		}
	}
	if n == 0 {
		return math.NaN(), 0
	}
	return mean / float64(n), n
}
