package restapi

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func watermarksPath(vertex string) string {
	return "/jobs/" + jobA + "/vertices/" + vertex + "/watermarks"
}

// clock is a client's time, moved by hand.
type clock struct{ now time.Time }

func newClock() *clock                { return &clock{fixedNow()} }
func (c *clock) use(o *Options)       { o.Now = func() time.Time { return c.now } }
func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

// consumer makes a further vertex that reads from the source.
func consumer(i int) *fakeVertex {
	return &fakeVertex{id: fmt.Sprintf("c%031x", i), ship: "REBALANCE", parallelism: 1, busy: 5000, startMs: startMs}
}

func TestWatermarksAreReadByDefault(t *testing.T) {
	f := newFake()
	f.override[watermarksPath(keyed)] = respond(200, `[{"id":"2.currentInputWatermark","value":"9223372036854775807"},
		{"id":"0.currentInputWatermark","value":"1700000000000"},{"id":"1.currentInputWatermark","value":"-9223372036854775808"},
		{"id":"4.currentInputWatermark","value":"1"}]`)
	f.override[watermarksPath(sink)] = respond(200, `[]`)
	c := newClock()
	s := mustPoll(t, fakeClient(t, f, c.use))
	wantGaps(t, s)
	// Subtask 4 is none of the vertex's four, subtask 3 is not known.
	want := &analysis.VertexWatermarks{At: c.now, Subtasks: []analysis.SubtaskWatermark{
		{Index: 0, State: analysis.WatermarkSet, Ms: analysis.Of(1.7e12)}, {Index: 1, State: analysis.WatermarkNone},
		{Index: 2, State: analysis.WatermarkEnded},
	}}
	v := s.Jobs[0].Vertices
	if !reflect.DeepEqual(v[1].Watermarks, want) {
		t.Errorf("got %+v, want %+v", v[1].Watermarks, want)
	}
	if v[2].Watermarks != nil {
		t.Errorf("watermarks out of an empty list: %+v", v[2].Watermarks)
	}
	if v[0].Watermarks != nil || f.count(watermarksPath(source)) != 0 {
		t.Error("a source, which has no input watermark, was asked for it")
	}
	f = newFake()
	s = mustPoll(t, fakeClient(t, f, func(o *Options) { o.WatermarkBudget = -1 }))
	if f.count(watermarksPath(keyed)) != 0 || s.Jobs[0].Vertices[1].Watermarks != nil {
		t.Error("watermarks read with a negative budget")
	}
}

func TestWatermarkBudget(t *testing.T) {
	for _, tc := range []struct{ option, vertices, want int }{
		{0, 5, 4}, {0, 20, 4}, {0, 100, 4}, {0, 200, 8}, {0, 201, 9}, {0, 10_000, 400}, {0, 0, 0},
		{3, 2, 2}, {3, 200, 3}, {-1, 200, 0}, {Unlimited, 500, 500},
	} {
		if got := watermarkBudget(tc.option, tc.vertices); got != tc.want {
			t.Errorf("budget %d of %d vertices: got %d, want %d", tc.option, tc.vertices, got, tc.want)
		}
	}
}

func TestWatermarksGoRound(t *testing.T) {
	f := newFake()
	f.vertices = f.vertices[:1]
	for i := range 7 {
		f.vertices = append(f.vertices, consumer(i))
	}
	c := fakeClient(t, f, func(o *Options) { o.WatermarkBudget = 3 })
	asked := func() (n []int) {
		for i := range 7 {
			n = append(n, f.count(watermarksPath(consumer(i).id)))
		}
		return n
	}
	for poll, want := range [][]int{
		{1, 1, 1, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 0}, {2, 2, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 1, 1},
	} {
		f.tick()
		s := mustPoll(t, c)
		if got := asked(); !reflect.DeepEqual(got, want) {
			t.Fatalf("after poll %d asked %v, want %v", poll, got, want)
		}
		for i, n := range want {
			if has := s.Jobs[0].Vertices[i+1].Watermarks != nil; has != (n > 0) {
				t.Errorf("poll %d: vertex %d asked %d times shows its watermarks: %v", poll, i, n, has)
			}
		}
	}
}

// TestNewVerticesQueueBehind starts as many vertices in every poll as may be
// asked: those that were there before must still get their turn.
func TestNewVerticesQueueBehind(t *testing.T) {
	f := newFake()
	f.vertices = append(f.vertices[:1], consumer(0), consumer(1), consumer(2))
	c := fakeClient(t, f, func(o *Options) { o.WatermarkBudget = 2 })
	for poll := range 6 {
		f.tick()
		mustPoll(t, c)
		// The newest stand first in the job's answer.
		f.vertices = append([]*fakeVertex{f.vertices[0], consumer(100 + 2*poll), consumer(101 + 2*poll)}, f.vertices[1:]...)
	}
	for i := range 3 {
		if n := f.count(watermarksPath(consumer(i).id)); n < 1 {
			t.Errorf("vertex %d was asked %d times in 6 polls", i, n)
		}
	}
}

func TestWatermarksAge(t *testing.T) {
	f, now := newFake(), newClock()
	f.vertices = f.vertices[:2]
	f.vertices[1].busy = 0
	c := fakeClient(t, f, now.use)
	poll := func() (*analysis.VertexWatermarks, analysis.Snapshot) {
		f.tick()
		s := mustPoll(t, c)
		return s.Jobs[0].Vertices[1].Watermarks, s
	}
	first, _ := poll()
	read := now.now
	if first == nil || !first.At.Equal(read) {
		t.Fatalf("read %+v, want one at %v", first, read)
	}
	f.override[watermarksPath(keyed)] = respond(500, `{"errors":["no"]}`)
	now.pass(maxWatermarkAge)
	w, s := poll()
	if w != first || !w.At.Equal(read) {
		t.Errorf("after a failure got %+v, want the last answer as it was", w)
	}
	wantGaps(t, s, analysis.Gap{JobID: jobA, VertexID: keyed, What: whatWatermarks, Reason: analysis.GapFailed, Detail: ReasonServerError})
	now.pass(time.Millisecond)
	if w, _ := poll(); w != nil {
		t.Errorf("an answer of %v ago is still shown", maxWatermarkAge+time.Millisecond)
	}
	f.override[watermarksPath(keyed)] = respond(404, `{"errors":["Unable to load requested file."]}`)
	w, s = poll()
	if w != nil {
		t.Errorf("watermarks out of nothing: %+v", w)
	}
	wantGaps(t, s)
	// The vertex is quiet and skipped by now; its watermarks may yet move.
	delete(f.override, watermarksPath(keyed))
	if w, s = poll(); w == nil || s.Jobs[0].Vertices[1].Detail != analysis.DetailSkipped {
		t.Errorf("a skipped vertex shows %+v", w)
	}
	f.override[watermarksPath(keyed)] = respond(200, `[]`)
	if w, _ = poll(); w != nil {
		t.Errorf("an empty answer leaves the old one: %+v", w)
	}
}

// TestFailuresOfOtherPollsAreNoGap has one vertex fail when it is its turn.
func TestFailuresOfOtherPollsAreNoGap(t *testing.T) {
	f := newFake()
	f.override[watermarksPath(keyed)] = respond(500, `{"errors":["no"]}`)
	c := fakeClient(t, f, func(o *Options) { o.WatermarkBudget = 1 })
	for poll := range 4 {
		f.tick()
		if s := mustPoll(t, c); len(s.Gaps) != (poll+1)%2 {
			t.Errorf("poll %d: gaps %+v", poll, s.Gaps)
		}
	}
}

func TestRestartAndRescaleDropWatermarks(t *testing.T) {
	for name, change := range map[string]func(*fakeFlink){
		"restart": func(f *fakeFlink) { f.runningMs += 60_000 },
		"rescale": func(f *fakeFlink) { f.vertices[1].parallelism++ },
		"gone":    func(f *fakeFlink) { f.jobs[0]["state"] = "FINISHED" },
	} {
		f := newFake()
		c := fakeClient(t, f, nil)
		if mustPoll(t, c).Jobs[0].Vertices[1].Watermarks == nil {
			t.Fatalf("%s: no watermarks before", name)
		}
		f.override[watermarksPath(keyed)] = respond(500, `{}`)
		f.tick()
		change(f)
		mustPoll(t, c)
		f.jobs[0]["state"] = "RUNNING"
		if w := mustPoll(t, c).Jobs[0].Vertices[1].Watermarks; w != nil {
			t.Errorf("%s: still shows %+v", name, w)
		}
	}
}

// TestTornJobHasNoWatermarks: the job was rescaled between two calls, so that
// what was read belongs to two runs of it.
func TestTornJobHasNoWatermarks(t *testing.T) {
	f := newFake()
	f.vertices[2].detailP = 7
	v := mustPoll(t, fakeClient(t, f, nil)).Jobs[0].Vertices
	if v[1].Watermarks != nil || v[2].Watermarks != nil || f.count(watermarksPath(sink)) != 0 {
		t.Errorf("got %+v and %+v", v[1].Watermarks, v[2].Watermarks)
	}
}

func TestWatermarksOnTapes(t *testing.T) {
	for poll, r := range replay(t, filepath.Join(tapes, "healthy-2.3.0.jsonl.gz")) {
		s := r.snapshot
		for i, v := range s.Jobs[0].Vertices {
			if (v.Watermarks != nil) != (i > 0) {
				t.Fatalf("poll %d: vertex %d has %+v", poll, i, v.Watermarks)
			}
			if i == 0 {
				continue
			}
			if !v.Watermarks.At.Equal(s.At) || len(v.Watermarks.Subtasks) != v.Parallelism {
				t.Errorf("poll %d: vertex %d of %d has %+v", poll, i, v.Parallelism, v.Watermarks)
			}
			for _, w := range v.Watermarks.Subtasks {
				if w.State != analysis.WatermarkNone || w.Ms.Known() {
					t.Errorf("poll %d: vertex %d: %+v, want none yet", poll, i, w)
				}
			}
		}
	}
}
