package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
)

func at() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// hot is a keyed vertex of so many subtasks, of which number 1 is hot.
func hot(id, name string, parallelism, groups int) analysis.VertexResult {
	v := analysis.VertexResult{
		ID: id, Name: name, Parallelism: parallelism, MaxParallelism: analysis.OfInt(groups), Keyed: true, Coverage: analysis.Of(1),
		Inputs: []analysis.Input{{From: "source", Ship: analysis.ShipHash}}, Hot: &analysis.Hot{Subtask: 1},
		Layout: &analysis.Layout{Max: groups / parallelism, Min: groups / parallelism, Ratio: 1},
	}
	for i := range parallelism {
		s := analysis.SubtaskResult{
			Index: int32(i), KeyGroups: int32(keygroup.Count(i, parallelism, groups)), TaskManager: "tm-1:40001-abcdef", Busy: analysis.Of(0.123 + 0.3*float64(i%3)),
			BackPressured: analysis.Of(0), RecordsIn: analysis.Of(150.25 + float64(i)), CostPerRecord: analysis.Of(0.00123 + float64(i)/1e6), StateBytes: analysis.Of(1e6 + float64(i)),
		}
		if i == 1 {
			s.Busy, s.RecordsIn = analysis.Of(1), analysis.Of(1297)
		}
		v.Subtasks = append(v.Subtasks, s)
	}
	first, last := keygroup.Range(1, parallelism, groups)
	v.Verdict = analysis.Verdict{ID: analysis.HotKey, Judgement: analysis.Judgement{
		Severity: analysis.SeverityCritical, Confidence: analysis.ConfidenceHigh, ScalingHelps: analysis.ScalingNo, Subtasks: []int{1},
		Evidence: []analysis.Measure{{Name: "busy_max", Value: analysis.Of(1), Unit: analysis.UnitRatio, Threshold: analysis.Of(0.9)}},
		Advice: analysis.Advice{
			KeyGroups: &analysis.KeyGroupRange{First: first, Last: last}, Floor: analysis.Of(0.88),
			Steps: []analysis.Step{{Parallelism: 2 * parallelism, BusiestLoad: analysis.Of(0.9), BusiestHigh: analysis.Of(1.2)}},
		},
	}}
	v.Findings = []analysis.Finding{{ID: analysis.Bottleneck, Judgement: analysis.Judgement{Severity: analysis.SeverityWarning}}}
	v.Signals.Busy = analysis.Distribution{Count: parallelism, Max: analysis.Of(1), Mean: analysis.Of(0.4), Min: analysis.Of(0.12)}
	v.Signals.RecordsIn = analysis.Distribution{Count: parallelism, Max: analysis.Of(1297), Mean: analysis.Of(300)}
	return v
}

// bare is a vertex of which nothing is known.
func bare(id, name string) analysis.VertexResult {
	v := analysis.VertexResult{ID: id, Name: name, Parallelism: 2}
	v.Verdict = analysis.Verdict{ID: analysis.NotEnoughData, Judgement: analysis.Judgement{Advice: analysis.Advice{Missing: analysis.MissingFirstWindow}}}
	return v
}

func cluster(name string, jobs ...analysis.JobResult) report.ClusterInput {
	return report.ClusterInput{Name: name, Up: true, Polls: 3, Span: time.Minute, Result: &analysis.Result{At: at(), Cluster: name, FlinkVersion: "2.3.0", Jobs: jobs}}
}

func job(id, name string, vs ...analysis.VertexResult) analysis.JobResult {
	return analysis.JobResult{ID: id, Name: name, State: "RUNNING", Vertices: vs}
}

// page answers a path from clusters, remembering one poll of them.
func page(t *testing.T, path string, clusters ...report.ClusterInput) (string, int) {
	t.Helper()
	past := history.New(history.DefaultBudget)
	for _, c := range clusters {
		past.Record(c.Name, c.Result)
	}
	p, err := New(Options{View: func() report.Input { return report.Input{GeneratedAt: at(), Clusters: clusters} }, History: past, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return w.Body.String(), w.Code
}

// has fails for what a page lacks.
func has(t *testing.T, where, body string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(body, w) {
			t.Errorf("%s has no %q", where, w)
		}
	}
}

func TestFleetSaysWhatThereIs(t *testing.T) {
	worst := job("j1", "orders", bare("source", "Source: orders"), hot("v1", "enrich", 5, 128))
	down := report.ClusterInput{Name: "west", Reason: "refused"}
	for name, c := range map[string]struct {
		clusters []report.ClusterInput
		wanted   []string
	}{
		"no cluster": {nil, []string{"No cluster is configured.", "--flink.url"}},
		"no job":     {[]report.ClusterInput{cluster("c")}, []string{"No job runs.", "No job is known."}},
		"warming up": {[]report.ClusterInput{{Name: "c", Reason: "pending"}}, []string{"1 cluster waiting for the first poll", "waiting for the first poll"}},
		"down":       {[]report.ClusterInput{down}, []string{"1 cluster not reached; no job is known.", "down: refused", `<td class="num">–</td>`}},
		"calm":       {[]report.ClusterInput{cluster("c", job("j", "calm", analysis.VertexResult{ID: "v", Parallelism: 1, Verdict: analysis.Verdict{ID: analysis.Balanced}}))}, []string{"Nothing holds back the one job.", "Nothing that needs you."}},
		"worst first": {
			[]report.ClusterInput{cluster("a", job("j0", "aaa", bare("v", "x"))), cluster("jm:8081", worst), down},
			[]string{"1 job critical", "1 cluster not reached", `href="jobs/jm:8081/j1"`, `href="jobs/jm:8081/j1/v1"`, "▲", "hot key", "critical"},
		},
	} {
		body, status := page(t, "/", c.clusters...)
		if status != http.StatusOK {
			t.Errorf("%s: status %d", name, status)
		}
		has(t, name, body, c.wanted...)
	}
	body, _ := page(t, "/", cluster("a", job("j0", "aaa", bare("v", "x")), worst))
	if strings.Index(body, ">orders<") > strings.Index(body, ">aaa<") {
		t.Error("the worst job does not come first")
	}
}

func TestFleetIsSearchedAndPaged(t *testing.T) {
	var jobs []analysis.JobResult
	for i := range 250 {
		jobs = append(jobs, job(fmt.Sprintf("id-%03d", i), fmt.Sprintf("job-%03d", i), bare("v", "x")))
	}
	for path, want := range map[string][]string{
		"/":                 {"job-000", "jobs 1–100 of 250", "./?from=100"},
		"/?from=200":        {"job-249", "jobs 201–250 of 250", `href="./?from=100"`},
		"/?from=9999":       {"of 250"},
		"/?from=-5":         {"job-000"},
		"/?q=JOB-11":        {"job-117", "10 jobs"},
		"/?q=%22%3E%3Cb%3E": {`value="&#34;&gt;&lt;b&gt;"`, "No job has this"},
	} {
		body, status := page(t, path, cluster("c", jobs...))
		if status != http.StatusOK || len(body) > 300_000 {
			t.Errorf("%s: status %d, %d bytes", path, status, len(body))
		}
		has(t, path, body, want...)
	}
}

func TestVertexHasTheProof(t *testing.T) {
	c := cluster("c", job("j", "orders", bare("source", "Source: orders"), hot("v", "enrich", 5, 128)))
	body, _ := page(t, "/jobs/c/j/v", c)
	words := report.Explain(&c.Result.Jobs[0], &c.Result.Jobs[0].Vertices[1])
	has(t, "vertex", body, words.Summary[0], words.Do[0][:20], "bottleneck", "high confidence", "more parallelism does not help",
		"busy time of the busiest", "<code>busy_max</code>", "key groups 26–51", `class="dot named"`, `class="curve"`, `class="hot"`, "Busy, from 05:06:07", "26–51</td>",
		"verdicts/hot_key.md", `href="../../../api/v1/jobs/c/j"`)
}

// TestUnknownIsNeverZero: a vertex without a number has dashes.
func TestUnknownIsNeverZero(t *testing.T) {
	v := bare("v", "x")
	v.Subtasks = []analysis.SubtaskResult{{Index: 3}}
	v.Verdict.Evidence = []analysis.Measure{{Name: "busy_max", Unit: analysis.UnitRatio}}
	for _, path := range []string{"/jobs/c/j", "/jobs/c/j/v"} {
		body, status := page(t, path, cluster("c", job("j", "orders", v)))
		if status != http.StatusOK {
			t.Fatalf("%s: status %d", path, status)
		}
		for _, zero := range []string{">0 %<", ">0/s<", ">0 B<", ">0 s<", "NaN", "absent", "Inf"} {
			if strings.Contains(body, zero) {
				t.Errorf("%s shows %s where nothing is known", path, zero)
			}
		}
		has(t, path, body, "–")
	}
}

// TestHostileNames are text of bounded length wherever they stand.
func TestHostileNames(t *testing.T) {
	name := `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{.}}` + "\u202e\u2066\x1b[31m\x00\xff" + strings.Repeat("long ", 1000)
	v := hot("v/../<i>", name, 5, 128)
	v.Subtasks[0].TaskManager = name
	v.Verdict.Evidence[0].Name = name
	j := job("j?#%/", name, bare("source", name), v)
	j.State, j.Scheduler = name, name
	c := cluster("c/"+name, j)
	c.Result.FlinkVersion = name
	base := "/jobs/" + url.PathEscape(c.Name) + "/" + url.PathEscape(j.ID)
	for _, path := range []string{"/", base, base + "/" + url.PathEscape(v.ID), "/jobs/" + url.PathEscape(name) + "/x"} {
		body, status := page(t, path, c, report.ClusterInput{Name: name, Reason: name})
		if status != http.StatusOK && !strings.HasSuffix(path, "/x") {
			t.Errorf("%.40s: status %d", path, status)
		}
		for _, bad := range []string{"<script>alert", "<img", "<i>", "\u202e", "\u2066", "\x1b", "\x00", "\xff", " style=", "javascript:"} {
			if strings.Contains(body, bad) {
				t.Errorf("%.40s holds %q", path, bad)
			}
		}
		if len(body) > 60_000 {
			t.Errorf("%.40s has %d bytes", path, len(body))
		}
	}
}

// TestSizeIsBounded whatever the cluster.
func TestSizeIsBounded(t *testing.T) {
	var many []analysis.VertexResult
	for i := range 300 {
		v := hot(fmt.Sprint("v", i), strings.Repeat("name ", 20), 500, 32768)
		v.Inputs = nil
		if i > 0 {
			v.Inputs = []analysis.Input{{From: fmt.Sprint("v", i-1), Ship: analysis.ShipHash}}
		}
		many = append(many, v)
	}
	c := cluster("c", job("wide", "wide", hot("v", "enrich", 1000, 32768)), job("max", "max", hot("v", "enrich", 32768, 32768)), job("many", "many", many...), job("forty", "forty", many[:40]...))
	for _, path := range []string{"/", "/jobs/c/wide", "/jobs/c/wide/v", "/jobs/c/max", "/jobs/c/many", "/jobs/c/forty"} {
		body, status := page(t, path, c)
		t.Logf("%s: %d bytes", path, len(body))
		if status != http.StatusOK || len(body) > 300_000 {
			t.Errorf("%s: status %d, %d bytes", path, status, len(body))
		}
	}
}

// TestNothingInline: the security policy forbids it.
func TestNothingInline(t *testing.T) {
	c := cluster("c", job("j", "orders", bare("source", "Source: orders"), hot("v", "enrich", 5, 128)))
	for _, path := range []string{"/", "/jobs/c/j", "/jobs/c/j/v", "/jobs/c/none"} {
		body, _ := page(t, path, c)
		for _, bad := range []string{"<style", " style=", " onclick", " onload", "http://", "<no value>", "ZgotmplZ", "%!"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s holds %q", path, bad)
			}
		}
		if strings.Count(body, "<script") != 1 {
			t.Errorf("%s has not one script", path)
		}
	}
}

func TestLevelsAndPaint(t *testing.T) {
	for v, want := range map[float64]int{0: 0, 0.04: 0, 0.06: 1, 0.5: 5, 0.94: 9, 0.96: 10, 1: 10, 7: 10, -1: 0} {
		if got := level(analysis.Of(v)); got != want {
			t.Errorf("%v has level %d, want %d", v, got, want)
		}
	}
	if got := level(analysis.Num{}); got != -1 {
		t.Errorf("an absent share has level %d", got)
	}
	tones := []int{3, 3, -1, 0, 3, 0}
	got := paint(3, 2, func(col, row int) int { return tones[row*3+col] })
	if len(got) != 2 || got[0] != (tonePath{0, "M0 1h1M2 1h1"}) || got[1] != (tonePath{3, "M0 0h2M1 1h1"}) {
		t.Errorf("got %v", got)
	}
}

func TestStripShowsEverySubtaskUpToItsBound(t *testing.T) {
	v := hot("v", "x", 1000, 32768)
	s := newStrip(&v, maxJobCells)
	if s.Cols*s.Rows < 1000 || s.Note != "" {
		t.Errorf("%d × %d cells, %q", s.Cols, s.Rows, s.Note)
	}
	s = newStrip(&v, 300)
	if n := s.Cols * s.Rows; n < 250 || n > 300 || !strings.Contains(s.Note, "busiest of 4 subtasks") {
		t.Errorf("%d cells, %q", n, s.Note)
	}
}

func TestNiceAbove(t *testing.T) {
	for v, want := range map[float64]float64{1: 1.2, 0.98: 1, 1290: 1500, 7.9: 10, 0.00123: 0.0015} {
		if got := niceAbove(v); got < v || got/want < 0.999 || got/want > 1.001 {
			t.Errorf("above %v comes %v, want %v", v, got, want)
		}
	}
}
