package weekly

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Options say how much is wanted.
type Options struct {
	// Top is how many lines a table has at most; 0 is all.
	Top int
}

const (
	// subjectColumns bounds a subject in a table.
	subjectColumns = 80
	// where is how many vertices a verdict or the waste names.
	where = 3
	// maxChanges bounds the list of changes of a report that is not of all.
	maxChanges = 30
)

// Markdown writes the report for an issue, a chat or a wiki. An error is that of w.
func Markdown(w io.Writer, r *Report, o Options) error {
	m := &lines{w: bufio.NewWriter(w)}
	m.add("# "+r.title(), "", strings.Join(r.scope(), " · "), "")
	m.add("**"+strings.Join(r.headline(), " · ")+"**", "", report.EscapeMarkdown(r.basis()), "")
	m.table(r, o)
	m.list("What changed since the week before", r.changeLines(o))
	m.list("Skew by verdict", r.skewLines())
	m.list("Saturated", r.saturatedLines(o))
	m.list("Subtasks that do nothing for throughput", r.wastedLines(o))
	m.list("Ceilings that look derived", r.derivedLines(o))
	m.list("What could not be seen", r.unseenLines())
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// lines writes lines; bufio keeps the first error for Flush.
type lines struct{ w *bufio.Writer }

func (m *lines) add(all ...string) {
	for _, s := range all {
		_, _ = m.w.WriteString(s + "\n")
	}
}

func (m *lines) list(heading string, items []string) {
	if len(items) == 0 {
		return
	}
	m.add("## "+heading, "")
	for _, i := range items {
		m.add("- " + report.EscapeMarkdown(i))
	}
	m.add("")
}

func (m *lines) table(r *Report, o Options) {
	shown, more, calm := r.lines(o.Top)
	many := len(r.Clusters) > 1
	if len(shown) > 0 {
		m.add(row(many, "cluster", "job / vertex", "now", "peak needed", "ceiling (binds)", "headroom at peak", "trend", "reached", "do"),
			row(many, "---", "---", "---:", "---:", "---", "---:", "---", "---", "---"))
	}
	for _, v := range shown {
		cells := []string{
			v.Cluster, v.subject(), report.Show(v.Parallelism, report.Thousands), v.peak(), v.ceiling(), times(v.PeakHeadroom),
			v.Trend.words(), v.Reached.words(), v.do(),
		}
		for i := range cells {
			cells[i] = report.EscapeMarkdown(cells[i])
		}
		m.add(row(many, cells...))
	}
	if len(shown) > 0 {
		m.add("")
	}
	if rest := left(more, calm); rest != "" {
		m.add(rest, "")
	}
}

// left says which lines the table lacks.
func left(more, calm int) string {
	var parts []string
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%s more that matter less: see --top, or the JSON", vertices(more)))
	}
	if calm > 0 {
		parts = append(parts, vertices(calm)+" with nothing to say")
	}
	return strings.Join(parts, " · ")
}

func row(cluster bool, cells ...string) string {
	if !cluster {
		cells = cells[1:]
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func (v *Vertex) subject() string {
	s := subject(v.Job, v.Vertex, subjectColumns)
	if v.Alike > 1 {
		s += fmt.Sprintf(" (%d of this name)", v.Alike)
	}
	return s
}

func (v *Vertex) do() string {
	if v.Advice.Text == "" {
		return "–"
	}
	return v.Advice.Text
}

// in names the cluster where there are several.
func (r *Report) in(cluster string) string {
	if len(r.Clusters) < 2 {
		return ""
	}
	return " (" + cluster + ")"
}

func (r *Report) changeLines(o Options) []string {
	var out []string
	for i := range r.Changes {
		c := &r.Changes[i]
		if o.Top > 0 && i >= maxChanges {
			return append(out, fmt.Sprintf("and %d more: see the JSON", len(r.Changes)-i))
		}
		out = append(out, fmt.Sprintf("%s%s: %s", subject(c.Job, c.Vertex, subjectColumns), r.in(c.Cluster), c.words()))
	}
	return out
}

func (r *Report) skewLines() []string {
	var out []string
	for _, x := range r.skewHours() {
		var places []string
		for i, v := range x.vertices {
			if i == where {
				places = append(places, fmt.Sprintf("%d more", len(x.vertices)-where))
				break
			}
			places = append(places, fmt.Sprintf("%s%s %s", v.subject(), r.in(v.Cluster), hours(v.VerdictHours[x.id])))
		}
		out = append(out, fmt.Sprintf("%s %s: %s", x.id, hours(x.hours), strings.Join(places, ", ")))
	}
	return out
}

func (r *Report) saturatedLines(o Options) []string {
	return r.pick(o, func(v *Vertex) string {
		h := v.SaturatedHours.Or(0)
		if h < 1 {
			return ""
		}
		s := fmt.Sprintf("busiest subtask saturated for %s of %s seen", hours(h), hours(v.SeenHours.Or(0)))
		if over := v.OverHours.Or(0); over > 0 {
			s += fmt.Sprintf("; needed more than the ceiling in %s", hours(over))
		}
		return s
	})
}

func (r *Report) wastedLines(o Options) []string {
	return r.pick(o, func(v *Vertex) string {
		n := v.Wasted.Or(0)
		if n < 1 {
			return ""
		}
		return fmt.Sprintf("%s of %s", report.Thousands(n), report.Show(v.Parallelism, report.Thousands))
	})
}

func (r *Report) derivedLines(o Options) []string {
	return r.pick(o, func(v *Vertex) string {
		if !v.tight() {
			return ""
		}
		return fmt.Sprintf("max parallelism %s, %s what is needed at most", report.Show(v.MaxParallelism, report.Thousands),
			times(ratio(v.MaxParallelism, Series{v.Peak, v.Parallelism}.largest())))
	})
}

func (s Series) largest() analysis.Num {
	m, _ := s.max()
	return m
}

// pick lists the vertices of which there is something to say.
func (r *Report) pick(o Options, say func(*Vertex) string) []string {
	var out []string
	left := 0
	for i := range r.Vertices {
		v := &r.Vertices[i]
		s := say(v)
		switch {
		case s == "":
		case o.Top > 0 && len(out) >= o.Top:
			left++
		default:
			out = append(out, fmt.Sprintf("%s%s: %s", v.subject(), r.in(v.Cluster), s))
		}
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("and %d more: see the JSON", left))
	}
	return out
}

// unseenLines tell what is missing and why.
func (r *Report) unseenLines() []string {
	var out []string
	for i := range r.Clusters {
		c := &r.Clusters[i]
		switch {
		case c.Failed != "":
			out = append(out, c.Cluster+": "+c.Failed)
		case c.SeenHours.Known():
			parts := []string{fmt.Sprintf("%s: %s of %d h seen", c.Cluster, report.Show(c.SeenHours, report.Thousands), r.Hours)}
			for k := range c.Gaps {
				parts = append(parts, c.Gaps[k].words())
			}
			out = append(out, strings.Join(parts, "; "))
		}
	}
	short, unknown, unneeded := 0, 0, 0
	for i := range r.Vertices {
		v := &r.Vertices[i]
		if r.Basis == BasisPrometheus && v.Trend.Kind == TrendShort {
			short++
		}
		if !v.Ceiling.Known() {
			unknown++
		}
		if !v.Peak.Known() {
			unneeded++
		}
	}
	if short > 0 {
		out = append(out, fmt.Sprintf("%s without a trend: it takes %d days with data over %d days", vertices(short), minDays, minSpan+1))
	}
	if unneeded > 0 {
		out = append(out, fmt.Sprintf("%s whose need is not known: no busy time or no records were measured", vertices(unneeded)))
	}
	if unknown > 0 {
		out = append(out, fmt.Sprintf("%s without a known ceiling", vertices(unknown)))
	}
	return out
}
