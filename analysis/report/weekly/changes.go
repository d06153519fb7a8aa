package weekly

import (
	"cmp"
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

const (
	// peakShare is by what share the weekly peak must move to be a change.
	peakShare = 0.2
	// hoursMoved is by how many hours those of a verdict must.
	hoursMoved = 6
)

// changes are the differences between the week and the one before it. Without
// a week before there are none: everything would be new.
func (in Input) changes(c *ClusterInput) []Change {
	if !in.history() || c.Failed != "" {
		return nil
	}
	out := in.jobChanges(c)
	for i := range c.Vertices {
		if v := &c.Vertices[i]; v.runs(in) {
			out = append(out, in.vertexChanges(v)...)
		}
	}
	for i := range out {
		out[i].Cluster = report.Clean(c.Name, nameColumns)
		out[i].Job, out[i].Vertex = report.Clean(out[i].Job, nameColumns), report.Clean(out[i].Vertex, nameColumns)
	}
	return out
}

// weekBegins is the index of the first daily value of the week.
func (in Input) weekBegins() int { return max(0, in.Days-(in.Hours+23)/24) }

// weekBefore is the index of the first daily value of the week before.
func (in Input) weekBefore() int { return max(0, in.weekBegins()-(in.Hours+23)/24) }

// jobChanges tell of jobs that came, went, or began anew.
func (in Input) jobChanges(c *ClusterInput) []Change {
	type past struct{ before, now, known bool }
	jobs := map[string]past{}
	seen := false
	for i := range c.Vertices {
		v := &c.Vertices[i]
		p := jobs[v.Job]
		before := in.before(v.Daily.Seen)
		p.before, p.now, p.known = p.before || before, p.now || v.runs(in), true
		seen = seen || before
		jobs[v.Job] = p
	}
	var out []Change
	for job, p := range jobs {
		switch {
		case p.now && !p.before && seen:
			out = append(out, Change{Job: job, Kind: JobNew})
		case p.before && !p.now:
			out = append(out, Change{Job: job, Kind: JobGone})
		}
		if ids, starts := c.runsOf(job); ids > 1 {
			out = append(out, Change{Job: job, Kind: JobRedeployed, To: analysis.OfInt(ids - 1)})
		} else if starts > 1 {
			out = append(out, Change{Job: job, Kind: JobRestarted, To: analysis.OfInt(starts - 1)})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Kind, b.Kind)) })
	return out
}

// before reports whether anything was seen in the week before.
func (in Input) before(s Series) bool {
	for i := in.weekBefore(); i < min(in.weekBegins(), len(s)); i++ {
		if s[i].Or(0) > 0 {
			return true
		}
	}
	return false
}

// runsOf counts the ids that a job had in the week one after another, and how
// often it entered RUNNING. Ids that run side by side are no redeployment.
func (c *ClusterInput) runsOf(job string) (ids, starts int) {
	var held []Series
	for _, r := range c.Runs {
		if r.Job != job || !r.Since.first().Known() {
			continue
		}
		held = append(held, r.Since)
		was := analysis.Num{}
		for _, n := range r.Since {
			if n.Known() && n != was {
				starts++
				was = n
			}
		}
	}
	ids = len(held)
	for _, r := range held {
		for _, other := range held {
			if both := overlap(r, other); both > 1 && &r[0] != &other[0] {
				return 1, 1
			}
		}
	}
	return ids, starts
}

// overlap counts the steps in which both have a value.
func overlap(a, b Series) int {
	n := 0
	for i := range a {
		if i < len(b) && a[i].Known() && b[i].Known() {
			n++
		}
	}
	return n
}

// vertexChanges hold the vertex against the week before.
func (in Input) vertexChanges(v *VertexInput) []Change {
	var out []Change
	add := func(kind ChangeKind, from, to analysis.Num) {
		out = append(out, Change{Job: v.Job, Vertex: v.Vertex, Kind: kind, From: from, To: to})
	}
	was := func(daily, hourly Series) analysis.Num {
		old, _ := daily[:min(in.weekBegins(), len(daily))].last()
		if old.Known() {
			return old
		}
		return hourly.first()
	}
	moved := func(kind ChangeKind, daily, hourly Series, now analysis.Num) bool {
		if old := was(daily, hourly); old.Known() && now.Known() && old != now {
			add(kind, old, now)
			return true
		}
		return false
	}
	p, _ := v.Hourly.Parallelism.last()
	m, _ := v.Hourly.MaxParallelism.last()
	ceiling, binding := v.Hourly.ceiling()
	moved(Rescaled, v.Daily.Parallelism, v.Hourly.Parallelism, p)
	if !moved(MaxChanged, v.Daily.MaxParallelism, v.Hourly.MaxParallelism, m) {
		moved(CeilingChanged, v.Daily.Ceiling, v.Hourly.Ceilings[binding], ceiling)
	}
	before, _ := v.peaks()[min(in.weekBefore(), len(v.Daily.Required)):min(in.weekBegins(), len(v.Daily.Required))].max()
	peak, _ := v.Hourly.Required.max()
	if old, ok := before.Get(); ok && peak.Known() && math.Abs(peak.Or(0)-old) >= math.Max(1, peakShare*old) {
		add(PeakChanged, before, peak)
	}
	return append(out, in.verdictChanges(v)...)
}

// verdictChanges tell of verdicts that stood for clearly more or fewer hours,
// where the vertex was seen in the week before.
func (in Input) verdictChanges(v *VertexInput) []Change {
	if !in.before(v.Daily.Seen) {
		return nil
	}
	now := hoursOf(v.Hourly.Verdicts, v.Hourly.Seen, 0, in.Hours, 1)
	old := hoursOf(v.Daily.Verdicts, v.Daily.Seen, in.weekBefore(), in.weekBegins(), 24)
	var out []Change
	for _, id := range troubles() {
		if math.Abs(now[id]-old[id]) >= hoursMoved {
			out = append(out, Change{
				Job: v.Job, Vertex: v.Vertex, Kind: VerdictHoursMoved, Subject: id,
				From: analysis.Of(math.Round(old[id])), To: analysis.Of(math.Round(now[id])),
			})
		}
	}
	return out
}
