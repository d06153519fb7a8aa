package page

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

// runbookBase is where the alerts' runbooks are read.
const runbookBase = "https://github.com/flink-skew-exporter/flink-skew-exporter/blob/main/alerts/runbooks/"

// alertsOf names the alerts that rest on a verdict, the most specific first.
func alertsOf(id analysis.VerdictID) []string {
	return map[analysis.VerdictID][]string{
		analysis.HotKey:            {"FlinkHotKey"},
		analysis.KeyGroupLayout:    {"FlinkKeyGroupLayout"},
		analysis.SlowTaskManager:   {"FlinkSlowTaskManager"},
		analysis.Stalled:           {"FlinkSubtaskStalled"},
		analysis.UniformSaturation: {"FlinkUniformSaturation"},
		analysis.IdleReaders:       {"FlinkIdleReaders"},
		analysis.FewKeys:           {"FlinkUnevenLoad"},
		analysis.HotPartition:      {"FlinkUnevenLoad"},
		analysis.PartitionLayout:   {"FlinkUnevenLoad"},
		analysis.CostlyRecords:     {"FlinkUnevenLoad"},
		analysis.UnevenInput:       {"FlinkUnevenLoad"},
		analysis.NotEnoughData:     {"FlinkVertexUnjudged"},
	}[id]
}

// alertsBeside names those that rest on a finding.
func alertsBeside(id analysis.FindingID) []string {
	return map[analysis.FindingID][]string{
		analysis.Bottleneck:           {"FlinkSubtaskSaturated"},
		analysis.CeilingReached:       {"FlinkCeilingReached"},
		analysis.CeilingBelowRequired: {"FlinkRequiredAboveCeiling"},
		analysis.PartitionCeiling:     {"FlinkSourcePartitionsBind"},
		analysis.WatermarkHeld:        {"FlinkWatermarkHeld"},
		analysis.StateSkew:            {"FlinkStateSkew"},
		analysis.CheckpointStraggler:  {"FlinkCheckpointStraggler"},
		analysis.CatchUpShort:         {"FlinkCatchUpShort"},
	}[id]
}

// runbooks links to the runbooks of the alerts that may be about the vertex. Of
// verdicts and findings that are calm there is none.
func runbooks(v *analysis.VertexResult) []crumb {
	var names []string
	if v.Verdict.Severity > analysis.SeverityNone || v.Verdict.ID == analysis.NotEnoughData {
		names = alertsOf(v.Verdict.ID)
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Severity > analysis.SeverityNone {
			names = append(names, alertsBeside(f.ID)...)
		}
	}
	out := make([]crumb, 0, len(names))
	for _, n := range names {
		out = append(out, crumb{"Runbook of " + n, runbookBase + n + ".md"})
	}
	return out
}
