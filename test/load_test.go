package test

import (
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
)

// testLoad runs what is about the cost of a record: dear ones, a sink that
// computes, and a TaskManager that is slow for real.
func (s suite) testLoad(t *testing.T) {
	b := s.start(t, flink.Options{TaskManagers: 3, Slots: 4})
	t.Run("costly records", func(t *testing.T) { b.testScenarios(t, []jobs.Scenario{jobs.Costly()}) })
	t.Run("slow TaskManager", b.testSlowWorker)
	t.Run("spinning sink", b.testSpinning)
}

// testSlowWorker lets one TaskManager run for a fifth of the time, a process as
// an overcommitted host has it: it is slow for everything, and knows nothing.
func (b bench) testSlowWorker(t *testing.T) {
	scenario := jobs.SlowWorker(nil)
	ids := b.run(t, []jobs.Scenario{scenario})
	placed := b.cluster.Placement(t, ids[0], jobs.Enrich)
	source := b.cluster.Placement(t, ids[0], jobs.Source)
	for worker, subtasks := range placed {
		// A slow source would leave the others less to do than they can.
		if len(subtasks) != 2 || len(source[worker]) > 0 {
			continue
		}
		scenario = jobs.SlowWorker(subtasks)
		release := b.cluster.TaskManager(t, worker).Throttle(t, 0.2, 50*time.Millisecond)
		b.judge(t, []jobs.Scenario{scenario})
		release()
		b.end(t, []jobs.Scenario{scenario}, ids)
		return
	}
	t.Fatalf("no TaskManager has two subtasks and not the source: %v, source %v", placed, source)
}

// leastCPU is how many CPU seconds a busy second of a spinning sink must have
// had for the host to be good enough to tell computing from waiting. The
// product says waiting below 0.25; the two measure at different times.
const leastCPU = 0.35

// testSpinning runs the sink that computes. What the host gave it is measured
// beside the product, from Linux's own accounts.
func (b bench) testSpinning(t *testing.T) {
	ids := b.run(t, []jobs.Scenario{jobs.SpinningSink(true)})
	from, before := time.Now(), b.cluster.CPU(t)
	said := b.diagnose(t, "spinning-sink")
	got := b.cluster.CPU(t).Minus(before)
	// Both sinks are saturated, and hardly anything else is.
	perBusy := got.Ran / (jobs.Sinks * time.Since(from).Seconds())
	t.Logf("the TaskManagers had %.2f CPU seconds for each busy second, %.0f %% of what they asked for", perBusy, 100*got.Share())
	scenarios := []jobs.Scenario{jobs.SpinningSink(perBusy < leastCPU)}
	b.check(t, scenarios, said)
	b.end(t, scenarios, ids)
}
