package analysis

import (
	"math"
	"testing"
)

// TestAutoscaler: each row is worked out by hand from the operator's formulas.
func TestAutoscaler(t *testing.T) {
	plain := AutoscalerDefaults()
	plain.Restart, plain.Target = 0, 0.75
	for _, c := range []struct {
		name string
		in   AutoscalerInput
		c    AutoscalerConfig
		want int
	}{
		{"48,000 at 4,000 each and 75 % are 16", AutoscalerInput{Parallelism: 12, MaxParallelism: 128, Rate: 48000, Busy: 1, Demand: 48000}, plain, 16},
		{"a restart costs a sixth more", AutoscalerInput{Parallelism: 12, MaxParallelism: 128, Rate: 48000, Busy: 1, Demand: 48000}, func() AutoscalerConfig { d := AutoscalerDefaults(); d.Target = .75; return d }(), 18},
		{"a backlog of 1.8 million in half an hour is 1,000 a second", AutoscalerInput{Parallelism: 4, MaxParallelism: 128, Rate: 4000, Busy: 1, Demand: 4000, CatchUp: 1000}, plain, 7},
		{"never below 40 %", AutoscalerInput{Parallelism: 100, MaxParallelism: 128, Rate: 1000, Busy: .01, Demand: 1000}, plain, 40},
		{"up to the next divisor of the key groups", AutoscalerInput{Parallelism: 12, MaxParallelism: 128, Keyed: true, Rate: 4800, Busy: .95, Demand: 6000}, plain, 32},
		{"divisors of partitions", AutoscalerInput{Parallelism: 4, MaxParallelism: 128, Partitions: 24, Rate: 4000, Busy: 1, Demand: 4000}, plain, 6},
		{"no divisor between: down to where the busiest gets more", AutoscalerInput{Parallelism: 20, MaxParallelism: 36, Partitions: 17, Rate: 1000, Busy: 1, Demand: 1000}, plain, 20},
	} {
		if got, ok := Autoscaler(c.in, c.c); !ok || got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if _, ok := Autoscaler(AutoscalerInput{Parallelism: 4, MaxParallelism: 128, Rate: 1000, Busy: 1, Demand: math.NaN()}, plain); ok {
		t.Error("a parallelism without a demand")
	}
}

// TestAutoscalerAgreesOnBalancedVertices: with the same target and no time for
// a restart both ask for the same on evenly loaded vertices. A hot subtask makes
// the autoscaler, which looks at the busiest, ask for more, in vain: the curve
// says that the busiest is not helped.
func TestAutoscalerAgreesOnBalancedVertices(t *testing.T) {
	c := AutoscalerDefaults()
	c.Target, c.Restart = Defaults().TargetUtilisation, 0
	for p := 1; p <= 40; p++ {
		for _, busy := range []float64{.4, .55, .65, .8, 1} {
			v := judged(t, "dealt", roomySource(), scene{
				id: "dealt", name: "format", p: p, m: 400, ship: ShipRebalance, from: "source",
				busy: even(p, busy), in: even(p, 1000), out: even(p, 1000),
			})
			got, ok := Autoscaler(AutoscalerInput{Parallelism: p, MaxParallelism: 400, Rate: 1000 * float64(p), Busy: v.Signals.Busy.Max.Or(0), Demand: v.Sizing.Demand.Or(0)}, c)
			if !ok || float64(got) != v.Sizing.Required.Or(-1) {
				t.Errorf("%d subtasks at %v: %d, we want %v", p, busy, got, v.Sizing.Required)
			}
		}
	}
	v := judged(t, "keyed", pressedSource(), keyed(4, 128, with(even(4, .2), 1, 1), with(even(4, 200), 1, 1000)))
	if v.Verdict.ID != HotKey {
		t.Fatalf("%s", v.Verdict.ID)
	}
	curve, missing := WhatIf(&v, 1)
	if missing != "" || curve.Met.Likely.Known() || curve.Floor.Or(0) < .75 {
		t.Errorf("a hot key of %v: %s, target met from %v", curve.Floor, missing, curve.Met.Likely)
	}
	auto, _ := Autoscaler(AutoscalerInput{Parallelism: 4, MaxParallelism: 128, Keyed: true, Rate: 1600, Busy: 1, Demand: 1600}, c)
	if auto != 8 || v.Sizing.Required.Or(0) != 3 {
		t.Errorf("by the busiest %d, want 8; by the mean %v, want 3", auto, v.Sizing.Required)
	}
}
