package collector

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// verdictRows say what is the matter with a vertex.
func verdictRows() []row[*vertexView] {
	type vertex = *analysis.VertexResult
	return []row[*vertexView]{
		{
			Family: Family{
				Name: "vertex_verdict", Type: Gauge, Stability: Stable, Labels: []string{"verdict"}, Cardinality: "1 a vertex",
				Help: "Always 1; the label is the vertex's one verdict from the closed set below.",
			},
			values: func(v *vertexView, put emit) { put(analysis.Of(1), labels{string(verdictOf(v.r))}) },
		},
		vertexGauge(Stable, "severity", "Highest severity of the verdict and the findings: 0 none, 1 info, 2 warning, 3 critical.",
			func(v vertex) analysis.Num { return analysis.OfInt(v.Severity()) }),
		vertexGauge(Experimental, "confidence", "How sure the verdict is: 1 low, 2 medium, 3 high.", confidence),
		vertexGauge(Experimental, "scaling_helps", "Whether another parallelism would mend the verdict's matter: 0 no, 0.5 partly, 1 yes; absent where that is no question.",
			scalingHelps),
		{
			Family: Family{
				Name: "vertex_missing_info", Type: Gauge, Stability: Experimental, Labels: []string{"reason"},
				Cardinality: "1 a vertex without enough data",
				Help:        "1 while the verdict is not_enough_data; the label is what is missing.",
			},
			values: func(v *vertexView, put emit) {
				if m := v.r.Verdict.Advice.Missing; m != "" {
					put(analysis.Of(1), labels{CleanLabel(string(m))})
				}
			},
		},
		vertexGauge(Stable, "bottleneck", "1 where the slow path starts, absent elsewhere.",
			func(v vertex) analysis.Num {
				if v.Finding(analysis.Bottleneck) == nil {
					return analysis.Num{}
				}
				return analysis.Of(1)
			}),
		vertexGauge(Stable, "hot_subtask", "Index of the hottest subtask, while a skew verdict stands.",
			func(v vertex) analysis.Num {
				if v.Hot == nil {
					return analysis.Num{}
				}
				return analysis.OfInt(v.Hot.Subtask)
			}),
		vertexGauge(Stable, "hot_key_group_first", "First key group that the hottest subtask owns, while a skew verdict stands; only with a HASH input.",
			hotRange(func(r *analysis.KeyGroupRange) int { return r.First })),
		vertexGauge(Stable, "hot_key_group_last", "Last key group that the hottest subtask owns, while a skew verdict stands; only with a HASH input.",
			hotRange(func(r *analysis.KeyGroupRange) int { return r.Last })),
		{
			Family: Family{
				Name: "finding", Type: Gauge, Stability: Stable, Labels: []string{"finding", "severity"},
				Cardinality: "1 a standing finding",
				Help:        "1 while the finding stands; finding is from the closed set below.",
			},
			values: putFindings,
		},
	}
}

// verdictOf holds the label to the closed set: a word that is not in it says
// nothing, which is what not_enough_data means.
func verdictOf(v *analysis.VertexResult) analysis.VerdictID {
	if slices.Contains(analysis.Verdicts(), v.Verdict.ID) {
		return v.Verdict.ID
	}
	return analysis.NotEnoughData
}

// putFindings emits each finding of the closed set once, however often and at
// whatever severities it is listed: the worst one stands. Those of severity
// none are no matter for a dashboard, and nearly every keyed vertex has one
// (its ceiling looks derived), so they stay in the API.
func putFindings(v *vertexView, put emit) {
	if len(v.r.Findings) == 0 {
		return
	}
	for _, id := range analysis.FindingIDs() {
		worst := analysis.SeverityNone
		for i := range v.r.Findings {
			if f := &v.r.Findings[i]; f.ID == id {
				worst = max(worst, f.Severity)
			}
		}
		if worst > analysis.SeverityNone {
			put(analysis.Of(1), labels{string(id), worst.String()})
		}
	}
}

func confidence(v *analysis.VertexResult) analysis.Num {
	switch v.Verdict.Confidence {
	case analysis.ConfidenceLow:
		return analysis.Of(1)
	case analysis.ConfidenceMedium:
		return analysis.Of(2)
	case analysis.ConfidenceHigh:
		return analysis.Of(3)
	default:
		return analysis.Num{}
	}
}

func scalingHelps(v *analysis.VertexResult) analysis.Num {
	switch v.Verdict.ScalingHelps {
	case analysis.ScalingNo:
		return analysis.Of(0)
	case analysis.ScalingPartly:
		return analysis.Of(0.5)
	case analysis.ScalingYes:
		return analysis.Of(1)
	default:
		return analysis.Num{}
	}
}

// hotRange reads one end of the hottest subtask's key groups.
func hotRange(end func(*analysis.KeyGroupRange) int) func(*analysis.VertexResult) analysis.Num {
	return func(v *analysis.VertexResult) analysis.Num {
		if v.Hot == nil || v.Hot.KeyGroups == nil {
			return analysis.Num{}
		}
		return analysis.OfInt(end(v.Hot.KeyGroups))
	}
}
