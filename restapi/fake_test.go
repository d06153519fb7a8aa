package restapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// obj and list are JSON.
type (
	obj  = map[string]any
	list = []any
)

const (
	jobA    = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	jobB    = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	source  = "00000000000000000000000000000001"
	keyed   = "00000000000000000000000000000002"
	sink    = "00000000000000000000000000000003"
	startMs = 1_700_000_000_000
)

// fakeVertex is a vertex that a test may change between polls.
type fakeVertex struct {
	id          string
	ship        string // "" for a source
	parallelism int
	// detailP is the parallelism that the vertex's own answer gives.
	detailP int
	attempt int
	// busy is added to each subtask's accumulated busy time by each poll.
	busy int
	cold bool
	// startMs is when the attempts began.
	startMs int64
	names   []string
	// values are those that …/metrics?get= answers, by name.
	values map[string]string
	// old leaves out the accumulated times, as Flink before 1.17 does.
	old bool
	// totals, if set, replaces the job answer's block of totals.
	totals obj
}

// fakeFlink is a JobManager with a few jobs. Any path may be overridden.
type fakeFlink struct {
	mu         sync.Mutex
	nowMs      int64
	runningMs  int64
	busyMs     map[string]int
	jobs       []obj
	vertices   []*fakeVertex
	checkpoint int64
	tms        int
	override   map[string]http.HandlerFunc
	asked      map[string]int
	queries    []string
}

func newFake() *fakeFlink {
	f := &fakeFlink{
		nowMs: startMs + 600_000, runningMs: startMs, busyMs: map[string]int{}, checkpoint: 7, tms: 2,
		override: map[string]http.HandlerFunc{}, asked: map[string]int{},
		jobs: []obj{{"jid": jobA, "name": "orders", "state": "RUNNING", "start-time": startMs}},
	}
	f.vertices = []*fakeVertex{
		{id: source, parallelism: 2, busy: 5000, startMs: startMs, names: []string{
			"0.Source__orders.KafkaSourceReader.topic.a.partition.0.currentOffset",
			"0.Source__orders.KafkaSourceReader.topic.a.partition.0.committedOffset",
			"0.Source__orders.KafkaSourceReader.topic.b.partition.0.currentOffset",
			"1.Source__orders.numRecordsIn",
		}},
		{id: keyed, ship: "HASH", parallelism: 4, busy: 5000, startMs: startMs},
		{id: sink, ship: "REBALANCE", parallelism: 4, busy: 5000, startMs: startMs},
	}
	return f
}

// tick lets ten seconds pass.
func (f *fakeFlink) tick() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nowMs += 10_000
	for _, v := range f.vertices {
		f.busyMs[v.id] += v.busy
	}
}

func (f *fakeFlink) count(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[path]
}

// reset forgets the counts and returns how many requests there were.
func (f *fakeFlink) reset() (total int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.asked {
		total += n
	}
	f.asked = map[string]int{}
	return total
}

func (f *fakeFlink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked[r.URL.Path]++
	f.queries = append(f.queries, r.URL.RawQuery)
	h := f.override[r.URL.Path]
	f.mu.Unlock()
	if h != nil {
		h(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := f.answer(r.URL.Path, r.URL.Query().Get("get"))
	if answer == nil {
		w.WriteHeader(http.StatusNotFound)
		answer = obj{"errors": list{"not here\n\tat stack"}}
	}
	w.Header().Set("Content-Type", "application/json")
	b, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	w.Write(b)
}

func (f *fakeFlink) answer(path, get string) any {
	switch path {
	case "/overview":
		return obj{"flink-version": "2.3.0", "slots-total": 8, "slots-available": 2, "taskmanagers": f.tms}
	case "/jobs/overview":
		return obj{"jobs": f.jobs}
	case "/taskmanagers":
		all := list{}
		for i := range f.tms {
			all = append(all, obj{"id": fmt.Sprintf("10.0.0.%d:42-abc", i), "slotsNumber": 4, "freeSlots": 1, "hardware": obj{"cpuCores": 4}})
		}
		return obj{"taskmanagers": all}
	}
	if strings.HasPrefix(path, "/taskmanagers/") {
		return list{obj{"id": cpuTimeMetric, "value": "2000000000"}, obj{"id": gcTimeMetric, "value": "2.5"}}
	}
	parts := strings.Split(path, "/")
	rest := strings.Join(parts[3:], "/")
	switch {
	case rest == "":
		return f.job(parts[2])
	case rest == "checkpoints":
		return obj{"counts": obj{"completed": f.checkpoint, "failed": 1}, "latest": obj{"completed": obj{"id": f.checkpoint, "trigger_timestamp": f.nowMs - 1000}}}
	case strings.HasPrefix(rest, "checkpoints/details/"):
		return obj{"id": f.checkpoint, "status": "COMPLETED", "subtasks": list{obj{"index": 0, "status": "completed", "state_size": 100, "checkpointed_size": 10}}}
	}
	for _, v := range f.vertices {
		switch rest {
		case "vertices/" + v.id:
			return f.detail(v)
		case "vertices/" + v.id + "/metrics":
			names := list{}
			if get != "" {
				for n := range strings.SplitSeq(get, ",") {
					if value, ok := v.values[n]; ok {
						names = append(names, obj{"id": n, "value": value})
					}
				}
				return names
			}
			for _, n := range v.names {
				names = append(names, obj{"id": n})
			}
			return names
		case "vertices/" + v.id + "/backpressure":
			return obj{"status": "ok", "subtasks": list{obj{"subtask": 0, "ratio": 0.25, "idleRatio": 0.25, "busyRatio": 0.5}}}
		case "vertices/" + v.id + "/watermarks":
			return list{obj{"id": "0.currentInputWatermark", "value": "1700000000000"}}
		}
	}
	return nil
}

func (f *fakeFlink) job(id string) any {
	vertices, nodes := list{}, list{}
	for _, v := range f.vertices {
		totals := v.totals
		if totals == nil {
			totals = f.counters(v, v.parallelism)
		}
		vertices = append(vertices, obj{"id": v.id, "name": "v" + v.id[30:], "parallelism": v.parallelism, "maxParallelism": 128, "status": "RUNNING", "metrics": totals})
		node := obj{"id": v.id, "description": "node", "inputs": nil}
		if v.ship != "" {
			node["inputs"] = list{obj{"id": source, "ship_strategy": v.ship}}
		}
		nodes = append(nodes, node)
	}
	return obj{
		"jid": id, "name": "orders", "state": "RUNNING", "now": f.nowMs, "timestamps": obj{"RUNNING": f.runningMs},
		"vertices": vertices, "plan": obj{"nodes": nodes},
	}
}

func (f *fakeFlink) counters(v *fakeVertex, subtasks int) obj {
	c := obj{}
	for _, k := range []string{"read-records", "write-records", "read-bytes", "write-bytes"} {
		c[k], c[k+"-complete"] = 1000*subtasks, !v.cold
	}
	if !v.old {
		busy := f.busyMs[v.id] * subtasks
		c["accumulated-busy-time"], c["accumulated-backpressured-time"] = busy, 0
		c["accumulated-idle-time"] = int(f.nowMs-v.startMs)*subtasks - busy
	}
	return c
}

func (f *fakeFlink) detail(v *fakeVertex) any {
	p := v.parallelism
	if v.detailP > 0 {
		p = v.detailP
	}
	subtasks := list{}
	for i := range p {
		subtasks = append(subtasks, obj{
			"subtask": i, "status": "RUNNING", "attempt": v.attempt, "endpoint": fmt.Sprintf("host-%d:99", i%2),
			"taskmanager-id": fmt.Sprintf("10.0.0.%d:42-abc", i%2), "start-time": v.startMs, "duration": f.nowMs + 5 - v.startMs,
			"status-duration": obj{"RUNNING": f.nowMs - v.startMs}, "metrics": f.counters(v, 1),
		})
	}
	return obj{"id": v.id, "name": "v", "parallelism": p, "maxParallelism": 128, "now": f.nowMs + 5, "subtasks": subtasks}
}

// direct is an http.RoundTripper that calls a handler without a network, so
// that it may be used where time is not real.
type direct struct{ h http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	d.h.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// fakeClient returns a client of the fake, without a network.
func fakeClient(t *testing.T, f http.Handler, change func(*Options)) *Client {
	t.Helper()
	o := DefaultOptions("test", "http://flink:8081")
	o.Transport = direct{f}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func mustPoll(t *testing.T, c *Client) analysis.Snapshot {
	t.Helper()
	s, err := c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// respond makes a handler that answers a fixed status and body.
func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.Copy(w, bytes.NewBufferString(body))
	}
}

func wantGaps(t *testing.T, s analysis.Snapshot, want ...analysis.Gap) {
	t.Helper()
	if len(s.Gaps) != len(want) {
		t.Fatalf("gaps %+v, want %+v", s.Gaps, want)
	}
	for i := range want {
		if s.Gaps[i] != want[i] {
			t.Errorf("gap %+v, want %+v", s.Gaps[i], want[i])
		}
	}
}

func fixedNow() time.Time { return time.UnixMilli(startMs + 600_000).UTC() }
