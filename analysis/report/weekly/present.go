package weekly

import (
	"cmp"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Present makes the input of a report from what the last polls told, without
// any history.
func Present(in report.Input, basis Basis) Input {
	out := Input{Basis: basis, Until: in.GeneratedAt, Hours: 1}
	for _, c := range in.Clusters {
		k := ClusterInput{Name: c.Name}
		if r := c.Result; r != nil {
			k.FlinkVersion, k.Slots, k.SlotsFree = r.FlinkVersion, r.Slots.Total, r.Slots.Free
			k.Vertices = presentVertices(r)
		}
		if !c.Up {
			k.Failed = "the cluster did not answer the last poll: " + cmp.Or(c.Reason, "no poll yet")
		}
		out.Clusters = append(out.Clusters, k)
	}
	return out
}

// presentVertices puts vertices of one name together, as history does.
func presentVertices(r *analysis.Result) []VertexInput {
	type key struct{ job, vertex string }
	var order []key
	all := map[key][]*analysis.VertexResult{}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		for k := range j.Vertices {
			v := &j.Vertices[k]
			id := key{j.Name, v.Name}
			if all[id] == nil {
				order = append(order, id)
			}
			all[id] = append(all[id], v)
		}
	}
	var out []VertexInput
	for _, id := range order {
		out = append(out, presentVertex(id.job, id.vertex, all[id]))
	}
	return out
}

func presentVertex(job, name string, same []*analysis.VertexResult) VertexInput {
	largest := func(of func(*analysis.VertexResult) analysis.Num) analysis.Num {
		var s Series
		for _, v := range same {
			s = append(s, of(v))
		}
		m, _ := s.max()
		return m
	}
	one := func(n analysis.Num) Series { return Series{n} }
	out := VertexInput{
		Job: job, Vertex: name, Alike: analysis.OfInt(len(same)),
		Keyed:      slices.ContainsFunc(same, func(v *analysis.VertexResult) bool { return v.Keyed }),
		Wasted:     largest(func(v *analysis.VertexResult) analysis.Num { return v.Ceiling.Wasted }),
		StateBytes: largest(func(v *analysis.VertexResult) analysis.Num { return v.Signals.State.Sum }),
		BusyPeak:   largest(func(v *analysis.VertexResult) analysis.Num { return v.Signals.Busy.Mean }),
		Hourly: HourlyInput{
			Required:       one(largest(func(v *analysis.VertexResult) analysis.Num { return v.Sizing.Required })),
			Parallelism:    one(largest(func(v *analysis.VertexResult) analysis.Num { return analysis.OfInt(v.Parallelism) })),
			MaxParallelism: one(largest(func(v *analysis.VertexResult) analysis.Num { return v.MaxParallelism })),
			Ceilings:       map[analysis.Binding]Series{}, Verdicts: map[analysis.VerdictID]Series{},
		},
	}
	for _, v := range same {
		if b, e := v.Ceiling.Binding, v.Ceiling.Effective; b != "" {
			if held, ok := out.Hourly.Ceilings[b]; !ok || e.Or(0) < held[0].Or(0) {
				out.Hourly.Ceilings[b] = one(e)
			}
		}
		id := v.Verdict.ID
		count := 1.0
		if held, ok := out.Hourly.Verdicts[id]; ok {
			count += held[0].Or(0)
		}
		out.Hourly.Verdicts[id] = one(analysis.Of(count))
	}
	return out
}
