package flinksim

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestErrors: what cannot be answered is Flink's kind of error.
func TestErrors(t *testing.T) {
	b := start(t, plainCluster())
	job, gone := "/jobs/"+b.JobID("plain"), strings.Repeat("0", 32)
	for _, c := range []struct {
		path string
		code int
		text string
		long bool
	}{
		{"/nothing", 404, "Unable to load requested file /nothing.", false},
		{job + "/nothing", 404, "Unable to load requested file " + job + "/nothing.", false},
		{"/jobs/" + gone, 404, "FlinkJobNotFoundException", true},
		{"/jobs/xyz", 400, "jobid", true},
		{job + "/vertices/" + gone, 404, "JobVertex " + gone + " not found", true},
		{job + "/vertices/1", 400, "vertexid", true},
		{job + "/checkpoints/details/999", 404, "checkpoint 999", false},
		{job + "/checkpoints/details/x", 400, "checkpointid", true},
		{job + "/resource-requirements", 500, "DefaultScheduler", true},
		{"/taskmanagers/none:1", 404, "Could not find TaskExecutor none:1", false},
		{"/overview?x=" + strings.Repeat("a", 4096), 404, "Unable to load requested file /bad-request.", false},
	} {
		code, body := b.get(c.path)
		var e struct{ Errors []string }
		if err := json.Unmarshal(body, &e); err != nil || code != c.code || !strings.Contains(strings.Join(e.Errors, ""), c.text) {
			t.Errorf("%.80s: %d %.200s (%v)", c.path, code, body, err)
		}
		if c.long && (len(body) < 4500 || len(body) > 8500) {
			t.Errorf("%s: %d bytes of error, real ones have 5 to 8 KB", c.path, len(body))
		}
	}
}

// TestRequestLine: 4096 bytes of request line pass, 4097 do not.
func TestRequestLine(t *testing.T) {
	b := start(t, plainCluster())
	fixed := len("GET /overview?x= HTTP/1.1")
	if code, _ := b.get("/overview?x=" + strings.Repeat("a", 4096-fixed)); code != 200 {
		t.Errorf("4096 bytes: %d", code)
	}
	if code, _ := b.get("/overview?x=" + strings.Repeat("a", 4097-fixed)); code != 404 {
		t.Errorf("4097 bytes: %d", code)
	}
}

// TestAggregates: one unknown name empties the answer.
func TestAggregates(t *testing.T) {
	c := plainCluster()
	c.MetricInterval = -1
	b := start(t, c)
	page := b.vertexPath("plain", 1) + "/subtasks/metrics"
	var got []struct {
		ID                       string
		Min, Max, Avg, Sum, Skew *float64
	}
	b.read(page+"?get=busyTimeMsPerSecond,numRecordsIn&agg=max,skew", &got)
	if len(got) != 2 || got[0].Max == nil || got[0].Skew == nil || got[0].Min != nil {
		t.Errorf("two known names: %+v", got)
	}
	b.read(page+"?get=busyTimeMsPerSecond,none", &got)
	if len(got) != 0 {
		t.Errorf("an unknown name: %+v", got)
	}
	old := plainCluster()
	old.Version = "1.17.2"
	b = start(t, old)
	if code, _ := b.get(b.vertexPath("plain", 1) + "/subtasks/metrics?get=numRecordsIn&agg=skew"); code != 400 {
		t.Errorf("skew on 1.17: %d", code)
	}
}

// TestPartitionMetrics: each reader names the partitions that it owns.
func TestPartitionMetrics(t *testing.T) {
	c := Cluster{Version: "2.3.0", MetricInterval: -1, Age: time.Minute, Jobs: []Job{idleReaders()}}
	b := start(t, c)
	var names []struct{ ID string }
	b.read(b.vertexPath("demo-idle-readers", 0)+"/metrics", &names)
	owners := map[string]string{}
	for _, n := range names {
		if subtask, rest, _ := strings.Cut(n.ID, "."); strings.HasSuffix(rest, ".currentOffset") {
			owners[rest] = subtask
		}
	}
	if len(owners) != 5 {
		t.Errorf("owners %v, want 5 partitions", owners)
	}
	for rest, subtask := range owners {
		i, err := strconv.Atoi(subtask)
		if err != nil || !strings.HasPrefix(rest, "Source__orders_topic.KafkaSourceReader.topic.orders.partition.") {
			t.Fatalf("%s.%s: %v", subtask, rest, err)
		}
		if v := b.vertex("demo-idle-readers", 0); v.Subtasks[i].Metrics.ReadRecords == 0 {
			t.Errorf("reader %d owns a partition and reads nothing", i)
		}
	}
}

// TestCheckpointsNeverChange: details of a completed checkpoint are the same
// bytes for as long as they can be had, also across a restart.
func TestCheckpointsNeverChange(t *testing.T) {
	b := start(t, plainCluster())
	job := "/jobs/" + b.JobID("plain")
	var list struct {
		Counts struct{ Completed int64 }
		Latest struct {
			Completed struct{ ID int64 }
			Restored  *struct{ ID int64 }
		}
		History []any
	}
	b.read(job+"/checkpoints", &list)
	id := list.Latest.Completed.ID
	page := job + "/checkpoints/details/" + strconv.FormatInt(id, 10) + "/subtasks/" + b.find("plain").state.ids[1]
	_, want := b.get(page)
	if err := b.Do("plain", Event{Kind: Restart}); err != nil {
		t.Fatal(err)
	}
	b.pass(30 * time.Second)
	if code, got := b.get(page); code != 200 || string(got) != string(want) {
		t.Errorf("after a restart: %d %.100s, before %.100s", code, got, want)
	}
	b.read(job+"/checkpoints", &list)
	if list.Latest.Restored == nil || list.Latest.Restored.ID != id || list.Latest.Completed.ID <= id {
		t.Errorf("after a restart from %d: %+v", id, list.Latest)
	}
	b.pass(time.Hour)
	if code, _ := b.get(page); code != 404 {
		t.Errorf("an hour later: %d, want that it has left the history", code)
	}
}

// TestFaults over a real connection: each does what its name says, and when
// they are healed all is as before.
func TestFaults(t *testing.T) {
	b := start(t, plainCluster())
	server := httptest.NewServer(b.Sim)
	defer server.Close()
	get := func(ctx context.Context) (int, string, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/overview", nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer a.Body.Close()
		body, err := io.ReadAll(io.LimitReader(a.Body, 1<<20))
		return a.StatusCode, string(body), err
	}
	for _, c := range []struct {
		kind  FaultKind
		code  int
		part  string
		fails bool
	}{
		{NoLeader, 503, "leader election", false},
		{HTMLPage, 200, "<html>", false},
		{Unauthorized, 401, "", false},
		{NotFound, 404, "FlinkJobNotFoundException", false},
		{ServerError, 500, "Internal server error.", false},
		{Empty, 200, "", false},
		{Truncate, 200, "taskmanagers", true},
		{Endless, 200, "0.numRecordsIn", false},
		{SlowAnswer, 200, "flink-version", false},
	} {
		b.Inject(Fault{Kind: c.kind, Path: "/overview"})
		code, body, err := get(t.Context())
		if code != c.code || !strings.Contains(body, c.part) || (err != nil) != c.fails {
			t.Errorf("fault %d: %d %.80s (%v)", c.kind, code, body, err)
		}
		b.Heal()
	}
	for _, kind := range []FaultKind{Hang, StallBody} {
		b.Inject(Fault{Kind: kind})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, _, err := get(ctx); err == nil {
			t.Errorf("fault %d: a whole answer", kind)
		}
		cancel()
		b.Heal()
	}
	if code, body, err := get(t.Context()); code != 200 || !strings.Contains(body, "flink-version") || err != nil {
		t.Errorf("healed: %d %s (%v)", code, body, err)
	}
}

// TestFaultWindow: a scripted fault begins and ends, and other paths are spared.
func TestFaultWindow(t *testing.T) {
	c := plainCluster()
	c.Faults = []Fault{{Kind: NoLeader, Path: "/jobs", After: 10 * time.Second, For: 5 * time.Second}}
	b := start(t, c)
	for _, want := range []int{200, 503, 200} {
		if code, _ := b.get("/jobs"); code != want {
			t.Errorf("%v after the beginning: %d, want %d", b.now.Sub(b.env.begin), code, want)
		}
		if code, _ := b.get("/overview"); code != 200 {
			t.Errorf("/overview: %d", code)
		}
		b.pass(10 * time.Second)
	}
}

// TestSlowAnswer takes its delay, or ends with the client.
func TestSlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim, err := New(plainCluster(), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		sim.Inject(Fault{Kind: SlowAnswer, Delay: 8 * time.Second})
		took := func(ctx context.Context) time.Duration {
			began := time.Now()
			sim.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/overview", nil).WithContext(ctx))
			return time.Since(began)
		}
		if d := took(t.Context()); d != 8*time.Second {
			t.Errorf("it took %v", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if d := took(ctx); d != time.Second {
			t.Errorf("a client that goes after 1 s waits %v", d)
		}
	})
}

// TestConcurrent reads everything while jobs restart and faults come and go;
// the race detector is what this test is for.
func TestConcurrent(t *testing.T) {
	var mu sync.Mutex
	now := time.Unix(1_800_000_000, 0)
	sim, err := New(Load(16, 3, 4), func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(20 * time.Millisecond)
		return now
	})
	if err != nil {
		t.Fatal(err)
	}
	job := loadJob(0, 3, 4)
	vertex := "/vertices/" + job.vertexID(1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, en := range sim.order {
				for _, page := range []string{"", "/checkpoints", vertex, vertex + "/metrics"} {
					r := httptest.NewRecorder()
					sim.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/jobs/"+en.id+page, nil))
					if r.Code != 200 && r.Code != 503 {
						t.Errorf("%s: %d", page, r.Code)
					}
				}
			}
		})
	}
	wg.Go(func() {
		for _, en := range sim.order {
			if err := sim.Do(en.name, Event{Kind: Restart}); err != nil {
				t.Error(err)
			}
			sim.Inject(Fault{Kind: NoLeader, For: 10 * time.Millisecond})
			sim.Heal()
		}
	})
	wg.Wait()
}
