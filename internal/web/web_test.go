package web

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// at is the time of every poll and answer in these tests.
func at() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

func vertex(id, name string, verdict analysis.VerdictID, severity analysis.Severity, findings ...analysis.Finding) analysis.VertexResult {
	v := analysis.VertexResult{ID: id, Name: name, Parallelism: 2, Findings: findings}
	v.Verdict = analysis.Verdict{ID: verdict, Judgement: analysis.Judgement{Severity: severity}}
	v.Subtasks = []analysis.SubtaskResult{{Index: 0, Busy: analysis.Of(0.5)}, {Index: 1}}
	return v
}

// sample is a cluster that is up, with two jobs, and one that never was.
func sample() report.Input {
	bottleneck := analysis.Finding{ID: analysis.Bottleneck, Judgement: analysis.Judgement{Severity: analysis.SeverityCritical}}
	return report.Input{GeneratedAt: at(), Clusters: []report.ClusterInput{
		{Name: "jm:8081", Up: true, Polls: 3, Span: 30 * time.Second, Result: &analysis.Result{
			At: at(), Cluster: "jm:8081", FlinkVersion: "2.3.0", JobStates: map[string]int{"RUNNING": 2},
			Jobs: []analysis.JobResult{
				{ID: "a1", Name: "orders <b>", State: "RUNNING", Vertices: []analysis.VertexResult{
					vertex("v1", "source", analysis.Balanced, analysis.SeverityNone),
					vertex("v2", "enrich", analysis.HotKey, analysis.SeverityWarning, bottleneck),
				}},
				{ID: "b2", Name: "clicks", State: "RUNNING", Vertices: []analysis.VertexResult{
					vertex("v1", "count", analysis.KeyGroupLayout, analysis.SeverityInfo),
				}},
			},
		}},
		{Name: "gone", Reason: "refused"},
	}}
}

func handler(t *testing.T, change func(*Options)) http.Handler {
	t.Helper()
	o := Options{
		Version: "1.2.3",
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "metric 1\n") }),
		View:    sample,
		Waiting: func() []string { return nil },
	}
	if change != nil {
		change(&o)
	}
	h, err := Handler(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func get(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), method, path, http.NoBody))
	return w
}

func TestRoutes(t *testing.T) {
	h := handler(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
		kind, body   string
	}{
		{"GET", "/", 200, "text/html", "flink-skew-exporter"},
		{"GET", "/", 200, "text/html", `href="./api/v1/findings"`},
		{"GET", "/metrics", 200, "text/plain", "metric 1"},
		{"HEAD", "/metrics", 200, "", ""},
		{"GET", "/-/healthy", 200, "text/plain", "healthy"},
		{"GET", "/-/ready", 200, "text/plain", "is ready"},
		{"GET", "/nothing", 404, "text/html", "no such page"},
		{"GET", "/jobs/jm:8081/a1", 200, "text/html", "orders &lt;b&gt;"},
		{"GET", "/jobs/jm:8081/a1/v2", 200, "text/html", "enrich"},
		{"GET", "/jobs/jm:8081/a1/v9", 404, "text/html", "no such vertex"},
		{"GET", "/jobs/jm:8081/none", 404, "text/html", "no such job"},
		{"GET", "/jobs/gone/a1", 404, "text/html", "refused"},
		{"GET", "/jobs/none/a1", 404, "text/html", "no cluster"},
		{"GET", "/assets/style.css", 200, "text/css", ".graph"},
		{"GET", "/assets/page.js", 200, "text/javascript", "fetch("},
		{"GET", "/assets/none", 404, "text/plain", "not found"},
		{"GET", "/api/v1/openapi.yaml", 200, "application/yaml", "openapi: 3.1"},
		{"GET", "/api/v1/openapi.json", 200, "application/json", `"openapi": "3.1`},
		{"POST", "/metrics", 405, "text/plain", "only GET"},
		{"DELETE", "/", 405, "text/plain", "only GET"},
		{"GET", "/api/v1/clusters", 200, "application/json", `"jm:8081"`},
		{"GET", "/api/v1/jobs", 200, "application/json", `"hot_key"`},
		{"GET", "/api/v1/jobs/jm:8081/a1", 200, "application/json", `"orders <b>"`},
		{"GET", "/api/v1/jobs/jm%3A8081/a1", 200, "application/json", `"a1"`},
		{"GET", "/api/v1/jobs/none/a1", 404, "application/json", "no such cluster"},
		{"GET", "/api/v1/jobs/jm:8081/none", 404, "application/json", "no such job"},
		{"GET", "/api/v1/jobs/gone/a1", 404, "application/json", "no such job"},
		{"GET", "/api/v1/jobs?cluster=none", 404, "application/json", "no such cluster"},
		{"GET", "/api/v1/findings?severity=high", 400, "application/json", "severity must be"},
		{"GET", "/api/v1/findings?severity=none", 400, "application/json", "severity must be"},
		{"GET", "/api/v2/x", 404, "application/json", "no such page"},
		{"POST", "/api/v1/jobs", 405, "application/json", "only GET"},
		{"GET", "/debug/pprof/", 404, "text/html", "no such page"},
	} {
		w := get(h, c.method, c.path)
		if w.Code != c.status || !strings.HasPrefix(w.Header().Get("Content-Type"), c.kind) || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s %s: got %d %s %.200q, want %d %s with %q",
				c.method, c.path, w.Code, w.Header().Get("Content-Type"), w.Body, c.status, c.kind, c.body)
		}
		if c.status == 405 && w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s %s: Allow is %q", c.method, c.path, w.Header().Get("Allow"))
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy"} {
			if w.Header().Get(name) == "" {
				t.Errorf("%s %s: no header %s", c.method, c.path, name)
			}
		}
		if c.kind == "application/json" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s: not JSON: %.200s", c.method, c.path, w.Body)
		}
	}
}

func TestReadyWaits(t *testing.T) {
	h := handler(t, func(o *Options) { o.Waiting = func() []string { return []string{"a", "b"} } })
	w := get(h, "GET", "/-/ready")
	if w.Code != http.StatusServiceUnavailable || w.Body.String() != "not ready: waiting for the first poll of a, b\n" {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
	if w := get(h, "GET", "/-/healthy"); w.Code != http.StatusOK {
		t.Errorf("not healthy while not ready: %d", w.Code)
	}
}

func TestPprofOnRequest(t *testing.T) {
	h := handler(t, func(o *Options) { o.Pprof = true })
	// Flags on the command line may hold credentials.
	for _, path := range []string{"/debug/pprof/cmdline", "/debug/pprof/cmdline?debug=1"} {
		if w := get(h, "GET", path); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), os.Args[0]) {
			t.Errorf("%s: got %d %.200q", path, w.Code, w.Body)
		}
	}
	if w := get(h, "GET", "/debug/pprof/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "goroutine") {
		t.Errorf("got %d %.100q", w.Code, w.Body)
	}
}

func decode[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	w := get(handler(t, nil), "GET", path)
	d := json.NewDecoder(w.Body)
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// object is any JSON object, to see keys and nulls as a client does.
type object = map[string]any

func TestClusters(t *testing.T) {
	got := decode[object](t, "/api/v1/clusters")
	if got["generated_at"] != "2026-03-04T05:06:07Z" {
		t.Errorf("generated_at: %v", got["generated_at"])
	}
	clusters := got["clusters"].([]any)
	if len(clusters) != 2 {
		t.Fatalf("got %d clusters, want 2", len(clusters))
	}
	up, down := clusters[0].(object), clusters[1].(object)
	if up["up"] != true || up["severity"] != "critical" || up["flink_version"] != "2.3.0" || up["at"] == nil {
		t.Errorf("cluster that is up: %v", up)
	}
	if down["up"] != false || down["reason"] != "refused" || down["severity"] != "none" || down["at"] != nil {
		t.Errorf("cluster that is down: %v", down)
	}
	if _, ok := up["jobs"]; ok {
		t.Error("jobs are listed, or look as if there were none")
	}
}

func TestJobsAreDiagnosesDocument(t *testing.T) {
	var want strings.Builder
	if err := report.JSON(&want, sample(), report.Filter{Brief: true}); err != nil {
		t.Fatal(err)
	}
	got := get(handler(t, nil), "GET", "/api/v1/jobs").Body.String()
	if compact(t, got) != compact(t, want.String()) {
		t.Errorf("got  %s\nwant %s", got, want.String())
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestJobsFilters(t *testing.T) {
	for query, want := range map[string]int{"?job=a1": 2, "?job=CLICKS": 1, "?vertex=count": 1, "?vertex=v1": 2, "?cluster=gone": 0, "?job=x": 0} {
		n := 0
		for _, c := range decode[object](t, "/api/v1/jobs"+query)["clusters"].([]any) {
			for _, j := range c.(object)["jobs"].([]any) {
				n += len(j.(object)["vertices"].([]any))
			}
		}
		if n != want {
			t.Errorf("%s: got %d vertices, want %d", query, n, want)
		}
	}
}

func TestJobHasItsSubtasks(t *testing.T) {
	job := decode[object](t, "/api/v1/jobs/jm:8081/a1")
	if job["cluster"] != "jm:8081" || job["up"] != true || job["job_id"] != "a1" || len(job["vertices"].([]any)) != 2 {
		t.Errorf("got %v", job)
	}
	subtasks := job["vertices"].([]any)[0].(object)["subtask_values"].([]any)
	if len(subtasks) != 2 {
		t.Fatalf("got %d subtasks, want 2", len(subtasks))
	}
	if busy, ok := subtasks[1].(object)["busy"]; !ok || busy != nil {
		t.Errorf("an absent number is %v, want null", busy)
	}
}

func TestFindingsWorstFirst(t *testing.T) {
	for query, want := range map[string]string{
		"":                   "finding bottleneck, verdict hot_key, verdict key_group_layout",
		"?severity=warning":  "finding bottleneck, verdict hot_key",
		"?severity=critical": "finding bottleneck",
	} {
		var got []string
		for _, f := range decode[struct {
			Findings []struct{ Kind, ID string }
		}](t, "/api/v1/findings"+query).Findings {
			got = append(got, f.Kind+" "+f.ID)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: got %v, want %s", query, got, want)
		}
	}
	first := decode[object](t, "/api/v1/findings")["findings"].([]any)[0].(object)
	if first["job_name"] != "orders <b>" || first["vertex_id"] != "v2" || first["severity"] != "critical" {
		t.Errorf("got %v", first)
	}
}

func TestServerBoundsEveryPhase(t *testing.T) {
	s := Server(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout <= 0 || s.WriteTimeout <= 0 || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 {
		t.Errorf("a time or size is without bound: %+v", s)
	}
}
