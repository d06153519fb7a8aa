package report

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

// findingFixtures holds one job a finding, the finding on its last vertex.
func findingFixtures() map[analysis.FindingID]ClusterInput {
	full := saturatedVertex()
	full.Findings = nil
	full.Parallelism, full.MaxParallelism = 4, of(4)
	full.Ceiling = analysis.Ceiling{Effective: of(4), Binding: analysis.BindMaxParallelism, Headroom: of(1)}
	full.Sizing.RequiredHeadroom = of(0.67)
	reached, below := *full, *full
	bare := hotKeyVertex()
	bare.Findings = nil
	wasted := layoutVertex()
	wasted.Findings = nil
	waits := saturatedVertex()
	waits.Findings = nil
	readers := idleVertex()
	readers.Findings = nil
	single := vertexOf("v2", "global top 10", subtask{busy: 0.3, records: 90})
	single.MaxParallelism = of(1)
	judge(single, analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil)
	return map[analysis.FindingID]ClusterInput{
		analysis.Bottleneck:           cluster(victim(), find(bare, analysis.Bottleneck, warning, ratio("busy_max", 1, 0.8))),
		analysis.CeilingReached:       cluster(find(&reached, analysis.CeilingReached, warning)),
		analysis.CeilingBelowRequired: cluster(find(&below, analysis.CeilingBelowRequired, warning)),
		analysis.PartitionCeiling:     cluster(find(readers, analysis.PartitionCeiling, info)),
		analysis.DerivedCeiling:       cluster(derivedVertex()),
		analysis.WastedSubtasks:       cluster(find(wasted, analysis.WastedSubtasks, info)),
		analysis.Waiting:              cluster(find(waits, analysis.Waiting, info, ratio("cpu_per_busy_second", 0.06, 0.25), ratio("cpu_of_cores", 0.09, 0))),
		analysis.StateSkew:            cluster(fatVertex()),
		analysis.CheckpointStraggler:  cluster(stragglerVertex()),
		analysis.WatermarkHeld:        cluster(heldVertex()),
		analysis.CatchUpShort:         cluster(behindVertex()),
		analysis.NonParallel:          cluster(find(single, analysis.NonParallel, analysis.SeverityNone)),
		analysis.JobChanged:           cluster(find(sink(), analysis.JobChanged, info)),
	}
}

// number is one measure without a threshold.
func number(n string, v float64, u analysis.Unit) analysis.Measure {
	return analysis.Measure{Name: n, Value: of(v), Unit: u}
}

// last returns the vertex's newest finding.
func last(v *analysis.VertexResult) *analysis.Finding { return &v.Findings[len(v.Findings)-1] }

// bareLayoutVertex is p 100 of M 128 without findings.
func bareLayoutVertex() *analysis.VertexResult {
	v := layoutVertex()
	v.Findings = nil
	return v
}

// derivedVertex runs at 100 of a ceiling that a smaller first start derived.
func derivedVertex() *analysis.VertexResult {
	v := find(bareLayoutVertex(), analysis.DerivedCeiling, info, number("max_parallelism", 128, analysis.UnitKeyGroups),
		number("derived_now", 256, analysis.UnitKeyGroups), ratio("headroom", 1.28, 4))
	last(v).Confidence = analysis.ConfidenceLow
	return v
}

// fatVertex has one subtask with most of the state that is not the busiest.
func fatVertex() *analysis.VertexResult {
	v := keyed(128, subtask{busy: 0.31, records: 300}, subtask{busy: 0.28, records: 290}, subtask{busy: 0.27, records: 285}, subtask{busy: 0.3, records: 295})
	judge(v, analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil)
	v.Signals.State = dist([]float64{180 << 20, 190 << 20, 1900 << 20, 185 << 20})
	v.Signals.State.Excess = of(3.1)
	find(v, analysis.StateSkew, info, ratio("state_excess", 3.1, 2), number("state_max", 1900<<20, analysis.UnitBytes),
		number("state_mean", 614<<20, analysis.UnitBytes), ratio("state_written_share", 0.12, 0), ratio("largest_is_busiest", 0, 0))
	last(v).Subtasks = []int{2}
	return v
}

// stragglerVertex is the hot vertex, whose hot subtask gets its barrier late.
func stragglerVertex() *analysis.VertexResult {
	v := hotKeyVertex()
	v.Findings = nil
	return straggler(v, 7.78, map[string]float64{"start_delay": 7.678, "alignment": 0, "sync": 0.008, "async": 0.068})
}

// straggler adds the finding on subtask 1 with the seconds of its phases.
func straggler(v *analysis.VertexResult, total float64, phases map[string]float64) *analysis.VertexResult {
	ms := []analysis.Measure{{Name: "checkpoint_duration_max", Value: of(total), Unit: analysis.UnitSeconds, Threshold: of(5)}, number("checkpoint_duration_median", 0.421, analysis.UnitSeconds)}
	for _, p := range []string{"start_delay", "alignment", "sync", "async"} {
		if s, ok := phases[p]; ok {
			ms = append(ms, number("checkpoint_"+p, s, analysis.UnitSeconds))
		}
	}
	find(v, analysis.CheckpointStraggler, info, ms...)
	last(v).Subtasks = []int{1}
	return v
}

// heldVertex waits for two inputs that bring no watermark.
func heldVertex() *analysis.VertexResult {
	v := keyed(128, subtask{busy: 0.2, records: 100}, subtask{busy: 0.2, records: 101}, subtask{busy: 0.2, records: 99}, subtask{busy: 0.2, records: 100}, subtask{busy: 0.2, records: 100})
	judge(v, analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil)
	return held(v, 0, 2, 3, []int{2, 3})
}

// held adds the finding: seconds behind, subtasks without and with a watermark.
func held(v *analysis.VertexResult, behind, unset, set float64, subtasks []int) *analysis.VertexResult {
	find(v, analysis.WatermarkHeld, info, analysis.Measure{Name: "watermark_behind", Value: of(behind), Unit: analysis.UnitSeconds, Threshold: of(60)},
		number("subtasks_without_watermark", unset, analysis.UnitSubtasks), number("subtasks_with_watermark", set, analysis.UnitSubtasks))
	last(v).Subtasks = subtasks
	return v
}

// behindVertex is 75 % busy while 900,000 records wait before it.
func behindVertex() *analysis.VertexResult {
	v := keyed(128, subtask{busy: 0.75, records: 250}, subtask{busy: 0.74, records: 250}, subtask{busy: 0.75, records: 250}, subtask{busy: 0.74, records: 250})
	judge(v, analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil)
	return behind(v, 1.125, 1000)
}

// behind adds the finding for a backlog of 900,000 at a rate.
func behind(v *analysis.VertexResult, busiest, now float64) *analysis.VertexResult {
	return find(v, analysis.CatchUpShort, warning, ratio("busy_at_catch_up", busiest, 1), number("backlog", 900_000, analysis.UnitRecords),
		number("records_now", now, analysis.UnitRecordsPerSecond), number("records_needed", now+500, analysis.UnitRecordsPerSecond), number("catch_up", 1800, analysis.UnitSeconds))
}
