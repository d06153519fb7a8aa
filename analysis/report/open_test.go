package report

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// flat is a text with its lines joined, so that wrapping hides nothing.
func flat(b []byte) string { return strings.Join(strings.Fields(string(b)), " ") }

// shown is the default view of a cluster in one line.
func shown(t *testing.T, c ClusterInput) string {
	t.Helper()
	return flat(text(t, input(c), Filter{}, TextOptions{Unicode: true}))
}

// lacking is a vertex without a verdict for that reason.
func lacking(r analysis.MissingReason) *analysis.VertexResult {
	v := notJudged()
	v.Windows, v.Verdict.Advice.Missing = 0, r
	return v
}

// TestVictimOfTheUnknownIsNotOK: who waits for something not known is told in
// the default view, in Markdown too, and many are counted rather than listed.
func TestVictimOfTheUnknownIsNotOK(t *testing.T) {
	lost := victim()
	lost.Verdict.Advice.Cause = ""
	const line = "It waits 99 % of its time for something downstream that is not known yet."
	says(t, "one", shown(t, cluster(lost, sink())), "UNKNOWN orders-enrichment / Source: orders source -> parse backpressured", line, "OK 1 vertex (balanced: 1)", "-INFO")
	gone := victim()
	gone.Verdict.Advice.Cause = "v9"
	says(t, "a cause that is not there", shown(t, cluster(gone)), line)
	says(t, "a known cause", shown(t, cluster(victim(), hotKeyVertex())), "OK 1 vertex (backpressured: 1)", "-not known yet")
	says(t, "many", shown(t, cluster(lost, lost, lost, lost)), "UNKNOWN 4 vertices (waits for something not known: 4)", "-OK")
	var md strings.Builder
	if err := Markdown(&md, input(cluster(lost)), Filter{}, MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	says(t, "Markdown", md.String(), "### UNKNOWN: orders-enrichment", line)
}

// TestCauseWithoutACause: a cause that was not judged itself is named without
// the name of its verdict.
func TestCauseWithoutACause(t *testing.T) {
	j := cluster(victim(), lacking(analysis.MissingAgreement)).Result.Jobs[0]
	says(t, "not judged", Explain(&j, &j.Vertices[0]).Summary[0], "the cause is enrich & count: by(customer), v2.1, whose own cause is unknown.", "-not enough data")
}

// TestRestartingJobIsOneLine: a job whose vertices live too short to be judged.
func TestRestartingJobIsOneLine(t *testing.T) {
	looping := func(restarts float64, ago time.Duration, vs ...*analysis.VertexResult) ClusterInput {
		c := cluster(vs...)
		j := &c.Result.Jobs[0]
		j.Restarts, j.RunningSince = of(restarts), c.Result.At.Add(-ago)
		return c
	}
	first, warming := lacking(analysis.MissingFirstWindow), lacking(analysis.MissingWarmingUp)
	loop := looping(4, 21485*time.Millisecond, first, warming, lacking(analysis.MissingNotRunning))
	says(t, "loop", shown(t, loop), "UNKNOWN orders-enrichment: restarted 4 times, last 21 s ago; no vertex ran long enough to be judged", "-UNKNOWN 3", "-first_window", "-warming_up", "-OK")
	says(t, "loop, all", flat(text(t, input(loop), Filter{}, TextOptions{Unicode: true, All: true})), "restarted 4 times", "Not judged: two polls are needed", "Not judged: its subtasks have just started")
	says(t, "loop, one vertex chosen", flat(text(t, input(loop), Filter{Vertex: "v2"}, TextOptions{Unicode: true})), "restarted 4 times")
	says(t, "once", shown(t, looping(1, time.Minute, warming)), "restarted once, last 60 s ago")
	unknown := looping(2, 0, warming)
	unknown.Result.Jobs[0].RunningSince = time.Time{}
	says(t, "time not known", shown(t, unknown), "orders-enrichment: restarted twice; no vertex")
	long := shown(t, looping(4, 72*time.Hour, first, first))
	says(t, "restarted days ago", long, "UNKNOWN 2 vertices (need a second poll: 2)", "-restarted")
	says(t, "never restarted", shown(t, looping(0, time.Second, warming)), "UNKNOWN 1 vertex (just started: 1)", "-restarted")
	says(t, "one is judged", shown(t, looping(4, time.Second, first, sink())), "UNKNOWN 1 vertex (need a second poll: 1)", "OK 1 vertex", "-restarted")
	waits := looping(3, time.Hour, lacking(analysis.MissingNotRunning))
	waits.Result.Jobs[0].State = "RESTARTING"
	says(t, "in state RESTARTING", shown(t, waits), "UNKNOWN orders-enrichment is RESTARTING, restarted 3 times; no vertex ran long enough to be judged", "-last")
	many := cluster()
	many.Result.Jobs = nil
	for i := range 14 {
		many.Result.Jobs = append(many.Result.Jobs, analysis.JobResult{ID: strconv.Itoa(i), Name: "job " + strconv.Itoa(i), State: "RESTARTING"})
	}
	says(t, "many", shown(t, many), "job 0 is RESTARTING: there is nothing to judge", "and 4 more jobs likewise")
}

// TestReasonsInPlainWords: no id of a reason is in the default view.
func TestReasonsInPlainWords(t *testing.T) {
	for _, r := range everyMissingReason() {
		out := shown(t, cluster(lacking(r), sink()))
		if r != "" && strings.Contains(out, string(r)) && strings.Contains(string(r), "_") || strings.Contains(out, "frozen") || strings.Contains(out, "(details: ") {
			t.Errorf("%s: %s", r, out)
		}
		if r != "" && missingLabel(r) == missingLabel("") {
			t.Errorf("%s has no label", r)
		}
	}
	c := cluster(sink())
	c.Result.Gaps = []analysis.Gap{{What: "job", Reason: analysis.GapNotRunning}, {What: "job", Reason: analysis.GapTorn}}
	says(t, "gaps", shown(t, c), "2 answers were not had in the newest poll (the job changed during the poll: 1, the job is not running: 1)")
}

// TestUndecidedSays: the reasons that something is the matter, in full.
func TestUndecidedSays(t *testing.T) {
	unseen := lacking(analysis.MissingSubtasks)
	unseen.Verdict.Subtasks = []int{1}
	unseen.Verdict.Evidence = append(unseen.Verdict.Evidence, ratio("upstream_backpressured", 0.97, 0))
	says(t, "unseen", shown(t, cluster(unseen)), "UNKNOWN", "cause unknown (not_enough_data)",
		"Not judged: subtask 1 gives no numbers, and it may be the hot one: the others do not explain why what feeds it is 97 % back-pressured.")
	unseen.Verdict.Subtasks, unseen.Verdict.Evidence = []int{1, 3}, nil
	says(t, "several unseen", shown(t, cluster(unseen)), "subtasks 1 and 3 give no numbers, and the hot one may be among them.")
	odd := hotKeyVertex()
	odd.MaxParallelism = none
	judge(odd, analysis.NotEnoughData, analysis.SeverityNone, analysis.ScalingNA, nil, ratio("busy_max", 1, 0.9), ratio("busy_skew", 2.5, 1.5))
	odd.Verdict.Advice.Missing = analysis.MissingMaxParallelism
	says(t, "no max parallelism", shown(t, cluster(odd)), "WARNING", "cause unknown (not_enough_data)", "uneven and saturated (the busiest subtask is 100 % busy, 2.5 × the mean), but its max parallelism is not known")
	odd.MaxParallelism = of(2)
	says(t, "too small", shown(t, cluster(odd)), "its max parallelism is told as 2, which parallelism 5 does not go with")
}

// TestReadersAreOfSources: a vertex whose inputs are not known is not called a
// source for that.
func TestReadersAreOfSources(t *testing.T) {
	v := hotKeyVertex()
	v.Inputs, v.Findings = nil, nil
	alone := cluster(v).Result.Jobs[0]
	says(t, "no plan", Explain(&alone, &alone.Vertices[0]).Summary[0], "Subtask 1 of 5")
	known := cluster(v, sink()).Result.Jobs[0]
	says(t, "others have inputs", Explain(&known, &known.Vertices[0]).Summary[0], "Reader 1 of 5")
	v.Name = "Source: orders"
	alone = cluster(v).Result.Jobs[0]
	says(t, "named so", Explain(&alone, &alone.Vertices[0]).Summary[0], "Reader 1 of 5")
}

// TestNoteAndNothing: what is said where there is no vertex to show.
func TestNoteAndNothing(t *testing.T) {
	c := cluster()
	c.Result.Jobs = nil
	says(t, "nothing", shown(t, c), "no job runs")
	c.Result.JobStates = map[string]int{"FINISHED": 2, "RUNNING": 0}
	says(t, "ended", shown(t, c), "no job runs (FINISHED: 2)")
	c.Result.Gaps = []analysis.Gap{{What: "taskmanager metrics", Reason: analysis.GapCold}}
	says(t, "ended, with a gap", shown(t, c), "no job runs (FINISHED: 2)", "1 answer was not had")
	c.Result.Gaps = nil
	c.Result.JobStates = map[string]int{"RUNNING": 1, "RESTARTING": 1, "FINISHED": 4}
	says(t, "configuration", shown(t, c), "2 jobs run, but include_jobs and exclude_jobs leave none", "-no job runs")
	c.Note = "3 jobs run, but none matches --job\x1b[2J"
	says(t, "note", shown(t, c), "3 jobs run, but none matches --job", "-no job runs", "-\x1b")
	busy := cluster(sink())
	busy.Note = "1 job ended during the polls"
	says(t, "beside", shown(t, busy), "OK 1 vertex", "NOTE 1 job ended during the polls")
	says(t, "no result", shown(t, ClusterInput{Name: "c", Up: true, Note: "2 jobs run"}), "2 jobs run")
	var md strings.Builder
	if err := Markdown(&md, input(c), Filter{}, MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	says(t, "Markdown", md.String(), "3 jobs run, but none matches")
}

// TestUnnamed: jobs and vertices without a name are known by their ids.
func TestUnnamed(t *testing.T) {
	c := cluster(victim(), hotKeyVertex())
	c.Result.Jobs[0].Name, c.Result.Jobs[0].Vertices[0].Name, c.Result.Jobs[0].Vertices[1].Name = "", " ", "\n"
	c.Result.Jobs[0].ID = "6c1f0a8e55555555"
	says(t, "unnamed", shown(t, c), "unnamed job 6c1f0a8e… / unnamed vertex v2", "unnamed vertex v1 is 99 % back-pressured", "-(unnamed)")
}

// TestFilterLeavesNoneOfOne: of two clusters the filter may leave jobs of one
// alone; of the other it is not said that no job runs.
func TestFilterLeavesNoneOfOne(t *testing.T) {
	one, other := cluster(sink()), cluster(sink())
	one.Name, other.Name = "one", "other"
	one.Result.Jobs[0].Name, other.Result.Jobs[0].Name = "orders", "clicks"
	other.Result.JobStates = map[string]int{"RUNNING": 1, "CANCELED": 2}
	in := input(one, other)
	for name, write := range map[string]func(*strings.Builder) error{
		"text":     func(b *strings.Builder) error { return Text(b, in, Filter{Job: "orders"}, TextOptions{}) },
		"Markdown": func(b *strings.Builder) error { return Markdown(b, in, Filter{Job: "orders"}, MarkdownOptions{}) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		says(t, name, strings.ToLower(b.String()), "1 job runs, but none matches the filter", "-no job runs")
	}
}
