package collector

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// wantSeries fails unless every line is among the collector's series.
func wantSeries(t testing.TB, c *Collector, want ...string) {
	t.Helper()
	have := series(gathered(t, c))
	for _, line := range want {
		if !slices.Contains(have, line) {
			name := line[:strings.Index(line, "{")]
			t.Errorf("missing %s; of this family there are\n%s", line, strings.Join(startingWith(have, name), "\n"))
		}
	}
}

func startingWith(lines []string, start string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return !strings.HasPrefix(s, start) })
}

// count returns how many series contain the text.
func count(t testing.TB, c *Collector, text string) int {
	t.Helper()
	n := 0
	for _, line := range series(gathered(t, c)) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func TestSeriesDoNotOutliveTheirSubject(t *testing.T) {
	p := newFed(t, "prod")
	c := newShown(t, Options{Subtasks: ModeAll}, p)
	feed(p, fullResult())
	if count(t, c, `subtask="3"`) == 0 || count(t, c, `verdict="hot_key"`) != 1 {
		t.Fatal("the first poll is not shown")
	}

	rescaled := fullResult()
	v := &rescaled.Jobs[0].Vertices[1]
	v.Parallelism, v.Subtasks, v.Verdict, v.Findings, v.Hot = 2, v.Subtasks[:2], analysis.Verdict{ID: analysis.Balanced}, nil, nil
	feed(p, rescaled)
	for _, gone := range []string{`subtask="2"`, `subtask="3"`, `verdict="hot_key"`, "flink_skew_finding", "hot_subtask", "hot_key_group", "bottleneck"} {
		if n := count(t, c, gone); n != 0 {
			t.Errorf("%d series with %s outlived the rescale", n, gone)
		}
	}
	if n := count(t, c, "flink_skew_vertex_verdict"); n != 2 {
		t.Errorf("%d verdicts for two vertices", n)
	}

	empty := fullResult()
	empty.Jobs = nil
	feed(p, empty)
	if n := count(t, c, "job_id="); n != 0 {
		t.Errorf("%d series outlived the job", n)
	}
	wantSeries(t, c, `GAUGE flink_skew_up{cluster="prod"} = 1`)
}

func TestFailureKeepsDataAndSaysSo(t *testing.T) {
	p := newFed(t, "prod")
	c := newShown(t, Options{}, p)
	feed(p, fullResult())
	before := count(t, c, "job_id=")
	fail(p, reasoned("no_leader"))
	fail(p, reasoned("timeout"))
	fail(p, reasoned("timeout"))
	if after := count(t, c, "job_id="); after != before || before == 0 {
		t.Errorf("%d series before the failure, %d after: unknown is not empty", before, after)
	}
	wantSeries(t, c,
		`GAUGE flink_skew_up{cluster="prod"} = 0`,
		`GAUGE flink_skew_down_info{cluster="prod",reason="timeout"} = 1`,
		`COUNTER flink_skew_poll_failures_total{cluster="prod",reason="timeout"} = 2`,
		`COUNTER flink_skew_poll_failures_total{cluster="prod",reason="no_leader"} = 1`,
		`COUNTER flink_skew_exporter_polls_total{cluster="prod"} = 4`,
		`GAUGE flink_skew_exporter_poll_duration_seconds{cluster="prod"} = 2`,
	)
}

func TestClustersAreKeptApart(t *testing.T) {
	a, b := newFed(t, "a"), newFed(t, "b")
	c := newShown(t, Options{}, a, b)
	feed(a, fullResult())
	other := fullResult()
	other.Jobs[0].Name = "another"
	feed(b, other)
	if count(t, c, `cluster="a"`) != count(t, c, `cluster="b"`) || count(t, c, `job_name="another"`) == 0 {
		t.Error("the same job id in two clusters is not shown twice")
	}
	if err := c.SetPollers([]*Poller{b}); err != nil {
		t.Fatal(err)
	}
	if n := count(t, c, `cluster="a"`); n != 0 {
		t.Errorf("%d series of a cluster that was taken away", n)
	}
}

func TestBudgetDegradesOneStepAfterTheOther(t *testing.T) {
	// The hot vertex has 4 subtasks of 6 series and shows 2 in top mode; the
	// source has 1 of 1 series and no severity. All: 25, top: 13, notable: 12.
	for _, test := range []struct {
		wanted          Mode
		budget          int
		mode            Mode
		series, dropped int
	}{
		{ModeAll, 25, ModeAll, 25, 0}, {ModeAll, 24, ModeTop, 13, 12}, {ModeAll, 12, ModeNotable, 12, 13}, {ModeAll, 11, ModeOff, 0, 25},
		{ModeTop, 1000, ModeTop, 13, 0}, {ModeTop, 12, ModeNotable, 12, 1}, {ModeTop, 1, ModeOff, 0, 13}, {ModeOff, 1000, ModeOff, 0, 0},
	} {
		t.Run(fmt.Sprintf("%s/%d", test.wanted, test.budget), func(t *testing.T) {
			var log bytes.Buffer
			p := newFed(t, "prod")
			c := newShown(t, Options{Subtasks: test.wanted, Budget: test.budget, Logger: slog.New(slog.NewTextHandler(&log, nil))}, p)
			feed(p, fullResult())
			if n := count(t, c, "subtask="); n != test.series {
				t.Errorf("%d subtask series, want %d", n, test.series)
			}
			// However often it is scraped, a poll's drops count once.
			wantSeries(t, c,
				fmt.Sprintf(`GAUGE flink_skew_exporter_subtask_mode{mode="%s"} = 1`, test.mode),
				fmt.Sprintf(`COUNTER flink_skew_exporter_series_dropped_total{cluster="prod",reason="budget"} = %d`, test.dropped))
			feed(p, fullResult())
			wantSeries(t, c,
				fmt.Sprintf(`COUNTER flink_skew_exporter_series_dropped_total{cluster="prod",reason="budget"} = %d`, 2*test.dropped))
			want := 1
			if test.mode == test.wanted {
				want = 0
			}
			if n := strings.Count(log.String(), "series budget"); n != want {
				t.Errorf("%d lines about the budget, want %d:\n%s", n, want, log.String())
			}
		})
	}
}

func TestSeriesGaugeCountsWhatIsShown(t *testing.T) {
	for _, mode := range []Mode{ModeAll, ModeTop, ModeOff} {
		p := newFed(t, "prod")
		feed(p, fullResult())
		c := newShown(t, Options{Subtasks: mode}, p)
		var data bytes.Buffer
		if err := c.Frame().WriteData(&data); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(data.String()) {
			if !strings.HasPrefix(line, "#") {
				lines++
			}
		}
		wantSeries(t, c, fmt.Sprintf(`GAUGE flink_skew_exporter_series{cluster="prod"} = %d`, lines))
	}
}

func TestHottestSubtasksAreShown(t *testing.T) {
	r := fullResult()
	v := &r.Jobs[0].Vertices[1]
	for i, busy := range []float64{0.5, 0.9, 0.9, 0.2} {
		v.Subtasks[i].Busy = analysis.Of(busy)
		v.Subtasks[i].RecordsIn = analysis.Of(float64(i))
	}
	shown := func() []int32 {
		var indexes []int32
		newView(newTable(), &r, "prod", 2).vertices[1].shown(ModeTop, func(s *analysis.SubtaskResult) { indexes = append(indexes, s.Index) })
		return indexes
	}
	if got := shown(); !slices.Equal(got, []int32{2, 1}) {
		t.Errorf("as busy, more records first: %v", got)
	}
	v.Subtasks[1].Busy = analysis.Num{}
	v.Hot = nil
	if got := shown(); !slices.Equal(got, []int32{2, 0}) {
		t.Errorf("an unknown load is not hot: %v", got)
	}
	v.Hot = &analysis.Hot{Subtask: 3}
	if got := shown(); !slices.Equal(got, []int32{2, 3}) {
		t.Errorf("the subtask of the verdict is always shown: %v", got)
	}
}

func TestScrapesAndPollsAtOnce(t *testing.T) {
	a, b := newFed(t, "a"), newFed(t, "b")
	c := newShown(t, Options{Budget: 20}, a, b)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	var wg sync.WaitGroup
	for _, p := range []*Poller{a, b} {
		wg.Go(func() {
			for i := range 100 {
				if i%3 == 2 {
					fail(p, reasoned("refused"))
				} else {
					feed(p, fullResult())
				}
				p.cfg.Observer.Response(fmt.Sprintf("endpoint-%d", i), 200, 1)
			}
		})
	}
	wg.Go(func() {
		for i := range 100 {
			if err := c.SetPollers([]*Poller{a, b}[:1+i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for range 50 {
				if _, err := registry.Gather(); err != nil {
					t.Error(err)
				}
				var out bytes.Buffer
				if err := c.Frame().WriteData(&out); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := c.SetPollers([]*Poller{a, b}); err != nil {
		t.Fatal(err)
	}
	wantSeries(t, c, `COUNTER flink_skew_exporter_polls_total{cluster="a"} = 100`, `COUNTER flink_skew_exporter_response_bytes_total{cluster="b"} = 100`)
}

func TestDataKeyChangesWithTheDataAlone(t *testing.T) {
	p := newFed(t, "prod")
	c := newShown(t, Options{}, p)
	empty := c.Frame().DataKey()
	feed(p, fullResult())
	first := c.Frame().DataKey()
	fail(p, reasoned("refused"))
	if got := c.Frame().DataKey(); got != first || got == empty {
		t.Error("a failed poll changes the key, or a good one does not")
	}
	feed(p, fullResult())
	if c.Frame().DataKey() == first {
		t.Error("a new poll keeps the key")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{Subtasks: "some"}, {Subtasks: ModeNotable}, {Budget: -1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if m, err := ParseMode("all"); err != nil || m != ModeAll {
		t.Errorf("all: %v %v", m, err)
	}
}

func TestObserverIsBounded(t *testing.T) {
	o := new(Observer)
	for i := range 2 * maxRequestKinds {
		o.Response(fmt.Sprintf("/jobs/%d", i), 200, 1)
	}
	counts := o.counts()
	if len(counts) > maxRequestKinds+1 || counts[request{"other", "other"}] != maxRequestKinds {
		t.Errorf("%d kinds, %d of them other", len(counts), counts[request{"other", "other"}])
	}
	(*Observer)(nil).Response("job", 200, 1)
}
