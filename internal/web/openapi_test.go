package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// demo polls the demo's simulated clusters on a clock of its own, some windows
// long, and adds what a cluster that was never reached looks like.
func demo(t *testing.T) report.Input {
	t.Helper()
	now := at()
	in := report.Input{GeneratedAt: now}
	var clients []*restapi.Client
	var results []*analysis.Result
	var states []analysis.State
	simulated := flinksim.Demo(8)
	for _, c := range simulated {
		c.MetricInterval = 4 * time.Second
		sim, err := flinksim.New(c, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(sim)
		t.Cleanup(s.Close)
		o := restapi.DefaultOptions(c.Name, s.URL)
		o.Now, o.NoPrime = func() time.Time { return now }, true
		client, err := restapi.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		clients, states, results = append(clients, client), append(states, analysis.State{}), append(results, nil)
	}
	thresholds := analysis.Defaults()
	thresholds.Trace = true
	for range 8 {
		for i, client := range clients {
			snapshot, err := client.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			next, result := analysis.Analyze(states[i], snapshot, thresholds)
			states[i], results[i] = next, &result
		}
		now = now.Add(5 * time.Second)
	}
	for i, r := range results {
		in.Clusters = append(in.Clusters, report.ClusterInput{Name: simulated[i].Name, Up: i > 0, Reason: []string{"timeout", ""}[i], Polls: 8, Span: 35 * time.Second, Result: r})
	}
	in.Clusters = append(in.Clusters, report.ClusterInput{Name: "never", Reason: "refused"})
	return in
}

// contract is the API's description, from which schemas are taken.
type contract struct {
	paths    map[string]map[string]any
	compiler *jsonschema.Compiler
}

func newContract(t *testing.T, h http.Handler) contract {
	t.Helper()
	tree, err := jsonschema.UnmarshalJSON(get(h, "GET", "/api/v1/openapi.json").Body)
	if err != nil {
		t.Fatal(err)
	}
	c := contract{paths: map[string]map[string]any{}, compiler: jsonschema.NewCompiler()}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource("openapi.json", tree); err != nil {
		t.Fatal(err)
	}
	for path, item := range tree.(object)["paths"].(object) {
		c.paths[path] = item.(object)["get"].(object)["responses"].(object)
	}
	return c
}

// pointer writes a JSON pointer as a fragment.
func pointer(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(p)))
	}
	return "openapi.json#" + b.String()
}

// check holds one answer against what is promised for its path and status.
func (c contract) check(t *testing.T, path, promised string, w *httptest.ResponseRecorder) {
	t.Helper()
	status := http.StatusText(w.Code)
	response, ok := c.paths[promised][jsonNumber(w.Code)].(object)
	if !ok {
		t.Errorf("%s: %s is not promised for %s", path, status, promised)
		return
	}
	at := []string{"paths", promised, "get", "responses", jsonNumber(w.Code)}
	if ref, ok := response["$ref"].(string); ok {
		at = strings.Split(strings.TrimPrefix(ref, "#/"), "/")
	}
	schema, err := c.compiler.Compile(pointer(append(at, "content", "application/json", "schema")...))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

func jsonNumber(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// TestEveryAnswerIsAsDescribed asks every endpoint about the demo, one that
// never was, and errors.
func TestEveryAnswerIsAsDescribed(t *testing.T) {
	in := demo(t)
	h := handler(t, func(o *Options) { o.View = func() report.Input { return in } })
	c := newContract(t, h)
	asked := map[string]bool{}
	ask := func(path, promised string, status int) {
		t.Helper()
		w := get(h, "GET", path)
		if w.Code != status {
			t.Errorf("%s: status %d, want %d", path, w.Code, status)
		}
		asked[promised] = true
		c.check(t, path, promised, w)
	}
	const one = "/api/v1/jobs/{cluster}/{job_id}"
	ask("/api/v1/clusters", "/api/v1/clusters", 200)
	ask("/api/v1/jobs", "/api/v1/jobs", 200)
	ask("/api/v1/jobs?job=none", "/api/v1/jobs", 200)
	ask("/api/v1/jobs?cluster=none", "/api/v1/jobs", 404)
	ask("/api/v1/findings", "/api/v1/findings", 200)
	ask("/api/v1/findings?severity=critical", "/api/v1/findings", 200)
	ask("/api/v1/findings?severity=none", "/api/v1/findings", 400)
	ask(one[:len("/api/v1/jobs")]+"/never/x", one, 404)
	ask(one[:len("/api/v1/jobs")]+"/never/x/whatif", one+"/whatif", 404)
	ask("/api/v1/openapi.json", "/api/v1/openapi.json", 200)
	asked["/api/v1/openapi.yaml"] = true
	verdicts := map[analysis.VerdictID]bool{}
	for _, cluster := range in.Clusters {
		if cluster.Result == nil {
			continue
		}
		for _, j := range cluster.Result.Jobs {
			ask("/api/v1/jobs/"+cluster.Name+"/"+j.ID, one, 200)
			for _, v := range j.Vertices {
				verdicts[v.Verdict.ID] = true
				ask("/api/v1/jobs/"+cluster.Name+"/"+j.ID+"/whatif?load=1.5&vertex="+v.ID, one+"/whatif", 200)
			}
		}
	}
	if len(verdicts) < len(analysis.Verdicts()) {
		t.Errorf("only the verdicts %v were described", verdicts)
	}
	for path := range c.paths {
		if !asked[path] {
			t.Errorf("%s is described and was not asked", path)
		}
	}
}

// TestDescriptionIsStrict: an answer with a field too many, a number that is
// text, or a verdict of another name is refused, so that the test above can fail.
func TestDescriptionIsStrict(t *testing.T) {
	h := handler(t, nil)
	c := newContract(t, h)
	schema, err := c.compiler.Compile(pointer("components", "schemas", "Document"))
	if err != nil {
		t.Fatal(err)
	}
	good := get(h, "GET", "/api/v1/jobs").Body.String()
	for name, bad := range map[string]string{
		"a field too many": strings.Replace(good, `"keyed":`, `"sorted":1,"keyed":`, 1),
		"text for number":  strings.Replace(good, `"parallelism":2`, `"parallelism":"2"`, 1),
		"another verdict":  strings.Replace(good, `"balanced"`, `"fine"`, 1),
		"no time":          regexp.MustCompile(`"at":"[^"]*"`).ReplaceAllString(good, `"at":"yesterday"`),
		"a field missing":  strings.Replace(good, `"coverage":null,`, "", 1),
	} {
		if bad == good {
			t.Fatalf("%s: nothing was changed in %.300s", name, good)
		}
		body, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(body) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestDescriptionNamesTheClosedSets: verdicts and findings are those of the analysis.
func TestDescriptionNamesTheClosedSets(t *testing.T) {
	var tree struct {
		Components struct {
			Schemas map[string]struct{ Enum []any }
		}
	}
	if err := json.Unmarshal(get(handler(t, nil), "GET", "/api/v1/openapi.json").Body.Bytes(), &tree); err != nil {
		t.Fatal(err)
	}
	same := func(schema string, want []string) {
		var got []string
		for _, v := range tree.Components.Schemas[schema].Enum {
			got = append(got, v.(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", schema, got, want)
		}
	}
	var verdicts, findings []string
	for _, v := range analysis.Verdicts() {
		verdicts = append(verdicts, string(v))
	}
	for _, f := range analysis.FindingIDs() {
		findings = append(findings, string(f))
	}
	same("Verdict", verdicts)
	same("FindingID", findings)
}
