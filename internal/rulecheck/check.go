package rulecheck

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// File is a rule file or a dashboard.
type File struct {
	// Name is what problems call it.
	Name string
	Data []byte
}

// Problem is one thing that does not exist, or cannot be read.
type Problem struct {
	File string
	// Line is where the rule's text begins, 0 in dashboards.
	Line int
	// Where names the alert, the recorded series or the panel; it may be empty.
	Where, Text string
}

// String returns the problem in one line: file:line: where: problem.
func (p Problem) String() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
	}
	if p.Where != "" {
		s += ": " + p.Where
	}
	return s + ": " + p.Text
}

// Summary counts what a file holds.
type Summary struct {
	Name                        string
	Alerts, Records, Dashboards int
	// Expressions are all that were read, whether they name a series of this
	// exporter or not.
	Expressions int
}

// Check returns what is wrong with the files, and what each holds. Series that
// a recording rule of any of them makes are known to all.
func (v *Vocabulary) Check(files ...File) ([]Summary, []Problem) {
	var problems []Problem
	contents := make([]content, len(files))
	for i, f := range files {
		c, err := parse(f)
		if err != nil {
			problems = append(problems, Problem{File: f.Name, Text: err.Error()})
		}
		contents[i] = c
		for _, r := range c.rules {
			if r.record != "" {
				v.recorded[r.record] = true
			}
		}
	}
	summaries := make([]Summary, len(files))
	for i, f := range files {
		s := &summaries[i]
		s.Name = f.Name
		for _, r := range contents[i].rules {
			if r.record != "" {
				s.Records++
			} else {
				s.Alerts++
			}
			s.Expressions++
			problems = append(problems, v.rule(f.Name, r)...)
		}
		if contents[i].board {
			s.Dashboards = 1
		}
		for _, q := range contents[i].queries {
			s.Expressions++
			for _, text := range v.check(q.expr) {
				problems = append(problems, Problem{File: f.Name, Where: q.where, Text: text})
			}
		}
	}
	return summaries, problems
}

// Expression returns what is wrong with the names of one expression.
func (v *Vocabulary) Expression(expr string) []string { return v.check(expr) }

// Learn makes the series known that a rule file's recording rules make,
// without a judgement of the file.
func (v *Vocabulary) Learn(f File) error {
	c, err := parse(f)
	for _, r := range c.rules {
		if r.record != "" {
			v.recorded[r.record] = true
		}
	}
	return err
}

// content is what a file holds.
type content struct {
	rules   []rule
	board   bool
	queries []query
}

// parse reads a file in whichever of the formats it is.
func parse(f File) (content, error) {
	if trimmed := bytes.TrimSpace(f.Data); len(trimmed) > 0 && trimmed[0] == '{' {
		queries, err := board(trimmed)
		return content{board: err == nil, queries: queries}, err
	}
	var c content
	decoder := yaml.NewDecoder(bytes.NewReader(f.Data))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return c, fmt.Errorf("is not YAML: %w", err)
		}
		rules, err := ruleFile(&document)
		c.rules = append(c.rules, rules...)
		if err != nil {
			return c, err
		}
	}
	if len(c.rules) == 0 {
		return c, errors.New("holds no rules; a Prometheus rule file has groups:, a PrometheusRule spec: groups:, and a dashboard is JSON")
	}
	return c, nil
}
