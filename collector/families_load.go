package collector

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

// loadRows say how loaded a vertex's subtasks are and how evenly.
func loadRows() []row[*vertexView] {
	type vertex = *analysis.VertexResult
	type dist = analysis.Distribution
	return []row[*vertexView]{
		perSignal("skew_ratio", "Largest value of a subtask divided by the mean over subtasks, at least 1.",
			func(d *dist) analysis.Num { return d.Skew }),
		vertexGauge(Stable, "layout_skew_ratio", "Skew that the layout of key groups alone makes: ceil(M/p)*p/M; only with a HASH input.", layoutRatio),
		perSignal("excess_skew_ratio", "Skew of the value per owned key group: 1 means that the layout explains all; only with a HASH input.",
			func(d *dist) analysis.Num { return d.Excess }),
		perSignal("webui_skew_ratio", "Data skew as Flink's web UI computes it, 0-1: mean absolute deviation divided by the mean. It hides one hot subtask among many.",
			func(d *dist) analysis.Num { return d.WebUISkew }),
		perStat("busy_ratio", "Share of time that subtasks were busy, 0-1.",
			func(s *analysis.Signals) *dist { return &s.Busy }),
		perStat("backpressured_ratio", "Share of time that subtasks waited for output, 0-1.",
			func(s *analysis.Signals) *dist { return &s.BackPressured }),
		perStat("idle_ratio", "Share of time that subtasks had nothing to do, 0-1.",
			func(s *analysis.Signals) *dist { return &s.Idle }),
		busyHistogram(),
		vertexGauge(Stable, "records_in_per_second", "Records received per second, summed over subtasks; Flink counts none for sources.",
			func(v vertex) analysis.Num { return v.RecordsInPerSecond }),
		vertexGauge(Stable, "records_out_per_second", "Records sent per second, summed over subtasks; Flink counts none for sinks.",
			func(v vertex) analysis.Num { return v.RecordsOutPerSecond }),
		stateBytes(),
		perStat("checkpoint_duration_seconds", "End-to-end duration of the newest completed checkpoint, over subtasks.",
			func(s *analysis.Signals) *dist { return &s.CheckpointDuration }),
		perStat("watermark_lag_seconds", "How far the input watermark was behind the time it was read, over subtasks that have one; watermarks are read in turn, so up to 10 minutes ago.",
			func(s *analysis.Signals) *dist { return &s.WatermarkLag }),
	}
}

// perSignal is the row of a ratio that every signal has.
func perSignal(name, help string, ratio func(*analysis.Distribution) analysis.Num) row[*vertexView] {
	return row[*vertexView]{
		Family: Family{
			Name: "vertex_" + name, Type: Gauge, Stability: Stable, Labels: []string{"signal"},
			Cardinality: "at most 8 a vertex", Help: help,
		},
		values: func(v *vertexView, put emit) {
			v.r.Signals.Each(func(s analysis.Signal, d *analysis.Distribution) {
				put(ratio(d), labels{string(s)})
			})
		},
	}
}

// perStat is the row of a signal's statistics over subtasks.
func perStat(name, help string, signal func(*analysis.Signals) *analysis.Distribution) row[*vertexView] {
	return row[*vertexView]{
		Family: Family{
			Name: "vertex_" + name, Type: Gauge, Stability: Stable, Labels: []string{"stat"},
			Cardinality: "4 a vertex", Help: help,
		},
		values: func(v *vertexView, put emit) { putStats(signal(&v.r.Signals), put) },
	}
}

func putStats(d *analysis.Distribution, put emit) {
	put(d.Max, labels{"max"})
	put(d.Mean, labels{"mean"})
	put(d.Median, labels{"median"})
	put(d.Min, labels{"min"})
}

// stateBytes has the sum besides, which capacity planning starts from.
func stateBytes() row[*vertexView] {
	return row[*vertexView]{
		Family: Family{
			Name: "vertex_state_bytes", Type: Gauge, Stability: Stable, Labels: []string{"stat"},
			Cardinality: "5 a vertex with a completed checkpoint",
			Help:        "Full state in the newest completed checkpoint, over subtasks; stat=\"sum\" is all of them.",
		},
		values: func(v *vertexView, put emit) {
			putStats(&v.r.Signals.State, put)
			put(v.r.Signals.State.Sum, labels{"sum"})
		},
	}
}

// busyHistogram shows the shape of the load with as many series at any parallelism.
func busyHistogram() row[*vertexView] {
	return row[*vertexView]{
		Family: Family{
			Name: "vertex_subtasks_busy_ratio", Type: Histogram, Stability: Stable,
			Cardinality: "10 a vertex",
			Help:        "Subtasks by their share of busy time in the newest window. It describes the present and does not accumulate: read it without rate().",
		},
		buckets: func(v *vertexView) *buckets {
			if v.busy.count() == 0 {
				return nil
			}
			return &v.busy
		},
	}
}

func layoutRatio(v *analysis.VertexResult) analysis.Num {
	if v.Layout == nil {
		return analysis.Num{}
	}
	return analysis.Of(v.Layout.Ratio)
}
