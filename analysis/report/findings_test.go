package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// told joins all words of the newest finding of a lone vertex.
func told(v *analysis.VertexResult) string {
	j := cluster(v).Result.Jobs[0]
	w := ExplainFinding(&j, &j.Vertices[0], last(&j.Vertices[0]))
	return strings.Join(slices.Concat(w.Summary, w.Do, w.Dont), " ")
}

// says holds that a text has all of some parts and none of others, which are
// marked by a minus.
func says(t *testing.T, name, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		not, unwanted := strings.CutPrefix(p, "-")
		if strings.Contains(got, not) == unwanted {
			t.Errorf("%s: %q is wrong about %q", name, got, p)
		}
	}
}

// TestStragglerPhases: the phase that took the time decides what follows.
func TestStragglerPhases(t *testing.T) {
	tests := map[string]struct {
		phases map[string]float64
		want   []string
	}{
		"start delay": {map[string]float64{"start_delay": 9, "alignment": 0, "sync": 0.1, "async": 0.5}, []string{"9 s of it went by before the first barrier", "back pressure, not state", "buffer-debloat", "-incremental"}},
		"alignment":   {map[string]float64{"start_delay": 1, "alignment": 8, "sync": 0.1, "async": 0.5}, []string{"8 s of it went by waiting for the barriers of its other inputs", "Look upstream", "-incremental"}},
		"sync":        {map[string]float64{"start_delay": 1, "alignment": 0, "sync": 7, "async": 2}, []string{"7 s of it went by in the synchronous part", "snapshotState", "-buffer-debloat"}},
		"async":       {map[string]float64{"start_delay": 1, "alignment": 0, "sync": 1, "async": 8}, []string{"8 s of it went by in writing the state", "execution.checkpointing.incremental", "-buffer-debloat"}},
		"none":        {map[string]float64{"start_delay": 3, "alignment": 2, "sync": 2, "async": 3}, []string{"took 10 s", "median is 421 ms", "No single phase explains it", "-went by"}},
		"half":        {map[string]float64{"start_delay": 5, "async": 1}, []string{"5 s of it went by before"}},
		"unknown":     {nil, []string{"took 10 s", "No single phase"}},
	}
	for name, tt := range tests {
		v := hotKeyVertex()
		v.Findings = nil
		says(t, name, told(straggler(v, 10, tt.phases)), append(tt.want, "Subtask 1 of 5")...)
	}
	idle := sink()
	says(t, "not the busiest", told(straggler(idle, 10, map[string]float64{"start_delay": 9})), "The barrier was held up on its way", "-It is the busiest")
}

func TestStateSkewSays(t *testing.T) {
	says(t, "quiet and fat", told(fatVertex()), "Subtask 2 of 4 holds 1.86 GiB", "mean is 614 MiB", "for each owned key group that is 3.1 × the mean", "not the busiest one (that is subtask 0)", "was incremental and wrote 12 %")
	busy := fatVertex()
	last(busy).Evidence = []analysis.Measure{ratio("state_excess", 3.1, 2), ratio("state_written_share", 0.99, 0), ratio("largest_is_busiest", 1, 0)}
	says(t, "busy and fat", told(busy), "It is the busiest one as well", "wrote all of it", "-incremental and")
	blind := fatVertex()
	blind.Signals.Busy = analysis.Distribution{ArgMax: -1}
	blind.Signals.State.Excess = none
	last(blind).Evidence = slices.DeleteFunc(last(blind).Evidence, func(m analysis.Measure) bool { return m.Name == "state_written_share" })
	says(t, "busy unknown", told(blind), "-busiest one", "-newest checkpoint", "-owned key group", "; that is 3.1 × the mean")
}

func TestWatermarkHeldSays(t *testing.T) {
	says(t, "none yet", told(heldVertex()), "Subtasks 2 and 3 of 5 hold back event time", "they have no input watermark yet, while 3 others do", "withIdleness", "-withWatermarkAlignment", "-behind the others")
	late := held(hotKeyVertex(), 300, 0, 5, []int{4})
	says(t, "late", told(late), "Subtask 4 of 5 holds back event time: its input watermark is 5 min behind the others'", "withWatermarkAlignment", "-withIdleness")
	both := held(hotKeyVertex(), 300, 1, 4, []int{3, 4})
	says(t, "both", told(both), "1 has no input watermark yet, and the furthest of the rest is 5 min behind", "withIdleness", "withWatermarkAlignment")
}

func TestCatchUpShortSays(t *testing.T) {
	says(t, "room", told(behindVertex()), "900,000 records behind", "in 30 min takes 1,500 records/s where 1,000/s flow now", "1.12 × what it can", "about 45 min")
	says(t, "no room", told(behind(saturatedVertex(), 1.5, 1000)), "no room above the present rate, of which catching up may be a part", "-At full load")
	hot := behind(hotKeyVertex(), 1.5, 1000)
	last(hot).ScalingHelps = analysis.ScalingNo
	says(t, "hot", told(hot), "Mend what its verdict names first", "-Give it more subtasks")
}

// TestDerivedCeilingIsNoAlarm: the words never say for certain, nor that
// crossing a step of the default breaks a restore.
func TestDerivedCeilingIsNoAlarm(t *testing.T) {
	says(t, "earlier", told(derivedVertex()), "looks derived", "a smaller first start gives it", "parallelism 100 would give 256", "may have been set to the same", "1.28 × the largest parallelism",
		"a restore keeps the savepoint's value", "-step", "-breaks")
	now := hotKeyVertex()
	find(now, analysis.DerivedCeiling, analysis.SeverityNone, number("max_parallelism", 128, analysis.UnitKeyGroups), number("derived_now", 128, analysis.UnitKeyGroups), ratio("headroom", 25.6, 4))
	says(t, "now", told(now), "parallelism 5 gives it", "25.6 × the largest parallelism in sight, which is enough", "-pipeline.max-parallelism")
}

// TestSeverityNoneOnlyInVerbose: a finding of severity none is for --verbose
// and the JSON, with its confidence, and does not make a vertex worth a block.
func TestSeverityNoneOnlyInVerbose(t *testing.T) {
	c := cluster(find(sink(), analysis.DerivedCeiling, analysis.SeverityNone, number("max_parallelism", 128, analysis.UnitKeyGroups)))
	last(&c.Result.Jobs[0].Vertices[0]).Confidence = analysis.ConfidenceLow
	for _, o := range []TextOptions{{Unicode: true}, {Unicode: true, All: true}} {
		says(t, "plain", string(text(t, input(c), Filter{}, o)), "-derived_ceiling")
	}
	says(t, "verbose", string(text(t, input(c), Filter{}, TextOptions{Unicode: true, Verbose: true})), "derived_ceiling (low confidence): Max parallelism 128 looks derived")
	var md strings.Builder
	if err := Markdown(&md, input(c), Filter{}, MarkdownOptions{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	says(t, "Markdown", md.String(), "`derived_ceiling (low confidence)`: Max parallelism 128")
	fs := NewCluster(c, Filter{}).Jobs[0].Vertices[0].Findings
	if len(fs) != 1 || fs[0].Confidence != analysis.ConfidenceLow || fs[0].Severity != analysis.SeverityNone {
		t.Errorf("JSON has %+v", fs)
	}
}

// TestInfoFindingsOfCalmVertices are listed on request.
func TestInfoFindingsOfCalmVertices(t *testing.T) {
	c := cluster(heldVertex())
	says(t, "plain", string(text(t, input(c), Filter{}, TextOptions{Unicode: true})), "-watermark_held")
	says(t, "all", string(text(t, input(c), Filter{}, TextOptions{Unicode: true, All: true})), "watermark_held: Subtasks 2 and 3")
}
