package current

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// file is one file of tests.
type file struct {
	RuleFiles          []string       `yaml:"rule_files"`
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	Tests              []scenario
}

// scenario is what happens to some series, and what is right to say of it.
type scenario struct {
	Name        string
	Interval    model.Duration
	InputSeries []struct{ Series, Values string } `yaml:"input_series"`
	Alerts      []alertsAt                        `yaml:"alert_rule_test"`
	Queries     []queryAt                         `yaml:"promql_expr_test"`
}

// alertsAt are all the alerts of one name that fire at a time.
type alertsAt struct {
	Alertname string
	EvalTime  model.Duration `yaml:"eval_time"`
	ExpAlerts []struct {
		Labels      map[string]string `yaml:"exp_labels"`
		Annotations map[string]string `yaml:"exp_annotations"`
	} `yaml:"exp_alerts"`
}

// queryAt is the answer to a query at a time.
type queryAt struct {
	Expr       string
	EvalTime   model.Duration `yaml:"eval_time"`
	ExpSamples []struct {
		Labels string
		Value  float64
	} `yaml:"exp_samples"`
}

// readFile reads a file of tests; the paths of its rules become relative to the
// working directory.
func readFile(path string) (file, error) {
	f, err := os.Open(path)
	if err != nil {
		return file{}, err
	}
	defer func() { _ = f.Close() }()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	var tests file
	if err := d.Decode(&tests); err != nil {
		return file{}, fmt.Errorf("%s: %w", path, err)
	}
	var rules []string
	for _, pattern := range tests.RuleFiles {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(path), pattern))
		if err != nil || len(found) == 0 {
			return file{}, fmt.Errorf("%s: no rules are at %s", path, pattern)
		}
		rules = append(rules, found...)
	}
	tests.RuleFiles = rules
	return tests, nil
}

// load is the scenario's series in the language of Prometheus' own tests.
func (s scenario) load() string {
	var b strings.Builder
	fmt.Fprintf(&b, "load %s\n", s.Interval)
	for _, series := range s.InputSeries {
		fmt.Fprintf(&b, "  %s %s\n", series.Series, series.Values)
	}
	return b.String()
}

// last is the latest time that a scenario asks for.
func (s scenario) last() model.Duration {
	var last model.Duration
	for _, a := range s.Alerts {
		last = max(last, a.EvalTime)
	}
	for _, q := range s.Queries {
		last = max(last, q.EvalTime)
	}
	return last
}
