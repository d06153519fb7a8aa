package analysis

import (
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

const (
	// spreadOutlier is how many robust standard deviations above the median a
	// subtask's load per key group must be for its excess to be taken for that
	// of one key, and spreadLeast the least share above it.
	spreadOutlier, spreadLeast = 3, 0.1
	// oneSided95 and twoSided95 are quantiles of the normal distribution: 5 % lie
	// above the first, 2.5 % above the second.
	oneSided95, twoSided95 = 1.645, 1.96
	// leastNoise and mostNoise bound the relative error that a subtask's load is
	// taken to be measured with.
	leastNoise, mostNoise = 0.05, 0.25
	// madToSigma makes a median absolute deviation comparable with a standard deviation.
	madToSigma = 1.4826
)

// Band is what the busiest subtask's load may be at one parallelism.
type Band struct {
	// Low and High bound it; Likely lies between them: it is what comes of load
	// that is even inside each of today's subtasks, beside a known hot key.
	Low    float64 `json:"low"`
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
}

// spread is a load in key groups, of which only the sums over today's subtasks
// are known. How these lie inside a subtask is estimated from how unlike the
// subtasks are: if the loads of key groups vary by σ, then sums over g of them
// vary by σ√g, and a part of n groups of a known sum of g by σ√(n(1−n/g)), as a
// Brownian bridge does. What makes a subtask stand out is one key's, which is
// in one key group, wherever that is.
type spread struct {
	m     int
	loads []float64
	// excess is what an outlier carries above the median per key group.
	excess []float64
	// sigma is an upper estimate of the standard deviation of a key group's load
	// (95 %), infinite for a single subtask; noise is the relative error of a load.
	sigma, noise float64
	// oneKey says that the excess is known to be of one key, so that it is likely
	// to stay whole.
	oneKey bool
}

// newSpread describes the loads of the subtasks, by index, under m key groups.
func newSpread(loads []float64, m int) *spread {
	p := len(loads)
	s := &spread{m: m, loads: loads, excess: make([]float64, p), noise: leastNoise}
	shares := make([]float64, p)
	for i, l := range loads {
		shares[i] = l / float64(keygroup.Count(i, p, m))
	}
	mid := medianOf(shares)
	away := make([]float64, p)
	for i, v := range shares {
		away[i] = math.Abs(v - mid)
	}
	limit := mid + max(spreadOutlier*madToSigma*medianOf(away), spreadLeast*mid)
	var sum, groups float64
	n := 0
	for i, v := range shares {
		g := float64(keygroup.Count(i, p, m))
		if v > limit {
			s.excess[i] = loads[i] - mid*g
			continue
		}
		sum, groups, n = sum+loads[i], groups+g, n+1
	}
	perGroup := sum / groups
	var deviation, relative float64
	for i, v := range shares {
		if v <= limit {
			g := float64(keygroup.Count(i, p, m))
			deviation += (loads[i] - perGroup*g) * (loads[i] - perGroup*g) / g
			relative += (v - perGroup) * (v - perGroup)
		}
	}
	freedom := float64(n - 1)
	if n < 2 {
		s.sigma = math.Inf(1)
		return s
	}
	s.sigma = math.Sqrt(deviation / chiSquaredLow(freedom))
	if perGroup > 0 {
		s.noise = min(mostNoise, max(leastNoise, math.Sqrt(relative/freedom)/perGroup))
	}
	return s
}

// at predicts the busiest subtask at a parallelism of at most m.
func (s *spread) at(parallelism int) Band {
	p := len(s.loads)
	// The largest of so many subtasks is above this many standard deviations in 2.5 %.
	z := upperNormal(0.025 / float64(parallelism))
	var b Band
	var total float64
	for j := range parallelism {
		first, last := keygroup.Range(j, parallelism, s.m)
		var even, most, variance, more, less, noise float64
		for i := keygroup.Owner(first, p, s.m); i <= keygroup.Owner(last, p, s.m); i++ {
			from, to := keygroup.Range(i, p, s.m)
			part := float64(min(last, to)-max(first, from)+1) / float64(to-from+1)
			g := float64(to - from + 1)
			even += s.loads[i] * part
			most += s.loads[i]
			more += s.excess[i] * (1 - part)
			noise += s.loads[i] * part * s.loads[i] * part
			if part < 1 {
				variance += g * part * (1 - part)
				less += s.excess[i] * part
			}
		}
		total += even
		sd := 0.0
		if variance > 0 {
			sd = s.sigma * math.Sqrt(variance)
		}
		wobble := s.noise * math.Sqrt(noise)
		if s.oneKey {
			b.Likely = max(b.Likely, even+more)
		} else {
			b.Likely = max(b.Likely, even)
		}
		b.High = max(b.High, min(most, even+z*sd+more)+twoSided95*wobble)
		b.Low = max(b.Low, even-less-twoSided95*math.Hypot(sd, wobble))
	}
	b.Low = min(b.Likely, max(b.Low, (1-s.noise)*max(total/float64(parallelism), s.cutLoad(parallelism))))
	return b
}

// cutLoad is a load that some subtask has however today's loads lie: a subtask
// of today is cut into at most so many parts, and the largest part has the mean.
func (s *spread) cutLoad(parallelism int) float64 {
	p, most := len(s.loads), 0.0
	for i, l := range s.loads {
		first, last := keygroup.Range(i, p, s.m)
		parts := keygroup.Owner(last, parallelism, s.m) - keygroup.Owner(first, parallelism, s.m) + 1
		most = max(most, l/float64(parts))
	}
	return most
}

// chiSquaredLow is the value below which a χ² variable lies in 5 % (Wilson and
// Hilferty's approximation, good to a few percent from 2 degrees of freedom on;
// of one it is far too low, which makes estimates of spread too wide).
func chiSquaredLow(freedom float64) float64 {
	a := 2 / (9 * freedom)
	root := max(1-a-oneSided95*math.Sqrt(a), 1e-3)
	return freedom * root * root * root
}

// upperNormal is the value above which a normal variable lies with the
// probability q, 0 < q < 1.
func upperNormal(q float64) float64 { return math.Sqrt2 * math.Erfinv(1-2*q) }

// medianOf returns the median of values and leaves their order alone.
func medianOf(values []float64) float64 { return median(slices.Sorted(slices.Values(values))) }
