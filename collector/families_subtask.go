package collector

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

// subtaskRows are the families of single subtasks. Each has exactly one series
// a subtask, whose first own label is the index; the series budget counts on it.
func subtaskRows() []row[*analysis.SubtaskResult] {
	type subtask = *analysis.SubtaskResult
	spec := func(name, help string, value func(subtask) analysis.Num) row[subtask] {
		return row[subtask]{
			Family: Family{
				Name: "subtask_" + name, Type: Gauge, Stability: Stable, Labels: []string{"subtask"}, Help: help,
				Cardinality: "1 a subtask shown: K hottest a vertex in top mode, bounded by the series budget",
			},
			values: one(value),
		}
	}
	return []row[subtask]{
		spec("busy_ratio", "Share of time the subtask was busy, 0-1.",
			func(s subtask) analysis.Num { return s.Busy }),
		spec("backpressured_ratio", "Share of time the subtask waited for output, 0-1.",
			func(s subtask) analysis.Num { return s.BackPressured }),
		spec("idle_ratio", "Share of time the subtask had nothing to do, 0-1.",
			func(s subtask) analysis.Num { return s.Idle }),
		spec("records_in_per_second", "Records that the subtask received per second.",
			func(s subtask) analysis.Num { return s.RecordsIn }),
		spec("state_bytes", "Full state of the subtask in the newest completed checkpoint.",
			func(s subtask) analysis.Num { return s.StateBytes }),
		spec("key_groups", "Key groups that the subtask owns; only with a HASH input.",
			func(s subtask) analysis.Num {
				if s.KeyGroups <= 0 {
					return analysis.Num{}
				}
				return analysis.OfInt(s.KeyGroups)
			}),
	}
}
