package restapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// tapeOf returns a tape with the given lines, "POLL STATUS PATH BODY" each.
func tapeOf(t *testing.T, lines ...string) *Tape {
	t.Helper()
	var text strings.Builder
	for _, l := range lines {
		f := strings.SplitN(l, " ", 4)
		fmt.Fprintf(&text, `{"poll":%s,"at":%d.5,"path":%q,"status":%s,"body":%s}`+"\n", f[0], 1700000000+len(text.String()), f[2], f[1], f[3])
	}
	tape, err := ReadTape(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// ask replays one request in the poll of the given index.
func ask(t *testing.T, tape *Tape, poll int64, path string) (status int, body string) {
	t.Helper()
	p := &player{tape: tape}
	p.poll.Store(poll)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://tape"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.RoundTrip(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || int64(len(b)) != resp.ContentLength {
		t.Fatalf("%s: %d bytes of %d, error %v", path, len(b), resp.ContentLength, err)
	}
	return resp.StatusCode, string(b)
}

func TestReplayAnswersFromThePollOrBefore(t *testing.T) {
	tape := tapeOf(t,
		`0 200 /overview {"n":0}`, `0 200 /only-first 1`, `2 200 /overview {"n":2}`, `2 503 /flaky {"errors":["busy"]}`, `2 200 /flaky 7`,
		`2 200 /proxy "<html>"`, `5 404 /overview {"errors":["x"]}`, `5 200 /late 5`, `5 200 /agg?get=a&agg=max [1]`, `5 200 /taskmanagers/h:1-x 3`)
	if tape.Polls() != 3 {
		t.Errorf("%d polls, want 3", tape.Polls())
	}
	for _, c := range []struct {
		poll   int64
		path   string
		status int
		body   string
	}{
		{0, "/overview", 200, `{"n":0}`},
		{1, "/overview", 200, `{"n":2}`},
		{1, "/only-first", 200, `1`},
		{2, "/only-first", 200, `1`},
		{1, "/flaky", 200, `7`},
		{1, "/proxy", 200, `<html>`},
		{2, "/overview", 404, `{"errors":["x"]}`},
		{1, "/late", 404, `{"errors":["Unable to load requested file /late."]}`},
		{2, "/never", 404, `{"errors":["Unable to load requested file /never."]}`},
		{2, "/agg?agg=max&get=a", 200, `[1]`},
		{2, "/agg?agg=max&get=b", 404, `{"errors":["Unable to load requested file /agg."]}`},
		{2, "/taskmanagers/h%3A1-x", 200, `3`},
	} {
		if status, body := ask(t, tape, c.poll, c.path); status != c.status || body != c.body {
			t.Errorf("poll %d %s: %d %s, want %d %s", c.poll, c.path, status, body, c.status, c.body)
		}
	}
}

func TestReplayMergesMetricRequests(t *testing.T) {
	tape := tapeOf(t,
		`0 200 /v/metrics [{"id":"0.a"},{"id":"1.b+c"}]`,
		`0 200 /v/metrics?get=0.a,1.b%2Bc [{"id":"1.b+c","value":"2"},{"id":"0.a","value":"1"}]`,
		`0 200 /v/metrics?get=2.d [{"id":"2.d","value":"NaN"}]`,
		`1 200 /v/metrics?get=0.a [{"id":"0.a","value":"10"}]`,
		`1 200 /v/metrics?get=1.b%2Bc []`,
		`1 404 /w/metrics?get=0.a {"errors":["gone"]}`)
	for _, c := range []struct {
		poll       int64
		path, body string
	}{
		{0, "/v/metrics?get=2.d,0.a,9.unknown", `[{"id":"2.d","value":"NaN"},{"id":"0.a","value":"1"}]`},
		{0, "/v/metrics?get=1.b%2Bc", `[{"id":"1.b+c","value":"2"}]`},
		{0, "/v/metrics?get=0.a&get=2.d", `[{"id":"0.a","value":"1"},{"id":"2.d","value":"NaN"}]`},
		{0, "/v/metrics", `[{"id":"0.a"},{"id":"1.b+c"}]`},
		{1, "/v/metrics?get=0.a,1.b%2Bc,2.d", `[{"id":"0.a","value":"10"}]`},
		{1, "/v/metrics?get=7.x", `[]`},
		{1, "/w/metrics?get=0.a", `{"errors":["gone"]}`},
		{0, "/w/metrics?get=0.a", `{"errors":["Unable to load requested file /w/metrics."]}`},
	} {
		if _, body := ask(t, tape, c.poll, c.path); body != c.body {
			t.Errorf("poll %d %s: %s, want %s", c.poll, c.path, body, c.body)
		}
	}
}

func TestDamagedTapes(t *testing.T) {
	good := `{"poll":0,"at":1,"path":"/overview","status":200,"body":{"flink-version":"1.20.3"}}` + "\n"
	whole, err := os.ReadFile("../testdata/tapes/hot-key-1.15.4.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "line 1: no recorded answer"},
		"blank":             {"\n\n", "line 1: no recorded answer"},
		"cut line":          {good + good[:40], "line 2: no recorded answer, the tape is cut off or damaged"},
		"no JSON":           {good + "\n" + "<html>\n", "line 3: "},
		"no poll":           {`{"path":"/overview","status":200,"body":1}`, `line 1: no recorded answer: "poll"`},
		"no body":           {`{"poll":0,"path":"/overview","status":200}`, `line 1: no recorded answer: "poll"`},
		"negative poll":     {strings.Replace(good, `"poll":0`, `"poll":-1`, 1), `line 1: no recorded answer: "poll"`},
		"poll is text":      {strings.Replace(good, `"poll":0`, `"poll":"0"`, 1), `line 1: `},
		"time out of range": {strings.Replace(good, `"at":1`, `"at":1e300`, 1), `line 1: "at" is no time`},
		"cut gzip":          {string(whole[:200]), "the file is cut off or damaged: unexpected EOF"},
		"broken gzip":       {"\x1f\x8bxxxxxxxxxxxxxxxxxx", "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.jsonl")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := OpenTape(path)
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			if !strings.Contains(text, c.want) || !strings.Contains(text, path) || strings.Contains(text, "\n") {
				t.Errorf("error %q; want one line with %q and the file's name", text, c.want)
			}
		})
	}
	if _, err := OpenTape(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a tape that is not there: error %v", err)
	}
}

// TestEveryTapeReplays polls every tape from its first poll to its last.
func TestEveryTapeReplays(t *testing.T) {
	for _, file := range tapeFiles(t) {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			tape, err := OpenTape(file)
			if err != nil {
				t.Fatal(err)
			}
			source, err := tape.Source(Options{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			if tape.Polls() < 4 {
				t.Errorf("%d polls, want at least 4", tape.Polls())
			}
			for k := range tape.Polls() {
				s, err := source.Snapshot(t.Context())
				if name == "hot-key-unsaturated-2.3.0.jsonl.gz" && k >= 2 {
					// The JobManager had been stopped by then.
					if Reason(err) != ReasonRefused {
						t.Errorf("poll %d: error %v, want refused", k, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("poll %d: %v", k, err)
				}
				checkSnapshot(t, name, k, s)
			}
			for range 2 {
				if _, err := source.Snapshot(t.Context()); !errors.Is(err, io.EOF) {
					t.Errorf("after the last poll: error %v, want io.EOF", err)
				}
			}
		})
	}
}

// checkSnapshot checks what holds of every recorded poll: one job with all its
// subtasks, and no gap but the true ones.
func checkSnapshot(t *testing.T, name string, poll int, s analysis.Snapshot) {
	t.Helper()
	if s.At.Year() != 2026 || s.Cluster != name || !strings.Contains(name, s.FlinkVersion) || s.FlinkVersion == "" || len(s.Jobs) != 1 {
		t.Fatalf("poll %d: at %v of %q, Flink %q, %d jobs", poll, s.At, s.Cluster, s.FlinkVersion, len(s.Jobs))
	}
	for _, g := range s.Gaps {
		switch {
		case g.What == whatTMMetrics && g.Reason == analysis.GapCold && poll == 0:
		case strings.HasPrefix(name, "restarting-") && g.Reason == analysis.GapNotRunning:
		case strings.HasPrefix(name, "restarting-") && g.What == whatVertex && g.Reason == analysis.GapCold && poll == 1:
			// Its new attempt had run for a moment only.
		default:
			t.Errorf("poll %d: gap %+v", poll, g)
		}
	}
	job := s.Jobs[0]
	if job.State != running {
		return
	}
	for _, v := range job.Vertices {
		if v.Detail != analysis.DetailFresh || len(v.Subtasks) != v.Parallelism || v.Parallelism == 0 || !v.MaxParallelism.Known() {
			t.Errorf("poll %d %s: detail %s, %d of %d subtasks, max parallelism %v", poll, v.Name, v.Detail, len(v.Subtasks), v.Parallelism, v.MaxParallelism)
		}
	}
}

// replayAll returns every snapshot of a source as JSON, failed polls as their reason.
func replayAll(t *testing.T, polls int, next func(context.Context) (analysis.Snapshot, error)) []string {
	t.Helper()
	var all []string
	for range polls {
		s, err := next(t.Context())
		if err != nil {
			all = append(all, Reason(err))
			continue
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
	}
	return all
}

// TestRecordThenReplay records each tape's replay, and replays the recording:
// every snapshot is the same again, failed polls included.
func TestRecordThenReplay(t *testing.T) {
	for _, file := range tapeFiles(t) {
		tape, err := OpenTape(file)
		if err != nil {
			t.Fatal(err)
		}
		var recorded bytes.Buffer
		z := gzip.NewWriter(&recorded)
		p := &player{tape: tape}
		p.poll.Store(-1)
		r, err := NewRecorder(z, RecordOptions{URL: "http://user:pw@tape/flink/", Now: p.now})
		if err != nil {
			t.Fatal(err)
		}
		unprefixed := roundTripper(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			req.URL.Path = strings.TrimPrefix(req.URL.Path, "/flink")
			return p.RoundTrip(req)
		})
		client, err := New(Options{Name: "c", URL: "http://tape/flink/", Transport: unprefixed, WrapTransport: r.Wrap, NoPrime: true, Now: p.now})
		if err != nil {
			t.Fatal(err)
		}
		want := replayAll(t, tape.Polls(), func(ctx context.Context) (analysis.Snapshot, error) {
			if p.poll.Add(1) > 0 {
				r.NextPoll()
			}
			return client.Snapshot(ctx)
		})
		if err := errors.Join(r.Err(), z.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := ReadTape(&recorded)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		source, err := again.Source(Options{Name: "c"})
		if err != nil {
			t.Fatal(err)
		}
		got := replayAll(t, again.Polls(), source.Snapshot)
		if len(got) != len(want) {
			t.Fatalf("%s: %d polls, want %d", file, len(got), len(want))
		}
		for k := range want {
			if got[k] != want[k] {
				t.Errorf("%s poll %d:\n got %.2000s\nwant %.2000s", file, k, got[k], want[k])
			}
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRecordedErrorsReplay proves that a poll which failed for a reason fails
// for the same reason when it is replayed.
func TestRecordedErrorsReplay(t *testing.T) {
	for text, want := range map[string]string{
		"dial tcp 10.0.0.1:8081: connect: connection refused":             ReasonRefused,
		"<urlopen error [Errno 111] Connection refused>":                  ReasonRefused,
		"read tcp 10.0.0.1:1->10.0.0.2:2: i/o timeout":                    ReasonTimeout,
		"context deadline exceeded":                                       ReasonTimeout,
		"dial tcp: lookup jm on 10.0.0.1:53: no such host":                ReasonDNS,
		"dial tcp 10.0.0.1:8081: connect: no route to host":               ReasonUnreachable,
		"read tcp 10.0.0.1:1->10.0.0.2:2: read: connection reset by peer": ReasonClosed,
		"EOF": ReasonClosed,
		"tls: failed to verify certificate: x509: signed by unknown authority\n": ReasonTLS,
		"something else": ReasonOther,
	} {
		body, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		source, err := tapeOf(t, "0 0 /overview "+string(body), "0 0 /jobs/overview "+string(body)).Source(Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = source.Snapshot(t.Context())
		if Reason(err) != want || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v with reason %q, want %q", text, err, Reason(err), want)
		}
	}
}

// TestRecorderKeepsWhatWasAnswered records answers that are no JSON, and none at all.
func TestRecorderKeepsWhatWasAnswered(t *testing.T) {
	answers := map[string]string{"/a": `{"x": 4539.0, "h":"<b>&"}`, "/b": "<html>\n</html>", "/c": `{"x":NaN}`, "/d": ""}
	var out bytes.Buffer
	r, err := NewRecorder(&out, RecordOptions{URL: "http://h", Now: func() time.Time { return time.UnixMilli(1700000000123) }})
	if err != nil {
		t.Fatal(err)
	}
	transport := r.Wrap(roundTripper(func(req *http.Request) (*http.Response, error) {
		body, ok := answers[req.URL.Path]
		if !ok {
			return nil, errors.New("connection refused")
		}
		return answer(req, 200, []byte(body)), nil
	}))
	for _, path := range []string{"/a", "/b", "/c", "/d", "/e"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			continue
		}
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time must not record it again
			if err := resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := `{"poll":0,"at":1700000000.123,"path":"/a","status":200,"body":{"x":4539.0,"h":"<b>&"}}` + "\n" +
		`{"poll":0,"at":1700000000.123,"path":"/b","status":200,"body":"\u003chtml\u003e\n\u003c/html\u003e"}` + "\n" +
		`{"poll":0,"at":1700000000.123,"path":"/c","status":200,"body":"{\"x\":NaN}"}` + "\n" +
		`{"poll":0,"at":1700000000.123,"path":"/d","status":200,"body":""}` + "\n" +
		`{"poll":0,"at":1700000000.123,"path":"/e","status":0,"body":"connection refused"}` + "\n"
	if out.String() != want || r.Err() != nil {
		t.Errorf("error %v, recorded\n%swant\n%s", r.Err(), &out, want)
	}
	tape, err := ReadTape(&out)
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range answers {
		if _, got := ask(t, tape, 0, path); path != "/a" && got != body {
			t.Errorf("%s: replayed %q, want %q", path, got, body)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestRecorderTellsFailedWrites(t *testing.T) {
	r, err := NewRecorder(fullDisk{}, RecordOptions{URL: "http://h"})
	if err != nil {
		t.Fatal(err)
	}
	r.write(tapeLine{Path: "/a", Status: 200}, []byte("1"))
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	if _, err := NewRecorder(io.Discard, RecordOptions{URL: "http://user:secret%zz@h"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a bad URL: error %v", err)
	}
}
