package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TestJSONShape holds the field names that scripts rely on.
func TestJSONShape(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, input(cluster(hotKeyVertex()), ClusterInput{Name: "down", Reason: "refused"}), Filter{}); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	has := func(what string, o map[string]any, keys ...string) {
		t.Helper()
		for _, k := range keys {
			if _, ok := o[k]; !ok {
				t.Errorf("%s has no %q", what, k)
			}
		}
	}
	has("document", doc, "generated_at", "clusters")
	c := doc["clusters"].([]any)[0].(map[string]any)
	has("cluster", c, "cluster", "up", "reason", "jobs")
	j := c["jobs"].([]any)[0].(map[string]any)
	has("job", j, "job_id", "job_name", "state", "vertices")
	v := j["vertices"].([]any)[0].(map[string]any)
	has("vertex", v, "vertex_id", "vertex", "parallelism", "max_parallelism", "verdict", "severity", "confidence", "scaling_helps",
		"subtasks", "evidence", "advice", "skew", "ceiling", "findings")
	has("evidence", v["evidence"].([]any)[0].(map[string]any), "name", "value", "unit", "threshold")
	skew := v["skew"].(map[string]any)
	has("skew", skew, "busy", "backpressured", "records_in", "records_out", "bytes_in", "state", "checkpoint_duration", "cost_per_record")
	has("skew.busy", skew["busy"].(map[string]any), "max", "mean", "median", "ratio", "layout_ratio", "excess")
	has("ceiling", v["ceiling"].(map[string]any), "max_parallelism", "effective", "binding", "headroom_ratio", "required_parallelism", "wasted_subtasks")
	has("finding", v["findings"].([]any)[0].(map[string]any), "id", "severity")
	if v["severity"] != "critical" || v["verdict"] != "hot_key" {
		t.Error(v["severity"], v["verdict"])
	}
	if got := skew["state"].(map[string]any)["max"]; got != nil {
		t.Errorf("an absent number is %v, not null", got)
	}
	if got := c["cluster"]; got != "jobmanager:8081" {
		t.Error(got)
	}
}

// TestJSONOfNothing holds that no array or map is null, whatever is missing.
func TestJSONOfNothing(t *testing.T) {
	empty := ClusterInput{Name: "c", Result: &analysis.Result{Jobs: []analysis.JobResult{{ID: "j", Vertices: []analysis.VertexResult{
		{ID: "v", Findings: []analysis.Finding{{ID: analysis.Waiting}}}}}}}}
	for _, in := range []Input{{}, input(ClusterInput{}), input(empty)} {
		noNilSlices(t, "document", reflect.ValueOf(NewDocument(in, Filter{})))
	}
}

func noNilSlices(t *testing.T, where string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			t.Errorf("%s is null", where)
		}
		if v.Kind() == reflect.Slice {
			for i := range v.Len() {
				noNilSlices(t, fmt.Sprintf("%s[%d]", where, i), v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				noNilSlices(t, where+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	for _, c := range verdictFixtures() {
		in := input(c)
		var a, b bytes.Buffer
		for _, w := range []*bytes.Buffer{&a, &b} {
			if err := errors.Join(JSON(w, in, Filter{}), Text(w, in, Filter{}, TextOptions{Verbose: true, All: true}), Markdown(w, in, Filter{}, MarkdownOptions{All: true})); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Error("two reports of the same input differ")
		}
	}
}

func TestFilter(t *testing.T) {
	c := cluster(victim(), hotKeyVertex(), sink())
	c.Result.Jobs = append(c.Result.Jobs, analysis.JobResult{ID: "b2", Name: "another", Vertices: []analysis.VertexResult{*sink()}})
	tests := []struct {
		name     string
		f        Filter
		jobs     string
		vertices int
		worst    analysis.Severity
	}{
		{"all, by name", Filter{}, "another orders-enrichment", 4, critical},
		{"job by part of its name, any case", Filter{Job: "ORDERS"}, "orders-enrichment", 3, critical},
		{"job by id", Filter{Job: "b2"}, "another", 1, analysis.SeverityNone},
		{"a part of an id is no id", Filter{Job: "b"}, "", 0, analysis.SeverityNone},
		{"vertex by part", Filter{Vertex: "sink"}, "another orders-enrichment", 2, analysis.SeverityNone},
		{"vertex by id", Filter{Vertex: "v1"}, "orders-enrichment", 1, info},
		{"both", Filter{Job: "orders", Vertex: "enrich"}, "orders-enrichment", 1, critical},
		{"neither", Filter{Job: "nothing"}, "", 0, analysis.SeverityNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var names []string
			n := 0
			for _, j := range NewCluster(c, tt.f).Jobs {
				names = append(names, j.Name)
				n += len(j.Vertices)
			}
			if got := strings.Join(names, " "); got != tt.jobs || n != tt.vertices {
				t.Errorf("got %q with %d vertices, want %q with %d", got, n, tt.jobs, tt.vertices)
			}
			if got := Worst(input(c), tt.f); got != tt.worst {
				t.Errorf("worst is %v, want %v", got, tt.worst)
			}
		})
	}
	if out := text(t, input(c), Filter{Job: "nothing"}, TextOptions{}); !strings.Contains(string(out), "2 jobs run, but none matches the filter") {
		t.Errorf("%s", out)
	}
}

func TestBriefLeavesSubtasksOut(t *testing.T) {
	j := &cluster(hotKeyVertex()).Result.Jobs[0]
	if n := len(NewVertex(j, &j.Vertices[0], Filter{}).SubtaskValues); n != 5 {
		t.Errorf("%d subtasks, want 5", n)
	}
	if v := NewVertex(j, &j.Vertices[0], Filter{Brief: true}).SubtaskValues; v == nil || len(v) != 0 {
		t.Errorf("a brief document holds %v", v)
	}
}

// TestHostileNames holds that free text of users can neither move the cursor
// nor break a line, a table or the Markdown around it.
func TestHostileNames(t *testing.T) {
	hostile := []string{
		"\x1b[2J\x1b[31mred", "a\nb\r\nCRITICAL fake", "bell\a\x00\u009b31m", "rtl\u202Eevil\u200b", "bad\xff\xfeutf8", strings.Repeat("long ", 1000),
		strings.Repeat("x", 5000), "z" + strings.Repeat("\u0301", 4000), "```\n# heading <script>|a|b @everyone ![x](http://evil)", "日本語" + strings.Repeat("漢", 300), "", "  ", "%s %d %!",
	}
	for _, h := range hostile {
		c := cluster(victim(), hotKeyVertex(), slowVertex(), notJudged())
		c.Name, c.Reason, c.Result.FlinkVersion = h, h, h
		j := &c.Result.Jobs[0]
		j.Name = h
		for i := range j.Vertices {
			j.Vertices[i].Name = h
			j.Vertices[i].Verdict.Advice.Key, j.Vertices[i].Verdict.Advice.TaskManager = h, h
			for s := range j.Vertices[i].Subtasks {
				j.Vertices[i].Subtasks[s].TaskManager = h
			}
		}
		c.Result.Jobs = append(c.Result.Jobs, analysis.JobResult{Name: h, State: h})
		c.Result.Gaps = []analysis.Gap{{What: h, JobID: h, Detail: h, Reason: analysis.GapReason(h)}}
		for _, o := range []TextOptions{{Unicode: true, All: true, Verbose: true}, {All: true, Verbose: true}} {
			checkHostile(t, h, text(t, input(c), Filter{}, o), 3*defaultWidth, !o.Unicode)
		}
		var md bytes.Buffer
		if err := Markdown(&md, input(c), Filter{}, MarkdownOptions{All: true, Verbose: true}); err != nil {
			t.Fatal(err)
		}
		checkHostile(t, h, md.Bytes(), 2000, false)
		for _, bad := range []string{"<script", "@everyone", "\n# ", "![x]", "http://evil"} {
			// Inside a code block all of it is literal.
			if strings.Contains(regexp.MustCompile("(?s)```text.*?\n```").ReplaceAllString(md.String(), ""), bad) {
				t.Errorf("Markdown of %.30q contains %q", h, bad)
			}
		}
		if bytes.Count(md.Bytes(), []byte("```"))%2 != 0 {
			t.Errorf("Markdown of %.30q has a code block that does not end", h)
		}
		var js bytes.Buffer
		if err := JSON(&js, input(c), Filter{}); err != nil || !json.Valid(js.Bytes()) {
			t.Errorf("JSON of %.30q: %v", h, err)
		}
	}
}

func checkHostile(t *testing.T, h string, out []byte, longest int, onlyASCII bool) {
	t.Helper()
	for _, line := range strings.Split(string(out), "\n") {
		if n := columns(line); n > longest {
			t.Errorf("%.30q: a line of %d columns", h, n)
		}
		for _, r := range line {
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || onlyASCII && r >= 0x80 {
				t.Errorf("%.30q: %q in the output", h, r)
				return
			}
		}
	}
}

// isCommand reports whether a line of text is a command or an address to be
// copied, which is never broken.
func isCommand(line string) bool {
	if _, address, ok := strings.Cut(line, docsBase); ok {
		return !strings.Contains(address, " ")
	}
	return strings.HasPrefix(strings.TrimSpace(line), "flink-skew-exporter keys --") && strings.HasSuffix(line, " < keys.txt")
}

// TestWidth holds that lines fit the terminal at any width.
// TestWidth holds that lines fit the terminal at any width.
func TestWidth(t *testing.T) {
	for id, c := range verdictFixtures() {
		for _, w := range []int{60, 80, 100, 160} {
			for _, o := range []TextOptions{{Width: w, Unicode: true, All: true}, {Width: w, All: true}} {
				for _, line := range strings.Split(string(text(t, input(c), Filter{}, o)), "\n") {
					if n := columns(line); n > w && !isCommand(line) {
						t.Errorf("%s at %d: %d columns: %q", id, w, n, line)
					}
				}
			}
		}
	}
}

// TestHealthyFitsOneScreen: a large cluster in good order is a few lines.
func TestHealthyFitsOneScreen(t *testing.T) {
	c := cluster()
	for i := range 200 {
		c.Result.Jobs = append(c.Result.Jobs, analysis.JobResult{ID: strconv.Itoa(i), Name: fmt.Sprint("job ", i), State: "RUNNING",
			Vertices: []analysis.VertexResult{*sink(), *quietVertex(), *withSeverity(partitionVertex(), info)}})
	}
	out := text(t, input(c), Filter{}, TextOptions{})
	if n := bytes.Count(out, []byte("\n")); n > 6 {
		t.Errorf("%d lines for a healthy cluster:\n%s", n, out)
	}
	if !strings.Contains(string(out), "INFO      200 vertices   (partition_layout: 200)") {
		t.Errorf("%s", out)
	}
}

func withSeverity(v *analysis.VertexResult, s analysis.Severity) *analysis.VertexResult {
	v.Verdict.Severity = s
	return v
}

func TestWorstFirst(t *testing.T) {
	out := string(text(t, input(cluster(costlyVertex(), stalledVertex(), withSeverity(hotPartitionVertex(), info))), Filter{}, TextOptions{}))
	c, w, i := strings.Index(out, "CRITICAL"), strings.Index(out, "WARNING"), strings.Index(out, "INFO")
	if c <= 0 || w <= c || i <= w {
		t.Errorf("order is %d %d %d:\n%s", c, w, i, out)
	}
}

// failing fails every write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("pipe is closed") }

func TestWriteErrors(t *testing.T) {
	in := input(cluster(hotKeyVertex()))
	for _, err := range []error{JSON(failing{}, in, Filter{}), Text(failing{}, in, Filter{}, TextOptions{}), Markdown(failing{}, in, Filter{}, MarkdownOptions{})} {
		if err == nil || !strings.Contains(err.Error(), "pipe is closed") {
			t.Errorf("got %v", err)
		}
	}
}
