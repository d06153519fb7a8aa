package current

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRules plays every scenario of every file.
func TestRules(t *testing.T) {
	paths, err := filepath.Glob("../tests/*.yml")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d files of tests: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yml"), func(t *testing.T) {
			f, err := readFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Tests) == 0 || f.EvaluationInterval == 0 {
				t.Fatal("it has no tests, or no interval")
			}
			for _, s := range f.Tests {
				if len(s.Alerts)+len(s.Queries) == 0 {
					t.Errorf("%s expects nothing", s.Name)
				}
				if err := play(s, f.RuleFiles, time.Duration(f.EvaluationInterval)); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
			}
		})
	}
}

// TestMistakes: what differs from the expectation is named.
func TestMistakes(t *testing.T) {
	const rules = `groups:
  - name: g
    rules:
      - record: doubled
        expr: x * 2
      - alert: High
        expr: doubled > 4
        for: 2m
        annotations: {text: "{{ $value }}"}
`
	for _, c := range []struct{ name, expect, want string }{
		{"right", `alert_rule_test: [{alertname: High, eval_time: 4m, exp_alerts: []}, {alertname: High, eval_time: 5m, exp_alerts: [{exp_labels: {a: b}, exp_annotations: {text: "10"}}]}]`, ""},
		{"fires unexpectedly", `alert_rule_test: [{alertname: High, eval_time: 5m, exp_alerts: []}]`, "High at 5m"},
		{"does not fire", `alert_rule_test: [{alertname: High, eval_time: 4m, exp_alerts: [{exp_labels: {a: b}}]}]`, "High at 4m"},
		{"other text", `alert_rule_test: [{alertname: High, eval_time: 5m, exp_alerts: [{exp_labels: {a: b}, exp_annotations: {text: "11"}}]}]`, `text="11"`},
		{"right answer", `promql_expr_test: [{expr: doubled, eval_time: 1m, exp_samples: [{labels: 'doubled{a="b"}', value: 2}]}]`, ""},
		{"ALERTS", `promql_expr_test: [{expr: 'ALERTS{alertstate="firing"}', eval_time: 5m, exp_samples: [{labels: 'ALERTS{a="b",alertname="High",alertstate="firing"}', value: 1}]}]`, ""},
		{"other answer", `promql_expr_test: [{expr: doubled, eval_time: 1m, exp_samples: [{labels: 'doubled{a="b"}', value: 3}]}]`, "doubled at 1m"},
		{"no such function", `promql_expr_test: [{expr: nothing(doubled), eval_time: 1m, exp_samples: []}]`, "unknown function"},
		{"unknown key", `expect: []`, "field expect not found"},
	} {
		folder := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		write("a.rules.yml", rules)
		path := write("tests.yml", "rule_files: ['*.rules.yml']\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series: [{series: 'x{a=\"b\"}', values: '0+1x9'}]\n    "+c.expect+"\n")
		f, err := readFile(path)
		if err == nil {
			err = play(f.Tests[0], f.RuleFiles, time.Minute)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
