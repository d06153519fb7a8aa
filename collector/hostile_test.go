package collector

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// hostileNames are what users and SQL planners make of names, and worse.
func hostileNames() []string {
	return []string{
		"", `say "hi"`, "two\nlines\r\n", `back\slash\`, "{le=\"1\"} 2\n# TYPE x counter", "nul\x00tab\t", "bad \xff\xfe utf-8 \xc3",
		strings.Repeat("ü", 5000), strings.Repeat("x", 99) + "é" + "tail", strings.Repeat("\xff", 5000), "日本語 🎉", "# HELP", "\x1b[31m\u009b\u202e",
	}
}

// hostile shows clusters, jobs and vertices under every hostile name, all
// things listed twice, and words outside the closed sets.
func hostile(t testing.TB) *Collector {
	var r analysis.Result
	r.FlinkVersion = "\xff\"\n"
	r.JobStates = map[string]int{"RUN\xff": 1, "RUN\xfe": 2, strings.Repeat("S", 200): 3, strings.Repeat("S", 201): 4}
	r.Gaps = []analysis.Gap{{Reason: "\xff"}, {Reason: "\xfe"}}
	for i, name := range hostileNames() {
		v := hotVertex()
		v.ID, v.Name = name, name
		v.Verdict.ID = analysis.VerdictID(name)
		v.Verdict.Advice.Missing = analysis.MissingReason(name)
		v.Ceiling.Binding = analysis.Binding(name)
		v.Findings = append(v.Findings, v.Findings[0], analysis.Finding{ID: analysis.FindingID(name)})
		v.Subtasks = append(v.Subtasks, v.Subtasks...)
		// Two jobs of one name are no duplicates; the second copy of each is.
		j := analysis.JobResult{
			ID: "job" + name, Name: hostileNames()[i/2*2], State: name, Scheduler: name, Restarts: analysis.Of(1),
			Vertices: []analysis.VertexResult{v, sourceVertex(), v},
		}
		r.Jobs = append(r.Jobs, j, j)
	}
	var pollers []*Poller
	for _, name := range hostileNames()[1:] {
		p := newFed(t, name)
		p.cfg.Observer.Response(name, 200, 1)
		feed(p, r)
		fail(p, reasoned(name))
		pollers = append(pollers, p)
	}
	return newShown(t, Options{Subtasks: ModeAll}, pollers...)
}

func TestHostileInputIsExposedWithinBounds(t *testing.T) {
	jobs, verdicts := 0, 0
	for _, f := range gathered(t, hostile(t)) {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if v := l.GetValue(); !utf8.ValidString(v) || utf8.RuneCountInString(v) > MaxLabelRunes || strings.ContainsFunc(v, unicode.IsControl) {
					t.Errorf("%s has label %s=%q", f.GetName(), l.GetName(), v)
				}
			}
		}
		switch f.GetName() {
		case "flink_skew_job_info":
			jobs = len(f.GetMetric())
		case "flink_skew_vertex_verdict":
			verdicts = len(f.GetMetric())
		}
	}
	names := len(hostileNames())
	if clusters := names - 1; jobs != clusters*names || verdicts != 2*jobs {
		t.Errorf("%d jobs and %d verdicts, want %d and twice as many", jobs, verdicts, clusters*names)
	}
}

func TestDuplicatesAreCounted(t *testing.T) {
	r := fullResult()
	v := hotVertex()
	v.ID = "other"
	v.Subtasks = append(v.Subtasks, v.Subtasks[0], v.Subtasks[3])
	job := &r.Jobs[0]
	job.Vertices = append(job.Vertices, v, hotVertex())
	r.Jobs = append(r.Jobs, *job)
	p, twin := newFed(t, "prod"), newFed(t, "prod")
	feed(p, r)
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = c.SetPollers([]*Poller{p, twin})
	if err == nil || !strings.Contains(err.Error(), `cluster "prod"`) {
		t.Errorf("two clusters of one name: %v", err)
	}
	// Two subtasks, one vertex, one job, one cluster.
	wantSeries(t, c, `COUNTER flink_skew_exporter_series_dropped_total{cluster="prod",reason="duplicate"} = 5`)
}

func TestCleanLabel(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\xffb": "a\uFFFDb", "\xff\xfe": "\uFFFD", "q\"\n\\": "q\" \\",
		"a\tb\r\nc\u2028d": "a b  c d", "\x00\x1b[2J\x7f\u0085\u009b31m": "\uFFFD\uFFFD[2J\uFFFD\uFFFD\uFFFD31m",
		"\u202agpj\u202e\u2066x\u2069": "\uFFFDgpj\uFFFD\uFFFDx\uFFFD", "\u200e\u200f\u061c": "\uFFFD\uFFFD\uFFFD",
		"日本語 é\u00a0🎉 👩\u200d💻":            "日本語 é\u00a0🎉 👩\u200d💻",
		strings.Repeat("\x01", 101):        strings.Repeat("\uFFFD", 100),
		strings.Repeat("ü", 101):           strings.Repeat("ü", 100),
		strings.Repeat("ü", 100):           strings.Repeat("ü", 100),
		strings.Repeat("x", 100):           strings.Repeat("x", 100),
		strings.Repeat("x", 99) + "\xffyy": strings.Repeat("x", 99) + "\uFFFD",
	} {
		if got := CleanLabel(in); got != want {
			t.Errorf("CleanLabel(%q) = %q, want %q", in, got, want)
		}
	}
}
