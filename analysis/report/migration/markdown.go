package migration

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

//go:embed plan.md.tmpl
var planText string

// nameWidth bounds names of users in prose and tables.
const nameWidth = 80

// Markdown writes the plan. An error is the writer's.
func (p *Plan) Markdown(w io.Writer) error {
	t, err := template.New("plan").Funcs(template.FuncMap{
		"name":    cell,
		"quote":   quote,
		"whole":   func(n analysis.Num) string { return report.Whole(n) },
		"count":   func(n int) string { return report.Thousands(float64(n)) },
		"bytes":   func(n analysis.Num) string { return report.Show(n, report.Bytes) },
		"size":    func(n int64) string { return report.Bytes(float64(n)) },
		"lasts":   func(n analysis.Num) string { return report.Show(n, lasts) },
		"rate":    func(perSecond float64) string { return report.Number(perSecond/1e6) + " MB/s" },
		"dash":    dash,
		"or":      or,
		"literal": literal,
		"comment": comment,
	}).Parse(planText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// cell is a user's name in a table.
func cell(s string) string { return report.EscapeMarkdown(report.Clean(s, nameWidth)) }

// quote is a user's name in a sentence.
func quote(s string) string { return "*" + cell(s) + "*" }

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// literal is a user's text, whole, as a literal of Java.
func literal(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "�")) }

// comment is a user's text fit for a comment of Java, where \u is an escape too.
func comment(s string) string {
	return strings.ReplaceAll(report.Clean(s, nameWidth), `\`, "/")
}

// lasts writes how long the rewrite takes, in the unit a person plans in.
func lasts(seconds float64) string {
	switch {
	case seconds < 2:
		return "a second or two"
	case seconds < 90:
		return report.Number(seconds) + " seconds"
	case seconds < 90*60:
		return report.Number(seconds/60) + " minutes"
	default:
		return report.Number(seconds/3600) + " hours"
	}
}

func list(ns []int) string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = report.Thousands(float64(n))
	}
	return strings.Join(texts, ", ")
}

// Title names the job.
func (p *Plan) Title() string {
	if p.Input.Job == nil {
		return report.EscapeMarkdown(report.Clean(p.Input.Savepoint.Path, nameWidth))
	}
	return cell(p.Input.Job.Name)
}

// JobID is the job's id, or a placeholder where only a savepoint is known.
func (p *Plan) JobID() string {
	if p.Input.Job == nil {
		return "JOB_ID"
	}
	return p.Input.Job.ID
}

// From says what the plan rests on.
func (p *Plan) From() string {
	var parts []string
	if j := p.Input.Job; j != nil {
		parts = append(parts, fmt.Sprintf("job `%s` on %s (Flink %s)", j.ID, cell(p.Input.Cluster), or(p.Input.FlinkVersion, "of an unknown version")))
	}
	if s := p.Input.Savepoint; s != nil {
		parts = append(parts, fmt.Sprintf("the metadata of %s (format %d)", cell(s.Path), s.Format))
	}
	return strings.Join(parts, " and ")
}

// Start is a parallelism to start at.
func (p *Plan) Start() int { return p.Choice.next() }

// Class is a name of a Java class for one operator.
func (p *Plan) Class(i int) string { return "State" + strconv.Itoa(i+1) }

// Keyed are the operators of the savepoint with keyed state; where no savepoint
// was given, one placeholder a keyed vertex.
func (p *Plan) Keyed() []Operator {
	var out []Operator
	for _, o := range p.Operators {
		if o.KeyedBytes > 0 {
			out = append(out, o)
		}
	}
	if p.Input.Savepoint == nil {
		for _, r := range p.Rows {
			if r.Keyed {
				out = append(out, Operator{Name: r.Name})
			}
		}
	}
	return out
}

// OpenParameter is the parameter of the functions' open: Flink 2 has
// OpenContext (FLIP-344), 1.x Configuration.
func (p *Plan) OpenParameter() string {
	if strings.HasPrefix(p.Input.FlinkVersion, "1.") {
		return "org.apache.flink.configuration.Configuration parameters"
	}
	return "org.apache.flink.api.common.functions.OpenContext context"
}
