package restapi

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const sourceMetrics = "/jobs/" + jobA + "/vertices/" + source + "/metrics"

// withBacklog makes the fake's source publish a backlog under the operator's
// name, one value for each subtask.
func withBacklog(f *fakeFlink, operator string, values ...string) *fakeFlink {
	v := f.vertices[0]
	v.parallelism, v.values = len(values), map[string]string{}
	v.names = nil
	for i, value := range values {
		name := fmt.Sprintf("%d.%s.pendingRecords", i, operator)
		v.names = append(v.names, name)
		if value != "" {
			v.values[name] = value
		}
	}
	return f
}

func backlogOf(t *testing.T, s analysis.Snapshot) string {
	t.Helper()
	v, ok := s.Jobs[0].Vertices[0].Backlog.Get()
	if !ok {
		return "unknown"
	}
	return fmt.Sprint(v)
}

func TestBacklogIsTheSumOrUnknown(t *testing.T) {
	for name, tc := range map[string]struct {
		values []string
		want   string
	}{
		"sum":              {[]string{"100", "20", "3"}, "123"},
		"zero":             {[]string{"0", "0"}, "0"},
		"one missing":      {[]string{"100", ""}, "unknown"},
		"one negative":     {[]string{"100", "-1"}, "unknown"},
		"one NaN":          {[]string{"100", "NaN"}, "unknown"},
		"one not set":      {[]string{"100", "-9223372036854775808"}, "unknown"},
		"one of no number": {[]string{"100", "many"}, "unknown"},
	} {
		s := mustPoll(t, fakeClient(t, withBacklog(newFake(), "Source__orders", tc.values...), nil))
		wantGaps(t, s)
		if got := backlogOf(t, s); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestReadersWithoutPartitionsHaveNoBacklog(t *testing.T) {
	const lag, partition = ".S.pendingRecords", ".S.KafkaSourceReader.topic.a.partition.%d.currentOffset"
	for name, tc := range map[string]struct {
		names []string
		want  string
	}{
		"reader 1 is idle": {[]string{"0" + lag, fmt.Sprintf("0"+partition, 0), "1.S.numRecordsIn"}, "7"},
		// It owns a partition and has yet to say how much waits in it.
		"reader 1 owns one": {[]string{"0" + lag, fmt.Sprintf("0"+partition, 0), fmt.Sprintf("1"+partition, 1)}, "unknown"},
		// Nothing says what reader 1 does.
		"reader 1 is unknown":        {[]string{"0" + lag, fmt.Sprintf("0"+partition, 0)}, "unknown"},
		"partitions are not known":   {[]string{"0" + lag, "1.S.numRecordsIn"}, "unknown"},
		"a second operator lacks it": {[]string{"0" + lag, "1" + lag, "0.T.pendingRecords"}, "unknown"},
		"two operators":              {[]string{"0" + lag, "1" + lag, "0.T.pendingRecords", "1.T.pendingRecords", "1.T.pendingRecords"}, "28"},
		"of no operator":             {[]string{"0.pendingRecords", "1.pendingRecords", "0..pendingRecords"}, "unknown"},
		"beyond the parallelism":     {[]string{"0" + lag, "1" + lag, "2" + lag}, "14"},
	} {
		f := newFake()
		v := f.vertices[0]
		v.names, v.values = tc.names, map[string]string{}
		for _, n := range tc.names {
			v.values[n] = "7"
		}
		f.queries = nil
		s := mustPoll(t, fakeClient(t, f, nil))
		wantGaps(t, s)
		if got := backlogOf(t, s); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
		asked := 0
		for _, q := range f.queries {
			if strings.Contains(q, "pendingRecords") {
				asked++
			}
		}
		if (asked > 0) != (tc.want != "unknown") {
			t.Errorf("%s: %d requests for a backlog that is %s", name, asked, tc.want)
		}
	}
}

// TestHostileOperatorNames: names come from users, and what is asked for must
// be what was listed, or nothing.
func TestHostileOperatorNames(t *testing.T) {
	for name, want := range map[string]string{
		"Source__a+b 100% & co=x?#/;": "3", "%2C%26get=0.x": "3", "../../../jobs": "3", "Ünïcode__主题": "3",
		"a\r\nHost:_evil\x00": "3", `"quoted"\n`: "3", strings.Repeat("long&+%", 200): "3",
		// Flink would take it for two names. It makes no such name itself.
		"a,b": "unknown",
	} {
		f := withBacklog(newFake(), name, "1", "2")
		f.queries = nil
		s := mustPoll(t, fakeClient(t, f, nil))
		wantGaps(t, s)
		if got := backlogOf(t, s); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
		for _, q := range f.queries {
			if values, err := url.ParseQuery(q); err != nil || len(values) > 1 || len(values) == 1 && !values.Has("get") {
				t.Errorf("%q leaves the parameter in %q (error %v)", name, q, err)
			}
		}
	}
}

func TestBacklogIsBounded(t *testing.T) {
	many := func(n int) []string {
		values := make([]string, n)
		for i := range values {
			values[i] = "1"
		}
		return values
	}
	limit := analysis.Gap{JobID: jobA, VertexID: source, What: whatBacklog, Reason: analysis.GapLimit}
	for name, tc := range map[string]struct {
		operator string
		subtasks int
		requests int
		want     string
	}{
		"256 subtasks": {"Source__orders", 256, 3, "256"},
		"257 subtasks": {"Source__orders", 257, 0, "unknown"},
		"8 requests":   {strings.Repeat("x", 90), 256, 8, "256"},
		"9 requests":   {strings.Repeat("x", 120), 256, 0, "unknown"},
	} {
		f := withBacklog(newFake(), tc.operator, many(tc.subtasks)...)
		s := mustPoll(t, fakeClient(t, f, nil))
		if got := backlogOf(t, s); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
		if tc.want == "unknown" {
			wantGaps(t, s, limit)
		} else {
			wantGaps(t, s)
		}
		if n := f.count(sourceMetrics) - 1; n != tc.requests { // one is for the names
			t.Errorf("%s: %d requests, want %d", name, n, tc.requests)
		}
	}
	// A server that takes no long lines gets no flood of short ones.
	f := withBacklog(newFake(), "Source__orders", many(200)...)
	f.override[sourceMetrics] = func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.RawQuery) > 500 {
			respond(414, "")(w, r)
			return
		}
		delete(f.override, sourceMetrics)
		f.ServeHTTP(w, r)
		f.override[sourceMetrics] = respond(414, "")
	}
	s := mustPoll(t, fakeClient(t, f, func(o *Options) { o.Concurrency = 1 }))
	wantGaps(t, s, limit)
	if n := f.count(sourceMetrics); n > 2+maxBacklogRequests {
		t.Errorf("%d requests", n)
	}
}

func TestBacklogsGoRoundAndAge(t *testing.T) {
	f, now := withBacklog(newFake(), "S", "1", "2"), newClock()
	second := *f.vertices[0]
	second.id = "00000000000000000000000000000009"
	f.vertices = append(f.vertices, &second)
	c := fakeClient(t, f, func(o *Options) {
		now.use(o)
		o.BacklogBudget = 1
	})
	poll := func() (first, last analysis.Num) {
		f.tick()
		v := mustPoll(t, c).Jobs[0].Vertices
		return v[0].Backlog, v[3].Backlog
	}
	if a, b := poll(); a.Or(-1) != 3 || b.Known() {
		t.Errorf("first poll: %v and %v, want 3 and nothing", a, b)
	}
	now.pass(maxBacklogAge)
	if a, b := poll(); a.Or(-1) != 3 || b.Or(-1) != 3 {
		t.Errorf("second poll: %v and %v, want the first held and the second read", a, b)
	}
	// In the first one's next turn a value is missing.
	delete(f.vertices[0].values, "0.S.pendingRecords")
	second.values = nil
	if a, b := poll(); a.Known() || b.Or(-1) != 3 {
		t.Errorf("third poll: %v and %v, want nothing and 3: the newest answer counts", a, b)
	}
	f.override[strings.Replace(sourceMetrics, source, second.id, 1)] = respond(500, "{}")
	if a, b := poll(); a.Known() || b.Known() {
		t.Errorf("fourth poll: %v and %v after a failure", a, b)
	}
	f.vertices[0].values["0.S.pendingRecords"] = "5"
	if a, _ := poll(); a.Or(-1) != 7 {
		t.Errorf("fifth poll: %v, want 7", a)
	}
	now.pass(maxBacklogAge + time.Millisecond)
	if a, _ := poll(); a.Known() {
		t.Errorf("a backlog of %v ago is still shown: %v", maxBacklogAge+time.Millisecond, a)
	}
}

func TestBacklogDefaultsAndNone(t *testing.T) {
	for _, tc := range []struct{ option, sources, want int }{
		{0, 3, 3}, {0, 51, 50}, {7, 51, 7}, {-1, 51, 0}, {Unlimited, 51, 51},
	} {
		if got := backlogBudget(tc.option, tc.sources); got != tc.want {
			t.Errorf("budget %d of %d sources: got %d, want %d", tc.option, tc.sources, got, tc.want)
		}
	}
	f := withBacklog(newFake(), "S", "1")
	s := mustPoll(t, fakeClient(t, f, func(o *Options) { o.BacklogBudget = -1 }))
	if got := backlogOf(t, s); got != "unknown" || f.count(sourceMetrics) != 1 {
		t.Errorf("with a negative budget: %s after %d requests", got, f.count(sourceMetrics))
	}
}

func TestFailedBacklog(t *testing.T) {
	f := withBacklog(newFake(), "S", "1", "2")
	c := fakeClient(t, f, nil)
	for i, tc := range []struct {
		status int
		want   []analysis.Gap
	}{
		{500, []analysis.Gap{{JobID: jobA, VertexID: source, What: whatBacklog, Reason: analysis.GapFailed, Detail: ReasonServerError}}},
		{404, nil},
	} {
		delete(f.override, sourceMetrics)
		f.tick()
		if got := backlogOf(t, mustPoll(t, c)); got != "3" {
			t.Fatalf("before failure %d: %s", i, got)
		}
		f.override[sourceMetrics] = respond(tc.status, "{}")
		f.tick()
		s := mustPoll(t, c)
		wantGaps(t, s, tc.want...)
		if got := backlogOf(t, s); got != "unknown" {
			t.Errorf("after %d: %s", tc.status, got)
		}
	}
}

func TestRestartDropsBacklog(t *testing.T) {
	f := withBacklog(newFake(), "S", "1", "2")
	c := fakeClient(t, f, nil)
	mustPoll(t, c)
	f.tick()
	f.runningMs += 60_000
	f.override[sourceMetrics] = respond(404, "{}")
	if got := backlogOf(t, mustPoll(t, c)); got != "unknown" {
		t.Errorf("after a restart: %s", got)
	}
}

// TestIncompleteNamesDropBacklog: new attempts publish it for one subtask of
// two so far, while the old sum would still be young enough to be shown.
func TestIncompleteNamesDropBacklog(t *testing.T) {
	f := withBacklog(newFake(), "S", "1", "2")
	c := fakeClient(t, f, nil)
	if got := backlogOf(t, mustPoll(t, c)); got != "3" {
		t.Fatalf("before: %s", got)
	}
	f.tick()
	f.vertices[0].attempt++
	f.vertices[0].names = f.vertices[0].names[:1]
	if got := backlogOf(t, mustPoll(t, c)); got != "unknown" {
		t.Errorf("with one subtask's name: %s", got)
	}
}

func TestBacklogOnTapes(t *testing.T) {
	for tape, want := range map[string][]string{
		"idle-readers-2.3.0":     {"339203", "194703", "208040", "111040"},
		"partition-layout-2.3.0": {"0", "0", "0", "0"},
		"healthy-2.3.0":          {"unknown", "unknown", "unknown", "unknown"},
	} {
		var got []string
		for _, r := range replay(t, filepath.Join(tapes, tape+".jsonl.gz")) {
			got = append(got, backlogOf(t, r.snapshot))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", tape, got, want)
		}
	}
}

// TestRecordedWatermarksAndBacklogReplay: what a recording client saw is what
// the tape shows.
func TestRecordedWatermarksAndBacklogReplay(t *testing.T) {
	f := withBacklog(newFake(), "Source__a+b 100% & co", "1", "2")
	var file bytes.Buffer
	recorder, err := NewRecorder(&file, RecordOptions{URL: "http://flink:8081", Now: fixedNow})
	if err != nil {
		t.Fatal(err)
	}
	c := fakeClient(t, f, func(o *Options) {
		o.WrapTransport, o.Now = recorder.Wrap, fixedNow
		o.WatermarkBudget, o.BacklogBudget = Unlimited, Unlimited
	})
	live := mustPoll(t, c)
	tape, err := ReadTape(&file)
	if err != nil {
		t.Fatal(err)
	}
	src, err := tape.Source(DefaultOptions("test", ""))
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := src.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range live.Jobs[0].Vertices {
		got := replayed.Jobs[0].Vertices[i]
		if !reflect.DeepEqual(got.Watermarks, want.Watermarks) || got.Backlog != want.Backlog {
			t.Errorf("vertex %d: %+v and %v, want %+v and %v", i, got.Watermarks, got.Backlog, want.Watermarks, want.Backlog)
		}
	}
	if got := backlogOf(t, replayed); got != "3" || replayed.Jobs[0].Vertices[1].Watermarks == nil {
		t.Errorf("replayed a backlog of %s and watermarks %+v", got, replayed.Jobs[0].Vertices[1].Watermarks)
	}
}
