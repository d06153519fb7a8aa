package restapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestSnapshotHoldsWhatTheClusterSays(t *testing.T) {
	f := newFake()
	s := mustPoll(t, fakeClient(t, f, nil))
	wantGaps(t, s)
	if s.Cluster != "test" || s.FlinkVersion != "2.3.0" || s.Slots.Total.Or(0) != 8 || s.JobStates["RUNNING"] != 1 {
		t.Errorf("cluster: %+v", s)
	}
	if len(s.Jobs) != 1 || len(s.Jobs[0].Vertices) != 3 {
		t.Fatalf("jobs: %+v", s.Jobs)
	}
	j := s.Jobs[0]
	if j.RunningSince.UnixMilli() != startMs || j.Checkpoint == nil || j.Checkpoint.ID != 7 || j.Checkpoint.Failed.Or(0) != 1 {
		t.Errorf("job: %+v %+v", j, j.Checkpoint)
	}
	src, agg := j.Vertices[0], j.Vertices[1]
	if src.Partitions.Or(-1) != 2 || src.Subtasks[0].Partitions.Or(-1) != 2 || src.Subtasks[1].Partitions.Or(-1) != 0 {
		t.Errorf("partitions: %v %+v", src.Partitions, src.Subtasks)
	}
	if agg.Detail != analysis.DetailFresh || len(agg.Subtasks) != 4 || agg.Checkpoint == nil || agg.Checkpoint.Subtasks[0].StateBytes.Or(0) != 100 {
		t.Errorf("keyed vertex: %+v", agg)
	}
	if agg.Partitions.Known() || src.Checkpoint != nil {
		t.Error("partitions belong to sources, keyed state to HASH inputs")
	}
	tm := s.TaskManagers[1]
	if tm.Host != "host-1" || tm.CPUSeconds.Or(0) != 2 || tm.GCRatio.Or(0) != 0.0025 || tm.CPUAt.IsZero() || tm.CPUCores.Or(0) != 4 {
		t.Errorf("TaskManager: %+v", tm)
	}
}

func TestSameAnswersGiveTheSameSnapshot(t *testing.T) {
	f := newFake()
	f.jobs = nil
	for i := range 40 {
		f.jobs = append(f.jobs, obj{"jid": fmt.Sprintf("%032x", i), "name": "j", "state": "RUNNING"})
	}
	now := func(o *Options) { o.Now = fixedNow }
	a, b := mustPoll(t, fakeClient(t, f, now)), mustPoll(t, fakeClient(t, f, now))
	if !reflect.DeepEqual(a, b) {
		t.Error("two first polls of the same cluster differ")
	}
	for i, j := range a.Jobs {
		if j.ID != fmt.Sprintf("%032x", i) {
			t.Fatalf("job %d is %s: the JobManager's order is lost", i, j.ID)
		}
	}
}

func TestRequestBudget(t *testing.T) {
	f := newFake()
	c := fakeClient(t, f, nil)
	mustPoll(t, c)
	// 3 of the cluster, 2 TaskManagers, 2 of the job, 3 vertices, 2 of them
	// with watermarks; the first poll adds one checkpoint part and one list of names.
	if n := f.reset(); n != 14 {
		t.Errorf("first poll made %d requests, want 14", n)
	}
	for poll := range 30 {
		f.tick()
		mustPoll(t, c)
		if n := f.reset(); n != 12 {
			t.Fatalf("poll %d made %d requests, want 12", poll, n)
		}
	}
	f.checkpoint++
	f.tick()
	s := mustPoll(t, c)
	if n := f.reset(); n != 13 {
		t.Errorf("a new checkpoint made %d requests, want 13", n)
	}
	if s.Jobs[0].Vertices[1].Checkpoint.ID != 8 {
		t.Error("the new checkpoint's part is missing")
	}
	if c.checkpoints.Len() != 1 {
		t.Errorf("%d checkpoint parts cached for one vertex, want 1", c.checkpoints.Len())
	}
}

func TestWithoutCheckpointsTheyAreAskedRarely(t *testing.T) {
	path := "/jobs/" + jobA + "/checkpoints"
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		want   int
	}{
		"off":      {respond(404, `{"errors":["Checkpointing has not been enabled."]}`), 1 + 2},
		"none yet": {respond(200, `{"counts":{"completed":0,"failed":0},"latest":{"completed":null}}`), 3 + 2},
	} {
		f := newFake()
		f.override[path] = tc.answer
		c := fakeClient(t, f, nil)
		for range 20 {
			f.tick()
			s := mustPoll(t, c)
			wantGaps(t, s)
			if s.Jobs[0].Checkpoint != nil {
				t.Errorf("%s: a checkpoint out of nothing", name)
			}
		}
		if n := f.count(path); n != tc.want {
			t.Errorf("%s: %d requests in 20 polls, want %d", name, n, tc.want)
		}
	}
}

func TestQuietVerticesAreSkippedAndRefreshed(t *testing.T) {
	f := newFake()
	f.vertices[2].busy = 100 // 4 subtasks × 0.01 s/s: below the floor
	f.vertices[0].busy = 249 // 2 subtasks × 0.0249 s/s: just below
	f.vertices[1].busy = 125 // 4 subtasks × 0.0125 s/s: at the floor, not below
	c := fakeClient(t, f, nil)
	fresh := map[string]int{}
	for range 41 {
		s := mustPoll(t, c)
		for _, v := range s.Jobs[0].Vertices {
			if v.Detail == analysis.DetailFresh {
				fresh[v.ID]++
			} else if v.Detail != analysis.DetailSkipped || v.Subtasks != nil {
				t.Errorf("detail %q with %d subtasks", v.Detail, len(v.Subtasks))
			}
			if v.ID == source && v.Partitions.Or(0) != 2 {
				t.Error("a skipped source forgets its partitions")
			}
		}
		wantGaps(t, s)
		f.tick()
	}
	// The first two, which give no two windows, and every tenth.
	for _, id := range []string{sink, source} {
		if n := fresh[id]; n < 6 || n > 7 {
			t.Errorf("quiet vertex %s read %d times in 41 polls, want the first two and every tenth", id, n)
		}
	}
	if fresh[keyed] != 41 {
		t.Errorf("vertex at the floor read %d times in 41 polls, want always", fresh[keyed])
	}
}

func TestNeverSkipped(t *testing.T) {
	quiet := func(f *fakeFlink) {
		for _, v := range f.vertices {
			v.busy = 0
		}
	}
	for name, tc := range map[string]struct {
		cluster func(*fakeFlink)
		options func(*Options)
	}{
		"floor off":     {quiet, func(o *Options) { o.ActivityFloor = 0 }},
		"totals NaN":    {func(f *fakeFlink) { quiet(f); f.vertices[1].totals = obj{"accumulated-busy-time": "NaN"} }, nil},
		"totals absent": {func(f *fakeFlink) { quiet(f); f.vertices[1].totals = obj{"read-records": 5} }, nil},
		"old version":   {func(f *fakeFlink) { quiet(f); f.vertices[1].old = true }, nil},
	} {
		f := newFake()
		tc.cluster(f)
		c := fakeClient(t, f, tc.options)
		for range 5 {
			s := mustPoll(t, c)
			if d := s.Jobs[0].Vertices[1].Detail; d != analysis.DetailFresh {
				t.Errorf("%s: detail %q, want fresh", name, d)
			}
			f.tick()
		}
	}
}

// An unchanged answer is no new data, not idleness, and the time counts from
// the totals that changed last.
func TestUnchangedTotalsAreNoNews(t *testing.T) {
	v := &analysis.Vertex{ID: keyed, Parallelism: 4}
	vm := &vertexMemory{}
	for i, step := range []struct {
		busy, idle, now float64
		quiet           bool
	}{
		{1000, 0, 0, false},            // first
		{1000, 0, 10_000, false},       // not refreshed
		{1500, 79_500, 20_000, false},  // one quiet window of 0.025 s/s
		{1500, 79_500, 30_000, false},  // not refreshed
		{1600, 159_400, 40_000, true},  // two
		{1600, 159_400, 50_000, true},  // not refreshed: it stays
		{1598, 239_400, 60_000, true},  // rounding
		{9000, 272_000, 70_000, false}, // busy
		{9000, 312_000, 80_000, false}, // one
		{9000, 352_000, 90_000, true},  // two
		{10, 100, 100_000, false},      // counters began anew
		{10, 40_100, 110_000, false},   // one
		{10, 80_100, 110_000, false},   // no time between
		{10, 120_100, 100_000, false},  // the clock stepped back
		{10, 160_100, 110_000, false},  // one
		{10, 200_100, 120_000, true},   // two
		{10, 212_100, 130_000, false},  // the totals account for 12 s of 40
		{10, 252_100, 140_000, false},  // one
		{440, 275_000, 150_000, false}, // 0.043 s/s of the clock, 0.074 of the time accounted for
	} {
		v.Totals = analysis.Counters{BusyMs: analysis.Of(step.busy), BackPressuredMs: analysis.Of(0), IdleMs: analysis.Of(step.idle)}
		if got := vm.judge(v, step.now, 0.05); got != step.quiet {
			t.Errorf("step %d: quiet %v, want %v", i, got, step.quiet)
		}
	}
	v.Status = "FINISHED"
	vm = &vertexMemory{}
	vm.judge(v, 0, 0.05)
	if !vm.judge(v, 10_000, 0.05) {
		t.Error("a finished vertex stands still for good")
	}
}

func TestRescaleStartsAnew(t *testing.T) {
	f := newFake()
	for _, v := range f.vertices {
		v.busy = 0
	}
	c := fakeClient(t, f, nil)
	mustPoll(t, c)
	f.tick()
	mustPoll(t, c)
	f.tick()
	f.runningMs, f.vertices[1].parallelism = f.nowMs, 7
	s := mustPoll(t, c)
	v := s.Jobs[0].Vertices[1]
	if v.Detail != analysis.DetailFresh || len(v.Subtasks) != 7 {
		t.Errorf("after a rescale: %q, %d subtasks", v.Detail, len(v.Subtasks))
	}
	if v.Checkpoint != nil {
		t.Error("a checkpoint from before the rescale has other subtasks")
	}
}

func TestTornReads(t *testing.T) {
	t.Run("parallelism tears the job", func(t *testing.T) {
		f := newFake()
		f.vertices[1].detailP = 7
		s := mustPoll(t, fakeClient(t, f, nil))
		wantGaps(t, s, analysis.Gap{JobID: jobA, What: whatJob, Reason: analysis.GapTorn})
		for _, v := range s.Jobs[0].Vertices {
			if v.Detail != analysis.DetailMissing || v.Subtasks != nil {
				t.Errorf("vertex %s: %q with %d subtasks", v.ID, v.Detail, len(v.Subtasks))
			}
		}
	})
	t.Run("newer attempts tear the vertex", func(t *testing.T) {
		f := newFake()
		f.vertices[1].startMs = f.nowMs + 2
		s := mustPoll(t, fakeClient(t, f, nil))
		wantGaps(t, s, analysis.Gap{JobID: jobA, VertexID: keyed, What: whatVertex, Reason: analysis.GapTorn})
		if d := s.Jobs[0].Vertices[2].Detail; d != analysis.DetailFresh {
			t.Errorf("the other vertex is %q", d)
		}
	})
	t.Run("an ended attempt's age is none", func(t *testing.T) {
		r := vertexRead{v: &analysis.Vertex{ID: keyed, Parallelism: 1}, job: &jobRead{nowMs: analysis.Of(1000)}}
		d := vertexDetail{id: keyed, parallelism: 1, nowMs: analysis.Of(1500), subtasks: []analysis.Subtask{{State: "FINISHED", AgeMs: analysis.Of(20)}}}
		if !r.take(d) {
			t.Error("a subtask that finished long ago tears its vertex")
		}
	})
}

func TestJobsThatComeAndGo(t *testing.T) {
	f := newFake()
	f.jobs = []obj{
		{"jid": jobA, "name": "a", "state": "RUNNING"},
		{"jid": jobA, "name": "a again", "state": "RUNNING"},
		{"jid": jobB, "name": "b", "state": "RUNNING"},
		{"jid": "c0", "name": "c", "state": "RESTARTING"},
		{"jid": "d0", "name": "d", "state": "SUSPENDED"},
		{"jid": "e0", "name": "e", "state": "FINISHED"},
		{"jid": "../../config", "name": "f", "state": "RUNNING"},
	}
	f.override["/jobs/"+jobB] = respond(404, `{"errors":["Job not found"]}`)
	c := fakeClient(t, f, nil)
	s := mustPoll(t, c)
	wantGaps(t, s,
		analysis.Gap{JobID: jobB, What: whatJob, Reason: analysis.GapVanished},
		analysis.Gap{JobID: "c0", What: whatJob, Reason: analysis.GapNotRunning},
		analysis.Gap{JobID: "d0", What: whatJob, Reason: analysis.GapNotRunning},
		analysis.Gap{What: whatJob, Reason: analysis.GapFailed, Detail: ReasonBadRequest},
	)
	var states []string
	for _, j := range s.Jobs {
		states = append(states, j.ID[:2]+j.State)
		if j.State != "RUNNING" && j.Vertices != nil {
			t.Errorf("job %s in %s has vertices", j.ID, j.State)
		}
	}
	if want := []string{"aaRUNNING", "c0RESTARTING", "d0SUSPENDED"}; !reflect.DeepEqual(states, want) {
		t.Errorf("jobs %v, want %v", states, want)
	}
	if want := map[string]int{"RUNNING": 3, "RESTARTING": 1, "SUSPENDED": 1, "FINISHED": 1}; !reflect.DeepEqual(s.JobStates, want) {
		t.Errorf("states %v, want %v", s.JobStates, want)
	}
	f.jobs = []obj{}
	if s = mustPoll(t, c); len(s.Jobs) != 0 || len(c.jobs) != 0 {
		t.Errorf("%d jobs, %d remembered after all went", len(s.Jobs), len(c.jobs))
	}
}

func TestVerticesWithIDsThatCannotBeAsked(t *testing.T) {
	f := newFake()
	f.vertices = append(f.vertices, &fakeVertex{id: "../../../../../../../../../../overview", ship: "HASH", parallelism: 1, startMs: startMs})
	s := mustPoll(t, fakeClient(t, f, nil))
	wantGaps(t, s, analysis.Gap{JobID: jobA, What: whatVertex, Reason: analysis.GapFailed, Detail: ReasonBadRequest})
	if len(s.Jobs[0].Vertices) != 3 {
		t.Errorf("%d vertices", len(s.Jobs[0].Vertices))
	}
}

func TestStateMayChangeBetweenTheCalls(t *testing.T) {
	for state, want := range map[string]analysis.GapReason{"RESTARTING": analysis.GapNotRunning, "FINISHED": analysis.GapVanished} {
		f := newFake()
		f.override["/jobs/"+jobA] = respond(200, `{"jid":"`+jobA+`","name":"orders","state":"`+state+`","vertices":[{"id":"1","parallelism":1}]}`)
		s := mustPoll(t, fakeClient(t, f, nil))
		wantGaps(t, s, analysis.Gap{JobID: jobA, What: whatJob, Reason: want})
		if want == analysis.GapVanished && len(s.Jobs) != 0 {
			t.Error("a job that ended is still listed")
		}
	}
}

func TestOneFailureNeverLosesTheRest(t *testing.T) {
	vertex := "/jobs/" + jobA + "/vertices/" + keyed
	for path, want := range map[string]analysis.Gap{
		"/overview":                      {What: whatOverview, Reason: analysis.GapFailed, Detail: ReasonServerError},
		"/taskmanagers":                  {What: whatTaskManagers, Reason: analysis.GapFailed, Detail: ReasonServerError},
		vertex:                           {JobID: jobA, VertexID: keyed, What: whatVertex, Reason: analysis.GapFailed, Detail: ReasonServerError},
		"/jobs/" + jobA + "/checkpoints": {JobID: jobA, What: whatCheckpoints, Reason: analysis.GapFailed, Detail: ReasonServerError},
		"/jobs/" + jobA + "/checkpoints/details/7/subtasks/" + keyed: {JobID: jobA, VertexID: keyed, What: whatCheckpointPart, Reason: analysis.GapFailed, Detail: ReasonServerError},
		"/jobs/" + jobA + "/vertices/" + source + "/metrics":         {JobID: jobA, VertexID: source, What: whatPartitions, Reason: analysis.GapFailed, Detail: ReasonServerError},
		"/taskmanagers/10.0.0.1:42-abc/metrics":                      {What: whatTMMetrics, Reason: analysis.GapFailed, Detail: ReasonServerError},
	} {
		f := newFake()
		f.override[path] = respond(500, `{"errors":["Internal server error.","<Exception on server side: secret"]}`)
		s := mustPoll(t, fakeClient(t, f, nil))
		wantGaps(t, s, want)
		if len(s.Jobs) != 1 || len(s.Jobs[0].Vertices) != 3 || s.Jobs[0].Vertices[2].Detail != analysis.DetailFresh {
			t.Errorf("%s: the rest is lost", path)
		}
		if len(s.TaskManagers) != 2 || s.TaskManagers[0].Host == "" {
			t.Errorf("%s: TaskManagers %+v", path, s.TaskManagers)
		}
	}
}

func TestOnlyTheListOfJobsFailsThePoll(t *testing.T) {
	f := newFake()
	c := fakeClient(t, f, nil)
	mustPoll(t, c)
	f.override["/jobs/overview"] = respond(500, "oops")
	if _, err := c.Snapshot(t.Context()); Reason(err) != ReasonServerError {
		t.Fatalf("error %v", err)
	}
	delete(f.override, "/jobs/overview")
	mustPoll(t, c)
}

func TestCanceledPollFails(t *testing.T) {
	f := newFake()
	ctx, cancel := context.WithCancel(t.Context())
	f.override["/jobs/"+jobA] = func(http.ResponseWriter, *http.Request) { cancel() }
	if _, err := fakeClient(t, f, nil).Snapshot(ctx); Reason(err) != ReasonCanceled {
		t.Errorf("error %v, want canceled", err)
	}
}

func TestFiltersByName(t *testing.T) {
	f := newFake()
	f.jobs = []obj{{"jid": jobA, "name": "orders", "state": "RUNNING"}, {"jid": jobB, "name": "orders-test", "state": "RUNNING"}, {"jid": "c0", "name": "etl", "state": "RUNNING"}}
	s := mustPoll(t, fakeClient(t, f, func(o *Options) {
		o.Include, o.Exclude = regexp.MustCompile("^orders"), regexp.MustCompile("test$")
	}))
	if len(s.Jobs) != 1 || s.Jobs[0].ID != jobA || s.JobStates["RUNNING"] != 3 || f.count("/jobs/"+jobB) != 0 {
		t.Errorf("jobs %+v, states %v", s.Jobs, s.JobStates)
	}
}

func TestColdCacheIsPrimedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.vertices[1].cold = true
		path := "/jobs/" + jobA + "/vertices/" + keyed
		f.override[path] = func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			delete(f.override, path)
			f.mu.Unlock()
			f.ServeHTTP(w, r)
			f.vertices[1].cold = false
		}
		c := fakeClient(t, f, nil)
		s := mustPoll(t, c)
		wantGaps(t, s)
		if got := c.opts.Now().Sub(s.At); got != primeDelay {
			t.Errorf("waited %v, want %v", got, primeDelay)
		}
		v := s.Jobs[0].Vertices[1]
		if v.Subtasks[0].RecordsIn.Or(0) != 1000 || v.Checkpoint == nil {
			t.Errorf("after priming: %+v", v)
		}
		if v.Totals.RecordsIn.Known() {
			t.Error("totals of the cold answer are reported")
		}
	})
}

func TestStillColdHasNoCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.vertices[1].cold = true
		path := "/jobs/" + jobA + "/vertices/" + keyed
		c := fakeClient(t, f, nil)
		cold := analysis.Gap{JobID: jobA, VertexID: keyed, What: whatVertex, Reason: analysis.GapCold}
		for poll := range 3 {
			s := mustPoll(t, c)
			wantGaps(t, s, cold)
			v := s.Jobs[0].Vertices[1]
			if v.Totals != (analysis.Counters{}) || v.Subtasks[0].Counters != (analysis.Counters{}) || v.Subtasks[0].State != "RUNNING" {
				t.Errorf("poll %d reports from a cold cache: %+v", poll, v)
			}
		}
		if n := f.count(path); n != 2+1+1 {
			t.Errorf("%d requests, want two in the first poll and one in the others", n)
		}
	})
}

func TestPrimingKeepsToItsBounds(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"tape":     func(o *Options) { o.NoPrime = true },
		"deadline": func(o *Options) { o.PollTimeout = primeDelay },
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.vertices[1].cold = true
			c := fakeClient(t, f, change)
			s := mustPoll(t, c)
			if got := c.opts.Now().Sub(s.At); got != 0 {
				t.Errorf("%s: waited %v", name, got)
			}
			if len(s.Gaps) != 1 || s.Gaps[0].Reason != analysis.GapCold {
				t.Errorf("%s: gaps %+v", name, s.Gaps)
			}
		})
	}
}

func TestOldVersionsUseBackPressure(t *testing.T) {
	f := newFake()
	for _, v := range f.vertices {
		v.old = true
	}
	s := mustPoll(t, fakeClient(t, f, nil))
	wantGaps(t, s)
	v := s.Jobs[0].Vertices[1]
	if g := v.Subtasks[0].Gauges; g == nil || g.Busy.Or(0) != 0.5 || g.BackPressured.Or(0) != 0.25 || g.Idle.Or(0) != 0.25 {
		t.Errorf("gauges %+v", g)
	}
	if v.Subtasks[1].Gauges != nil {
		t.Error("a subtask that the answer lacks has a gauge")
	}
	f.override["/jobs/"+jobA+"/vertices/"+keyed+"/backpressure"] = respond(200, `{"status":"deprecated"}`)
	s = mustPoll(t, fakeClient(t, f, nil))
	wantGaps(t, s, analysis.Gap{JobID: jobA, VertexID: keyed, What: whatBackpressure, Reason: analysis.GapCold})
}
