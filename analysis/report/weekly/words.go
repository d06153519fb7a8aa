package weekly

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// title is the report's name with its week, by ISO 8601, at its end.
func (r *Report) title() string {
	if r.Basis != BasisPrometheus {
		return "Ceiling headroom, the present"
	}
	// A report made on Monday morning is one of the week that has just ended.
	year, week := r.Until.Add(-12 * time.Hour).ISOWeek()
	return fmt.Sprintf("Ceiling headroom, week %d of %d", week, year)
}

// scope says what was looked at.
func (r *Report) scope() []string {
	t := r.Totals
	parts := []string{report.Count(t.Clusters, "cluster"), report.Count(t.Jobs, "job"), vertices(t.Vertices)}
	if seen, ok := t.SeenHours.Get(); ok {
		parts = append(parts, fmt.Sprintf("coverage %s of %d h", report.Thousands(seen), r.Hours))
	}
	return parts
}

func vertices(n int) string {
	if n == 1 {
		return "1 vertex"
	}
	return report.Thousands(float64(n)) + " vertices"
}

// basis says what the numbers rest on.
func (r *Report) basis() string {
	switch r.Basis {
	case BasisPrometheus:
		return fmt.Sprintf("From Prometheus, %s to %s UTC; trends from the daily peaks of %s.", stamp(*r.From), stamp(r.Until), report.Count(r.Days, "day"))
	case BasisTape:
		return "The end of a tape alone. " + noHistory
	default:
		return fmt.Sprintf("The present alone, %s UTC. %s", stamp(r.Until), noHistory)
	}
}

// noHistory says what a report of the present lacks, and how to get it.
const noHistory = "No history: no trend, no date, no hours, and a peak is what the present load needs. " +
	"With history: flink-skew-exporter report --prometheus.url=…"

func stamp(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04") }

// headline is the sentence that a reader in a hurry reads.
func (r *Report) headline() []string {
	t := r.Totals
	var parts []string
	if t.WillReach > 0 {
		parts = append(parts, fmt.Sprintf("%s will meet %s ceiling%s", report.Count(t.WillReach, "job"), its(t.WillReach), r.within()))
	}
	if t.AtPeak > 0 {
		verb := "run into it at peak already"
		if t.AtPeak == 1 {
			verb = "runs into it at peak already"
		}
		if t.WillReach == 0 {
			verb = strings.Replace(verb, "it", its(t.AtPeak)+" ceiling", 1)
		}
		parts = append(parts, fmt.Sprintf("%s %s", report.Count(t.AtPeak, "job"), verb))
	}
	if len(parts) == 0 && t.Vertices > 0 {
		parts = append(parts, "no job is known to be near its ceiling")
	}
	if n := t.DerivedCeilings; n > 0 {
		verb := "carry"
		if n == 1 {
			verb = "carries"
		}
		parts = append(parts, fmt.Sprintf("%s %s a ceiling that nobody seems to have chosen", report.Count(n, "job"), verb))
	}
	if w := t.WastedSubtasks.Or(0); w > 0 {
		verb := "do"
		if w == 1 {
			verb = "does"
		}
		parts = append(parts, fmt.Sprintf("%s %s nothing for throughput", report.Count(int(w), "subtask"), verb))
	}
	if len(parts) == 0 {
		parts = append(parts, "no job runs")
	}
	return parts
}

func its(n int) string {
	if n == 1 {
		return "its"
	}
	return "their"
}

// within is the range of weeks in which ceilings will be met.
func (r *Report) within() string {
	first, last, open := math.Inf(1), 0.0, false
	weeks := func(t time.Time) float64 { return t.Sub(r.Until).Hours() / (7 * 24) }
	for i := range r.Vertices {
		reach := &r.Vertices[i].Reached
		if reach.Kind != ReachDates {
			continue
		}
		first = math.Min(first, weeks(*reach.Earliest))
		if reach.Latest == nil {
			open = true
		} else {
			last = math.Max(last, weeks(*reach.Latest))
		}
	}
	from, to := math.Max(0, math.Floor(first)), math.Max(1, math.Ceil(last))
	switch {
	case open:
		return fmt.Sprintf(" in %.0f weeks or later", from)
	case to <= 1:
		return " within a week"
	}
	return fmt.Sprintf(" in %.0f–%.0f weeks", from, to)
}

// peak writes the parallelism needed at peak.
func (v *Vertex) peak() string {
	s := report.Show(v.Peak, report.Thousands)
	if v.PeakAtLeast {
		return "≥ " + s
	}
	return s
}

// ceiling writes the ceiling and what binds.
func (v *Vertex) ceiling() string {
	if !v.Ceiling.Known() {
		return "not known"
	}
	return fmt.Sprintf("%s (%s)", report.Show(v.Ceiling, report.Thousands), strings.ReplaceAll(string(v.Binding), "_", " "))
}

func times(n analysis.Num) string {
	return report.Show(n, func(v float64) string { return report.Number(v) + " ×" })
}

// words writes the trend.
func (t *Trend) words() string {
	week := func(n analysis.Num) string {
		v := n.Or(0)
		if math.Abs(v) < 0.05 {
			return "±0"
		}
		return strings.Replace(fmt.Sprintf("%+.1f", v), "-", "−", 1)
	}
	switch t.Kind {
	case TrendFlat:
		return "flat"
	case TrendRising, TrendFalling:
		return week(t.PerWeek) + " a week"
	case TrendStep:
		return fmt.Sprintf("a step, %s to %s", report.Show(t.Before, report.Number), report.Show(t.After, report.Number))
	case TrendUnclear:
		return "unclear"
	}
	if t.Days == 0 {
		return "–"
	}
	return "not enough data"
}

// words writes the dates.
func (r *Reach) words() string {
	switch r.Kind {
	case ReachNow:
		return "now"
	case ReachFar:
		return "not soon"
	case ReachNone:
		return "not by trend"
	case ReachDates:
		if r.Latest == nil {
			return "from " + day(*r.Earliest)
		}
		if r.Latest.Equal(*r.Earliest) {
			return day(*r.Earliest)
		}
		return day(*r.Earliest) + " – " + day(*r.Latest)
	}
	return "–"
}

func day(t time.Time) string { return t.UTC().Format("2 Jan") }

// subject names a line.
func subject(job, vertex string, n int) string {
	if vertex == "" {
		return report.Clean(job, n)
	}
	return report.Clean(job, n/2) + " / " + report.Clean(vertex, n/2)
}

// words writes a change after its subject.
func (c *Change) words() string {
	from, to := report.Show(c.From, report.Thousands), report.Show(c.To, report.Thousands)
	switch c.Kind {
	case JobNew:
		return "is new"
	case JobGone:
		return "no longer runs"
	case JobRedeployed:
		return "was redeployed with a new id, " + often(c.To)
	case JobRestarted:
		return "restarted or rescaled " + often(c.To)
	case Rescaled:
		return fmt.Sprintf("parallelism %s → %s", from, to)
	case MaxChanged:
		return fmt.Sprintf("max parallelism %s → %s", from, to)
	case CeilingChanged:
		return fmt.Sprintf("ceiling %s → %s", from, to)
	case PeakChanged:
		return fmt.Sprintf("needed at peak %s → %s", from, to)
	case VerdictHoursMoved:
		return fmt.Sprintf("%s %s → %s h", c.Subject, from, to)
	}
	return string(c.Kind)
}

func often(n analysis.Num) string {
	if n.Or(0) == 1 {
		return "once"
	}
	return report.Show(n, report.Thousands) + " times"
}

// words writes a gap.
func (g *Gap) words() string {
	why := "Prometheus has nothing of it: the exporter or Prometheus was down, or did not scrape"
	if g.Kind == GapUnreachable {
		why = "the exporter did not reach the cluster"
	}
	return fmt.Sprintf("%s to %s (%s): %s", g.From.Format("Mon 2 Jan 15:04"), g.To.Format("Mon 2 Jan 15:04"),
		report.Seconds(g.To.Sub(g.From).Seconds()), why)
}

// skewHours adds up the hours of each verdict over all lines, most first.
func (r *Report) skewHours() []verdictHours {
	by := map[analysis.VerdictID]*verdictHours{}
	for i := range r.Vertices {
		v := &r.Vertices[i]
		for id, h := range v.VerdictHours {
			if by[id] == nil {
				by[id] = &verdictHours{id: id}
			}
			by[id].hours += h
			by[id].vertices = append(by[id].vertices, v)
		}
	}
	var out []verdictHours
	for _, id := range troubles() {
		if x := by[id]; x != nil && x.hours >= 0.05 {
			slices.SortStableFunc(x.vertices, func(a, b *Vertex) int {
				return cmp.Compare(b.VerdictHours[id], a.VerdictHours[id])
			})
			out = append(out, *x)
		}
	}
	slices.SortStableFunc(out, func(a, b verdictHours) int { return cmp.Compare(b.hours, a.hours) })
	return out
}

// verdictHours are the vertex hours of one verdict, and where, most first.
type verdictHours struct {
	id       analysis.VerdictID
	hours    float64
	vertices []*Vertex
}

// hours writes a number of hours.
func hours(v float64) string {
	if v > 0 && v < 0.95 {
		return "<1 h"
	}
	return report.Thousands(v) + " h"
}

// notable reports whether a line must be shown one by one.
func (v *Vertex) notable() bool {
	return v.Advice.Action != ActNone || v.Reached.Kind == ReachNow || v.Reached.Kind == ReachDates ||
		v.SaturatedHours.Or(0) >= 1 || len(v.VerdictHours) > 0 || v.Trend.Kind == TrendRising || v.Trend.Kind == TrendStep
}

// lines are the lines to show: at most top of the notable ones, and how many
// of each kind are left out.
func (r *Report) lines(top int) (shown []*Vertex, notable, calm int) {
	for i := range r.Vertices {
		v := &r.Vertices[i]
		switch {
		case !v.notable():
			calm++
		case top > 0 && len(shown) >= top:
			notable++
		default:
			shown = append(shown, v)
		}
	}
	return shown, notable, calm
}
