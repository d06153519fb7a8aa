package weekly

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

const (
	// nowHours is up to how many hours old a value may be to be that of now.
	nowHours = 2
	// dayCoverage is the share of a day that must have been seen for its peak to count.
	dayCoverage = 0.7
	// allBusy is the mean busy share from which on a vertex has no subtask with
	// room, so that what it needs is at least what was measured.
	allBusy = 0.95
	// roomyCeiling is how many times what is needed a ceiling should be, as the
	// finding derived_ceiling has it.
	roomyCeiling = 4
	// nameColumns bounds names that are kept in the model.
	nameColumns = 100
)

// New makes the report.
func New(in Input) Report {
	r := Report{
		Basis: in.Basis, Until: in.Until.UTC(), Hours: in.Hours, Days: in.Days,
		Clusters: []Cluster{}, Vertices: []Vertex{}, Changes: []Change{},
	}
	if in.history() {
		from := r.Until.Add(-time.Duration(in.Hours) * time.Hour)
		r.From = &from
	}
	for i := range in.Clusters {
		c := &in.Clusters[i]
		var here []Vertex
		for k := range c.Vertices {
			if v := &c.Vertices[k]; v.runs(in) {
				here = append(here, in.vertex(c, v))
			}
		}
		r.Clusters = append(r.Clusters, in.cluster(c, here))
		r.Vertices = append(r.Vertices, here...)
		r.Changes = append(r.Changes, in.changes(c)...)
	}
	slices.SortFunc(r.Clusters, func(a, b Cluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
	slices.SortFunc(r.Vertices, worse)
	slices.SortStableFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Vertex, b.Vertex))
	})
	r.Totals = r.totals()
	return r
}

// history reports whether more than the present is known.
func (in Input) history() bool { return in.Basis == BasisPrometheus }

// runs reports whether the vertex is there now.
func (v *VertexInput) runs(in Input) bool {
	p, age := v.Hourly.Parallelism.last()
	return p.Known() && (age < nowHours || !in.history())
}

func (in Input) vertex(c *ClusterInput, v *VertexInput) Vertex {
	h := &v.Hourly
	p, _ := h.Parallelism.last()
	m, _ := h.MaxParallelism.last()
	ceiling, binding := h.ceiling()
	out := Vertex{
		Cluster: report.Clean(c.Name, nameColumns), Job: report.Clean(v.Job, nameColumns), Vertex: report.Clean(v.Vertex, nameColumns),
		Alike: int(max(1, v.Alike.Or(1))), Parallelism: p, MaxParallelism: m, Ceiling: ceiling, Binding: binding,
		Headroom: ratio(ceiling, p), Wasted: v.Wasted, StateBytes: v.StateBytes, Verdict: verdictNow(h),
		Trend: Trend{Kind: TrendShort}, Reached: Reach{Kind: ReachUnknown}, VerdictHours: map[analysis.VerdictID]float64{},
	}
	if required, age := h.Required.last(); age < nowHours {
		out.Required = required
	}
	peak, at := h.Required.max()
	out.Peak, out.PeakHeadroom = peak, ratio(ceiling, peak)
	out.PeakAtLeast = peak.Known() && v.BusyPeak.Or(0) >= allBusy
	out.Derived = v.Keyed && derived(p, m)
	if in.history() {
		in.remember(&out, v, at)
	} else if out.PeakHeadroom.Or(math.Inf(1)) <= 1 {
		out.Reached.Kind = ReachNow
	}
	out.Advice = advise(&out)
	return out
}

// remember fills in what only history tells.
func (in Input) remember(out *Vertex, v *VertexInput, peakHour int) {
	h := &v.Hourly
	if peakHour >= 0 {
		at := in.hour(peakHour)
		out.PeakAt = &at
	}
	out.SeenHours, out.SaturatedHours = capped(h.Seen).sum(), capped(h.Saturated).sum()
	out.VerdictHours = hoursOf(h.Verdicts, h.Seen, 0, in.Hours, 1)
	out.Daily = Daily{Required: v.peaks(), Parallelism: v.Daily.Parallelism, Ceiling: v.Daily.Ceiling}
	out.Trend = trendOf(out.Daily.Required)
	ceiling, known := out.Ceiling.Get()
	peak, needed := out.Peak.Get()
	if !known || !needed {
		return
	}
	over := 0.0
	for _, n := range h.Required {
		if need, ok := n.Get(); ok && need > ceiling {
			over++
		}
	}
	out.OverHours = analysis.Of(over)
	out.Reached = reachOf(out.Trend, ceiling, peak, in.Days, in.Until)
}

// hour is the beginning of hour i of the week.
func (in Input) hour(i int) time.Time {
	return in.Until.UTC().Add(-time.Duration(in.Hours-i) * time.Hour)
}

// peaks are the daily peaks of days that were seen well enough: the peak of
// the rest of a day says little.
func (v *VertexInput) peaks() Series {
	out := make(Series, len(v.Daily.Required))
	for i, n := range v.Daily.Required {
		if i < len(v.Daily.Seen) && v.Daily.Seen[i].Or(0) >= dayCoverage {
			out[i] = n
		}
	}
	return out
}

// capped holds shares to 1.
func capped(s Series) Series {
	out := make(Series, len(s))
	for i, n := range s {
		out[i] = n.Map(func(v float64) float64 { return min(1, v) })
	}
	return out
}

// verdictNow is the most frequent verdict of the newest hour with any, the
// first of equals in the order of documentation.
func verdictNow(h *HourlyInput) analysis.VerdictID {
	for i := len(h.Parallelism) - 1; i >= max(0, len(h.Parallelism)-nowHours); i-- {
		s := shares(h.Verdicts, i)
		best := analysis.VerdictID("")
		for _, id := range analysis.Verdicts() {
			if s[id] > s[best] {
				best = id
			}
		}
		if best != "" {
			return best
		}
	}
	return analysis.NotEnoughData
}

// derived reports whether m looks as if Flink had derived it at a first start:
// it is what p gives, or what a smaller start gave. The finding derived_ceiling
// has the same rule; it cannot be known for certain.
func derived(p, m analysis.Num) bool {
	parallelism, most := int(p.Or(0)), int(m.Or(0))
	if !keygroup.Valid(parallelism, keygroup.UpperBound) || !keygroup.Valid(parallelism, most) {
		return false
	}
	now := keygroup.DefaultMax(parallelism)
	return most == now || most < now && most >= keygroup.DefaultMax(1) && most&(most-1) == 0
}

// tight reports whether a derived ceiling leaves less room than advised.
func (v *Vertex) tight() bool {
	return v.Derived && v.MaxParallelism.Or(0) < roomyCeiling*math.Max(v.Parallelism.Or(0), v.Peak.Or(0))
}

func ratio(a, b analysis.Num) analysis.Num {
	x, okX := a.Get()
	y, okY := b.Get()
	if !okX || !okY || y <= 0 {
		return analysis.Num{}
	}
	return analysis.Of(x / y)
}

// worse orders the lines: those that needed all of their ceiling by how far
// beyond it, then those that will by how soon, then the others by their room
// at peak and now; what is not known comes last.
func worse(a, b Vertex) int {
	rank := func(v *Vertex) int {
		switch v.Reached.Kind {
		case ReachNow:
			return 0
		case ReachDates:
			return 1
		}
		return 2
	}
	soon := func(v *Vertex) int64 {
		if v.Reached.Earliest == nil {
			return 0
		}
		return v.Reached.Earliest.Unix()
	}
	infinite := math.Inf(1)
	return cmp.Or(
		cmp.Compare(rank(&a), rank(&b)), cmp.Compare(soon(&a), soon(&b)),
		cmp.Compare(a.PeakHeadroom.Or(infinite), b.PeakHeadroom.Or(infinite)),
		cmp.Compare(a.Headroom.Or(infinite), b.Headroom.Or(infinite)),
		cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Vertex, b.Vertex),
	)
}

func (r *Report) totals() Totals {
	t := Totals{Clusters: len(r.Clusters), Vertices: len(r.Vertices)}
	type job struct{ cluster, name string }
	jobs, will, peak, derived := map[job]bool{}, map[job]bool{}, map[job]bool{}, map[job]bool{}
	for i := range r.Vertices {
		v := &r.Vertices[i]
		j := job{v.Cluster, v.Job}
		jobs[j] = true
		switch v.Reached.Kind {
		case ReachNow:
			peak[j] = true
		case ReachDates:
			will[j] = true
		}
		if v.tight() {
			derived[j] = true
		}
		if w, ok := v.Wasted.Get(); ok {
			t.WastedSubtasks = analysis.Of(t.WastedSubtasks.Or(0) + w)
		}
	}
	t.Jobs, t.WillReach, t.AtPeak, t.DerivedCeilings = len(jobs), len(will), len(peak), len(derived)
	seen, of := 0.0, 0.0
	for i := range r.Clusters {
		if v, ok := r.Clusters[i].SeenHours.Get(); ok {
			seen, of = seen+v, of+1
		}
	}
	if of > 0 {
		t.SeenHours = analysis.Of(seen / of)
	}
	return t
}
