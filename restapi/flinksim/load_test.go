package flinksim

import (
	"net/http"
	"net/url"
	"runtime"
	"testing"
	"time"
)

// sink is a ResponseWriter that only counts.
type sinkWriter struct {
	header http.Header
	bytes  int64
	status int
}

func (w *sinkWriter) Header() http.Header { return w.header }

func (w *sinkWriter) WriteHeader(status int) { w.status = status }

func (w *sinkWriter) Write(b []byte) (int, error) {
	w.bytes += int64(len(b))
	return len(b), nil
}

// pollLoad asks for what a poll of the exporter needs and returns the bytes.
func pollLoad(tb testing.TB, sim *Sim) (requests int, bytes int64) {
	w := &sinkWriter{header: http.Header{}}
	get := func(path string) {
		w.status = 200
		sim.ServeHTTP(w, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}, RequestURI: path})
		if w.status != 200 {
			tb.Fatalf("%s: %d", path, w.status)
		}
		requests++
	}
	get("/overview")
	get("/jobs/overview")
	get("/taskmanagers")
	for _, en := range sim.order {
		get("/jobs/" + en.id)
		get("/jobs/" + en.id + "/checkpoints")
		for v := range en.state.spec.Vertices {
			get("/jobs/" + en.id + "/vertices/" + en.state.ids[v])
		}
	}
	return requests, w.bytes
}

// TestLoadShape: the numbers asked for, ids of their own for every copy,
// counters that advance between polls.
func TestLoadShape(t *testing.T) {
	c := Load(20, 4, 10)
	b := start(t, c)
	if len(b.jobs) != 20 {
		t.Fatalf("%d jobs have %d ids", 20, len(b.jobs))
	}
	subtasks := 0
	for _, en := range b.order {
		_, l := en.at(b.now)
		for _, p := range l.run.par {
			subtasks += p
		}
	}
	if subtasks != 20*4*10 {
		t.Errorf("%d subtasks", subtasks)
	}
	b.warm()
	before := b.vertex("load-1-0", 1)
	b.pass(11 * time.Second)
	b.vertex("load-1-0", 1)
	b.pass(time.Second)
	after, twin := b.vertex("load-1-0", 1), b.vertex("load-1-1", 1)
	for i := range after.Subtasks {
		if after.Subtasks[i].Metrics.ReadRecords <= before.Subtasks[i].Metrics.ReadRecords {
			t.Errorf("subtask %d stands still", i)
		}
		if after.Subtasks[i].Metrics != twin.Subtasks[i].Metrics {
			t.Errorf("subtask %d: copies differ", i)
		}
	}
}

// TestCopyGoesItsOwnWay: an event befalls one copy, not its twins.
func TestCopyGoesItsOwnWay(t *testing.T) {
	b := start(t, Load(16, 3, 4))
	if err := b.Do("load-2-0", Event{Kind: Restart}); err != nil {
		t.Fatal(err)
	}
	b.pass(20 * time.Second)
	one, twin := b.vertex("load-2-0", 1), b.vertex("load-2-1", 1)
	if one.Subtasks[0].Attempt != 1 || twin.Subtasks[0].Attempt != 0 {
		t.Errorf("attempts %d and %d, want 1 and 0", one.Subtasks[0].Attempt, twin.Subtasks[0].Attempt)
	}
}

// TestLoadMemory: a million subtasks, polled once, hold less than 200 MiB.
func TestLoadMemory(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	sim, err := New(Load(1000, 10, 100), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	requests, _ := pollLoad(t, sim)
	if requests != 3+2*1000+10_000 {
		t.Errorf("%d requests", requests)
	}
	now = now.Add(time.Second)
	if _, bytes := pollLoad(t, sim); bytes < 500<<20 {
		t.Errorf("a poll has %d bytes, a million real subtasks have some 600 each", bytes)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 200<<20 {
		t.Errorf("%d MiB of heap", m.HeapAlloc>>20)
	}
	runtime.KeepAlive(sim)
}

// BenchmarkPoll is the handler alone, a million subtasks a poll.
func BenchmarkPoll(b *testing.B) {
	now := time.Unix(1_800_000_000, 0)
	sim, err := New(Load(1000, 10, 100), func() time.Time { return now })
	if err != nil {
		b.Fatal(err)
	}
	var bytes int64
	for b.Loop() {
		now = now.Add(15 * time.Second)
		_, bytes = pollLoad(b, sim)
	}
	b.SetBytes(bytes)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/subtask")
}
