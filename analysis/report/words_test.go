package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestEveryIDHasWords(t *testing.T) {
	verdicts, findings := verdictRenderers(), findingRenderers()
	for _, id := range analysis.Verdicts() {
		if verdicts[id] == nil || Label(id) == string(id) {
			t.Errorf("verdict %s has no words or no label", id)
		}
	}
	for _, id := range analysis.FindingIDs() {
		if findings[id] == nil {
			t.Errorf("finding %s has no words", id)
		}
	}
	if len(verdicts) != len(analysis.Verdicts()) || len(findings) != len(analysis.FindingIDs()) {
		t.Error("words of an id that the analysis does not know")
	}
}

// everyMissingReason lists why data may be missing; the empty one is unknown.
func everyMissingReason() []analysis.MissingReason {
	return []analysis.MissingReason{
		"", analysis.MissingFirstWindow, analysis.MissingWarmingUp, analysis.MissingCoverage, analysis.MissingDetails,
		analysis.MissingBusy, analysis.MissingNotRunning, analysis.MissingFrozen, analysis.MissingAgreement, analysis.MissingExcluded,
		analysis.MissingSubtasks, analysis.MissingMaxParallelism,
	}
}

// TestWordsWithoutNumbers holds that a verdict of which no number is known
// still reads well: nothing invented, no placeholder.
func TestWordsWithoutNumbers(t *testing.T) {
	for _, p := range []int{1, 4, 100} {
		for _, subtasks := range [][]int{nil, {0}, {0, 2}} {
			v := &analysis.VertexResult{ID: "v", Parallelism: p, Verdict: analysis.Verdict{Judgement: analysis.Judgement{Subtasks: subtasks}}}
			j := &analysis.JobResult{}
			for _, id := range analysis.Verdicts() {
				v.Verdict.ID = id
				checkWords(t, string(id), Explain(j, v))
			}
			for _, r := range everyMissingReason() {
				v.Verdict.ID, v.Verdict.Advice.Missing = analysis.NotEnoughData, r
				checkWords(t, string(r), Explain(j, v))
			}
			for _, id := range analysis.FindingIDs() {
				f := &analysis.Finding{ID: id, Judgement: analysis.Judgement{Subtasks: subtasks}}
				checkWords(t, string(id), ExplainFinding(j, v, f))
			}
		}
	}
}

func TestWordsWithNumbers(t *testing.T) {
	for id, c := range verdictFixtures() {
		j := &c.Result.Jobs[0]
		for i := range j.Vertices {
			checkWords(t, string(id), Explain(j, &j.Vertices[i]))
		}
	}
}

func checkWords(t *testing.T, id string, w Words) {
	t.Helper()
	if len(w.Summary) == 0 {
		t.Errorf("%s says nothing", id)
	}
	for _, s := range slices.Concat(w.Summary, w.Do, w.Dont) {
		if !strings.HasSuffix(s, ".") || s != sentence(s) || strings.Contains(s, "  ") {
			t.Errorf("%s: %q is no sentence", id, s)
		}
		for _, bad := range []string{"NaN", "absent", "Inf", "%!", unknown + " ", "..", " ,", " ."} {
			if strings.Contains(s, bad) {
				t.Errorf("%s: %q contains %q", id, s, bad)
			}
		}
	}
}

// TestNumbersInWords holds single sentences to their numbers.
func TestNumbersInWords(t *testing.T) {
	tests := map[analysis.VerdictID][]string{
		analysis.HotKey:            {"Subtask 1 of 5 is 100 % busy", "68 % of the records", "20 % of the key groups", "up to 128", "88 % busy", "key groups 26–51 of 128"},
		analysis.KeyGroupLayout:    {"28 of 100 subtasks own 2 key groups, the other 72 own 1", "100 % busy, the latter 49 %", "speed of parallelism 64", "at 64 (same throughput, 36 slots back)", "at 128 (the busiest at about 50 %), which is the ceiling", "between 65 and 127"},
		analysis.PartitionLayout:   {"2 readers of 3 own 2 partitions and 1 owns 1 (5 in all)", "62 % busy, the latter 31 %", "Run it at 5 (the busiest at about 31 %)", "6 is the next multiple of 3"},
		analysis.IdleReaders:       {"Readers 5–7 of 8 own no partition", "5 partitions for 8 readers", "parallelism to 5"},
		analysis.SlowTaskManager:   {"Subtasks 3 and 4 of 6", "172.18.0.7:41357-9c2d1e", "4.98 ×", "though they get about as many records as the others (0.96 × for each key group)"},
		analysis.CostlyRecords:     {"Subtask 2 of 4 gets about as many records as the others (1.01 × for each key group)", "11.7 ×", "3.27 ms against 280 µs"},
		analysis.HotPartition:      {"Reader 2 of 4", "yet reads 1,600 records/s where the mean is 554"},
		analysis.FewKeys:           {"4 of 8 subtasks do all the work"},
		analysis.UniformSaturation: {"All 4 subtasks", "99 % on average, 98 % at least", "parallelism 6 already", "the ceiling is 128 (max parallelism binds)", "8 (the busiest at about 66 %) or 16"},
		analysis.Stalled:           {"Subtask 2 of 4 is 100 % busy without processing any record", "309/s each"},
		analysis.UnevenInput:       {"gets 2.97 × the mean of the records", "FORWARD from Source: orders topic -> decode"},
	}
	for id, want := range tests {
		c := verdictFixtures()[id]
		j := &c.Result.Jobs[0]
		for i := range j.Vertices {
			v := &j.Vertices[i]
			if v.Verdict.ID != id {
				continue
			}
			w := Explain(j, v)
			all := strings.Join(slices.Concat(w.Summary, w.Do, w.Dont), " ")
			for _, s := range want {
				if !strings.Contains(all, s) {
					t.Errorf("%s does not say %q:\n%s", id, s, all)
				}
			}
		}
	}
}

// TestEvidenceBeforeWindow holds that a sentence tells what the verdict rests
// on rather than the newest window's number.
func TestEvidenceBeforeWindow(t *testing.T) {
	v := hotKeyVertex()
	v.Verdict.Evidence = []analysis.Measure{ratio("records_share", 0.5, 0), ratio("busy_max", 0.93, 0)}
	w := Explain(&analysis.JobResult{}, v)
	if !strings.Contains(w.Summary[0], "93 % busy") || !strings.Contains(w.Summary[0], "takes 50 %") {
		t.Error(w.Summary[0])
	}
}

func TestSQLGetsSQLAdvice(t *testing.T) {
	v := hotKeyVertex()
	v.Verdict.Advice.Key = "groupBy=[c]"
	w := Explain(&analysis.JobResult{}, v)
	if !strings.Contains(w.Do[0], "table.exec.mini-batch.enabled") || !strings.Contains(w.Do[1], "groupBy=[c]") {
		t.Error(w.Do)
	}
}

func TestSlotsBackOnlyFromTheWidest(t *testing.T) {
	v := layoutVertex()
	wide := &analysis.JobResult{Vertices: []analysis.VertexResult{{ID: "other", Parallelism: 100}}}
	if w := Explain(wide, v); strings.Contains(w.Do[0], "slots back") || !strings.Contains(w.Do[0], "36 subtasks fewer") {
		t.Error(w.Do[0])
	}
}
