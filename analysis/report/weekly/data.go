package weekly

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// JSON writes the report as an indented object with a newline at its end. An
// error is that of w.
func JSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// column is one of the CSV: its name, a contract with scripts, and its value.
type column struct {
	name  string
	value func(*Vertex) string
}

// number writes a number, nothing for an absent one.
func number(n analysis.Num) string {
	v, ok := n.Get()
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func date(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

// columns are all of them; new ones are added at the end.
func columns() []column {
	return []column{
		{"cluster", func(v *Vertex) string { return v.Cluster }},
		{"job_name", func(v *Vertex) string { return v.Job }},
		{"vertex", func(v *Vertex) string { return v.Vertex }},
		{"parallelism", func(v *Vertex) string { return number(v.Parallelism) }},
		{"max_parallelism", func(v *Vertex) string { return number(v.MaxParallelism) }},
		{"required_parallelism", func(v *Vertex) string { return number(v.Required) }},
		{"peak_required_parallelism", func(v *Vertex) string { return number(v.Peak) }},
		{"peak_at_least", func(v *Vertex) string { return strconv.FormatBool(v.PeakAtLeast) }},
		{"ceiling", func(v *Vertex) string { return number(v.Ceiling) }},
		{"binding", func(v *Vertex) string { return string(v.Binding) }},
		{"headroom_ratio", func(v *Vertex) string { return number(v.Headroom) }},
		{"peak_headroom_ratio", func(v *Vertex) string { return number(v.PeakHeadroom) }},
		{"trend", func(v *Vertex) string { return string(v.Trend.Kind) }},
		{"trend_per_week", func(v *Vertex) string { return number(v.Trend.PerWeek) }},
		{"reached", func(v *Vertex) string { return string(v.Reached.Kind) }},
		{"reached_earliest", func(v *Vertex) string { return date(v.Reached.Earliest) }},
		{"reached_latest", func(v *Vertex) string { return date(v.Reached.Latest) }},
		{"seen_hours", func(v *Vertex) string { return number(v.SeenHours) }},
		{"saturated_hours", func(v *Vertex) string { return number(v.SaturatedHours) }},
		{"hours_over_ceiling", func(v *Vertex) string { return number(v.OverHours) }},
		{"verdict", func(v *Vertex) string { return string(v.Verdict) }},
		{"trouble_hours", func(v *Vertex) string { return number(v.troubleHours()) }},
		{"wasted_subtasks", func(v *Vertex) string { return number(v.Wasted) }},
		{"derived_ceiling", func(v *Vertex) string { return strconv.FormatBool(v.Derived) }},
		{"state_bytes", func(v *Vertex) string { return number(v.StateBytes) }},
		{"action", func(v *Vertex) string { return string(v.Advice.Action) }},
		{"action_target", func(v *Vertex) string { return number(v.Advice.Target) }},
	}
}

// troubleHours are those of all verdicts that ask for something; absent without history.
func (v *Vertex) troubleHours() analysis.Num {
	if !v.SeenHours.Known() {
		return analysis.Num{}
	}
	total := 0.0
	for _, id := range troubles() {
		total += v.VerdictHours[id]
	}
	return analysis.Of(total)
}

// CSV writes one record a vertex, worst first, under a header. Absent numbers
// are empty. An error is that of w.
func CSV(w io.Writer, r *Report) error {
	c := csv.NewWriter(w)
	all := columns()
	record := make([]string, len(all))
	for i := range all {
		record[i] = all[i].name
	}
	_ = c.Write(record) // Flush keeps the error.
	for i := range r.Vertices {
		for k := range all {
			record[k] = literal(all[k].value(&r.Vertices[i]))
		}
		_ = c.Write(record)
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// literal keeps a spreadsheet from taking a name for a formula.
func literal(s string) string {
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t") {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
