package analysis

import "math"

// sizingOf returns what the present demand needs at target utilisation:
// ceil(demand / (capacity a subtask · target)), where the capacity of a subtask
// is its records a second over its busy share, Flink's true processing rate
// (FLIP-271). The demand is what arrives, or what would arrive if nothing held
// up the sources where that is more and known.
//
// Required takes the load to become even. Where it does not (a hot key, the
// key-group layout) the curve of WhatIf says more.
func sizingOf(e *evidence, d demand, ceiling Ceiling, c Config) Sizing {
	var s Sizing
	if math.IsNaN(e.meanBusy) || math.IsNaN(e.meanLoad) || e.meanBusy <= 0 || e.meanLoad <= 0 {
		return s
	}
	var trueRate float64
	for i, b := range e.busy {
		if b > 0 && e.load[i] > 0 {
			trueRate += e.load[i] / b
		}
	}
	s.TrueRate, s.Target = Of(trueRate), Of(c.TargetUtilisation)
	p := float64(e.v.Parallelism)
	capacity := e.meanLoad / e.meanBusy
	demanded := e.meanLoad * p * d.factor()
	s.Required = wholeSubtasks(demanded / (capacity * c.TargetUtilisation))
	s.RequiredHeadroom = ratio(ceiling.Effective, s.Required)
	s.Demand, s.DemandAtLeast, s.DemandRatio = d.wanted, d.atLeast, Of(d.factor())
	if catchUp := d.catchUp.Or(0); catchUp > 0 {
		s.CatchUpRate = d.catchUp
		// The live load runs at target; what clears the backlog may take the rest.
		s.RequiredCatchUp = wholeSubtasks((demanded/c.TargetUtilisation + catchUp) / capacity)
	}
	s.Autoscaler = autoscalerOf(e, d)
	return s
}

// wholeSubtasks rounds up; the tolerance keeps 16.000000001 from becoming 17.
func wholeSubtasks(n float64) Num { return Of(max(1, math.Ceil(n-1e-6))) }

// autoscalerOf asks what the operator's autoscaler would set.
func autoscalerOf(e *evidence, d demand) Num {
	m, ok := e.v.MaxParallelism.Get()
	if !ok {
		return Num{}
	}
	p, ok := Autoscaler(AutoscalerInput{
		Parallelism: e.v.Parallelism, MaxParallelism: int(m), Partitions: int(e.v.Partitions.Or(0)), Keyed: e.v.Keyed(),
		Rate: d.rate.Or(0), Busy: e.maxBusy, Demand: d.wanted.Or(math.NaN()), CatchUp: d.catchUp.Or(0),
	}, AutoscalerDefaults())
	if !ok {
		return Num{}
	}
	return OfInt(p)
}
