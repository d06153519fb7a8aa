package analysis_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

const (
	// boundsHold is the least share of predictions whose bounds must hold the truth.
	boundsHold = 0.95
	// boundsLeast is the least number of predictions that says anything of it.
	boundsLeast = 500
	// evenWidth is how many times its low end the band of an evenly loaded vertex
	// may at most be high, by the median: bounds that hold all hold nothing.
	evenWidth = 2
)

// prediction is one point of a curve beside what the simulator then did.
type prediction struct {
	scenario string
	band     analysis.Band
	truth    float64
}

// TestCurveHoldsTheTruth predicts from one parallelism what the busiest subtask
// does at others, runs the simulator there, and looks whether the bounds hold it.
func TestCurveHoldsTheTruth(t *testing.T) {
	seeds := 6
	if testing.Short() || underRace {
		seeds = 1
	}
	var all []prediction
	for _, s := range causes() {
		if !slices.Contains([]string{"hot_key", "few_keys", "key_group_layout", "slow_taskmanager", "costly_records", "uniform_saturation", "balanced", "uneven_input"}, s.name) {
			continue
		}
		for _, p := range []int{4, 16, 40} {
			for seed := range seeds {
				all = append(all, predictions(t, s, p, uint64(seed))...)
			}
		}
	}
	held := map[string]int{}
	count := map[string]int{}
	inside := 0
	var widths []float64
	for _, p := range all {
		count[p.scenario]++
		if p.band.Low <= p.truth && p.truth <= p.band.High {
			inside++
			held[p.scenario]++
		}
		if p.scenario == "balanced" {
			widths = append(widths, p.band.High/p.band.Low)
		}
	}
	for name, n := range count {
		t.Logf("%s: %d of %d", name, held[name], n)
	}
	if seeds > 1 && len(all) < boundsLeast {
		t.Errorf("%d predictions, want at least %d", len(all), boundsLeast)
	}
	if float64(inside) < boundsHold*float64(len(all)) {
		t.Errorf("the bounds hold the truth in %d of %d predictions, want %v of them", inside, len(all), boundsHold)
	}
	slices.Sort(widths)
	width := widths[len(widths)/2]
	t.Logf("%d of %d predictions hold; of balanced vertices the band is high %.2f times its low end, by the median", inside, len(all), width)
	if width > evenWidth {
		t.Errorf("the band of a balanced vertex is %.2f times as high as low by the median, want at most %v", width, evenWidth)
	}
}

// predictions plants a cause, reads it, and holds the curves of its keyed or
// dealt vertex against runs at other parallelisms.
func predictions(t *testing.T, s scenario, p int, seed uint64) []prediction {
	t.Helper()
	d := &dice{Rand: rand.New(rand.NewPCG(seed, uint64(p))), noisy: seed%2 == 1, full: seed%3 != 0}
	x := s.plant(d, p)
	noise := -1.0
	if d.noisy {
		noise = 0.1
	}
	name := x.demands[0].vertex
	for _, v := range x.job.Vertices {
		if strings.Contains(v.Name, enrichName) {
			name = v.Name
		}
	}
	before := observed(t, x, seed, noise, name, 0)
	// The bounds are for the rate that there is, of which a noisy window is a reading.
	rate := observed(t, x, seed, -1, name, 0).Signals.RecordsIn.Sum.Or(0)
	curve, missing := analysis.WhatIf(before, 1)
	if missing != "" {
		t.Logf("%s/p=%d/seed=%d: no curve: %s (%s)", s.name, p, seed, missing, before.Verdict.ID)
		return nil
	}
	var out []prediction
	for range 5 {
		point := curve.Points[d.IntN(len(curve.Points))]
		if point.Parallelism > 8*p || point.Parallelism == before.Parallelism {
			continue
		}
		after := observed(t, x, seed, -1, name, point.Parallelism)
		truth := after.Signals.Busy.Max.Or(0) * rate / after.Signals.RecordsIn.Sum.Or(1)
		one := prediction{s.name, point.Band, truth}
		if truth < point.Low || truth > point.High {
			t.Logf("%s/p=%d/seed=%d to %d (M=%s): %+v, truth %.3f", s.name, before.Parallelism, seed, point.Parallelism, before.MaxParallelism, point.Band, truth)
		}
		out = append(out, one)
	}
	return out
}

// observed runs the job with the vertex at a parallelism, 0 for its own, and
// returns the vertex after some polls.
func observed(t *testing.T, x planted, seed uint64, noise float64, vertex string, parallelism int) *analysis.VertexResult {
	t.Helper()
	job := x.job
	job.Vertices = slices.Clone(job.Vertices)
	for i := range job.Vertices {
		if v := &job.Vertices[i]; v.Name == vertex && parallelism > 0 {
			if v.MaxParallelism == 0 {
				v.MaxParallelism = keygroup.DefaultMax(v.Parallelism)
			}
			v.Parallelism = parallelism
		}
	}
	widest := 1
	for _, v := range job.Vertices {
		widest = max(widest, v.Parallelism)
	}
	w := watch(t, flinksim.Cluster{
		Version: "2.3.0", Seed: seed, Age: 10 * time.Minute, TaskManagers: x.taskManagers, SlotsPerTM: 2*widest + 2,
		Cores: 8, Noise: noise, MetricInterval: -1, Jobs: []flinksim.Job{job},
	}, 0)
	for range 5 {
		w.poll(15 * time.Second)
	}
	for _, v := range w.vertices() {
		if v.Name == vertex || strings.Contains(v.Name, vertex) {
			return v
		}
	}
	t.Fatalf("no vertex %q", vertex)
	return nil
}
