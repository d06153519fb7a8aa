package analysis

import (
	"math"
	"time"
)

// AutoscalerConfig are the settings of the autoscaler of Flink's Kubernetes
// operator that decide a vertex's parallelism, by the names of its options
// (job.autoscaler.…).
type AutoscalerConfig struct {
	// Target is utilization.target.
	Target float64
	// CatchUp is catch-up.duration, 0 for none, and Restart restart.time.
	CatchUp, Restart time.Duration
	// MaxScaleDown is scale-down.max-factor and MaxScaleUp scale-up.max-factor.
	MaxScaleDown, MaxScaleUp float64
	// MinParallelism and MaxParallelism are vertex.min- and max-parallelism.
	MinParallelism, MaxParallelism int
}

// AutoscalerDefaults are those of the operator's AutoScalerOptions, 1.8 to 1.13.
func AutoscalerDefaults() AutoscalerConfig {
	return AutoscalerConfig{
		Target: 0.7, CatchUp: 30 * time.Minute, Restart: 5 * time.Minute,
		MaxScaleDown: 0.6, MaxScaleUp: 100_000, MinParallelism: 1, MaxParallelism: 200,
	}
}

// AutoscalerInput is what the autoscaler knows of a vertex.
type AutoscalerInput struct {
	Parallelism    int
	MaxParallelism int
	// Partitions is that of a source, 0 when it is none or they are not known.
	Partitions int
	// Keyed is whether an input is HASH.
	Keyed bool
	// Rate is records in per second, Busy the busiest subtask's busy share: the
	// default of busy-time.aggregator is MAX.
	Rate, Busy float64
	// Demand is the target data rate, CatchUp the catch-up data rate, in records a second.
	Demand, CatchUp float64
}

// Autoscaler returns the parallelism that the operator's autoscaler would set
// from these numbers, before it asks whether the change is worth a restart and
// whether it may be made now. ok is false when it would do nothing for want of a
// number. It is JobVertexScaler.computeScaleTargetParallelism with
// AutoScalerUtils.getTargetProcessingCapacity, without observed scalability.
func Autoscaler(in AutoscalerInput, c AutoscalerConfig) (parallelism int, ok bool) {
	if !(in.Rate > 0) || !(in.Busy > 0) || math.IsNaN(in.Demand) || in.Parallelism < 1 || in.MaxParallelism < 1 {
		return 0, false
	}
	trueRate := in.Rate / in.Busy
	capacity := in.Demand / c.Target
	if c.CatchUp > 0 {
		capacity += in.CatchUp + in.Demand*c.Restart.Seconds()/c.CatchUp.Seconds()
	}
	scale := math.Round(capacity) / trueRate
	scale = min(max(scale, 1-c.MaxScaleDown), 1+c.MaxScaleUp)
	upper := min(in.MaxParallelism, max(in.Parallelism, c.MaxParallelism))
	// The tolerance is ours: rates measured here are no whole numbers.
	p := int(min(math.Ceil(scale*float64(in.Parallelism)-1e-6), keyGroupLimit))
	p = min(max(p, min(in.Parallelism, c.MinParallelism)), upper)
	if in.Partitions <= 0 && !in.Keyed || p == in.Parallelism {
		return p, true
	}
	parts := in.MaxParallelism
	if in.Partitions > 0 {
		parts = in.Partitions
	}
	return align(p, in.Parallelism, parts, upper), true
}

// keyGroupLimit keeps a parallelism an int whatever the rates are.
const keyGroupLimit = 1 << 30

// align moves a parallelism to a divisor of the key groups or partitions, as
// the operator's mode EVENLY_SPREAD does: upwards to the next divisor, not past
// the present parallelism when scaling down; else down to where the busiest
// subtask would get more; and never against the direction of the change.
func align(p, present, parts, upper int) int {
	up := p > present
	most := min(parts, upper)
	if !up {
		most = min(most, present)
	}
	for q := p; q <= most; q++ {
		if parts%q == 0 {
			return q
		}
	}
	q := p
	for ; q > 0; q-- {
		if parts/q > parts/p {
			if parts%q != 0 {
				q++
			}
			break
		}
	}
	q = max(q, 1)
	if up && q <= present || !up && q >= present {
		return present
	}
	return q
}
