package weekly

import (
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Series are values at equal steps, the newest last; absent is not known.
type Series []analysis.Num

// last returns the newest known value and how many steps old it is.
func (s Series) last() (v analysis.Num, age int) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].Known() {
			return s[i], len(s) - 1 - i
		}
	}
	return analysis.Num{}, len(s)
}

// first returns the oldest known value.
func (s Series) first() analysis.Num {
	for _, v := range s {
		if v.Known() {
			return v
		}
	}
	return analysis.Num{}
}

// sum adds the known values; absent when there is none.
func (s Series) sum() analysis.Num {
	total := analysis.Num{}
	for _, n := range s {
		if v, ok := n.Get(); ok {
			total = analysis.Of(total.Or(0) + v)
		}
	}
	return total
}

// max returns the largest known value and its step, the first of equals.
func (s Series) max() (v analysis.Num, at int) {
	at = -1
	for i, n := range s {
		if x, ok := n.Get(); ok && (at < 0 || x > v.Or(0)) {
			v, at = n, i
		}
	}
	return v, at
}

// Basis is where the numbers are from. The set is closed.
type Basis string

// Bases. All but BasisPrometheus know the present alone.
const (
	BasisPrometheus Basis = "prometheus"
	BasisLive       Basis = "live"
	BasisTape       Basis = "tape"
)

// Input is the history that a report is made of.
type Input struct {
	Basis Basis
	// Until is the end of the week, Hours its length. With a basis other than
	// Prometheus there is one hour, which stands for the present.
	Until time.Time
	Hours int
	// Days is the length of the daily series, which end at Until as well.
	Days     int
	Clusters []ClusterInput
}

// ClusterInput is one cluster's history.
type ClusterInput struct {
	Name string
	// Failed says why it could not be read; empty when it could.
	Failed       string
	FlinkVersion string
	Slots        analysis.Num
	SlotsFree    analysis.Num
	// Scraped is the share of each hour in which Prometheus had the exporter's
	// word on the cluster, Up the share in which the exporter reached it, 0–1.
	Scraped, Up Series
	Runs        []Run
	Vertices    []VertexInput
}

// Run is one id under which a job ran.
type Run struct {
	Job, ID string
	// Since is, hourly, when the job last entered RUNNING, in Unix seconds.
	Since Series
}

// VertexInput is one vertex's history, over all ids of its job.
type VertexInput struct {
	Job, Vertex string
	// Alike is how many vertices of this name run now, in jobs of this name:
	// above 1 they share the numbers.
	Alike analysis.Num
	// Keyed is whether an input is hash-partitioned.
	Keyed bool
	// Wasted, StateBytes and the verdict are those of now.
	Wasted, StateBytes analysis.Num
	// BusyPeak is the largest mean busy share of the week, 0–1.
	BusyPeak analysis.Num
	Hourly   HourlyInput
	Daily    DailyInput
}

// HourlyInput are a vertex's hours, Input.Hours of them.
type HourlyInput struct {
	// Seen is the share of the hour in which it was there, Saturated that in
	// which its busiest subtask was saturated.
	Seen, Saturated Series
	// Required is the largest of the hour, the others are the last of it.
	Required, Parallelism, MaxParallelism Series
	// Ceilings are by what binds.
	Ceilings map[analysis.Binding]Series
	// Verdicts are how many readings of the hour gave each verdict.
	Verdicts map[analysis.VerdictID]Series
}

// DailyInput are a vertex's days of 24 hours, Input.Days of them.
type DailyInput struct {
	// Seen is the share of the day in which it was there, Required the largest
	// of the day, the others are the last of it.
	Seen, Required, Parallelism, MaxParallelism, Ceiling Series
	// Verdicts are how many readings of the day gave each verdict.
	Verdicts map[analysis.VerdictID]Series
}

// ceiling returns the newest ceiling and what binds.
func (h HourlyInput) ceiling() (analysis.Num, analysis.Binding) {
	var value analysis.Num
	var binding analysis.Binding
	youngest := -1
	for _, b := range bindings() {
		v, age := h.Ceilings[b].last()
		if v.Known() && (youngest < 0 || age < youngest || age == youngest && v.Or(0) < value.Or(0)) {
			value, binding, youngest = v, b, age
		}
	}
	return value, binding
}

func bindings() []analysis.Binding {
	return []analysis.Binding{analysis.BindMaxParallelism, analysis.BindSourcePartitions, analysis.BindTaskSlots}
}

// shares turns counts by verdict into the share of each in step i, absent
// where nothing was counted.
func shares(counts map[analysis.VerdictID]Series, i int) map[analysis.VerdictID]float64 {
	total := 0.0
	for _, s := range counts {
		if i < len(s) {
			total += s[i].Or(0)
		}
	}
	if total <= 0 {
		return nil
	}
	out := map[analysis.VerdictID]float64{}
	for id, s := range counts {
		if i < len(s) && s[i].Or(0) > 0 {
			out[id] = s[i].Or(0) / total
		}
	}
	return out
}

// troubles are the verdicts that are counted in hours: all that ask for something.
func troubles() []analysis.VerdictID {
	calm := []analysis.VerdictID{analysis.NotEnoughData, analysis.Quiet, analysis.Balanced, analysis.Backpressured}
	return slices.DeleteFunc(analysis.Verdicts(), func(id analysis.VerdictID) bool { return slices.Contains(calm, id) })
}

// hoursOf adds up, by verdict, the hours of steps of the given length.
func hoursOf(counts map[analysis.VerdictID]Series, seen Series, from, to int, length float64) map[analysis.VerdictID]float64 {
	out := map[analysis.VerdictID]float64{}
	for i := max(0, from); i < min(to, len(seen)); i++ {
		s := shares(counts, i)
		for _, id := range troubles() {
			if h := s[id] * min(1, seen[i].Or(0)) * length; h > 0 {
				out[id] += h
			}
		}
	}
	return out
}
