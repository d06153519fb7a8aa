package rulecheck

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// rule is a recording or alerting rule.
type rule struct {
	record, alert, expr string
	line                int
	// templates are its annotations and labels, by name.
	templates map[string]string
}

// ruleFile reads one YAML document: a rule file, or a PrometheusRule, which
// holds one under spec.
func ruleFile(document *yaml.Node) ([]rule, error) {
	var top struct {
		Groups []group
		Spec   struct{ Groups []group }
	}
	if err := document.Decode(&top); err != nil {
		return nil, fmt.Errorf("is not a rule file: %w", err)
	}
	var all []rule
	for _, g := range append(top.Groups, top.Spec.Groups...) {
		for i := range g.Rules {
			r, err := readRule(&g.Rules[i])
			if err != nil {
				return all, fmt.Errorf("line %d: group %s: %w", g.Rules[i].Line, g.Name, err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// group is a group of rules, as far as it matters here.
type group struct {
	Name  string
	Rules []yaml.Node
}

func readRule(node *yaml.Node) (rule, error) {
	var fields struct {
		Record, Alert       string
		Expr                yaml.Node
		Labels, Annotations map[string]string
	}
	if err := node.Decode(&fields); err != nil {
		return rule{}, fmt.Errorf("is not a rule: %w", err)
	}
	switch {
	case (fields.Record == "") == (fields.Alert == ""):
		return rule{}, errors.New("a rule needs either record or alert")
	case fields.Expr.Value == "":
		return rule{}, fmt.Errorf("%s%s has no expr", fields.Record, fields.Alert)
	}
	r := rule{
		record: fields.Record, alert: fields.Alert, expr: fields.Expr.Value, line: fields.Expr.Line,
		templates: maps.Clone(fields.Labels),
	}
	if r.templates == nil {
		r.templates = map[string]string{}
	}
	maps.Copy(r.templates, fields.Annotations)
	return r, nil
}

// rule returns what is wrong with a rule's expression and its templates.
func (v *Vocabulary) rule(file string, r rule) []Problem {
	var problems []Problem
	where := r.record + r.alert
	for _, text := range v.check(r.expr) {
		problems = append(problems, Problem{file, r.line, where, text})
	}
	for _, name := range slices.Sorted(maps.Keys(r.templates)) {
		for _, text := range v.template(r.templates[name], strings.Contains(r.expr, collector.Prefix)) {
			problems = append(problems, Problem{file, r.line, where + ": " + name, text})
		}
	}
	return problems
}

// template returns what is wrong with the labels and queries of an
// annotation. Labels are looked at only if the alert is about this exporter.
func (v *Vocabulary) template(text string, ours bool) []string {
	var problems []string
	for _, action := range regexp.MustCompile(`(?s)\{\{.*?\}\}`).FindAllString(text, -1) {
		for _, m := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(action, -1) {
			if ours && !v.known(m[1], v.labels) {
				problems = append(problems, noSuchLabel(m[1]))
			}
		}
		words, err := tokens(action)
		if err != nil {
			problems = append(problems, err.Error())
		}
		for _, w := range words {
			if w.kind == literal && strings.Contains(w.text, collector.Prefix) {
				problems = append(problems, v.check(queryOf(w.text))...)
			}
		}
	}
	return problems
}

// queryOf makes a query of a string in a template: the text that printf would
// fill in is quoted already or becomes so, and quotes are no longer escaped.
func queryOf(s string) string {
	return strings.NewReplacer(`\"`, `"`, "%q", `"$value"`, "%s", "$value", "%d", "0", "%v", "$value").Replace(s)
}
