package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// every is the poll interval of the steadiness tests.
const every = 15 * time.Second

// pulsing is one run with a load that is on for three polls and off for three.
type pulsing struct {
	scenario scenario
	seed     uint64
	version  string
	floor    float64
}

func (r pulsing) String() string {
	return fmt.Sprintf("%s/%s/seed=%d", r.scenario.name, r.version, r.seed)
}

// pulsings are the causes that come and go with the load. A stuck call does
// not, and what is too little to judge stays so.
func pulsings() []pulsing {
	var all []pulsing
	without := []string{"stalled", "stalled_keyed", "quiet", "not_enough_data"}
	versions := []string{"1.15.4", "2.3.0", "1.17.2", "1.20.3"}
	for _, s := range causes() {
		if slices.Contains(without, s.name) {
			continue
		}
		for range 2 {
			seed := uint64(len(all))
			r := pulsing{scenario: s, seed: seed, version: versions[seed%4]}
			if seed%3 > 0 {
				r.floor = restapi.DefaultActivityFloor
			}
			all = append(all, r)
		}
	}
	return all
}

// TestOnOff: a load that comes and goes, as windows that fire make it, neither
// clears nor renames a verdict in its pauses. One change is no flap: the
// weighed share of time may settle below a threshold that the first windows
// were above. A vertex at the edge of the activity floor may be quiet while
// the load rests, but never changes more often than the load does.
func TestOnOff(t *testing.T) {
	const (
		cycle  = 6 // polls: three with load, three without
		settle = 10
		cycles = 4
	)
	for _, r := range pulsings() {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			d := &dice{Rand: rand.New(rand.NewPCG(r.seed, 8)), noisy: r.seed%2 == 0, full: r.seed%4 < 2}
			x := r.scenario.plant(d, 16)
			x.job.Pulse = flinksim.Pulse{On: cycle / 2 * every, Off: cycle / 2 * every}
			w := watch(t, flinksim.Cluster{
				Version: r.version, Seed: r.seed, Age: 10 * time.Minute, TaskManagers: x.taskManagers, SlotsPerTM: 40, Cores: 8, Jobs: []flinksim.Job{x.job},
			}, r.floor)
			seen := map[string][]analysis.VerdictID{}
			for poll := range settle + cycles*cycle {
				w.poll(every)
				for _, v := range w.vertices() {
					if poll >= settle {
						seen[v.Name] = append(seen[v.Name], v.Verdict.ID)
					}
				}
			}
			for name, ids := range seen {
				changes, calm := 0, true
				for i, id := range ids {
					calm = calm && (id == analysis.Quiet || id == analysis.Balanced)
					if i > 0 && id != ids[i-1] {
						changes++
					}
				}
				if !calm && changes > 1 || changes > 2*cycles {
					t.Errorf("%s: %q changes %d times in %d cycles: %v", r, name, changes, cycles, ids)
				}
			}
		})
	}
}

// hotJob is a pipeline of four subtasks with a hot key at its limit, and the
// key's group.
func hotJob(seed uint64) (j flinksim.Job, group int) {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 6)), full: true}
	j = d.pipeline(4)
	v := &j.Vertices[enrichAt]
	v.MaxParallelism, v.Keys.GroupWeights = 128, nil
	_, group = d.heat(v, d.between(8, 16))
	offer(&j, d.load(), v.Keys.HotShare, recordCost.Seconds())
	return j, group
}

// enrich returns the vertex with the hot key, nil while the job does not run.
func (w *watcher) enrich() *analysis.VertexResult {
	for _, v := range w.vertices() {
		if strings.Contains(v.Name, "enrich") {
			return v
		}
	}
	return nil
}

// settled polls until a hot key stands with high confidence.
func (w *watcher) settled(seed uint64) *analysis.VertexResult {
	w.t.Helper()
	for range 12 {
		w.poll(every)
		if v := w.enrich(); v != nil && v.Verdict.ID == analysis.HotKey && v.Verdict.Confidence == analysis.ConfidenceHigh {
			return v
		}
	}
	w.t.Fatalf("seed %d: no hot key after 12 polls, %s", seed, describe(w.enrich()))
	return nil
}

// TestRestartClears: a restart ends the verdict at once; it comes back only
// after new windows, with confidence from the start.
func TestRestartClears(t *testing.T) {
	for seed, version := range flinksim.Versions() {
		t.Run(fmt.Sprintf("%s/seed=%d", version, seed), func(t *testing.T) {
			t.Parallel()
			j, group := hotJob(uint64(seed))
			w := watch(t, flinksim.Cluster{Version: version, Seed: uint64(seed), Age: 10 * time.Minute, SlotsPerTM: 8, Jobs: []flinksim.Job{j}}, 0)
			w.settled(uint64(seed))
			if err := w.sim.Do(j.Name, flinksim.Event{Kind: flinksim.Restart}); err != nil {
				t.Fatal(err)
			}
			w.poll(every) // 3 s of downtime and up to 2.5 s of deploying are over.
			v := w.enrich()
			if v == nil || v.Verdict.ID != analysis.NotEnoughData || v.Hot != nil || v.Severity() > analysis.SeverityInfo {
				t.Fatalf("seed %d: after the restart %+v", seed, v)
			}
			if v.Finding(analysis.JobChanged) == nil {
				t.Errorf("seed %d: the restart is no finding, %s", seed, describe(v))
			}
			for v.Verdict.ID == analysis.NotEnoughData && w.now.Before(w.result.Jobs[0].RunningSince.Add(2*time.Minute)) {
				w.poll(every)
				v = w.enrich()
			}
			if v.Verdict.ID != analysis.HotKey || v.Verdict.Confidence != analysis.ConfidenceLow {
				t.Errorf("seed %d: first verdict after the restart: %s", seed, describe(v))
			}
			if last := w.settled(uint64(seed)); !holds(last.Verdict.Advice.KeyGroups, []int{group}) {
				t.Errorf("seed %d: %v does not hold key group %d", seed, last.Verdict.Advice.KeyGroups, group)
			}
		})
	}
}

// TestRescaleClears: a rescale ends the verdict and what it says of subtasks
// that are no more; over several rescales the range to look in gets narrower
// and never loses the hot key's group.
func TestRescaleClears(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			j, group := hotJob(seed)
			j.Scheduler = "Adaptive"
			w := watch(t, flinksim.Cluster{Version: "2.3.0", Seed: seed, Age: 10 * time.Minute, TaskManagers: 4, SlotsPerTM: 8, Jobs: []flinksim.Job{j}}, 0)
			width := 128
			for _, p := range []int{7, 5, 9, 4} {
				v := w.settled(seed)
				r := v.Verdict.Advice.KeyGroups
				first, last := keygroup.Range(keygroup.Owner(group, v.Parallelism, 128), v.Parallelism, 128)
				if !holds(r, []int{group}) || r.First < first || r.Last > last {
					t.Fatalf("seed %d: p=%d advises %v, the hot key is in group %d of %d…%d", seed, v.Parallelism, r, group, first, last)
				}
				if r.Last-r.First >= width {
					t.Errorf("seed %d: p=%d widens the range to %v", seed, v.Parallelism, r)
				}
				width = r.Last - r.First + 1
				if err := w.sim.Do(j.Name, flinksim.Event{Kind: flinksim.RescaleTo, Parallelism: map[string]int{enrichName: p, sinkName: p}}); err != nil {
					t.Fatal(err)
				}
				w.poll(every)
				if v = w.enrich(); v == nil || v.Verdict.ID != analysis.NotEnoughData || v.Hot != nil || v.Parallelism != p {
					t.Fatalf("seed %d: after the rescale to %d %+v", seed, p, v)
				}
			}
			if width >= 128/9 {
				t.Errorf("seed %d: after parallelisms 4, 7, 5 and 9 there are still %d key groups to look in", seed, width)
			}
		})
	}
}
