package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestDiagnoseTape(t *testing.T) {
	got := execute(t, "diagnose", "--tape", tape("hot-key-2.3.0"))
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("got %+v", got)
	}
	for _, part := range []string{"cluster hot-key-2.3.0", "Flink 2.3.0", "4 polls", "CRITICAL", "hot_key", "Subtask 1 of 5", "Do  ", "Don't", "docs/verdicts/hot_key.md"} {
		if !strings.Contains(got.stdout, part) {
			t.Errorf("%q is not in\n%s", part, got.stdout)
		}
	}
	if strings.Contains(got.stdout, "\x1b") {
		t.Error("colours in what is no terminal")
	}
	if again := execute(t, "diagnose", "--tape", tape("hot-key-2.3.0")); again != got {
		t.Error("two replays differ")
	}
}

func TestDiagnoseFormats(t *testing.T) {
	var doc struct {
		GeneratedAt time.Time `json:"generated_at"`
		Clusters    []struct {
			Up   bool
			Jobs []struct {
				Vertices []struct {
					Vertex, Verdict, Severity string
					Subtasks                  []int
				}
			}
		}
	}
	got := execute(t, "diagnose", "--format=json", "--tape", tape("hot-key-2.3.0"))
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.code != exitOK || got.stderr != "" {
		t.Fatalf("%v in %+v", err, got)
	}
	if doc.GeneratedAt.IsZero() || len(doc.Clusters) != 1 || !doc.Clusters[0].Up {
		t.Fatalf("got %+v", doc)
	}
	vertices := doc.Clusters[0].Jobs[0].Vertices
	i := slices.IndexFunc(vertices, func(v struct {
		Vertex, Verdict, Severity string
		Subtasks                  []int
	}) bool {
		return strings.HasPrefix(v.Vertex, "enrich")
	})
	if i < 0 || vertices[i].Verdict != "hot_key" || !slices.Equal(vertices[i].Subtasks, []int{1}) {
		t.Errorf("got %+v", vertices)
	}
	if md := execute(t, "diagnose", "--format=markdown", "--tape", tape("hot-key-2.3.0")); !strings.HasPrefix(md.stdout, "## ") || md.code != exitOK {
		t.Errorf("got %+v", md)
	}
}

func TestDiagnoseFilters(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  bool
	}{
		{nil, true},
		{[]string{"--job=HOT-KEY"}, true},
		{[]string{"--vertex=enrich"}, true},
		{[]string{"--vertex=sink"}, false},
	} {
		got := execute(t, append([]string{"diagnose", "--tape", tape("hot-key-2.3.0")}, c.flags...)...)
		if got.code != exitOK || strings.Contains(got.stdout, "CRITICAL") != c.want {
			t.Errorf("%v: got %+v", c.flags, got)
		}
	}
	short := execute(t, "diagnose", "--tape", tape("hot-key-2.3.0")).stdout
	for _, flag := range []string{"--all", "--verbose"} {
		if long := execute(t, "diagnose", flag, "--tape", tape("hot-key-2.3.0")).stdout; len(long) <= len(short) {
			t.Errorf("%s adds nothing", flag)
		}
	}
}

func TestFailOn(t *testing.T) {
	for _, c := range []struct {
		tape, level string
		flags       []string
		code        int
	}{
		{"hot-key-2.3.0", "none", nil, exitOK},
		{"hot-key-2.3.0", "info", nil, exitFindings},
		{"hot-key-2.3.0", "warning", nil, exitFindings},
		{"hot-key-2.3.0", "critical", nil, exitFindings},
		{"hot-key-2.3.0", "critical", []string{"--vertex=sink"}, exitOK},
		{"hot-key-2.3.0", "critical", []string{"--analysis.silence=hot_key"}, exitOK},
		{"hot-key-2.3.0", "critical", []string{"--analysis.silence=quiet", "--analysis.silence=stalled"}, exitFindings},
		{"hot-key-2.3.0", "warning", []string{"--analysis.exclude-vertices=^enrich"}, exitOK},
		{"healthy-2.3.0", "warning", nil, exitOK},
	} {
		args := append([]string{"diagnose", "--fail-on", c.level, "--tape", tape(c.tape)}, c.flags...)
		got := execute(t, args...)
		if got.code != c.code || got.stderr != "" || got.stdout == "" {
			t.Errorf("%v: got %+v, want code %d", args, got, c.code)
		}
	}
}

// script is a source that answers as written, by poll.
type script struct {
	errs  map[int]error
	polls int
	// at are the times of the polls.
	at []time.Time
}

func (s *script) Snapshot(context.Context) (analysis.Snapshot, error) {
	err := s.errs[s.polls]
	s.polls++
	now := time.Now()
	s.at = append(s.at, now)
	return analysis.Snapshot{At: now, Cluster: "c"}, err
}

// reasoned is an error with a reason, as the client's.
type reasoned string

func (r reasoned) Error() string  { return "failed: " + string(r) }
func (r reasoned) Reason() string { return string(r) }

func watchScript(t *testing.T, s *script, polls int) *readings {
	t.Helper()
	r := &readings{name: "c", thresholds: analysis.Defaults()}
	quiet := func(int, int) {}
	if err := r.watch(t.Context(), s, schedule{polls: polls, interval: 10 * time.Second, progress: quiet}); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		r := watchScript(t, s, 3)
		if s.polls != 4 || s.at[3].Sub(s.at[0]) != 30*time.Second {
			t.Errorf("%d polls at %v, want the one before and 3 readings, 10s apart", s.polls, s.at)
		}
		in := r.input(true)
		if in.Polls != 3 || in.Span != 30*time.Second || !in.Up || in.Reason != "" || in.Result == nil {
			t.Errorf("got %+v", in)
		}
	})
}

func TestWatchOutlivesAFailedPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{errs: map[int]error{2: reasoned("refused")}}
		r := watchScript(t, s, 3)
		if s.polls != 4 || r.good != 3 || r.failed != 1 || allFailed([]*readings{r}) != nil {
			t.Errorf("%d polls, %d good, %d failed, %v", s.polls, r.good, r.failed, allFailed([]*readings{r}))
		}
		if got, want := r.notice().Error(), "cluster c: 1 of 4 polls failed; the report rests on the others"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		s = &script{errs: map[int]error{3: reasoned("timeout")}}
		r = watchScript(t, s, 3)
		if in := r.input(true); in.Up || in.Reason != "timeout" || in.Result == nil {
			t.Errorf("after a last poll that failed: %+v", in)
		}
		if got, want := r.notice().Error(), "cluster c: 1 of 4 polls failed, the last with: failed: timeout"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestWatchGivesUpWhereWaitingIsVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for reason, polls := range map[string]int{"refused": 1, "unauthorized": 1, "tls": 1, "not_json": 1, "timeout": 4, "no_leader": 4, "http_5xx": 4} {
			s := &script{errs: map[int]error{0: reasoned(reason), 1: reasoned(reason), 2: reasoned(reason), 3: reasoned(reason)}}
			r := watchScript(t, s, 3)
			if s.polls != polls {
				t.Errorf("%s: %d polls, want %d", reason, s.polls, polls)
			}
			if err := allFailed([]*readings{r}); err == nil || err.Error() != "cluster c: failed: "+reason {
				t.Errorf("%s: got %v", reason, err)
			}
		}
	})
}

func TestWatchEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		s := &script{}
		r := &readings{name: "c", thresholds: analysis.Defaults()}
		err := r.watch(ctx, s, schedule{polls: 3, interval: 10 * time.Second, progress: func(int, int) {}})
		if !errors.Is(err, context.DeadlineExceeded) || s.polls != 2 {
			t.Errorf("%v after %d polls", err, s.polls)
		}
	})
}

func TestLook(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	if got := look(&strings.Builder{}, env("COLUMNS", "200")); got != (terminal{unicode: true}) {
		t.Errorf("a pipe: got %+v", got)
	}
	for _, c := range []struct {
		env  func(string) string
		want bool
	}{
		{env("LANG", "en_US.UTF-8"), true},
		{env("LANG", "de_DE.utf8"), true},
		{env("LANG", "en_US.UTF-8", "LC_ALL", "C"), false},
		{env("LANG", "C", "LC_CTYPE", "C.UTF-8"), true},
		{env(), false},
	} {
		if got := utf8Locale(c.env); got != c.want {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}
