package collector

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

// vertexGauge is the row of a gauge with one series a vertex.
func vertexGauge(stability Stability, name, help string, value func(*analysis.VertexResult) analysis.Num) row[*vertexView] {
	return row[*vertexView]{
		Family: Family{Name: "vertex_" + name, Type: Gauge, Stability: stability, Cardinality: "1 a vertex", Help: help},
		values: one(func(v *vertexView) analysis.Num { return value(v.r) }),
	}
}

// flag is 1 or 0.
func flag(set bool) analysis.Num {
	if set {
		return analysis.Of(1)
	}
	return analysis.Of(0)
}

// shapeRows say how wide a vertex is and how well it was seen.
func shapeRows() []row[*vertexView] {
	type vertex = *analysis.VertexResult
	return []row[*vertexView]{
		vertexGauge(Stable, "parallelism", "Parallelism of the vertex.",
			func(v vertex) analysis.Num { return analysis.OfInt(v.Parallelism) }),
		vertexGauge(Stable, "max_parallelism", "Max parallelism of the vertex, which is its number of key groups; absent when Flink does not tell it.",
			func(v vertex) analysis.Num { return v.MaxParallelism }),
		{
			Family: Family{
				Name: "vertex_key_groups_per_subtask", Type: Gauge, Stability: Stable, Labels: []string{"stat"},
				Cardinality: "4 a keyed vertex",
				Help:        "Key groups that a subtask owns; only with a HASH input, which alone gives key groups a meaning.",
			},
			values: func(v *vertexView, put emit) {
				l := v.r.Layout
				if l == nil {
					return
				}
				put(analysis.OfInt(l.Max), labels{"max"})
				put(analysis.Of(l.Mean), labels{"mean"})
				put(analysis.Of(l.Median), labels{"median"})
				put(analysis.OfInt(l.Min), labels{"min"})
			},
		},
		vertexGauge(Stable, "source_partitions", "Partitions that the source's readers own together; only sources, when known.",
			func(v vertex) analysis.Num { return v.Partitions }),
		vertexGauge(Experimental, "backlog_records", "Records that wait in the source's partitions; only sources, when known.",
			func(v vertex) analysis.Num { return v.Backlog }),
		vertexGauge(Stable, "subtask_coverage_ratio", "Share of subtasks with fresh values, 0-1.",
			func(v vertex) analysis.Num { return v.Coverage }),
		vertexGauge(Experimental, "window_seconds", "Median length of the window that the values of this vertex are taken over.",
			func(v vertex) analysis.Num { return v.WindowSeconds }),
		vertexGauge(Experimental, "busy_measurable", "1 if Flink measures busy time here, 0 if it gives idle or back-pressured time only, as for legacy sources.",
			busyMeasurable),
	}
}

// busyMeasurable is absent when no share of time is known at all.
func busyMeasurable(v *analysis.VertexResult) analysis.Num {
	s := &v.Signals
	if s.Busy.Count == 0 && s.BackPressured.Count == 0 && s.Idle.Count == 0 {
		return analysis.Num{}
	}
	return flag(s.Busy.Count > 0)
}

// ceilingRows say how far a vertex can scale and how far it has to.
func ceilingRows() []row[*vertexView] {
	type vertex = *analysis.VertexResult
	return []row[*vertexView]{
		{
			Family: Family{
				Name: "vertex_ceiling", Type: Gauge, Stability: Stable, Labels: []string{"binding"},
				Cardinality: "1 a vertex whose ceiling is known",
				Help:        "Parallelism beyond which the vertex cannot usefully go; binding is what limits it: max_parallelism, source_partitions or task_slots.",
			},
			values: func(v *vertexView, put emit) {
				switch b := v.r.Ceiling.Binding; b {
				case analysis.BindMaxParallelism, analysis.BindSourcePartitions, analysis.BindTaskSlots:
					put(v.r.Ceiling.Effective, labels{string(b)})
				}
			},
		},
		vertexGauge(Experimental, "ceiling_known", "1 if any limit of the parallelism is known, else 0 and the other ceiling metrics are absent.",
			func(v vertex) analysis.Num { return flag(v.Ceiling.Effective.Known()) }),
		vertexGauge(Stable, "ceiling_headroom_ratio", "Ceiling divided by parallelism; 1 is at the ceiling.",
			func(v vertex) analysis.Num { return v.Ceiling.Headroom }),
		vertexGauge(Stable, "required_parallelism", "Parallelism that the present load needs at the target utilisation.",
			func(v vertex) analysis.Num { return v.Sizing.Required }),
		vertexGauge(Stable, "required_headroom_ratio", "Ceiling divided by required parallelism; below 1 scaling cannot meet the load.",
			func(v vertex) analysis.Num { return v.Sizing.RequiredHeadroom }),
		vertexGauge(Stable, "wasted_subtasks", "Subtasks that could go without giving the busiest one more key groups or partitions.",
			func(v vertex) analysis.Num { return v.Ceiling.Wasted }),
		vertexGauge(Stable, "next_useful_parallelism", "Next larger parallelism that takes load off the busiest subtask.",
			func(v vertex) analysis.Num { return v.Ceiling.NextUseful }),
		vertexGauge(Experimental, "capacity_records_per_second", "Records in per second that the vertex could process if its subtasks were always busy.",
			func(v vertex) analysis.Num { return v.Sizing.TrueRate }),
	}
}
