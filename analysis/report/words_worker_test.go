package report

import (
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TestWorkerWords: what sets a slow worker apart decides what to look at first.
func TestWorkerWords(t *testing.T) {
	explain := func(ms ...analysis.Measure) (summary, do string) {
		v := slowVertex()
		v.Verdict.Evidence = append([]analysis.Measure{ratio("cost_ratio", 4.98, 1.8)}, ms...)
		w := Explain(&cluster(v).Result.Jobs[0], v)
		return strings.Join(w.Summary, " "), strings.Join(w.Do, " ")
	}
	for name, c := range map[string]struct {
		measures    []analysis.Measure
		summary, do string
	}{
		"garbage":          {[]analysis.Measure{ratio("gc_share", .2, 0), ratio("gc_share_others", .02, 0)}, "spends 20 % of its time in garbage collection (the others 2 %).", "garbage collection first"},
		"garbage for all":  {[]analysis.Measure{ratio("gc_share", .2, 0), ratio("gc_share_others", .19, 0)}, "(the others 19 %)", "-garbage collection first"},
		"hardly any":       {[]analysis.Measure{ratio("gc_share", .04, 0), ratio("gc_share_others", .002, 0)}, "spends 4 %", "-garbage collection first"},
		"no others":        {[]analysis.Measure{ratio("gc_share", .2, 0)}, "spends 20 % of its time in garbage collection.", "garbage collection first"},
		"processors":       {[]analysis.Measure{ratio("cpu_of_cores", .97, 0)}, "uses 97 % of its processors.", "processors are all in use"},
		"processors to do": {[]analysis.Measure{ratio("cpu_of_cores", .5, 0)}, "uses 50 %", "-processors are all in use"},
		"crowded":          {[]analysis.Measure{number("tasks_on_taskmanager", 9, analysis.UnitSubtasks), number("tasks_on_taskmanager_others", 4.5, analysis.UnitSubtasks)}, "runs 9 subtasks of all jobs (the others 4.5).", "spread the slots before"},
		"nothing known":    {nil, "-That TaskManager", "-garbage collection first"},
	} {
		summary, do := explain(c.measures...)
		says(t, name, summary, c.summary)
		says(t, name, do, c.do)
	}
}

// TestWaitingWhere: the finding names the workers with what is known of each.
func TestWaitingWhere(t *testing.T) {
	f := facts{j: &analysis.Judgement{}}
	says(t, "nothing known", f.where()+".", "-It runs")
	f.j.Advice.Workers = []analysis.Worker{
		{ID: "10.0.0.1:4242-ab", Host: "10.0.0.1", CPUUsed: of(.3), CPUCores: of(4), GCShare: of(.02), Tasks: of(7)},
		{ID: "taskmanager-1", Host: "node-2.example.org"}, {ID: "taskmanager-2"}, {ID: "taskmanager-3"}, {ID: "taskmanager-4"},
	}
	says(t, "named", f.where(), "It runs on 10.0.0.1:4242-ab (0.3 of 4 processors used, garbage collection 2 %, 7 subtasks), "+
		"taskmanager-1 (host node-2.example.org), taskmanager-2 and 2 more.")
}
