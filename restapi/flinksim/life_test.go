package flinksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// bench is a simulation with a clock that the test moves.
type bench struct {
	*Sim
	t   *testing.T
	now time.Time
}

func start(t *testing.T, c Cluster) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Unix(1_800_000_000, 0)}
	sim, err := New(c, func() time.Time { return b.now })
	if err != nil {
		t.Fatal(err)
	}
	b.Sim = sim
	return b
}

func (b *bench) pass(d time.Duration) { b.now = b.now.Add(d) }

func (b *bench) get(path string) (int, []byte) {
	r := httptest.NewRecorder()
	b.ServeHTTP(r, httptest.NewRequest(http.MethodGet, path, nil))
	return r.Code, r.Body.Bytes()
}

// read decodes a page that must be there.
func (b *bench) read(path string, v any) {
	b.t.Helper()
	code, body := b.get(path)
	if code != 200 {
		b.t.Fatalf("%s: %d %.200s", path, code, body)
	}
	if err := json.Unmarshal(body, v); err != nil {
		b.t.Fatalf("%s: %v in %.200s", path, err, body)
	}
}

type ioMetrics struct {
	ReadRecords  int64   `json:"read-records"`
	WriteRecords int64   `json:"write-records"`
	ReadBytes    int64   `json:"read-bytes"`
	Complete     bool    `json:"read-records-complete"`
	Busy         float64 `json:"accumulated-busy-time"`
	BackPressure int64   `json:"accumulated-backpressured-time"`
	Idle         int64   `json:"accumulated-idle-time"`
}

type vertexAnswer struct {
	Parallelism    int
	MaxParallelism int
	Subtasks       []struct {
		Subtask, Attempt int
		Status           string
		StartTime        int64 `json:"start-time"`
		EndTime          int64 `json:"end-time"`
		Duration         int64
		TaskManager      string           `json:"taskmanager-id"`
		Spent            map[string]int64 `json:"status-duration"`
		Metrics          ioMetrics
	}
}

type jobAnswer struct {
	State      string
	EndTime    int64 `json:"end-time"`
	Timestamps map[string]int64
	Vertices   []struct {
		ID, Status  string
		Parallelism int
		Metrics     ioMetrics
	}
}

func (b *bench) job(name string) (j jobAnswer) {
	b.t.Helper()
	b.read("/jobs/"+b.JobID(name), &j)
	return j
}

func (b *bench) vertex(name string, v int) (a vertexAnswer) {
	b.t.Helper()
	b.read(b.vertexPath(name, v), &a)
	return a
}

func (b *bench) vertexPath(name string, v int) string {
	return fmt.Sprintf("/jobs/%s/vertices/%s", b.JobID(name), b.find(name).state.ids[v])
}

// warm primes the metric store.
func (b *bench) warm() {
	b.get("/taskmanagers/" + b.env.tms[0].id + "/metrics")
	b.pass(time.Second)
}

func plainCluster() Cluster {
	return Cluster{Version: "2.3.0", Seed: 5, Age: time.Minute, Jobs: []Job{pipeline("plain", 4)}}
}

// TestDeterminism: equal seeds and times give equal bytes, other seeds do not.
func TestDeterminism(t *testing.T) {
	bodies := func(seed uint64) string {
		c := plainCluster()
		c.Seed = seed
		b := start(t, c)
		b.warm()
		out := ""
		pollAll(b.Sim, func(path string) []byte {
			_, body := b.get(path)
			out += path + string(body)
			return body
		})
		return out
	}
	if again := bodies(5); again != bodies(5) {
		t.Error("two simulations of one seed differ")
	}
	if bodies(5) == bodies(6) {
		t.Error("two seeds give the same")
	}
}

// TestAccumulatedTimes: the three times of a subtask add up to how long it has
// been running, and no counter ever falls.
func TestAccumulatedTimes(t *testing.T) {
	c := plainCluster()
	c.MetricInterval = -1
	c.Jobs = append(c.Jobs, hotKey(8), backpressured(8))
	b := start(t, c)
	for _, j := range c.Jobs {
		for v := range j.Vertices {
			before := b.vertex(j.Name, v)
			for range 20 {
				b.pass(1700 * time.Millisecond)
				now := b.vertex(j.Name, v)
				for i, s := range now.Subtasks {
					m, old := s.Metrics, before.Subtasks[i].Metrics
					if total := int64(m.Busy) + m.BackPressure + m.Idle; abs(total-s.Spent[running]) > 1 {
						t.Fatalf("%s %d/%d: times add up to %d, RUNNING for %d", j.Name, v, i, total, s.Spent[running])
					}
					if m.ReadRecords < old.ReadRecords || m.WriteRecords < old.WriteRecords || m.BackPressure < old.BackPressure || m.Idle < old.Idle || m.Busy < old.Busy-2 {
						t.Fatalf("%s %d/%d: %+v after %+v", j.Name, v, i, m, old)
					}
				}
				before = now
			}
		}
	}
}

func abs(n int64) int64 { return max(n, -n) }

// TestColdStore: the first answers are zeros that say so, a moment later they
// are right, and within a refresh they do not move.
func TestColdStore(t *testing.T) {
	b := start(t, plainCluster())
	if m := b.vertex("plain", 1).Subtasks[0].Metrics; m.Complete || m.ReadRecords != 0 {
		t.Errorf("cold: %+v", m)
	}
	var names, marks []any
	b.read(b.vertexPath("plain", 1)+"/metrics", &names)
	b.read(b.vertexPath("plain", 1)+"/watermarks", &marks)
	if len(names)+len(marks) > 0 {
		t.Errorf("cold lists: %v, %v", names, marks)
	}
	b.pass(time.Second)
	first := b.vertex("plain", 1).Subtasks[0].Metrics
	if !first.Complete || first.ReadRecords == 0 {
		t.Errorf("a second later: %+v", first)
	}
	b.pass(8 * time.Second)
	if again := b.vertex("plain", 1).Subtasks[0].Metrics; again != first {
		t.Errorf("within a refresh the values move: %+v, %+v", first, again)
	}
	b.pass(2 * time.Second)
	b.vertex("plain", 1)
	b.pass(time.Second)
	if later := b.vertex("plain", 1).Subtasks[0].Metrics; later.ReadRecords <= first.ReadRecords {
		t.Errorf("after a refresh: %+v, before %+v", later, first)
	}
	b.pass(time.Hour)
	if m := b.vertex("plain", 1).Subtasks[0].Metrics; m.Complete {
		t.Errorf("after a quiet hour: %+v", m)
	}
}

// TestRestart: RESTARTING, then the next attempt from zero with a new RUNNING time.
func TestRestart(t *testing.T) {
	c := plainCluster()
	c.MetricInterval = -1
	b := start(t, c)
	before, was := b.vertex("plain", 1), b.job("plain")
	if err := b.Do("plain", Event{Kind: Restart}); err != nil {
		t.Fatal(err)
	}
	b.pass(time.Second)
	if j := b.job("plain"); j.State != restarting || j.Vertices[2].Status != failed || j.Vertices[1].Status != canceled {
		t.Errorf("a second after the failure: %+v", j)
	}
	b.pass(3 * time.Second)
	if s := b.vertex("plain", 1).Subtasks[0]; s.Attempt != 1 || s.Status == canceled {
		t.Errorf("after the downtime: %+v", s)
	}
	b.pass(10 * time.Second)
	after, is := b.vertex("plain", 1), b.job("plain")
	if is.State != running || is.Timestamps[running] <= was.Timestamps[running] {
		t.Errorf("RUNNING since %d, before %d", is.Timestamps[running], was.Timestamps[running])
	}
	for i, s := range after.Subtasks {
		if s.Attempt != 1 || s.Status != running || s.Metrics.ReadRecords >= before.Subtasks[i].Metrics.ReadRecords {
			t.Errorf("subtask %d: %+v", i, s)
		}
	}
}

// TestStages: a subtask passes DEPLOYING and INITIALIZING, during which it has
// no metrics and its later states have no duration.
func TestStages(t *testing.T) {
	c := plainCluster()
	c.Age, c.MetricInterval = 0, -1
	b := start(t, c)
	seen := map[string]bool{}
	for range 300 {
		s := b.vertex("plain", 1).Subtasks[0]
		seen[s.Status] = true
		if (s.Status == running) != (s.Spent[running] >= 0) || s.Status != running && s.Metrics.Complete {
			t.Fatalf("%+v", s)
		}
		if (s.StartTime == -1) != (s.Status == stCreated || s.Status == stScheduled) || (s.StartTime == -1) != (s.Duration == -1) {
			t.Fatalf("%+v", s)
		}
		b.pass(10 * time.Millisecond)
	}
	for _, status := range []string{stCreated, stScheduled, stDeploying, stInitializing, running} {
		if !seen[status] {
			t.Errorf("never %s", status)
		}
	}
}

// TestRescale: the id stays, parallelism, attempt and RUNNING time change.
func TestRescale(t *testing.T) {
	c := plainCluster()
	c.Jobs[0].Events = []Event{{After: 5 * time.Second, Kind: RescaleTo, Parallelism: map[string]int{enrichName: 7}}}
	b := start(t, c)
	id, was := b.JobID("plain"), b.job("plain")
	b.pass(10 * time.Second)
	is, v := b.job("plain"), b.vertex("plain", 1)
	if b.JobID("plain") != id || is.State != running || is.Timestamps[running]-was.Timestamps[running] != 65_000 {
		t.Errorf("job %+v", is)
	}
	if v.Parallelism != 7 || v.MaxParallelism != 64 || len(v.Subtasks) != 7 || v.Subtasks[6].Attempt != 1 {
		t.Errorf("vertex %+v", v)
	}
	if err := b.Do("plain", Event{Kind: RescaleTo, Parallelism: map[string]int{enrichName: 65}}); err == nil {
		t.Error("a parallelism above the ceiling is accepted")
	}
}

// TestEnds: ended jobs stay listed with their last state and numbers; vanished
// ones are not known.
func TestEnds(t *testing.T) {
	for kind, state := range map[EventKind]string{Cancel: canceled, Finish: finished, Fail: failed} {
		b := start(t, plainCluster())
		if err := b.Do("plain", Event{Kind: kind}); err != nil {
			t.Fatal(err)
		}
		b.pass(time.Minute)
		j, s := b.job("plain"), b.vertex("plain", 1).Subtasks[1]
		if j.State != state || j.EndTime != 1_800_000_000_000 || s.EndTime != j.EndTime {
			t.Errorf("%s: %+v, %+v", state, j, s)
		}
		if err := b.Do("plain", Event{Kind: Restart}); err != nil || b.job("plain").State != state {
			t.Errorf("%s: an ended job starts again", state)
		}
	}
	b := start(t, plainCluster())
	id := b.JobID("plain")
	if err := b.Do("plain", Event{Kind: Vanish}); err != nil {
		t.Fatal(err)
	}
	var list struct{ Jobs []any }
	b.read("/jobs/overview", &list)
	if code, _ := b.get("/jobs/" + id); code != 404 || len(list.Jobs) != 0 {
		t.Errorf("vanished: %d, listed %v", code, list.Jobs)
	}
	if err := b.Do("nobody", Event{Kind: Cancel}); err == nil {
		t.Error("an unknown job is accepted")
	}
}

// TestSuspend: SUSPENDED is not an end.
func TestSuspend(t *testing.T) {
	b := start(t, plainCluster())
	for _, step := range []struct {
		kind EventKind
		want string
	}{{Suspend, suspended}, {Resume, running}} {
		if err := b.Do("plain", Event{Kind: step.kind}); err != nil {
			t.Fatal(err)
		}
		b.pass(time.Minute)
		if j := b.job("plain"); j.State != step.want || j.EndTime != -1 {
			t.Errorf("after event %d: %+v", step.kind, j)
		}
	}
}

// TestRestartEvery: a job that keeps failing gets on with its attempts however
// seldom one looks.
func TestRestartEvery(t *testing.T) {
	c := plainCluster()
	c.Age, c.Jobs[0].RestartEvery, c.Jobs[0].Downtime = 0, 25*time.Second, 5*time.Second
	b := start(t, c)
	b.pass(30*time.Second*100 + 10*time.Second)
	if s := b.vertex("plain", 1).Subtasks[0]; s.Attempt != 100 || s.Status != running {
		t.Errorf("after 100 restarts: %+v", s)
	}
}

// TestFinishedAndUnreported: a subtask may end alone, and another may never be heard of.
func TestFinishedAndUnreported(t *testing.T) {
	c := plainCluster()
	c.MetricInterval = -1
	c.Jobs[0].Vertices[1].Finished = []int{3}
	c.Jobs[0].Vertices[1].Unreported = []int{1}
	b := start(t, c)
	first := b.vertex("plain", 1)
	b.pass(10 * time.Second)
	v := b.vertex("plain", 1)
	if s := v.Subtasks[3]; s.Status != finished || s.EndTime < 0 || s.Metrics != first.Subtasks[3].Metrics || !s.Metrics.Complete {
		t.Errorf("finished: %+v", s)
	}
	if s := v.Subtasks[1]; s.Status != running || s.Metrics.Complete {
		t.Errorf("unreported: %+v", s)
	}
	var values []struct{ ID string }
	b.read(b.vertexPath("plain", 1)+"/metrics?get=0.numRecordsIn,1.numRecordsIn,4.numRecordsIn,0.none", &values)
	if len(values) != 1 || values[0].ID != "0.numRecordsIn" {
		t.Errorf("values: %v", values)
	}
}
