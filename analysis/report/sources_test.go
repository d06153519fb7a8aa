package report

import (
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TestNumbersOfOneSentenceAreOfOneSource: the newest window may say other than
// all weighed windows; a sentence never sets one beside the other.
func TestNumbersOfOneSentenceAreOfOneSource(t *testing.T) {
	calmNow := judge(keyed(128, subtask{busy: 0.08, records: 90}, subtask{busy: 0.06, records: 80}), analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil,
		ratio("busy_max", 0.06, 0), ratio("busy_mean", 0.058, 0))
	says(t, "balanced", advised(calmNow, ""), "the busiest subtask is 6 % busy, the mean is 6 %")
	calmNow.Verdict.Evidence = calmNow.Verdict.Evidence[:1]
	says(t, "balanced, one of the two", advised(calmNow, ""), "the busiest subtask is 8 % busy, the mean is 7 %")
	slow := slowVertex()
	for i := range slow.Subtasks[:3] {
		slow.Subtasks[i].RecordsIn, slow.Subtasks[i].CostPerRecord = of(0), none
	}
	says(t, "slow", advised(slow, ""), "3.46 ms against 695 µs", "about as many records as the others (0.96 × for each key group)")
	stalled := stalledVertex()
	stalled.Subtasks[2].RecordsIn = of(17)
	says(t, "stalled", advised(stalled, ""), "100 % busy without processing any record, while the others process 309/s each")
	layout := layoutVertex()
	layout.Verdict.Evidence = []analysis.Measure{ratio("busy_max", 0.97, 0)}
	says(t, "layout", advised(layout, ""), "the former are 100 % busy, the latter 49 %")
	waits := victim()
	waits.Verdict.Evidence = []analysis.Measure{ratio("backpressured_mean", 0.9, 0.5)}
	says(t, "who waits", shown(t, cluster(waits, hotKeyVertex())), "parse is 90 % back-pressured", "-99 % back-pressured")
}

// TestTableSaysWhatItShows: the newest window, beside sentences that weigh
// several unless there has been one only.
func TestTableSaysWhatItShows(t *testing.T) {
	v := hotKeyVertex()
	v.WindowSeconds = of(10.73)
	says(t, "several", shown(t, cluster(v)), "newest window of 11 s (the sentences weigh about a minute) subtask busy")
	v.Windows = 1
	says(t, "one", shown(t, cluster(v)), "newest window of 11 s subtask busy", "-weigh")
	v.WindowSeconds = none
	says(t, "unknown", shown(t, cluster(v)), "-newest window")
	var md strings.Builder
	if err := Markdown(&md, input(cluster(hotKeyVertex())), Filter{}, MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	says(t, "Markdown", md.String(), "Newest window of 11 s (the sentences weigh about a minute):\n\n```text")
}

// TestSkewLine is of the newest window, and knows whom the verdict names.
func TestSkewLine(t *testing.T) {
	line := func(v *analysis.VertexResult) string {
		j := cluster(v).Result.Jobs[0]
		return facts{&j, &j.Vertices[0], &j.Vertices[0].Verdict.Judgement}.skewLine()
	}
	hot := hotKeyVertex()
	hot.Verdict.Evidence = append(hot.Verdict.Evidence, ratio("busy_others", 0.04, 0))
	says(t, "hot", line(hot), "skew of records 3.39 × the mean", "the other 4 have 75 % room")
	for i := range hot.Subtasks {
		if i != 1 {
			hot.Subtasks[i].Busy = of(0)
		}
	}
	says(t, "busy is too coarse", line(hot), "-room")
	says(t, "the idle are named", line(fewKeysVertex()), "the other 4 are 39 % busy on average", "-room")
	says(t, "idle readers", line(idleVertex()), "skew of", "-room", "-the other")
	uneven := slowVertex()
	uneven.Signals.RecordsIn.Skew = of(3)
	says(t, "dear records", line(uneven), "skew of busy time 2.13 ×", "-records")
	blind := lacking(analysis.MissingSubtasks)
	blind.Signals.Busy.Skew, blind.Verdict.Subtasks = of(1.8), []int{1}
	says(t, "unseen", line(blind), "skew of busy time 1.8 ×", "-room")
}

// TestUniformScalingIsNoRange: an even load is spread evenly.
func TestUniformScalingIsNoRange(t *testing.T) {
	j := cluster(saturatedVertex()).Result.Jobs[0]
	says(t, "scaling", Explain(&j, &j.Vertices[0]).Scaling, "about 66 % busy at 8", "-–", "-depending", "-200 %")
	each := saturatedVertex()
	each.Verdict.Evidence = []analysis.Measure{ratio("busy_mean", 0.999, 0.9), ratio("busy_min", 0.997, 0.75)}
	says(t, "each", advised(each, ""), "All 4 subtasks are evenly busy: 100 % each.")
}

// TestStragglerIsTheBusiestOnlyDistinctly: of several at their limit none is.
func TestStragglerIsTheBusiestOnlyDistinctly(t *testing.T) {
	late := map[string]float64{"start_delay": 9}
	of := func(v *analysis.VertexResult) string {
		v.Findings = nil
		return told(straggler(v, 10, late))
	}
	says(t, "alone", of(hotKeyVertex()), "It is the busiest subtask, and the barrier")
	says(t, "all", of(saturatedVertex()), "It is 100 % busy, as all others are, and the barrier", "-the busiest")
	two := hotKeyVertex()
	two.Subtasks[3].Busy = two.Subtasks[1].Busy
	says(t, "two", of(two), "It is 100 % busy, as one other is, and the barrier")
	near := hotKeyVertex()
	near.Subtasks[3].Busy = near.Subtasks[1].Busy.Map(func(v float64) float64 { return v - 0.12 })
	says(t, "distinctly", of(near), "It is the busiest subtask")
}

// TestFullButNotWaitedFor: a balanced vertex at its limit is not said to have room.
func TestFullButNotWaitedFor(t *testing.T) {
	v := judge(source(1, subtask{busy: 1, records: 500}), analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil, ratio("busy_max", 1, 0))
	j := cluster(v).Result.Jobs[0]
	says(t, "source", Explain(&j, &j.Vertices[0]).Summary[0], "Its only reader is 100 % busy, and nothing waits for it (a source that paces itself shows as busy).", "-room")
}

// TestDocsAreAddresses that a reader anywhere can open.
func TestDocsAreAddresses(t *testing.T) {
	const base = "https://github.com/flink-skew-exporter/flink-skew-exporter/blob/main/docs/"
	if got := VerdictDocs(analysis.HotKey); got != base+"verdicts/hot_key.md" {
		t.Error(got)
	}
	if got := FindingDocs(analysis.Waiting); got != base+"findings/waiting.md" {
		t.Error(got)
	}
	out := string(text(t, input(cluster(hotKeyVertex())), Filter{}, TextOptions{Width: 60}))
	says(t, "whole on a narrow terminal", out, "  More    "+base+"verdicts/hot_key.md\n")
}
