package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// TestDiagnoseNothingChosen: a report of nothing must not pass for good news.
func TestDiagnoseNothingChosen(t *testing.T) {
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"job":         {[]string{"--job=typo"}, `no job matches --job="typo"; there are "hot-key"`},
		"with limit":  {[]string{"--job=typo", "--fail-on=critical"}, `no job matches --job="typo"; there are "hot-key"`},
		"vertex":      {[]string{"--vertex=typo"}, `no vertex matches --vertex="typo" in the 1 jobs looked at; --all lists the vertices`},
		"include":     {[]string{"--poll.include-jobs=^nope$"}, `cluster hot-key-2.3.0: jobs run (1), but none of them matches include_jobs "^nope$"`},
		"exclude":     {[]string{"--poll.exclude-jobs=hot"}, `cluster hot-key-2.3.0: jobs run (1), but all of them match exclude_jobs "hot"`},
		"both":        {[]string{"--poll.include-jobs=x", "--poll.exclude-jobs=y"}, `cluster hot-key-2.3.0: jobs run (1), but none of them passes include_jobs "x" and exclude_jobs "y"`},
		"include job": {[]string{"--poll.include-jobs=x", "--job=hot"}, `cluster hot-key-2.3.0: jobs run (1), but none of them matches include_jobs "x"`},
	} {
		got := execute(t, append([]string{"diagnose", "--tape", tape("hot-key-2.3.0")}, c.flags...)...)
		if want := "flink-skew-exporter: error: " + c.want + "\n"; got != (outcome{exitFailed, "", want}) {
			t.Errorf("%s: got %+v, want %s", name, got, want)
		}
	}
}

// TestDiagnoseOneClusterDown polls a cluster that answers and one that does not.
func TestDiagnoseOneClusterDown(t *testing.T) {
	sim, _ := simulated(t)
	url := answering(t, func(w http.ResponseWriter, r *http.Request) { sim.ServeHTTP(w, r) })
	got := execute(t, "diagnose", "--flink.url", url, "--flink.url=http://127.0.0.1:1", "--flink.name=up", "--flink.name=off", "--polls=2", "--interval=1ms")
	if got.code != exitFailed || !strings.Contains(got.stdout, "cluster up") || strings.Count(got.stderr, "\n") != 1 ||
		!strings.HasPrefix(got.stderr, "flink-skew-exporter: error: cluster off: GET http://127.0.0.1:1/jobs/overview: connection refused") {
		t.Errorf("got %+v", got)
	}
}

// TestFindingsOutweighAClusterDown: of two reasons not to exit with 0, the
// finding is what --fail-on asked about.
func TestFindingsOutweighAClusterDown(t *testing.T) {
	hot := analysis.VertexResult{ID: "v", Verdict: analysis.Verdict{ID: analysis.HotKey, Judgement: analysis.Judgement{Severity: analysis.SeverityWarning}}}
	in := report.Input{Clusters: []report.ClusterInput{
		{Name: "up", Up: true, Result: &analysis.Result{Jobs: []analysis.JobResult{{ID: "j", Vertices: []analysis.VertexResult{hot}}}}},
		{Name: "off"},
	}}
	all := []*readings{{name: "up", good: 2}, {name: "off", failed: 1, err: reasoned("refused")}}
	text := func(s string) *string { return &s }
	for level, code := range map[string]int{"none": exitFailed, "info": exitFindings, "warning": exitFindings, "critical": exitFailed} {
		d := diagnose{failOn: text(level), job: text(""), vertex: text("")}
		var stderr bytes.Buffer
		if got := exitCode(d.outcome(process{stderr: &stderr}, all, in), &stderr); got != code {
			t.Errorf("%s: got %d, want %d", level, got, code)
		}
		if strings.Count(stderr.String(), "cluster off: failed: refused\n") != 1 {
			t.Errorf("%s: got %s", level, stderr.String())
		}
	}
}

// TestJoinedErrorsHaveALineEach: what wraps several errors in one text is not torn.
func TestJoinedErrorsHaveALineEach(t *testing.T) {
	var b bytes.Buffer
	a, c := errors.New("a\nb"), errors.New("c")
	complain(&b, errors.Join(a, errors.Join(c)))
	complain(&b, usagef("%w and %w", a, c))
	want := "flink-skew-exporter: error: a b\nflink-skew-exporter: error: c\nflink-skew-exporter: error: a b and c\n"
	if b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}

// jobsByPoll answers with the jobs of each poll, by id.
type jobsByPoll struct {
	polls [][]string
	next  int
}

func (s *jobsByPoll) Snapshot(context.Context) (analysis.Snapshot, error) {
	if s.polls[s.next] == nil {
		s.next++
		return analysis.Snapshot{}, reasoned("timeout")
	}
	snapshot := analysis.Snapshot{JobStates: map[string]int{}}
	for _, id := range s.polls[s.next] {
		snapshot.Jobs = append(snapshot.Jobs, analysis.Job{ID: id, Name: "job " + id, State: "RUNNING"})
	}
	s.next++
	return snapshot, nil
}

// TestEndedJobsStay: jobs that end while they are looked at are reported as
// they were last seen, and it is said of which poll that is.
func TestEndedJobsStay(t *testing.T) {
	for name, c := range map[string]struct {
		polls  [][]string
		job    string
		jobs   string
		stderr string
	}{
		"none ended":  {[][]string{{"a", "b"}, {"a", "b"}, {"a", "b"}}, "", "ab", ""},
		"last poll":   {[][]string{{"a", "b"}, {"a", "b"}, {"b"}}, "", "ba", `job "job a" has ended since; what the report says of it is of poll 2 of 3`},
		"all":         {[][]string{{"a"}, {"a"}, {}}, "", "a", `job "job a" has ended since; what the report says of it is of poll 2 of 3`},
		"early":       {[][]string{{"a"}, {}, {}}, "", "a", `job "job a" has ended since; what the report says of it is of poll 1 of 3`},
		"back again":  {[][]string{{"a"}, {}, {"a"}}, "", "a", ""},
		"after fail":  {[][]string{{"a"}, {"a"}, nil, {}}, "", "a", `job "job a" has ended since; what the report says of it is of poll 2 of 4`},
		"not chosen":  {[][]string{{"a", "b"}, {"a", "b"}, {"b"}}, "job b", "ba", ""},
		"then a new":  {[][]string{{"a"}, {"b"}, {"b"}}, "", "ba", `job "job a" has ended since; what the report says of it is of poll 1 of 3`},
		"one by one":  {[][]string{{"a", "b"}, {"b"}, {}}, "", "ab", `job "job b" has ended since; what the report says of it is of poll 2 of 3`},
		"none at all": {[][]string{{}, {}, {}}, "", "", ""},
	} {
		r := &readings{name: "c", thresholds: analysis.Defaults()}
		src := &jobsByPoll{polls: c.polls}
		for range c.polls {
			r.take(src.Snapshot(t.Context()))
		}
		in := r.input(false)
		var all []string
		for _, j := range in.Result.Jobs {
			all = append(all, j.ID)
		}
		if ids := strings.Join(all, ""); ids != c.jobs {
			t.Errorf("%s: got jobs %s, want %s", name, ids, c.jobs)
		}
		vertex := ""
		d := diagnose{job: &c.job, vertex: &vertex}
		var stderr bytes.Buffer
		d.caveats(process{stderr: &stderr}, r, in)
		if got := stderr.String(); !strings.Contains(got, c.stderr) || strings.Contains(got, "ended") != (c.stderr != "") {
			t.Errorf("%s: got %s, want %s", name, got, c.stderr)
		}
	}
}

// TestDiagnoseDamagedTape judges the polls before the damage and says so.
func TestDiagnoseDamagedTape(t *testing.T) {
	text := unpack(t, tape("hot-key-2.3.0"))
	cut := writeFile(t, "cut.jsonl", text[:len(text)-100])
	got := execute(t, "diagnose", "--tape", cut, "--fail-on=critical")
	line := strings.Count(text, "\n")
	want := fmt.Sprintf("flink-skew-exporter: warning: tape %s: line %d: no recorded answer, the tape is cut off or damaged: unexpected end of JSON input; "+
		"the report rests on the polls that were complete before it: 3\n", cut, line)
	if got.code != exitFindings || got.stderr != want || !strings.Contains(got.stdout, "3 polls") {
		t.Errorf("got %+v, want %s", got, want)
	}
	short := writeFile(t, "short.jsonl", text[:100])
	if got := execute(t, "diagnose", "--tape", short); got.code != exitFailed || got.stdout != "" || !strings.Contains(got.stderr, "error: tape "+short+": line 1: no recorded answer") {
		t.Errorf("got %+v", got)
	}
}

// TestDiagnoseOnePoll: one poll judges nothing, which is no success, whether
// the others were damaged, failed or never recorded.
func TestDiagnoseOnePoll(t *testing.T) {
	lines := strings.SplitAfter(unpack(t, tape("hot-key-2.3.0")), "\n")
	second := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, `{"poll":1,`) || strings.HasPrefix(l, `{"poll": 1,`) })
	if second < 1 {
		t.Fatal("the tape has no second poll")
	}
	first := strings.Join(lines[:second], "")
	failed := `{"poll":1,"at":99,"path":"/jobs/overview","status":0,"body":"timeout"}` + "\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"damaged": {first + lines[second] + lines[second+1][:20], []string{fmt.Sprintf("error: tape damaged: line %d: ", second+2), "damaged", "not enough for a verdict"}},
		"whole":   {first, []string{"error: cluster whole: one poll is not enough for a verdict"}},
		"failed":  {first + failed, []string{"1 of 2 polls failed", "one poll is not enough for a verdict"}},
	} {
		got := execute(t, "diagnose", "--tape", writeFile(t, name+".jsonl", c.text))
		if got.code != exitFailed || !strings.Contains(got.stdout, "1 poll") {
			t.Errorf("%s: got %+v", name, got)
		}
		for _, w := range c.want {
			if !strings.Contains(got.stderr, w) {
				t.Errorf("%s: %q lacks %q", name, got.stderr, w)
			}
		}
	}
}

// TestDiagnoseTapeOfFailedPolls: nobody can do anything about a recorded outage.
func TestDiagnoseTapeOfFailedPolls(t *testing.T) {
	refused := `{"poll":%d,"at":%d,"path":"/jobs/overview","status":0,"body":"dial tcp 10.0.0.1:8081: connect: connection refused"}` + "\n"
	file := writeFile(t, "down.jsonl", fmt.Sprintf(refused+refused, 0, 10, 1, 20))
	want := "flink-skew-exporter: error: cluster down: poll 2 of the tape recorded: connection refused (GET /jobs/overview)\n"
	if got := execute(t, "diagnose", "--tape", file); got != (outcome{exitFailed, "", want}) {
		t.Errorf("got %+v, want %s", got, want)
	}
}
