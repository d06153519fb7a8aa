package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TestEveryMeasureOfRulesHasWords reads the rules' source: whatever they name
// must be told in words.
func TestEveryMeasureOfRulesHasWords(t *testing.T) {
	files, err := filepath.Glob("../rule*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	words, applicable := measureWords(), applicableWords()
	seen := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(against|measureOf|notApplicable)\("([a-z_]+)"`).FindAllStringSubmatch(string(b), -1) {
			seen++
			_, isMeasure := words[m[2]]
			_, isScope := applicable[m[2]]
			if m[1] == "notApplicable" != isScope || m[1] != "notApplicable" != isMeasure {
				t.Errorf("%s: no words for %s", file, m[0])
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d measures found: the pattern no longer fits the rules", seen)
	}
}

func TestCheckWords(t *testing.T) {
	m := func(name string, value float64, u analysis.Unit, threshold float64) analysis.Measure {
		return analysis.Measure{Name: name, Value: of(value), Unit: u, Threshold: of(threshold)}
	}
	nan := math.NaN()
	tests := []struct {
		fired bool
		why   analysis.Measure
		want  string
	}{
		{false, m("records_per_key_group_ratio", 1.22, analysis.UnitRatio, 2), "records a key group against the others': 1.22 × (at least 2 ×)"},
		{true, m("records_per_key_group_ratio", 8.3, analysis.UnitRatio, 2), "records a key group against the others': 8.3 × (at least 2 ×)"},
		{false, m("busy_others", 0.9, analysis.UnitRatio, 0.85), "busy time of the others, who must have room: 90 % (at most 85 %)"},
		{true, m("busy_others", 0.2, analysis.UnitRatio, 0.85), "busy time of the others, who must have room: 20 % (at most 85 %)"},
		{false, m("load_ratio", 1.2, analysis.UnitRatio, 2), "load of those that own more to the rest's: 1.2 × (must be within a quarter of 2 ×)"},
		{false, m("records_seen", 12, analysis.UnitRecords, 1200), "records seen, too few to tell chance from skew: 12 (at least 1,200)"},
		{false, m("records_others", nan, analysis.UnitRecordsPerSecond, 1), "records of the others, who must move: not known (held against 1/s)"},
		{true, m("subtasks_without_records", 3, analysis.UnitSubtasks, nan), "subtasks without a record: 3"},
		{false, analysis.Measure{Name: "hash_input"}, "does not apply: only for two subtasks or more behind a HASH exchange"},
		{false, analysis.Measure{Name: "busy_max"}, "busy time of the busiest: not known"},
		{false, m("brand_new_measure", 2.5, analysis.UnitRatio, 3), "brand new measure: 2.5 (at least 3)"},
		{false, analysis.Measure{Name: "some_new_scope"}, "some new scope: not known"},
		{false, analysis.Measure{}, "no number is told"},
	}
	for _, tt := range tests {
		if got := explainCheck(&analysis.Check{Rule: "r", Fired: tt.fired, Why: tt.why}); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

// traced is a hot vertex with two rules' answers.
func traced() *analysis.VertexResult {
	v := hotKeyVertex()
	v.Checks = []analysis.Check{
		{Rule: "few_keys", Why: analysis.Measure{Name: "subtasks_without_records", Value: of(0), Unit: analysis.UnitSubtasks, Threshold: of(1)}},
		{Rule: "hot_key", Fired: true, Why: ratio("records_per_key_group_ratio", 8.3, 2)},
		{Rule: "uniform_saturation", Why: ratio("busy_mean", 0.4, 0.9)},
	}
	return v
}

// TestChecksInOutputs: verbose text and Markdown list every rule aligned, JSON
// holds them, and nothing else does.
func TestChecksInOutputs(t *testing.T) {
	want := []string{
		"few_keys            no    subtasks without a record: 0 (at least 1)",
		"hot_key             YES   records a key group against the others': 8.3 × (at least 2 ×)",
		"uniform_saturation  no    busy time, mean: 40 % (at least 90 %)",
		"rules, in the order they are asked; the first that holds decides",
	}
	c := input(cluster(traced()))
	var md, js bytes.Buffer
	if err := Markdown(&md, c, Filter{}, MarkdownOptions{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	says(t, "text", string(text(t, c, Filter{}, TextOptions{Unicode: true, Verbose: true})), want...)
	says(t, "Markdown", md.String(), want...)
	says(t, "plain", string(text(t, c, Filter{}, TextOptions{Unicode: true, All: true})), "-rules, in the order")
	if err := JSON(&js, c, Filter{}); err != nil {
		t.Fatal(err)
	}
	var doc Document
	if err := json.Unmarshal(js.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	got := doc.Clusters[0].Jobs[0].Vertices[0].Checks
	if len(got) != 3 || got[1].Rule != "hot_key" || !got[1].Fired || got[1].Why.Threshold.Or(0) != 2 || !strings.HasPrefix(got[1].Summary, "records a key group") {
		t.Errorf("%+v", got)
	}
}

// TestHeldVerdictIsToldFromTheNewest: steadiness may hold another verdict than
// the one that the newest window gives.
func TestHeldVerdictIsToldFromTheNewest(t *testing.T) {
	verbose := func(v *analysis.VertexResult) string {
		return strings.Join(strings.Fields(string(text(t, input(cluster(v)), Filter{}, TextOptions{Unicode: true, Verbose: true}))), " ")
	}
	says(t, "same", verbose(traced()), "-stands from earlier")
	v := traced()
	v.Checks[0].Fired, v.Checks[1].Fired = true, false
	says(t, "another", verbose(v), "hot_key stands from earlier windows: the newest one says few_keys")
	v.Checks[1].Fired = true
	says(t, "two", verbose(v), "few_keys YES", "hot_key also", "the newest one says few_keys")
	v.Checks[0].Fired, v.Checks[1].Fired = false, false
	says(t, "none", verbose(v), "hot_key stands from earlier windows: no rule holds in the newest one")
}

// TestChecksFitTheTerminal: a long line goes on, and nothing is lost.
func TestChecksFitTheTerminal(t *testing.T) {
	for _, w := range []int{60, 80, 100} {
		out := string(text(t, input(cluster(traced())), Filter{}, TextOptions{Unicode: true, Verbose: true, Width: w}))
		for _, l := range strings.Split(out, "\n") {
			if columns(l) > w && !isCommand(l) {
				t.Errorf("at %d: %q", w, l)
			}
		}
		says(t, "whole", strings.Join(strings.Fields(out), " "), "records a key group against the others': 8.3 × (at least 2 ×)")
	}
}
