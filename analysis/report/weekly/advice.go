package weekly

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Action is what to do first. The set is closed.
type Action string

// The actions.
const (
	ActNone Action = "none"
	// ActRewrite: raise max parallelism, an offline rewrite of keyed state.
	ActRewrite Action = "raise_max_parallelism"
	// ActPartitions: add source partitions. ActSlots: add task slots.
	ActPartitions Action = "add_partitions"
	ActSlots      Action = "add_task_slots"
	// ActSkew: more parallelism does not help before the skew is mended.
	ActSkew Action = "mend_skew"
	// ActRescale: run at a parallelism that the peak needs.
	ActRescale Action = "rescale"
	// ActShrink: give subtasks back that do nothing for the throughput.
	ActShrink Action = "give_subtasks_back"
	// ActChoose: choose max parallelism before the next first start.
	ActChoose Action = "choose_max_parallelism"
)

// Advice is what to do about a vertex.
type Advice struct {
	Action Action `json:"action"`
	// Target is the max parallelism or parallelism to aim at.
	Target analysis.Num `json:"target"`
	Text   string       `json:"text"`
}

const (
	// rewriteRate is the pace at which state is rewritten offline, in bytes a
	// second, where nobody has measured another.
	rewriteRate = 300e6
	// skewShare is the share of the hours seen in which verdicts that scaling
	// does not mend must have stood to come before scaling.
	skewShare = 0.25
	// tooFew is how many times the parallelism the peak must need for another
	// one to be advised: a little above the target utilisation does no harm.
	tooFew = 1.1
)

// unmended are the verdicts that another parallelism does not mend.
func unmended() []analysis.VerdictID {
	return []analysis.VerdictID{
		analysis.HotKey, analysis.FewKeys, analysis.HotPartition, analysis.SlowTaskManager, analysis.CostlyRecords, analysis.Stalled,
	}
}

// advise says the first thing to do about a vertex.
func advise(v *Vertex) Advice {
	pressed := v.Reached.Kind == ReachNow || v.Reached.Kind == ReachDates
	peak, p := v.Peak.Or(0), v.Parallelism.Or(0)
	switch {
	case v.skewed() != "":
		return Advice{Action: ActSkew, Text: fmt.Sprintf("%s first: more parallelism does not mend it (docs/verdicts/%s.md)", v.skewed(), v.skewed())}
	case pressed && v.Binding == analysis.BindMaxParallelism:
		return v.rewrite()
	case pressed && v.Binding == analysis.BindSourcePartitions:
		text := "raise partitions"
		if m, ok := v.MaxParallelism.Get(); ok && m > v.Ceiling.Or(0) {
			text += fmt.Sprintf("; max parallelism (%s) is not what binds", report.Thousands(m))
		}
		return Advice{Action: ActPartitions, Target: v.Peak, Text: text}
	case pressed && v.Binding == analysis.BindTaskSlots:
		return Advice{Action: ActSlots, Target: v.Peak, Text: "add task slots; nothing else binds yet"}
	case peak >= tooFew*p && p > 0 && v.Trend.Kind != TrendFalling:
		to := v.useful(peak)
		return Advice{Action: ActRescale, Target: analysis.Of(to), Text: fmt.Sprintf("run it at %s for its peak", report.Thousands(to))}
	case v.Wasted.Or(0) >= 1 && p > v.Wasted.Or(0):
		to := p - v.Wasted.Or(0)
		return Advice{Action: ActShrink, Target: analysis.Of(to), Text: fmt.Sprintf("run it at %s: same throughput, %s back", report.Thousands(to), report.Count(int(v.Wasted.Or(0)), "subtask"))}
	case v.tight() && v.PeakHeadroom.Or(math.Inf(1)) < roomyCeiling:
		to := target(math.Max(peak, p))
		return Advice{Action: ActChoose, Target: analysis.Of(to), Text: fmt.Sprintf("choose max parallelism at the next first start: %s", report.Thousands(to))}
	}
	return Advice{Action: ActNone}
}

// skewed is the verdict that must be mended before scaling makes sense, if any.
func (v *Vertex) skewed() analysis.VerdictID {
	worst := analysis.VerdictID("")
	for _, id := range unmended() {
		if v.VerdictHours[id] > v.VerdictHours[worst] {
			worst = id
		}
	}
	if seen, ok := v.SeenHours.Get(); ok {
		if worst != "" && v.VerdictHours[worst] >= math.Max(1, skewShare*seen) {
			return worst
		}
		return ""
	}
	if slices.Contains(unmended(), v.Verdict) {
		return v.Verdict
	}
	return ""
}

func (v *Vertex) rewrite() Advice {
	if v.Ceiling.Or(0) >= keygroup.UpperBound {
		return Advice{Action: ActRewrite, Text: "it is at Flink's largest max parallelism; split the job or its keys"}
	}
	to := target(math.Max(v.Peak.Or(0), v.Parallelism.Or(0)))
	text := fmt.Sprintf("plan a rewrite to %s", report.Thousands(to))
	if b, ok := v.StateBytes.Get(); ok && b > 0 {
		text += fmt.Sprintf(" (%s, about %s at 300 MB/s)", report.Bytes(b), report.Seconds(b/rewriteRate))
	}
	return Advice{Action: ActRewrite, Target: analysis.Of(to), Text: text + ": flink-skew-exporter plan"}
}

// target is the max parallelism to choose: a power of two, four to eight times
// the largest parallelism needed.
func target(largest float64) float64 {
	least := uint(math.Max(1, roomyCeiling*math.Ceil(largest)))
	return math.Min(keygroup.UpperBound, float64(uint(1)<<bits.Len(least-1)))
}

// useful is the smallest parallelism at or above need that is worth running:
// where key groups are known, one that unloads the busiest subtask.
func (v *Vertex) useful(need float64) float64 {
	m := int(v.MaxParallelism.Or(0))
	if v.Binding != analysis.BindMaxParallelism || m < 1 || int(need) > m || m > keygroup.UpperBound {
		return need
	}
	for _, u := range keygroup.Useful(m) {
		if float64(u) >= need {
			return float64(u)
		}
	}
	return need
}
