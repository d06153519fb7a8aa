package analysis_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

var sweepSeeds = flag.Int("sweep.seeds", 1, "how many different seeds TestSweep runs of each scenario, parallelism, noise and version")

const (
	// sweepRight is the least share of runs in which every verdict must be right.
	sweepRight = 0.99
	// sweepLeast is the least number of runs that says anything of such a share.
	sweepLeast = 500
)

// scenario is a cause, or a pair of them, that the simulator plants.
type scenario struct {
	name         string
	parallelisms []int
	// plant draws one instance of it. Everything it draws comes from the dice,
	// so that a seed gives the same cluster again.
	plant func(d *dice, p int) planted
}

// planted is a simulated job with what is right to say of each of its vertices.
type planted struct {
	job flinksim.Job
	// taskManagers is the number of workers; 0 leaves it to the simulator.
	taskManagers int
	demands      []demand
}

// demand is what is right for one vertex.
type demand struct {
	// vertex is a part of its name.
	vertex   string
	verdicts []analysis.VerdictID
	// subtasks are those that the verdict must name; nil leaves them open.
	subtasks []int
	// least and most bound the severity of verdict and findings together.
	least, most analysis.Severity
	// hotGroups are the key groups of planted hot keys: the advised range must
	// hold one of them.
	hotGroups []int
}

// healthy is a vertex of which nobody must be woken, whatever it is called.
func healthy(vertex string, verdicts ...analysis.VerdictID) demand {
	return demand{vertex: vertex, verdicts: verdicts, most: analysis.SeverityInfo}
}

// calm is a healthy vertex with room.
func calm(vertex string) demand { return healthy(vertex, analysis.Balanced, analysis.Quiet) }

// dice draws the particulars of a scenario.
type dice struct {
	*rand.Rand
	// noisy says that loads wobble by 20 %, and key groups and keys differ by as much.
	noisy bool
	// full says that the planted cause is at its limit and holds up its inputs.
	full bool
}

func (d *dice) between(low, high float64) float64 { return low + (high-low)*d.Float64() }

// oneOf draws one of the values.
func oneOf[T any](d *dice, values ...T) T { return values[d.IntN(len(values))] }

// hash draws a key's Java hashCode.
func (d *dice) hash() int32 { return int32(d.Uint32()) }

// weights are n weights: all 1, or within 20 % of it when noisy.
func (d *dice) weights(n int) []float64 {
	ws := make([]float64, n)
	for i := range ws {
		ws[i] = 1
		if d.noisy {
			ws[i] = d.between(0.8, 1.2)
		}
	}
	return ws
}

// cell is one run of the sweep.
type cell struct {
	scenario scenario
	p        int
	noisy    bool
	version  string
	seed     uint64
}

func (c cell) String() string {
	noise := "even"
	if c.noisy {
		noise = "noisy"
	}
	return fmt.Sprintf("%s/p=%d/%s/%s/seed=%d", c.scenario.name, c.p, noise, c.version, c.seed)
}

// cells are all runs of the sweep. Seeds are numbered through, so that no two
// runs draw alike. Of a thousand subtasks each scenario has four runs, for one
// of them takes as long as ten of a hundred.
func cells(seeds int) []cell {
	var all []cell
	versions := []string{"1.15.4", "1.17.2", "1.20.3", "2.3.0"}
	for i, s := range slices.Concat(causes(), pairs(), mixtures()) {
		for _, p := range s.parallelisms {
			for k, version := range versions {
				for n, noisy := range []bool{false, true} {
					if p >= 1000 && (i+k)%2 != n {
						continue
					}
					for range seeds {
						all = append(all, cell{scenario: s, p: p, noisy: noisy, version: version, seed: uint64(len(all))})
					}
				}
			}
		}
	}
	return all
}

// TestSweep plants every cause alone and in pairs in the simulator, reads it
// through the REST client as a real cluster would be read, and holds the
// verdicts against what was planted. Mistakes are listed with their seed;
// -run 'TestSweep/runs/NAME' repeats one, -sweep.seeds=N runs N times as many.
func TestSweep(t *testing.T) {
	var mu sync.Mutex
	var mistakes []string
	all, least := cells(*sweepSeeds), sweepLeast
	if testing.Short() || underRace { // The small ones alone.
		all = slices.DeleteFunc(all, func(c cell) bool { return c.p > 16 || c.version != "2.3.0" })
		least = 1
	}
	ran := 0
	t.Run("runs", func(t *testing.T) {
		for _, c := range all {
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				wrong := c.run(t)
				mu.Lock()
				defer mu.Unlock()
				ran++
				if len(wrong) > 0 {
					mistakes = append(mistakes, fmt.Sprintf("%s: %s", c, strings.Join(wrong, "; ")))
				}
			})
		}
	})
	slices.Sort(mistakes)
	for _, m := range mistakes {
		t.Log(m)
	}
	t.Logf("%d runs, %d with a mistake", ran, len(mistakes))
	if len(all) < least {
		t.Errorf("%d runs are planned, want at least %d", len(all), least)
	}
	if right := float64(ran - len(mistakes)); right < sweepRight*float64(ran) {
		t.Errorf("right in %.0f of %d runs, want %v of them", right, ran, sweepRight)
	}
}

// run simulates the cell and returns what is wrong after the last poll. A
// warning on a healthy vertex in any poll, and an advised range without the
// hot key, fail the test at once.
func (c cell) run(t *testing.T) []string {
	t.Helper()
	d := &dice{Rand: rand.New(rand.NewPCG(c.seed, 4)), noisy: c.noisy, full: c.seed%3 != 0}
	x := c.scenario.plant(d, c.p)
	cluster := flinksim.Cluster{
		Version: c.version, Seed: c.seed, Age: 10 * time.Minute, TaskManagers: x.taskManagers,
		SlotsPerTM: 2*c.p + 2, Cores: 8, Noise: -1, Jobs: []flinksim.Job{x.job},
	}
	if c.noisy {
		cluster.Noise = 0.2
	}
	polls := 6
	if c.seed%2 == 0 {
		cluster.MetricInterval = -1
	} else {
		polls = 7 + d.IntN(2) // The first two find Flink's metric cache cold, then a baseline.
	}
	floor := 0.0
	if c.seed%4 < 2 {
		floor = restapi.DefaultActivityFloor
	}
	interval := time.Duration(oneOf(d, 10, 15, 30)) * time.Second
	failed := -1
	if c.seed%5 == 3 { // One poll fails; the verdict of those around it must stand.
		failed = 1 + int(c.seed)%(polls-1)
		polls++
		cluster.Faults = []flinksim.Fault{{Kind: flinksim.ServerError, After: time.Duration(failed+1)*interval - time.Second, For: 2 * time.Second}}
	}
	w := watch(t, cluster, floor)
	var wrong []string
	for poll := range polls {
		if poll == failed {
			w.miss(interval)
			continue
		}
		w.poll(interval)
		for _, v := range w.vertices() {
			for _, want := range x.demands {
				if !strings.Contains(v.Name, want.vertex) {
					continue
				}
				if got := v.Severity(); got > want.most && want.most <= analysis.SeverityInfo {
					t.Errorf("%s: %s of a healthy vertex, %s", c, got, describe(v))
				}
				if r := v.Verdict.Advice.KeyGroups; v.Verdict.ID == analysis.HotKey && want.hotGroups != nil && !holds(r, want.hotGroups) {
					t.Errorf("%s: advised key groups %v hold none of %v", c, r, want.hotGroups)
				}
			}
		}
	}
	for _, v := range w.vertices() {
		i := slices.IndexFunc(x.demands, func(d demand) bool { return strings.Contains(v.Name, d.vertex) })
		if i < 0 {
			t.Fatalf("%s: nothing is demanded of %s", c, v.Name)
		}
		if fault := x.demands[i].fault(v); fault != "" {
			wrong = append(wrong, fault+", "+describe(v))
		}
	}
	if state := w.result.Jobs[0].State; state == analysis.Running && len(w.vertices()) != len(x.job.Vertices) {
		t.Fatalf("%s: %d vertices, want %d", c, len(w.vertices()), len(x.job.Vertices))
	}
	return wrong
}

// fault says what is wrong with a vertex's verdict, empty when nothing is.
func (d demand) fault(v *analysis.VertexResult) string {
	got := v.Verdict
	switch {
	case !slices.Contains(d.verdicts, got.ID):
		return fmt.Sprintf("%s, want %v", got.ID, d.verdicts)
	case d.subtasks != nil && !slices.Equal(d.subtasks, got.Subtasks):
		return fmt.Sprintf("subtasks %v, want %v", got.Subtasks, d.subtasks)
	case v.Severity() < d.least || v.Severity() > d.most:
		return fmt.Sprintf("severity %s, want %s to %s", v.Severity(), d.least, d.most)
	}
	return ""
}

func holds(r *analysis.KeyGroupRange, groups []int) bool {
	return r != nil && slices.ContainsFunc(groups, func(g int) bool { return r.First <= g && g <= r.Last })
}

// describe puts a vertex's verdict and its evidence into one line.
func describe(v *analysis.VertexResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q p=%d M=%s is %s (%s, %s)", v.Name, v.Parallelism, v.MaxParallelism, v.Verdict.ID, v.Severity(), v.Verdict.Confidence)
	if m := v.Verdict.Advice.Missing; m != "" {
		fmt.Fprintf(&b, " missing %s", m)
	}
	for _, f := range v.Findings {
		fmt.Fprintf(&b, " +%s", f.ID)
	}
	for _, m := range v.Verdict.Evidence {
		fmt.Fprintf(&b, " %s=%.3g", m.Name, m.Value.Or(-1))
	}
	s := &v.Signals
	fmt.Fprintf(&b, " [busy %.2f/%.2f/%.2f in-skew %.2f]", s.Busy.Min.Or(-1), s.Busy.Mean.Or(-1), s.Busy.Max.Or(-1), s.RecordsIn.Skew.Or(-1))
	return b.String()
}

// inProcess answers requests from a handler, without a network.
type inProcess struct{ h http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.h.ServeHTTP(w, r)
	return w.Result(), nil
}

// watcher polls a simulated cluster on a clock of its own.
type watcher struct {
	t      *testing.T
	sim    *flinksim.Sim
	now    time.Time
	client *restapi.Client
	state  analysis.State
	result analysis.Result
}

// watch starts the simulation and a client with the given activity floor.
func watch(t *testing.T, c flinksim.Cluster, floor float64) *watcher {
	t.Helper()
	w := &watcher{t: t, now: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return w.now }
	var err error
	if w.sim, err = flinksim.New(c, clock); err != nil {
		t.Fatal(err)
	}
	o := restapi.DefaultOptions("sim", "http://sim:8081")
	o.Transport, o.Now, o.NoPrime, o.ActivityFloor, o.Retries = inProcess{w.sim}, clock, true, floor, 0
	if w.client, err = restapi.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.client.Close)
	return w
}

// poll lets the time pass and analyses what the cluster then answers.
func (w *watcher) poll(after time.Duration) {
	w.t.Helper()
	w.now = w.now.Add(after)
	s, err := w.client.Snapshot(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	w.state, w.result = analysis.Analyze(w.state, s, analysis.Defaults())
}

// miss lets the time pass and finds the cluster failing.
func (w *watcher) miss(after time.Duration) {
	w.t.Helper()
	w.now = w.now.Add(after)
	if _, err := w.client.Snapshot(context.Background()); err == nil {
		w.t.Fatal("the poll that was to fail did not")
	}
}

// vertices are those of all jobs in the newest result.
func (w *watcher) vertices() []*analysis.VertexResult {
	var all []*analysis.VertexResult
	for i := range w.result.Jobs {
		for j := range w.result.Jobs[i].Vertices {
			all = append(all, &w.result.Jobs[i].Vertices[j])
		}
	}
	return all
}
