package collector

import (
	"fmt"
	"io"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// WriteMetricsDoc writes METRICS.md. The same table gives the same bytes.
func WriteMetricsDoc(w io.Writer) error {
	var b strings.Builder
	b.WriteString(docIntro)
	for _, s := range newTable().sections() {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		b.WriteString("| metric | type | labels | series | stability | meaning |\n|---|---|---|---|---|---|\n")
		for _, f := range s.families {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Name, f.Type,
				strings.Join(f.Labels, ", "), f.Cardinality, f.Stability, strings.ReplaceAll(f.Help, "|", "\\|"))
		}
	}
	b.WriteString("\n## Closed sets\n\n")
	set(&b, "verdict", analysis.Verdicts())
	set(&b, "finding", analysis.FindingIDs())
	set(&b, "severity", []analysis.Severity{
		analysis.SeverityNone, analysis.SeverityInfo, analysis.SeverityWarning, analysis.SeverityCritical,
	})
	set(&b, "binding", []analysis.Binding{
		analysis.BindMaxParallelism, analysis.BindSourcePartitions, analysis.BindTaskSlots,
	})
	var signals []analysis.Signal
	new(analysis.Signals).Each(func(s analysis.Signal, _ *analysis.Distribution) { signals = append(signals, s) })
	set(&b, "signal", signals)
	set(&b, "stat", []string{"max", "mean", "median", "min", "sum"})
	set(&b, "mode", ladder())
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the metrics' documentation: %w", err)
	}
	return nil
}

// set writes the values that a label can have.
func set[T any](b *strings.Builder, label string, values []T) {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprintf("`%v`", v)
	}
	fmt.Fprintf(b, "- `%s`: %s\n", label, strings.Join(words, ", "))
}

const docIntro = `# Metrics

<!-- Generated from the table of families by "make generate"; do not edit. -->

Every family that flink-skew-exporter exposes. How to read them:

- A number that is unknown is absent, never 0.
- Stable families keep their names, types and labels within a major version; experimental ones may change.
- ` + "`job_id` and `vertex_id`" + ` carry identity; ` + "`job_name` and `vertex`" + ` are for people, cleaned to valid UTF-8 and cut to 100 characters. The labels ` + "`job` and `instance`" + ` are left to Prometheus.
- Data is of the last good poll. When polls fail, ` + "`flink_skew_up`" + ` is 0 at once and the data goes three poll intervals after the last good one. What has ended is gone with the next poll.
- ` + "`flink_skew_subtask_*`" + ` are bounded by one budget for all clusters: if the wanted mode exceeds it, the next of all, top, notable and off that fits is used, ` + "`flink_skew_exporter_subtask_mode`" + ` says which and ` + "`flink_skew_exporter_series_dropped_total`" + ` counts. The hottest subtasks of a vertex change from poll to poll, and so do these series.
`
