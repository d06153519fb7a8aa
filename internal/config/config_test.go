package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLoad(t *testing.T) {
	file := write(t, `
clusters:
  - url: http://jm-a:8081/prefix
  - name: prod-eu
    url: https://jm-b
    interval: 1m30s
    bearer_token_file: token
    tls_config: {ca_file: /etc/ca.pem, server_name: jm}
  - url: http://user:se%3Acret@jm-c:8081
poll:
  interval: 20s
  concurrency: 4
collector:
  subtasks: off
thresholds:
  window: 1.5m
  skew_enter: 2
  windows_in: 3
`)
	c, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Cluster{
		{Name: "jm-a:8081", URL: "http://jm-a:8081/prefix"},
		{Name: "prod-eu", URL: "https://jm-b", Interval: 90 * time.Second,
			BearerTokenFile: filepath.Join(filepath.Dir(file), "token"),
			TLS:             TLS{CAFile: "/etc/ca.pem", ServerName: "jm"}},
		{Name: "jm-c:8081", URL: "http://jm-c:8081", BasicAuth: BasicAuth{Username: "user", Password: "se:cret"}},
	}
	if !reflect.DeepEqual(c.Clusters, want) {
		t.Errorf("clusters:\n got %#v\nwant %#v", c.Clusters, want)
	}
	if want := (Poll{Interval: 20 * time.Second, Concurrency: 4, MaxResponseBytes: 64 << 20}); c.Poll != want {
		t.Errorf("poll: got %+v, want %+v", c.Poll, want)
	}
	if c.Collector.Subtasks != SubtasksOff || c.Collector.Top != 10 {
		t.Errorf("collector: got %+v, want off and the default top", c.Collector)
	}
	thresholds := analysis.Defaults()
	thresholds.Window, thresholds.SkewEnter, thresholds.WindowsIn = 90*time.Second, 2, 3
	if !reflect.DeepEqual(c.Thresholds, thresholds) {
		t.Errorf("thresholds: got %+v, want %+v", c.Thresholds, thresholds)
	}
	if got := c.PollInterval(c.Clusters[1]); got != 90*time.Second {
		t.Errorf("interval of prod-eu: got %v, want its own", got)
	}
	if got := c.PollTimeout(c.Clusters[0]); got != 16*time.Second {
		t.Errorf("timeout: got %v, want four fifths of 20s", got)
	}
}

// TestErrors holds every kind of mistake against its whole message, with FILE
// for the path.
func TestErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":       {"poll:\n  intervall: 15s\n", "FILE:2: poll.intervall: unknown key; known here: interval, timeout, concurrency, max_response_bytes, include_jobs, exclude_jobs, watermark_budget, backlog_budget"},
		"unknown section":   {"\nclustres: []\n", "FILE:2: clustres: unknown key; known here: clusters, file_sd_configs, http_sd_configs, modules, probe, poll, collector, analysis, thresholds"},
		"key twice":         {"poll:\n  interval: 15s\n  interval: 16s\n", "FILE:3: poll.interval: given twice, first in line 2; remove one"},
		"bare number":       {"poll: {interval: 15}", `FILE:1: poll.interval: must be a duration with a unit, such as 500ms, 15s or 5m, not "15"`},
		"not a number":      {"collector:\n  top: five\n", `FILE:2: collector.top: must be a whole number, not "five"`},
		"not a bool":        {"clusters:\n- url: https://a\n  tls_config: {insecure_skip_verify: maybe}", `FILE:3: clusters[0].tls_config.insecure_skip_verify: must be true or false, not "maybe"`},
		"NaN":               {"thresholds:\n  skew_enter: NaN\n", `FILE:2: thresholds.skew_enter: must be a number, not "NaN"`},
		"threshold":         {"thresholds:\n\n  min_coverage: 1.5\n", "FILE:3: thresholds.min_coverage: must be in (0, 1]"},
		"list for keys":     {"poll: []", "FILE:1: poll: must hold keys (interval, timeout, concurrency, max_response_bytes, include_jobs, exclude_jobs, watermark_budget, backlog_budget), not a list"},
		"keys for list":     {"clusters: {url: x}", "FILE:1: clusters: must be a list (lines that begin with -), not a group of keys"},
		"list for value":    {"poll: {interval: [1s]}", "FILE:1: poll.interval: must be a single value, not a list"},
		"text only":         {"hello", "FILE:1: must hold keys (clusters, file_sd_configs, http_sd_configs, modules, probe, poll, collector, analysis, thresholds), not a single value"},
		"not YAML":          {"poll:\n\tinterval: 1s", "FILE:2: not valid YAML: found character that cannot start any token"},
		"wrong indent":      {"poll:\n  interval: 15s\n timeout: 3s\n", "FILE:3: not valid YAML: did not find expected key"},
		"first line":        {"a: b: c\n", "FILE:1: not valid YAML: mapping values are not allowed in this context"},
		"open list":         {"poll:\n  interval: [15s,\n  3s\ncollector: {}\n", "FILE:2: not valid YAML: did not find expected ',' or ']'"},
		"closed list":       {"poll:\n  interval: [\n  3s\n  ]\ncollector: }\n", "FILE:5: not valid YAML: did not find expected node content"},
		"open quote":        {"poll: 'x\n\n\ncollector: {}\n", "FILE:1: not valid YAML: found unexpected end of stream"},
		"item beside keys":  {"\n- a\nb: 1\n", "FILE:3: not valid YAML: did not find expected '-' indicator"},
		"huge duration":     {"poll:\n  interval: 300y\n", `FILE:2: poll.interval: must be a duration of at most 292y, with units from large to small, not "300y"`},
		"huge hours":        {"poll:\n  interval: 9999999999h\n", `FILE:2: poll.interval: must be a duration of at most 292y, with units from large to small, not "9999999999h"`},
		"port":              {"clusters:\n  - url: http://a:65536\n", "FILE:2: clusters[0].url: has a port that is not 1 to 65535; give one such as http://jobmanager:8081"},
		"port 0":            {"clusters:\n  - url: http://a:0\n", "FILE:2: clusters[0].url: has a port that is not 1 to 65535; give one such as http://jobmanager:8081"},
		"no URL":            {"clusters:\n  - name: a\n", "FILE:2: clusters[0].url: is missing; give one such as http://jobmanager:8081"},
		"host only":         {"clusters:\n  - url: jobmanager:8081\n", "FILE:2: clusters[0].url: must begin with http:// or https://; give one such as http://jobmanager:8081"},
		"bad URL":           {"clusters:\n  - url: 'http://u:se cret@['\n", "FILE:2: clusters[0].url: is not a URL; give one such as http://jobmanager:8081"},
		"no host":           {"clusters:\n  - url: http:///x\n", "FILE:2: clusters[0].url: has no host; give one such as http://jobmanager:8081"},
		"query":             {"clusters:\n  - url: http://a?b=c\n", "FILE:2: clusters[0].url: must not have a query or fragment; give one such as http://jobmanager:8081"},
		"same name":         {"clusters:\n  - url: http://a/1\n  - url: http://a/2\n", `FILE:3: clusters[1].name: "a" is also the name of clusters[0]; give each its own`},
		"slash in name":     {"clusters:\n  - url: http://a\n    name: a/b\n", "FILE:3: clusters[0].name: must not hold a slash or a line break: it is a part of the API's paths"},
		"long name":         {"clusters:\n  - url: http://a\n    name: " + strings.Repeat("x", 101), "FILE:3: clusters[0].name: must be valid UTF-8 of at most 100 characters"},
		"interval":          {"poll: {interval: 10ms}", "FILE:1: poll.interval: must be at least 1s; Flink refreshes its metrics every 10s"},
		"timeout":           {"poll:\n  interval: 10s\n  timeout: 10s\n", "FILE:3: poll.timeout: 10s must be below poll.interval (10s), so that a poll ends before the next is due"},
		"negative timeout":  {"poll: {timeout: -1s}", "FILE:1: poll.timeout: must not be negative; 0 means four fifths of the interval"},
		"cluster interval":  {"poll: {timeout: 12s}\nclusters:\n- url: http://a\n  interval: 11s", "FILE:4: clusters[0].interval: must be above poll.timeout (12s)"},
		"short interval":    {"clusters:\n- url: http://a\n  interval: 1ms", "FILE:3: clusters[0].interval: must be at least 1s"},
		"concurrency":       {"poll: {concurrency: 1000}", "FILE:1: poll.concurrency: must be 1 to 64 requests at once"},
		"small response":    {"poll: {max_response_bytes: 1000}", "FILE:1: poll.max_response_bytes: must be 1048576 to 1073741824 bytes"},
		"large response":    {"poll: {max_response_bytes: 2000000000}", "FILE:1: poll.max_response_bytes: must be 1048576 to 1073741824 bytes"},
		"subtasks":          {"collector: {subtasks: some}", `FILE:1: collector.subtasks: must be all, top or off, not "some"`},
		"top":               {"collector: {top: 0}", "FILE:1: collector.top: must be at least 1; to export no subtasks set collector.subtasks to off"},
		"budget":            {"collector: {series_budget: -1}", "FILE:1: collector.series_budget: must be at least 1; to export no subtasks set collector.subtasks to off"},
		"user twice":        {"clusters:\n- url: http://u:p@a\n  basic_auth: {username: v}", "FILE:2: clusters[0].url: holds a user while basic_auth is set; keep one of them"},
		"password alone":    {"clusters:\n- url: http://a\n  basic_auth: {password: p}", "FILE:3: clusters[0].basic_auth.username: is needed with a password"},
		"two passwords":     {"clusters:\n- url: http://a\n  basic_auth: {username: v, password: p, password_file: f}", "FILE:3: clusters[0].basic_auth.password_file: is given beside password; keep one of them"},
		"watermark budget":  {"poll: {watermark_budget: -2}", "FILE:1: poll.watermark_budget: must be a number of vertices, 0 for the default or -1 for none"},
		"backlog budget":    {"poll:\n  backlog_budget: -5", "FILE:2: poll.backlog_budget: must be a number of sources, 0 for the default or -1 for none"},
		"not silenceable":   {"analysis:\n  silence:\n  - hot_key\n  - hotkey\n", `FILE:4: analysis.silence[1]: "hotkey" is no verdict or finding; known are ` + strings.Join(Silenceable(), ", ")},
		"empty item":        {"analysis:\n  silence:\n  -\n", `FILE:3: analysis.silence[0]: "" is no verdict or finding; known are ` + strings.Join(Silenceable(), ", ")},
		"silence one":       {"analysis: {silence: hot_key}", "FILE:1: analysis.silence: must be a list (lines that begin with -), not a single value"},
		"keys in a list":    {"analysis:\n  silence: [{hot_key: true}]", "FILE:2: analysis.silence[0]: must be a single value, not a group of keys"},
		"no key":            {"thresholds: {'-': 1}", "FILE:1: thresholds.-: unknown key; known here: " + strings.Join(keys(reflect.TypeFor[analysis.Config]()), ", ")},
		"exclude vertices":  {"analysis:\n  exclude_vertices: '['\n", "FILE:2: analysis.exclude_vertices: \"[\" is not a regular expression: missing closing ]"},
		"cluster's pattern": {"clusters:\n- url: http://a\n  exclude_vertices: '*'", "FILE:3: clusters[0].exclude_vertices: \"*\" is not a regular expression: missing argument to repetition operator"},
		"cluster's jobs":    {"clusters:\n- url: http://a\n- url: http://b\n  exclude_jobs: a(\n", "FILE:4: clusters[1].exclude_jobs: \"a(\" is not a regular expression: missing closing )"},
		"straggler":         {"thresholds:\n  straggler_enter: 1\n", "FILE:2: thresholds.straggler_enter: must be above 1"},
		"bad pattern":       {"poll: {include_jobs: '('}", "FILE:1: poll.include_jobs: \"(\" is not a regular expression: missing closing )"},
		"basic and bearer":  {"clusters:\n- url: http://a\n  basic_auth: {username: v}\n  bearer_token_file: t", "FILE:3: clusters[0].basic_auth: is given beside bearer_token_file; keep one of them"},
		"cert without key":  {"clusters:\n- url: https://a\n  tls_config: {cert_file: c}", "FILE:3: clusters[0].tls_config: cert_file and key_file must be given together"},
		"TLS without https": {"clusters:\n- url: http://a\n  tls_config: {ca_file: c}", "FILE:3: clusters[0].tls_config: is given for a URL that is not https; change the URL or remove it"},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, c.text, c.want) })
	}
}

// wantError loads a file of that text and wants one *Error of that message.
func wantError(t *testing.T, text, want string) {
	t.Helper()
	file := write(t, text)
	_, err := Load(file)
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%T is not an *Error", err)
	}
	if got := strings.ReplaceAll(err.Error(), file, "FILE"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLoadUnreadable(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.yml")
	if _, err := Load(missing); err == nil || err.Error() != missing+": cannot be read: no such file or directory" {
		t.Errorf("got %v", err)
	}
	large := write(t, strings.Repeat("#", maxFileBytes+1))
	if _, err := Load(large); err == nil || !strings.Contains(err.Error(), "is larger than 4 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestEmptyFileIsDefault(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "poll:\nclusters: null\n"} {
		c, err := Load(write(t, text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		c.file, c.lines = "", nil
		if !reflect.DeepEqual(c, Default()) {
			t.Errorf("%q: got %+v, want the defaults", text, c)
		}
	}
}

func TestSet(t *testing.T) {
	c, err := Parse("f.yml", []byte("poll:\n  interval: 20s\n  timeout: 15s\n"))
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range map[string]string{"poll.interval": "5s", "collector.top": "7", "thresholds.skew_enter": "3"} {
		if err := c.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	if c.Poll.Interval != 5*time.Second || c.Collector.Top != 7 || c.Thresholds.SkewEnter != 3 {
		t.Errorf("got %+v", c)
	}
	// The value that came from the file keeps its line.
	want := "f.yml:3: poll.timeout: 15s must be below poll.interval (5s), so that a poll ends before the next is due"
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	// The one that was set has none: it is in no file.
	_ = c.Set("poll.timeout", "6s")
	if err := c.Set("poll.timeout", "6s"); err != nil {
		t.Fatal(err)
	}
	want = "poll.timeout: 6s must be below poll.interval (5s), so that a poll ends before the next is due"
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, key := range []string{"", "poll.x", "poll.interval.x", "clusters.url"} {
		if err := c.Set(key, "1"); err == nil {
			t.Errorf("Set(%q) gave no error", key)
		}
	}
	if err := c.Set("clusters", "x"); err == nil {
		t.Error("a list was set from text")
	}
}

func TestSetList(t *testing.T) {
	c, err := Parse("f.yml", []byte("analysis:\n  silence: [quiet, nonsense, stalled]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetList("analysis.silence", []string{"hot_key", "waiting"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"hot_key", "waiting"}; !reflect.DeepEqual(c.Analysis.Silence, want) {
		t.Errorf("got %q, want the file's list replaced by %q", c.Analysis.Silence, want)
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	// What was set is in no file, even where the file had an item.
	if err := c.SetList("analysis.silence", []string{"hot_key", "loud"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), `analysis.silence[1]: "loud" is no verdict or finding`) {
		t.Errorf("got %v", err)
	}
	for _, key := range []string{"poll.interval", "analysis", "analysis.none"} {
		if err := c.SetList(key, []string{"1s"}); err == nil || c.IsList(key) {
			t.Errorf("%s is taken for a list", key)
		}
	}
	if !c.IsList("analysis.silence") {
		t.Error("analysis.silence is not taken for a list")
	}
}

func TestClustersOverride(t *testing.T) {
	c, err := Load(write(t, `
clusters:
- url: http://a
- url: http://b
  include_jobs: ^b-
  exclude_jobs: test
  exclude_vertices: ^$
poll: {include_jobs: ^prod-, exclude_jobs: tmp}
analysis:
  exclude_vertices: Committer
  silence: [costly_records, wasted_subtasks]
thresholds: {catch_up: 1h}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][3]string{{"^prod-", "tmp", "Committer"}, {"^b-", "test", "^$"}} {
		include, exclude := c.Jobs(c.Clusters[i])
		judging := c.Judging(c.Clusters[i])
		if got := [3]string{include, exclude, judging.ExcludeVertices.String()}; got != want {
			t.Errorf("cluster %d: got %q, want %q", i, got, want)
		}
		if want := map[string]bool{"costly_records": true, "wasted_subtasks": true}; !reflect.DeepEqual(judging.Silenced, want) {
			t.Errorf("cluster %d: silenced %v, want %v", i, judging.Silenced, want)
		}
		if judging.CatchUp != time.Hour {
			t.Errorf("cluster %d: thresholds are lost: %+v", i, judging)
		}
	}
	if j := Default().Judging(Cluster{}); !reflect.DeepEqual(j, analysis.Defaults()) {
		t.Errorf("by default: %+v, want the analysis's own defaults", j)
	}
	if n := c.ChangedThresholds(); n != 1 {
		t.Errorf("%d thresholds changed, want 1", n)
	}
}

func TestSecretIsNeverPrinted(t *testing.T) {
	const secret = "hunter2"
	c := Cluster{URL: "http://a", BasicAuth: BasicAuth{Password: secret}}
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("m", "cluster", c, "token", c.BasicAuth.Password)
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	all.WriteString(logged.String() + string(asJSON) + string(asYAML))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&all, verb+" "+verb, c, c.BasicAuth.Password)
	}
	printed := all.String()
	for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret)} {
		if strings.Contains(printed, form) {
			t.Errorf("%q was printed: %s", form, printed)
		}
	}
	if c.BasicAuth.Password.Reveal() != secret {
		t.Error("Reveal does not return the secret")
	}
	if Secret("").String() != "" {
		t.Error("an empty secret looks set")
	}
}

func TestCheckFiles(t *testing.T) {
	file := write(t, "clusters:\n- url: http://a\n- url: http://b\n  bearer_token_file: token\n")
	c, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(filepath.Dir(file), "token")
	want := fmt.Sprintf("%s:4: clusters[1].bearer_token_file: %s cannot be read: no such file or directory", file, token)
	if err := c.CheckFiles(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := os.WriteFile(token, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.CheckFiles(); err != nil {
		t.Error(err)
	}
}

// TestAllMistakesAtOnce: who corrects a file wants to do it once.
func TestAllMistakesAtOnce(t *testing.T) {
	for text, want := range map[string][]string{
		"poll:\n  intervall: 15s\n  timeout: 3\n  concurrency: x\nclusters:\n- url: http://a\n  label: b\n- urll: c\n": {
			"FILE:2: poll.intervall: ", "FILE:3: poll.timeout: ", "FILE:4: poll.concurrency: ",
			"FILE:7: clusters[0].label: ", "FILE:8: clusters[1].urll: ",
		},
		"poll:\n  interval: 1ms\n  concurrency: 0\n  include_jobs: '('\ncollector:\n  top: 0\n  subtasks: x\n" +
			"analysis:\n  silence: [a, b]\nthresholds:\n  window: -1s\nclusters:\n- url: ftp://a\n- name: b\n": {
			"FILE:2: poll.interval: ", "FILE:3: poll.concurrency: ", "FILE:4: poll.include_jobs: ",
			"FILE:7: collector.subtasks: ", "FILE:6: collector.top: ",
			"FILE:9: analysis.silence[0]: ", "FILE:9: analysis.silence[1]: ", "FILE:11: thresholds.window: ",
			"FILE:13: clusters[0].url: ", "FILE:14: clusters[1].url: ",
		},
	} {
		file := write(t, text)
		_, err := Load(file)
		if err == nil {
			t.Fatalf("no error in %s", text)
		}
		lines := strings.Split(strings.ReplaceAll(err.Error(), file, "FILE"), "\n")
		if len(lines) != len(want) {
			t.Fatalf("got %d lines, want %d:\n%v", len(lines), len(want), err)
		}
		for i := range want {
			if !strings.HasPrefix(lines[i], want[i]) {
				t.Errorf("got %s, want %s…", lines[i], want[i])
			}
		}
	}
}
