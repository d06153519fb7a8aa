package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// advised joins all words of a vertex's verdict behind a first phase.
func advised(v *analysis.VertexResult, local string) string {
	first := sink()
	first.ID, first.Name = "local", local
	j := cluster(first, v).Result.Jobs[0]
	w := Explain(&j, &j.Vertices[1])
	return strings.Join(slices.Concat(w.Summary, w.Do, w.Dont), " ")
}

// TestKeyRange: the range to look in may be narrower than what the hot subtask
// owns, and then the words say why.
func TestKeyRange(t *testing.T) {
	says(t, "as owned", advised(hotKeyVertex(), ""), "it falls in key groups 26–51 of 128; of suspects in keys.txt, one a line, flink-skew-exporter keys --max-parallelism=128 --parallelism=5 --type=… --groups=26-51 < keys.txt tells which do.")
	v := hotKeyVertex()
	v.Verdict.Advice.KeyGroups = &analysis.KeyGroupRange{First: 37, Last: 42}
	says(t, "narrowed", advised(v, ""), "it falls in key groups 37–42 of 128 (the subtask owns 26–51; what was hot at earlier parallelisms rules out the rest); of suspects", "groups=37-42 <")
	v.Verdict.Advice.KeyGroups = &analysis.KeyGroupRange{First: 52, Last: 60}
	says(t, "of another subtask", advised(v, ""), "key groups 52–60 of 128; of suspects", "-rules out")
	v = hotKeyVertex()
	v.Verdict.Subtasks = []int{1, 3}
	says(t, "several", advised(v, ""), "the hottest falls in key groups 26–51")
}

func TestKeyIsQuoted(t *testing.T) {
	v := hotKeyVertex()
	v.Verdict.Advice.Key = "groupBy=[c]"
	says(t, "hot", advised(v, ""), "100 % busy with a hot key in groupBy=[c]: it takes 68 %", "Find the key of groupBy=[c]", "type='sql(…)' --groups")
	v.Verdict.Subtasks = []int{1, 3}
	says(t, "several", advised(v, ""), "hot keys in groupBy=[c]")
	few := fewKeysVertex()
	few.Verdict.Advice.Key = "groupBy=[tenant]"
	says(t, "few", advised(few, ""), "too few distinct keys of groupBy=[tenant] to go round")
}

// TestPreAggregationIsNotAdvisedTwice: where the records arrive combined, the
// words give the gain and what is left to do.
func TestPreAggregationIsNotAdvisedTwice(t *testing.T) {
	tests := map[string]struct {
		local string
		gain  analysis.Num
		want  []string
	}{
		"good":    {"LocalGroupAggregate[3]", of(4.2), []string{"combined before the shuffle already in LocalGroupAggregate[3] (two-phase), 4.2 in for each partial result out", "table.exec.mini-batch.size", "-gains little"}},
		"small":   {"LocalGroupAggregate[3]", of(1.08), []string{"gains little: 1.08 records in for each partial result out", "keys hardly repeat within a batch", "table.exec.mini-batch.allow-latency", "salt the key"}},
		"edge":    {"LocalGroupAggregate[3]", of(1.5), []string{"-gains little"}},
		"unknown": {"Source: t[1] -> LocalGroupAggregate[2]", none, []string{"cannot be seen", "-in for each"}},
		"window":  {"LocalWindowAggregate[3]", of(1.1), []string{"gains little", "managed memory", "-mini-batch"}},
	}
	for name, tt := range tests {
		v := hotKeyVertex()
		v.Verdict.Advice.Key = "groupBy=[c]"
		v.Verdict.Advice.PreAggregation = &analysis.PreAggregation{Local: "local", Gain: tt.gain}
		says(t, name, advised(v, tt.local), append(tt.want, "-TWO_PHASE", "-Aggregate locally", "two-phase aggregation: it is on")...)
	}
	v := hotKeyVertex()
	v.Verdict.Advice.PreAggregation = &analysis.PreAggregation{Local: "gone", Gain: of(3)}
	says(t, "a vertex that is not there", advised(v, "x"), "combined before the shuffle already (two-phase), 3 in")
}

// TestAgreement: uneven, saturated and unexplained is shown in full, though
// its severity is none.
func TestAgreement(t *testing.T) {
	v := hotKeyVertex()
	v.Findings, v.Checks = nil, nil
	judge(v, analysis.NotEnoughData, analysis.SeverityNone, analysis.ScalingNA, nil, ratio("busy_max", 0.98, 0.9), ratio("busy_skew", 2.4, 1.5))
	v.Verdict.Advice.Missing = analysis.MissingAgreement
	out := string(text(t, input(cluster(v)), Filter{}, TextOptions{Unicode: true}))
	says(t, "agreement", strings.Join(strings.Fields(out), " "), "UNKNOWN orders-enrichment", "uneven and saturated (the busiest subtask is 98 % busy, 2.4 × the mean), but the signals do not agree on a cause", "time/record")
	v.Verdict.Advice.Missing = analysis.MissingExcluded
	out = string(text(t, input(cluster(v)), Filter{}, TextOptions{Unicode: true, All: true}))
	says(t, "excluded", out, "UNKNOWN   1 vertex (excluded by the configuration: 1)", "the configuration excludes it (analysis.exclude_vertices)")
}
