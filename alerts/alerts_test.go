package alerts_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/flink-skew-exporter/flink-skew-exporter/alerts"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/rulecheck"
)

// repository is where runbook_url leads; below it are paths of this repository.
const repository = "https://github.com/flink-skew-exporter/flink-skew-exporter/blob/main/"

// alertRule is one alert of the rules.
type alertRule struct {
	Alert, Record       string
	Expr                string
	For                 string
	KeepFiringFor       string `yaml:"keep_firing_for"`
	Labels, Annotations map[string]string
}

// readYAML decodes a file strictly: a key that nobody knows is an error.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// rulesOf are all rules of all files.
func rulesOf(t *testing.T) []alertRule {
	t.Helper()
	names, err := filepath.Glob("*.rules.yml")
	if err != nil || len(names) < 3 {
		t.Fatalf("rule files: %v %v", names, err)
	}
	var all []alertRule
	for _, name := range names {
		var file struct {
			Groups []struct {
				Name, Interval string
				Rules          []alertRule
			}
		}
		readYAML(t, name, &file)
		for _, g := range file.Groups {
			all = append(all, g.Rules...)
		}
	}
	return all
}

func alertsOf(t *testing.T) map[string]alertRule {
	t.Helper()
	all := map[string]alertRule{}
	for _, r := range rulesOf(t) {
		if r.Alert == "" {
			continue
		}
		if _, twice := all[r.Alert]; twice {
			t.Errorf("%s is there twice", r.Alert)
		}
		all[r.Alert] = r
	}
	return all
}

// vocabulary knows the exporter's names and the series that the rules record.
func vocabulary(t *testing.T) *rulecheck.Vocabulary {
	t.Helper()
	v := rulecheck.NewVocabulary()
	for _, f := range ruleFiles(t) {
		if err := v.Learn(f); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func ruleFiles(t *testing.T) []rulecheck.File {
	t.Helper()
	names, err := fs.Glob(alerts.Rules(), "*")
	if err != nil {
		t.Fatal(err)
	}
	var files []rulecheck.File
	for _, name := range names {
		data, err := fs.ReadFile(alerts.Rules(), name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, rulecheck.File{Name: name, Data: data})
	}
	return files
}

func TestRulesNameOnlyWhatExists(t *testing.T) {
	summaries, problems := rulecheck.NewVocabulary().Check(ruleFiles(t)...)
	for _, p := range problems {
		t.Error(p)
	}
	n := 0
	for _, s := range summaries {
		n += s.Alerts
	}
	if want := len(alertsOf(t)); n != want || n < 19 {
		t.Errorf("%d alerts are embedded, %d are there", n, want)
	}
}

// TestRecordingRulesAreUsed: a series that nobody reads is a cost without use.
// Those for dashboards and reports are named here.
func TestRecordingRulesAreUsed(t *testing.T) {
	forOthers := []string{"job:flink_skew_vertex_severity:max", "cluster:flink_skew_vertex_wasted_subtasks:sum"}
	rules := rulesOf(t)
	name := regexp.MustCompile(`^[a-z_]+:flink_skew_[a-z_0-9]+:[a-z0-9]+$`)
	for _, r := range rules {
		if r.Record == "" {
			continue
		}
		if !name.MatchString(r.Record) {
			t.Errorf("%s is not level:metric:operation", r.Record)
		}
		used := slices.Contains(forOthers, r.Record)
		for _, other := range rules {
			used = used || other.Record != r.Record && strings.Contains(other.Expr+strings.Join(slices.Collect(maps.Values(other.Annotations)), ""), r.Record)
		}
		if !used {
			t.Errorf("nobody uses %s", r.Record)
		}
	}
}

// TestAlerts holds what routing and the reader at night rely on.
func TestAlerts(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range alertsOf(t) {
		if !strings.HasPrefix(name, "Flink") || r.For == "" {
			t.Errorf("%s: name or for is not as it should be", name)
		}
		for label, allowed := range map[string][]string{
			"severity": {"page", "ticket", "info"},
			"area":     {"skew", "ceiling", "flow", "exporter"},
			"product":  {"flink-skew-exporter"},
		} {
			if !slices.Contains(allowed, r.Labels[label]) {
				t.Errorf("%s: label %s is %q", name, label, r.Labels[label])
			}
		}
		for _, a := range []string{"summary", "description", "action"} {
			if r.Annotations[a] == "" {
				t.Errorf("%s has no annotation %s", name, a)
			}
		}
		if got := r.Annotations["runbook_url"]; got != repository+"alerts/runbooks/"+name+".md" {
			t.Errorf("%s: runbook_url is %q", name, got)
		}
		board, _, _ := strings.Cut(strings.TrimPrefix(r.Annotations["dashboard_url"], "/d/"), "?")
		var dashboard struct{ UID string }
		text, err := os.ReadFile(filepath.Join("..", "dashboards", board+".json"))
		if err == nil {
			err = json.Unmarshal(text, &dashboard)
		}
		if err != nil || dashboard.UID != board {
			t.Errorf("%s: dashboard_url leads to %q, which is none (%v)", name, board, err)
		}
		if want := "| [" + name + "](runbooks/" + name + ".md) | " + r.Labels["severity"] + " |"; !strings.Contains(string(readme), want) {
			t.Errorf("README.md lacks %q", want)
		}
	}
}

// TestTicketsEndBeforeTheirPage: what a page silences must not outlive it, or it
// is sent when the trouble is over. Conditions of both end together; how long
// they keep firing decides. Tickets about ceilings stand for themselves.
func TestTicketsEndBeforeTheirPage(t *testing.T) {
	keeps := func(r alertRule) time.Duration {
		d, err := time.ParseDuration(r.KeepFiringFor)
		if err != nil {
			t.Errorf("%s: %v", r.Alert, err)
		}
		return d
	}
	all := alertsOf(t)
	page := min(keeps(all["FlinkSubtaskSaturated"]), keeps(all["FlinkSubtaskStalled"]))
	for name, r := range all {
		silenced := r.Labels["severity"] == "ticket" && (r.Labels["area"] == "skew" || r.Labels["area"] == "flow")
		if silenced && keeps(r) >= page {
			t.Errorf("%s keeps firing for %s, its page for %s", name, r.KeepFiringFor, page)
		}
	}
}

// TestEveryAlertHasARunbook checks both ways: no alert without one, and none
// of an alert that is gone.
func TestEveryAlertHasARunbook(t *testing.T) {
	known := alertsOf(t)
	pages, err := filepath.Glob("runbooks/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != len(known) {
		t.Errorf("%d runbooks for %d alerts", len(pages), len(known))
	}
	v := vocabulary(t)
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		if _, ok := known[name]; !ok {
			t.Errorf("%s is of no alert", page)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		runbook(t, v, name, string(text))
	}
}

// runbook checks one page: its headings, names and links.
func runbook(t *testing.T, v *rulecheck.Vocabulary, name, text string) {
	t.Helper()
	if !strings.HasPrefix(text, "# "+name+"\n") {
		t.Errorf("%s: the title is another", name)
	}
	var headings []string
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(text, -1) {
		headings = append(headings, m[1])
	}
	if !slices.Equal(headings, []string{"Meaning", "Impact", "Diagnosis", "Mitigation", "False positives"}) {
		t.Errorf("%s: headings are %q", name, headings)
	}
	queries := regexp.MustCompile("(?s)```promql\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(queries) == 0 || !strings.Contains(text, "```sh\n") && !strings.Contains(text, "`flink-skew-exporter ") {
		t.Errorf("%s has no query or no command", name)
	}
	for _, block := range queries {
		for expr := range strings.SplitSeq(strings.TrimSpace(block[1]), "\n\n") {
			for _, problem := range v.Expression(expr) {
				t.Errorf("%s: %s: %s", name, expr, problem)
			}
		}
	}
	for _, m := range regexp.MustCompile("`([a-z_]*:?flink_skew_[a-z0-9_:]+)`").FindAllStringSubmatch(text, -1) {
		if !v.Has(m[1]) {
			t.Errorf("%s: there is no %s", name, m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("runbooks", m[1])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, word := range []string{"Safest first", "Do not "} {
		if name != "FlinkSkewExporterDown" && !strings.Contains(text, word) {
			t.Errorf("%s does not say %q", name, word)
		}
	}
}

// testFile is a file of promtool's unit tests.
type testFile struct {
	RuleFiles          []string `yaml:"rule_files"`
	EvaluationInterval string   `yaml:"evaluation_interval"`
	Tests              []struct {
		Name, Interval string
		InputSeries    []struct{ Series, Values string } `yaml:"input_series"`
		AlertRuleTest  []struct {
			Alertname string
			EvalTime  string `yaml:"eval_time"`
			ExpAlerts []struct {
				Labels      map[string]string `yaml:"exp_labels"`
				Annotations map[string]string `yaml:"exp_annotations"`
			} `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
		PromqlExprTest []struct {
			Expr       string
			EvalTime   string `yaml:"eval_time"`
			ExpSamples []struct {
				Labels string
				Value  float64
			} `yaml:"exp_samples"`
		} `yaml:"promql_expr_test"`
	}
}

// TestEveryAlertIsTested: each has a test in which it fires, with its text,
// and a near miss in which it is asked for and does not.
func TestEveryAlertIsTested(t *testing.T) {
	v := vocabulary(t)
	for name, r := range alertsOf(t) {
		var file testFile
		readYAML(t, filepath.Join("tests", name+".yml"), &file)
		fires, nearMiss := false, false
		for _, test := range file.Tests {
			names(t, v, name, test.InputSeries)
			fired, silent := 0, 0
			for _, a := range test.AlertRuleTest {
				if a.Alertname != name {
					t.Errorf("tests/%s.yml asks for %s", name, a.Alertname)
				}
				if len(a.ExpAlerts) == 0 {
					silent++
				}
				for _, e := range a.ExpAlerts {
					fired++
					if e.Labels["severity"] != r.Labels["severity"] || e.Annotations["description"] == "" || strings.Contains(e.Annotations["description"], "unknown") {
						t.Errorf("%s: %s: an alert without its labels and text: %v", name, test.Name, e)
					}
				}
			}
			fires = fires || fired > 0 && silent > 0
			nearMiss = nearMiss || fired == 0 && silent > 0 && strings.HasPrefix(test.Name, "near miss")
		}
		if !fires || !nearMiss {
			t.Errorf("tests/%s.yml: fires after being silent: %t, near miss: %t", name, fires, nearMiss)
		}
	}
	files, err := filepath.Glob("tests/*.yml")
	if want := len(alertsOf(t)) + 1; err != nil || len(files) != want {
		t.Errorf("%d files of tests, want %d: one for each alert and silence.yml (%v)", len(files), want, err)
	}
}

// names checks that input series have only names that exist.
func names(t *testing.T, v *rulecheck.Vocabulary, where string, series []struct{ Series, Values string }) {
	t.Helper()
	for _, s := range series {
		for _, problem := range v.Expression(s.Series) {
			t.Errorf("%s: %s: %s", where, s.Series, problem)
		}
	}
}

// TestSilence: what happens to every job is tested, and each test asks for
// every alert at every time.
func TestSilence(t *testing.T) {
	var file testFile
	readYAML(t, "tests/silence.yml", &file)
	v := vocabulary(t)
	covered := map[string]bool{}
	for _, test := range file.Tests {
		names(t, v, test.Name, test.InputSeries)
		scenario, _, _ := strings.Cut(test.Name, ":")
		covered[scenario] = true
		if len(test.PromqlExprTest) != 1 {
			t.Fatalf("%s: %d queries", test.Name, len(test.PromqlExprTest))
		}
		q := test.PromqlExprTest[0]
		if q.Expr != `group by (alertname) (count_over_time(ALERTS{alertstate="firing"}[`+q.EvalTime+`]))` {
			t.Errorf("%s does not ask for every alert at every time: %s", test.Name, q.Expr)
		}
		for _, s := range q.ExpSamples {
			if s.Labels != `{alertname="FlinkClusterUnreachable"}` || !strings.HasPrefix(test.Name, "JobManager gone") {
				t.Errorf("%s lets %s fire", test.Name, s.Labels)
			}
		}
	}
	for _, scenario := range []string{
		"a healthy job", "exporter restart", "job restart", "rescale from 4 to 100", "JobManager gone for half an hour",
		"idle job", "first minutes", "a job that ended after eight minutes of a saturated hot key",
		"verdicts and findings flapping at the edge, every one of them, and a cluster whose every eighth poll fails",
	} {
		if !covered[scenario] {
			t.Errorf("silence.yml has no test %q", scenario)
		}
	}
}

// TestAlertmanagerExample: it names only alerts and labels that exist.
func TestAlertmanagerExample(t *testing.T) {
	text, err := os.ReadFile("../deploy/alertmanager/alertmanager.yml")
	if err != nil {
		t.Fatal(err)
	}
	known := alertsOf(t)
	for _, name := range regexp.MustCompile(`Flink[A-Z]\w+`).FindAllString(string(text), -1) {
		if _, ok := known[name]; !ok {
			t.Errorf("there is no alert %s", name)
		}
	}
	values := map[string][]string{}
	for _, r := range known {
		for k, value := range r.Labels {
			values[k] = append(values[k], value)
		}
	}
	matchers := regexp.MustCompile(`(severity|area|role|product)(?:=~?)"([^"]*)"`).FindAllStringSubmatch(string(text), -1)
	if len(matchers) < 8 {
		t.Errorf("only %d matchers are found", len(matchers))
	}
	for _, m := range matchers {
		for value := range strings.SplitSeq(m[2], "|") {
			if !slices.Contains(values[m[1]], value) {
				t.Errorf("no alert has %s=%q", m[1], value)
			}
		}
	}
}
