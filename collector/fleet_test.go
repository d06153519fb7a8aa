package collector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestPollsKeepTheirPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began []time.Duration
		start := time.Now()
		p, err := NewPoller(Config{
			Source: &sourceFunc{call: func(context.Context, int) error {
				began = append(began, time.Since(start))
				return nil
			}},
			Cluster: "prod", Interval: interval, Thresholds: analysis.Defaults(), Delay: 2 * time.Second, FirstGap: 7 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { p.Run(ctx); close(done) }()
		pass(30 * time.Second)
		cancel()
		<-done
		want := []time.Duration{2 * time.Second, 9 * time.Second, 19 * time.Second, 29 * time.Second}
		if len(began) != len(want) {
			t.Fatalf("polls began at %v, want %v", began, want)
		}
		for i := range want {
			if began[i] != want[i] {
				t.Errorf("poll %d began at %v, want %v", i, began[i], want[i])
			}
		}
	})
}

func TestRunEndsDuringItsDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFed(t, "prod")
		p.cfg.Delay = time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { p.Run(ctx); close(done) }()
		synctest.Wait()
		cancel()
		<-done
		if pub, _ := p.Current(); pub.Polls != 0 {
			t.Errorf("%d polls before the delay was over", pub.Polls)
		}
	})
}

func TestNegativeTimesAreRefused(t *testing.T) {
	for _, c := range []Config{{Delay: -1}, {FirstGap: -1}} {
		c.Source, c.Cluster, c.Interval, c.Thresholds = &sourceFunc{}, "x", interval, analysis.Defaults()
		if _, err := NewPoller(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// TestAdoptKeepsWhatIsKnown changes a poller for one of other thresholds: its
// data, its counts and the memory of the analysis go on.
func TestAdoptKeepsWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, _, _, stop := running(t, func(_ context.Context, n int) error {
			if n == 2 {
				return reasoned("refused")
			}
			return nil
		})
		pass(2 * interval)
		stop()
		next := newFed(t, "prod")
		next.Adopt(old)
		pub, fresh := next.Current()
		if !fresh || !pub.Up || pub.Polls != 3 || pub.Failures["refused"] != 1 || pub.Result.JobStates["RUNNING"] != 3 {
			t.Errorf("adopted: fresh %v, %+v", fresh, pub)
		}
		feed(next, fullResult())
		if pub, _ = next.Current(); pub.Polls != 4 || pub.Result.Jobs[0].Name != "orders-enrichment" {
			t.Errorf("after the next poll: %+v", pub)
		}
	})
}

func TestTraceTellsOfRules(t *testing.T) {
	p, err := NewPoller(Config{
		Source: &sourceFunc{call: good}, Cluster: "prod", Interval: interval, Thresholds: analysis.Defaults(),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Trace()
	if !p.trace.Load() || !p.Once(t.Context()).Up {
		t.Error("a traced poll fails, or none is traced")
	}
}

func TestLimitsChangeWhatIsShown(t *testing.T) {
	p := newFed(t, "prod")
	feed(p, fullResult())
	c := newShown(t, Options{Subtasks: ModeAll}, p)
	all := count(t, c, `subtask="`)
	if err := c.SetLimits(ModeOff, 0); err != nil {
		t.Fatal(err)
	}
	if n := count(t, c, `subtask="`); n != 0 || all == 0 {
		t.Errorf("%d series of subtasks, then %d", all, n)
	}
	for _, bad := range []struct {
		mode   Mode
		budget int
	}{{"some", 1}, {ModeAll, -1}} {
		if err := c.SetLimits(bad.mode, bad.budget); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if n := count(t, c, `subtask="`); n != 0 {
		t.Error("refused limits are in use")
	}
}

func TestReloadAndDiscoveryAreShown(t *testing.T) {
	c := newShown(t, Options{})
	if n := count(t, c, "_reload_"); n != 0 {
		t.Errorf("%d series of a configuration that nobody reads", n)
	}
	c.SetReload(Reload{OK: false, At: at()})
	c.SetDiscovery([]Discovery{{Source: "http://sd/\n", Failures: 2}})
	wantSeries(t, c,
		`GAUGE flink_skew_exporter_config_last_reload_successful{} = 0`,
		`GAUGE flink_skew_exporter_discovery_targets{source="http://sd/ "} = 0`,
		`COUNTER flink_skew_exporter_discovery_failures_total{source="http://sd/ "} = 2`)
	if n := count(t, c, "discovery_success"); n != 0 {
		t.Error("a list that never was has a time")
	}
}
