package report

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Words are what a person reads about a verdict or a finding. Each element is
// a whole sentence on one line, free of control characters.
type Words struct {
	// Summary says what is the matter, with the numbers; the first sentence can stand alone.
	Summary []string
	// Do is what helps, safest first.
	Do []string
	// Dont is what looks right and does not help. Each is an imperative that
	// must not stand alone: outputs put "Don't" or "Do not" before it.
	Dont []string
	// Scaling is what other parallelisms would leave on the busiest subtask; it
	// goes on after a label. Empty when nothing is predicted.
	Scaling string
}

// caution joins what not to do into whole sentences.
func (w Words) caution() string {
	var out []string
	for _, d := range w.Dont {
		out = append(out, "Do not "+lowerFirst(d))
	}
	return strings.Join(out, " ")
}

type renderer func(facts) Words

// Explain returns the words for a vertex's verdict. The job is where its
// neighbours' names are found. A verdict of no known id is named as such.
func Explain(j *analysis.JobResult, v *analysis.VertexResult) Words {
	f := facts{j, v, &v.Verdict.Judgement}
	w := word(verdictRenderers()[v.Verdict.ID], f, string(v.Verdict.ID))
	w.Scaling = f.scaling()
	return w
}

// ExplainFinding returns the words for one of the vertex's findings.
func ExplainFinding(j *analysis.JobResult, v *analysis.VertexResult, f *analysis.Finding) Words {
	return word(findingRenderers()[f.ID], facts{j, v, &f.Judgement}, string(f.ID))
}

func word(r renderer, f facts, id string) Words {
	if r == nil {
		return Words{Summary: []string{fmt.Sprintf("No words are known for %s.", name(id))}}
	}
	return r(f)
}

// verdictRenderers is the one list of verdicts and their words.
func verdictRenderers() map[analysis.VerdictID]renderer {
	return map[analysis.VerdictID]renderer{
		analysis.NotEnoughData:     notEnoughData,
		analysis.Quiet:             quiet,
		analysis.Balanced:          balanced,
		analysis.HotKey:            hotKey,
		analysis.FewKeys:           fewKeys,
		analysis.KeyGroupLayout:    keyGroupLayout,
		analysis.PartitionLayout:   partitionLayout,
		analysis.IdleReaders:       idleReaders,
		analysis.HotPartition:      hotPartition,
		analysis.SlowTaskManager:   slowTaskManager,
		analysis.CostlyRecords:     costlyRecords,
		analysis.UnevenInput:       unevenInput,
		analysis.UniformSaturation: uniformSaturation,
		analysis.Stalled:           stalled,
		analysis.Backpressured:     backpressured,
	}
}

// findingRenderers is the one list of findings and their words.
func findingRenderers() map[analysis.FindingID]renderer {
	return map[analysis.FindingID]renderer{
		analysis.Bottleneck:           bottleneck,
		analysis.CeilingReached:       ceilingReached,
		analysis.CeilingBelowRequired: ceilingBelowRequired,
		analysis.PartitionCeiling:     partitionCeiling,
		analysis.DerivedCeiling:       derivedCeiling,
		analysis.WastedSubtasks:       wastedSubtasks,
		analysis.Waiting:              waiting,
		analysis.StateSkew:            stateSkew,
		analysis.CheckpointStraggler:  checkpointStraggler,
		analysis.WatermarkHeld:        watermarkHeld,
		analysis.CatchUpShort:         catchUpShort,
		analysis.NonParallel:          nonParallel,
		analysis.JobChanged:           jobChanged,
	}
}

// docsBase is where the documentation is read.
const docsBase = "https://github.com/flink-skew-exporter/flink-skew-exporter/blob/main/docs/"

// VerdictDocs returns the address of the documentation's page on a verdict.
func VerdictDocs(id analysis.VerdictID) string { return docsBase + "verdicts/" + string(id) + ".md" }

// FindingDocs returns the page on a finding, likewise.
func FindingDocs(id analysis.FindingID) string { return docsBase + "findings/" + string(id) + ".md" }
