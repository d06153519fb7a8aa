package dashboards

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
)

// vocabulary is what queries may ask for: metric names and their labels.
func vocabulary() map[string][]string {
	known := map[string][]string{}
	for _, f := range collector.Families() {
		// Prometheus adds these two to every series it scrapes.
		ls := append([]string{"job", "instance"}, f.Labels...)
		if f.Type == collector.Histogram {
			known[f.Name+"_bucket"] = append([]string{"le"}, ls...)
			known[f.Name+"_sum"], known[f.Name+"_count"] = ls, ls
			continue
		}
		known[f.Name] = ls
	}
	return known
}

// values are the closed sets of label values.
func values() map[string][]string {
	closed := map[string][]string{
		"stat": {"max", "mean", "median", "min", "sum"}, "state": {"RUNNING"},
		"severity": {"none", "info", "warning", "critical"},
	}
	for _, v := range analysis.Verdicts() {
		closed["verdict"] = append(closed["verdict"], string(v))
	}
	for _, f := range analysis.FindingIDs() {
		closed["finding"] = append(closed["finding"], string(f))
	}
	new(analysis.Signals).Each(func(s analysis.Signal, _ *analysis.Distribution) {
		closed["signal"] = append(closed["signal"], string(s))
	})
	return closed
}

// check reports whatever in an expression is not in the vocabulary.
func check(expr string) []string {
	node, err := parser.ParseExpr(expr)
	if err != nil {
		return []string{err.Error()}
	}
	known, closed := vocabulary(), values()
	var wrong []string
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	allowed := map[string]bool{}
	parser.Inspect(node, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			ls, found := known[n.Name]
			if !found {
				complain("metric %s does not exist", n.Name)
				return nil
			}
			for _, l := range ls {
				allowed[l] = true
			}
			for _, m := range n.LabelMatchers {
				if m.Name == model.MetricNameLabel {
					continue
				}
				if !slices.Contains(ls, m.Name) {
					complain("%s has no label %s", n.Name, m.Name)
				}
				if set := closed[m.Name]; set != nil && (m.Type == labels.MatchEqual || m.Type == labels.MatchNotEqual) && !slices.Contains(set, m.Value) {
					complain("%s is never %q", m.Name, m.Value)
				}
			}
		case *parser.Call:
			if n.Func.Name == "label_replace" {
				allowed[n.Args[1].(*parser.StringLiteral).Val] = true
			}
		case *parser.AggregateExpr:
			if n.Op == parser.COUNT_VALUES {
				allowed[n.Param.(*parser.StringLiteral).Val] = true
			}
		}
		return nil
	})
	parser.Inspect(node, func(n parser.Node, _ []parser.Node) error {
		var used []string
		switch n := n.(type) {
		case *parser.AggregateExpr:
			used = n.Grouping
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				used = append(append(used, n.VectorMatching.MatchingLabels...), n.VectorMatching.Include...)
			}
		}
		for _, l := range used {
			if !allowed[l] {
				complain("nothing in the query has the label %s", l)
			}
		}
		return nil
	})
	return wrong
}

// chosen are values for all variables, awkward ones included.
func chosen() map[string]string {
	return map[string]string{"cluster": "c", "job": "j", "job_id": ".*", "vertex": `Source: a \\\"b\\\" -> c`, "vertex_id": ".*", "datasource": "d"}
}

func substituted(t *testing.T, expr string) string {
	t.Helper()
	at := time.Unix(1_700_000_000, 0)
	s := grafana.Span{Start: at.Add(-time.Hour), End: at, Step: 15 * time.Second}
	out, err := grafana.Substitute(expr, chosen(), s, 15*time.Second)
	if err != nil {
		t.Errorf("%s: %v", expr, err)
	}
	return out
}

func TestQueriesKnowTheirMetrics(t *testing.T) {
	queries := 0
	for _, b := range read(t) {
		try := func(where, expr string) {
			queries++
			for _, w := range check(substituted(t, expr)) {
				t.Errorf("%s / %s: %s\n  %s", b.UID, where, w, expr)
			}
		}
		for _, p := range b.Panels {
			for _, q := range p.Targets {
				try(p.Title+" "+q.Ref, q.Expr)
			}
		}
		for _, a := range b.Annotations.List {
			try("annotation "+a.Name, a.Expr)
		}
		re := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)
		for _, v := range b.Templating.List {
			if v.Type != "query" {
				continue
			}
			m := re.FindStringSubmatch(v.Query)
			if m == nil {
				t.Errorf("%s variable %s asks %s", b.UID, v.Name, v.Query)
				continue
			}
			try("variable "+v.Name, "count by ("+m[2]+") ("+m[1]+")")
		}
	}
	if queries < 150 {
		t.Errorf("only %d queries were looked at", queries)
	}
}

// TestCheckFindsMistakes: the check itself must be able to fail.
func TestCheckFindsMistakes(t *testing.T) {
	for _, expr := range []string{
		"flink_skew_no_such_thing", `flink_skew_up{job_id="x"}`, "max by (vertex) (flink_skew_up)", "sum(", "process_cpu_seconds_total",
		`flink_skew_vertex_verdict{verdict="hot"}`, `flink_skew_up + on (vertex) flink_skew_up`,
		`flink_skew_vertex_skew_ratio{signal="records"}`, "flink_skew_vertex_subtasks_busy_ratio",
	} {
		if check(expr) == nil {
			t.Errorf("nothing is said of %s", expr)
		}
	}
	if w := check(`max by (le) (flink_skew_vertex_subtasks_busy_ratio_bucket{vertex="v"})`); w != nil {
		t.Errorf("a good query is called wrong: %v", w)
	}
}

// TestVariablesAreUsed: what the reader can choose must matter, and what a
// legend or a link names must be there.
func TestVariablesAreUsed(t *testing.T) {
	for _, b := range read(t) {
		raw := string(committed(t)[b.UID+".json"])
		for _, v := range b.Templating.List {
			if strings.Count(raw, "$"+v.Name) == 0 && strings.Count(raw, "${"+v.Name) == 0 {
				t.Errorf("%s: variable %s is not used", b.UID, v.Name)
			}
		}
		for _, p := range b.Panels {
			for _, q := range p.Targets {
				for _, m := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(q.Legend, -1) {
					if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(q.Expr) {
						t.Errorf("%s / %s: the legend names %s, the query does not", b.UID, p.Title, m[1])
					}
				}
			}
		}
	}
}

// TestLinksLead: to dashboards that exist, with variables that they have, and
// to documents of the repository that exist.
func TestLinksLead(t *testing.T) {
	variables := map[string][]string{}
	for _, b := range read(t) {
		for _, v := range b.Templating.List {
			variables[b.UID] = append(variables[b.UID], v.Name)
		}
	}
	inner, documents := 0, 0
	for _, b := range read(t) {
		for _, url := range regexp.MustCompile(`"url": "([^"]*)"`).FindAllStringSubmatch(string(committed(t)[b.UID+".json"]), -1) {
			if path, ok := strings.CutPrefix(url[1], repository); ok {
				documents++
				checkDocument(t, b.UID, path)
				continue
			}
			m := regexp.MustCompile(`^/d/([a-z-]+)(?:\?(.*))?$`).FindStringSubmatch(url[1])
			if m == nil || variables[m[1]] == nil {
				t.Errorf("%s links to %s, which is not there", b.UID, url[1])
				continue
			}
			inner++
			for _, v := range regexp.MustCompile(`var-(\w+)=`).FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(variables[m[1]], v[1]) {
					t.Errorf("%s links to %s with the variable %s, which it does not have", b.UID, m[1], v[1])
				}
			}
		}
	}
	if inner < 30 || documents < 20 {
		t.Errorf("only %d links to dashboards and %d to documents were looked at", inner, documents)
	}
}

// checkDocument: a path that ends with a field of the row stands for one page
// for each word of the closed set.
func checkDocument(t *testing.T, uid, path string) {
	t.Helper()
	paths := []string{path}
	for _, set := range []string{"verdict", "finding"} {
		if field := "${__data.fields." + set + "}"; strings.Contains(path, field) {
			paths = nil
			for _, word := range values()[set] {
				paths = append(paths, strings.ReplaceAll(path, field, word))
			}
		}
	}
	for _, p := range paths {
		if _, err := os.Stat("../" + p); err != nil {
			t.Errorf("%s links to %s: %v", uid, path, err)
		}
	}
}
