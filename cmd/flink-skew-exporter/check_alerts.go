package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/alecthomas/kingpin/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/alerts"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/rulecheck"
)

// checkAlerts holds the flags of the command.
type checkAlerts struct {
	files, targetLabels *[]string
}

// addCheckAlerts needs addCheck to have come before it.
func addCheckAlerts(r *registry) {
	c := r.app.GetCommand("check").Command("alerts", withExample(
		"Checks that Prometheus rules (rule files and PrometheusRule resources) and Grafana dashboards name only metrics, labels and values that this exporter has. "+
			"Without files it checks the rules that the exporter comes with, whose recorded series are always known. "+
			"The exit code is 2 when something is wrong. Syntax is for promtool to check.",
		"flink-skew-exporter check alerts /etc/prometheus/rules/*.yml dashboards/*.json"))
	k := &checkAlerts{
		files:        c.Arg("file", "Rule files (YAML) and dashboards (JSON).").Strings(),
		targetLabels: labelFlag(c),
	}
	r.add(c, k.run)
}

func labelFlag(c *kingpin.CmdClause) *[]string {
	return c.Flag("target-label", "Label that your scrape configuration adds besides job and instance, such as namespace. Repeatable.").
		PlaceHolder("NAME").Strings()
}

func (k *checkAlerts) run(_ context.Context, p process) error {
	own, err := ownRules()
	if err != nil {
		return err
	}
	vocabulary := rulecheck.NewVocabulary(*k.targetLabels...)
	for _, f := range own {
		if err := vocabulary.Learn(f); err != nil {
			return fmt.Errorf("built-in %s: %w", f.Name, err)
		}
	}
	files := own
	if len(*k.files) > 0 {
		files = nil
	}
	for _, name := range *k.files {
		data, err := os.ReadFile(name)
		if err != nil {
			return usagef("%s cannot be read: %w", name, causeOf(err))
		}
		files = append(files, rulecheck.File{Name: name, Data: data})
	}
	summaries, problems := vocabulary.Check(files...)
	bad := map[string]bool{}
	for _, problem := range problems {
		bad[problem.File] = true
		fmt.Fprintln(p.stdout, problem)
	}
	for _, s := range summaries {
		if !bad[s.Name] {
			fmt.Fprintf(p.stdout, "%s is valid: %s\n", s.Name, holdings(s))
		}
	}
	if len(problems) > 0 {
		return usagef("%d problems in %d of %d files; see above", len(problems), len(bad), len(files))
	}
	return nil
}

// causeOf leaves out what the message says already.
func causeOf(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// ownRules are the rule files that the program comes with.
func ownRules() ([]rulecheck.File, error) {
	names, err := fs.Glob(alerts.Rules(), "*.rules.yml")
	if err != nil {
		return nil, fmt.Errorf("list the built-in rules: %w", err)
	}
	var files []rulecheck.File
	for _, name := range names {
		data, err := fs.ReadFile(alerts.Rules(), name)
		if err != nil {
			return nil, fmt.Errorf("read the built-in rules: %w", err)
		}
		files = append(files, rulecheck.File{Name: name, Data: data})
	}
	return files, nil
}

// holdings says in words what a file holds.
func holdings(s rulecheck.Summary) string {
	if s.Dashboards > 0 {
		return fmt.Sprintf("a dashboard with %d queries", s.Expressions)
	}
	return fmt.Sprintf("%d alerts, %d recording rules", s.Alerts, s.Records)
}
