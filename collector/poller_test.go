package collector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// logBuffer holds what a poller logs while a test reads it.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// sourceFunc is a Source that counts its calls and refuses to be called twice at once.
type sourceFunc struct {
	call   func(ctx context.Context, n int) error
	calls  atomic.Int32
	inside atomic.Int32
}

func (s *sourceFunc) Snapshot(ctx context.Context) (analysis.Snapshot, error) {
	if s.inside.Add(1) > 1 {
		panic("two polls at once")
	}
	defer s.inside.Add(-1)
	n := int(s.calls.Add(1))
	if err := s.call(ctx, n); err != nil {
		return analysis.Snapshot{}, err
	}
	return analysis.Snapshot{At: time.Now(), Cluster: "prod", FlinkVersion: "2.3.0", JobStates: map[string]int{"RUNNING": n}}, nil
}

const (
	interval = 10 * time.Second
	timeout  = 8 * time.Second
)

// running starts a poller within a bubble and returns it with its log and
// what stops it. Time stands still until the test sleeps.
func running(t *testing.T, call func(ctx context.Context, n int) error) (*Poller, *sourceFunc, *logBuffer, func()) {
	t.Helper()
	source, log := &sourceFunc{call: call}, new(logBuffer)
	p, err := NewPoller(Config{
		Source: source, Cluster: "prod", Interval: interval, Timeout: timeout, Thresholds: analysis.Defaults(),
		Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Run(ctx); close(done) }()
	synctest.Wait()
	return p, source, log, func() { cancel(); <-done }
}

// pass lets time pass and all that follows happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func good(context.Context, int) error { return nil }

func TestFirstPollIsAtOnceAndTheRestAtIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, source, log, stop := running(t, good)
		defer stop()
		pub, fresh := p.Current()
		if source.calls.Load() != 1 || !fresh || !pub.Up || pub.Reason != "" || pub.Polls != 1 {
			t.Fatalf("after the first poll: %d calls, fresh %v, %+v", source.calls.Load(), fresh, pub)
		}
		pass(3*interval - time.Nanosecond)
		if n := source.calls.Load(); n != 3 {
			t.Errorf("%d polls just before the third interval is over, want 3", n)
		}
		pass(time.Nanosecond)
		pub, _ = p.Current()
		if pub.Polls != 4 || pub.Skipped != 0 || pub.Result.JobStates["RUNNING"] != 4 {
			t.Errorf("after three intervals: %+v", pub)
		}
		if n := strings.Count(log.String(), "first poll succeeded"); n != 1 || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("good polls are logged once:\n%s", log)
		}
	})
}

func TestFailureAndRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, log, stop := running(t, func(_ context.Context, n int) error {
			switch {
			case n >= 2 && n <= 5 && n%2 == 0:
				return fmt.Errorf("wrapped: %w", reasoned("refused"))
			case n >= 2 && n <= 5:
				return errors.New("no reason given")
			}
			return nil
		})
		defer stop()
		pass(interval)
		pub, fresh := p.Current()
		if pub.Up || pub.Reason != "refused" || pub.Err == nil || !fresh || pub.Result == nil {
			t.Errorf("at once after a failure: fresh %v, %+v", fresh, pub)
		}
		pass(3 * interval)
		pub, _ = p.Current()
		if pub.Failures["refused"] != 2 || pub.Failures[ReasonOther] != 2 {
			t.Errorf("failures: %v", pub.Failures)
		}
		pass(interval)
		pub, fresh = p.Current()
		if !pub.Up || pub.Reason != "" || pub.Err != nil || !fresh || pub.Polls != 6 {
			t.Errorf("after recovery: fresh %v, %+v", fresh, pub)
		}
		for line, want := range map[string]int{"poll failed": 2, "polls succeed again": 1, "failed_polls=4 outage_seconds=40": 1, "again": 1} {
			if n := strings.Count(log.String(), line); n != want {
				t.Errorf("%q is logged %d times, want %d:\n%s", line, n, want, log)
			}
		}
	})
}

func TestDataGoesThreeIntervalsAfterTheLastGoodPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _, stop := running(t, func(_ context.Context, n int) error {
			if n > 1 && n < 6 {
				return reasoned("timeout")
			}
			return nil
		})
		defer stop()
		c := newShown(t, Options{}, p)
		pass(StaleAfter * interval)
		wantSeries(t, c, `GAUGE flink_skew_cluster_jobs{cluster="prod",state="RUNNING"} = 1`, `GAUGE flink_skew_up{cluster="prod"} = 0`)
		pass(time.Nanosecond)
		if n := count(t, c, "flink_skew_cluster_"); n != 0 {
			t.Errorf("%d data series are still there", n)
		}
		wantSeries(t, c, `GAUGE flink_skew_up{cluster="prod"} = 0`, `GAUGE flink_skew_exporter_series{cluster="prod"} = 0`)
		if count(t, c, "snapshot_timestamp_seconds") != 1 {
			t.Error("the age of the lost data is not shown")
		}
		pass(2 * interval)
		wantSeries(t, c, `GAUGE flink_skew_cluster_jobs{cluster="prod",state="RUNNING"} = 6`, `GAUGE flink_skew_up{cluster="prod"} = 1`)
	})
}

func TestNeverReachedClusterIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _, stop := running(t, func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() })
		defer stop()
		c := newShown(t, Options{}, p)
		wantSeries(t, c, `GAUGE flink_skew_up{cluster="prod"} = 0`, `GAUGE flink_skew_down_info{cluster="prod",reason="pending"} = 1`)
		pass(timeout)
		wantSeries(t, c, `GAUGE flink_skew_up{cluster="prod"} = 0`, `GAUGE flink_skew_down_info{cluster="prod",reason="timeout"} = 1`)
		if pub, _ := p.Current(); pub.Duration != timeout || pub.Skipped != 0 || pub.Polls != 1 {
			t.Errorf("a poll that ends at its deadline: %+v", pub)
		}
	})
}

func TestSourceThatIgnoresItsDeadlineIsNeverCalledTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, source, log, stop := running(t, func(_ context.Context, n int) error {
			if n == 2 {
				time.Sleep(25 * time.Second)
			}
			return nil
		})
		defer stop()
		// The second poll begins at 10 s and ends at 35 s; the ticks at 20 s and 30 s find it running.
		pass(20 * time.Second)
		pub, fresh := p.Current()
		if pub.Up || pub.Reason != ReasonTimeout || pub.Skipped != 1 || !fresh {
			t.Errorf("at the first tick missed: %+v", pub)
		}
		pass(14 * time.Second)
		pub, _ = p.Current()
		if source.calls.Load() != 2 || pub.Skipped != 2 || pub.Failures[ReasonTimeout] != 1 {
			t.Errorf("at 34 s: %d calls, %+v", source.calls.Load(), pub)
		}
		pass(time.Second)
		if pub, _ = p.Current(); !pub.Up || pub.Result.JobStates["RUNNING"] != 2 {
			t.Errorf("the late answer is not used: %+v", pub)
		}
		pass(4 * time.Second)
		if n := source.calls.Load(); n != 2 {
			t.Errorf("%d calls at 39 s: missed ticks are made up for", n)
		}
		pass(time.Second)
		if n := source.calls.Load(); n != 3 {
			t.Errorf("%d calls at the next tick", n)
		}
		if n := strings.Count(log.String(), "poll failed"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, log)
		}
	})
}

func TestRunEndsAtOnceEvenMidPoll(t *testing.T) {
	for name, obeys := range map[string]bool{"obedient source": true, "deaf source": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, source, log, stop := running(t, func(ctx context.Context, n int) error {
					if n == 1 {
						return nil
					}
					if obeys {
						<-ctx.Done()
						return ctx.Err()
					}
					time.Sleep(interval / 2)
					return nil
				})
				pass(interval)
				before := time.Now()
				stop()
				if took := time.Since(before); took != 0 {
					t.Errorf("Run took %s to end", took)
				}
				pub, _ := p.Current()
				if !pub.Up || len(pub.Failures) != 0 || strings.Contains(log.String(), "failed") {
					t.Errorf("our own end counts as a failure of the cluster: %+v", pub)
				}
				if obeys {
					return
				}
				// A poller that is run again waits for the call left behind.
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				p.Run(ctx)
				if pub, _ := p.Current(); pub.Up || pub.Reason != ReasonTimeout || source.calls.Load() != 2 {
					t.Errorf("run again during a deaf call: %+v", pub)
				}
				pass(interval)
			})
		})
	}
}

func TestPanicIsAFailedPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, log, stop := running(t, func(_ context.Context, n int) error {
			if n == 1 || n == 2 {
				panic("unforeseen")
			}
			return nil
		})
		defer stop()
		pass(interval)
		pub, _ := p.Current()
		if pub.Up || pub.Reason != ReasonPanic || pub.Failures[ReasonPanic] != 2 || !strings.Contains(pub.Err.Error(), "unforeseen") {
			t.Errorf("after panics: %+v", pub)
		}
		if n := strings.Count(log.String(), "poll panicked\""); n != 1 || !strings.Contains(log.String(), "poller_test.go") {
			t.Errorf("%d lines with a stack, want 1:\n%s", n, log)
		}
		pass(interval)
		if pub, _ := p.Current(); !pub.Up {
			t.Error("no recovery after a panic")
		}
	})
}

// working is a snapshot whose counters have been rising for so many seconds.
func working(n int) analysis.Snapshot {
	ms := float64(n) * 10_000
	return analysis.Snapshot{
		At: time.Now(), Cluster: "prod",
		Jobs: []analysis.Job{{
			ID: "j", Name: "job", State: analysis.Running, RunningSince: time.Now().Add(-time.Hour),
			Vertices: []analysis.Vertex{{
				ID: "v", Name: "map", Parallelism: 1, Status: analysis.Running, Detail: analysis.DetailFresh,
				Subtasks: []analysis.Subtask{{
					State: analysis.Running, RunningMs: analysis.Of(3_600_000 + ms), AgeMs: analysis.Of(3_600_000 + ms),
					Counters: analysis.Counters{
						BusyMs: analysis.Of(ms / 4), BackPressuredMs: analysis.Of(0), IdleMs: analysis.Of(ms * 3 / 4), RecordsIn: analysis.Of(ms),
					},
				}},
			}},
		}},
	}
}

// snapshots is a Source made of a function.
type snapshots func() analysis.Snapshot

func (s snapshots) Snapshot(context.Context) (analysis.Snapshot, error) { return s(), nil }

func TestStateIsCarriedFromPollToPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, started := 0, time.Now()
		p, err := NewPoller(Config{
			Cluster: "prod", Interval: interval, Thresholds: analysis.Defaults(),
			Source: snapshots(func() analysis.Snapshot {
				n++
				s := working(n)
				s.Jobs[0].RunningSince = started.Add(-time.Hour)
				return s
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		c := newShown(t, Options{Subtasks: ModeAll}, p)
		p.Once(t.Context())
		if got := count(t, c, "flink_skew_subtask_busy_ratio"); got != 0 {
			t.Errorf("%d busy ratios after one reading of the counters", got)
		}
		pass(interval)
		p.Once(t.Context())
		wantSeries(t, c, `GAUGE flink_skew_subtask_busy_ratio{cluster="prod",job_id="j",job_name="job",subtask="0",vertex="map",vertex_id="v"} = 0.25`)
	})
}

func TestPollCutShortByOurEndIsNoFailure(t *testing.T) {
	p := newFed(t, "prod")
	feed(p, fullResult())
	before, _ := p.Current()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	p.end(ended, new(cycle), outcome{err: context.Canceled})
	if after, _ := p.Current(); after != before {
		t.Errorf("published: %+v", after)
	}
}

func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &sourceFunc{call: func(ctx context.Context, n int) error {
			if n == 2 {
				<-ctx.Done()
				return ctx.Err()
			}
			time.Sleep(time.Second)
			return nil
		}}
		p, err := NewPoller(Config{Source: source, Cluster: "target", Interval: interval, Thresholds: analysis.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		if pub := p.Once(t.Context()); !pub.Up || pub.Polls != 1 || pub.Duration != time.Second {
			t.Errorf("a good poll on request: %+v", pub)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if pub := p.Once(ctx); pub.Up || pub.Reason != ReasonTimeout || pub.Polls != 2 {
			t.Errorf("a request that ends first: %+v", pub)
		}
		synctest.Wait()
		// Two requests at once are served one after the other.
		first := make(chan *Published)
		go func() { first <- p.Once(t.Context()) }()
		synctest.Wait()
		second := p.Once(t.Context())
		if pub := <-first; pub.Polls != 3 || second.Polls != 4 {
			t.Errorf("two at once: %d and %d polls", pub.Polls, second.Polls)
		}
		if pub := p.Once(ctx); pub != second {
			t.Error("a request that has ended polls")
		}
	})
}

func TestConfigIsChecked(t *testing.T) {
	ok := Config{Source: never{}, Cluster: "a", Interval: time.Second, Thresholds: analysis.Defaults()}
	for want, change := range map[string]func(*Config){
		"no source":  func(c *Config) { c.Source = nil },
		"no name":    func(c *Config) { c.Cluster = "" },
		"interval":   func(c *Config) { c.Interval = 0 },
		"timeout":    func(c *Config) { c.Timeout = c.Interval },
		"top":        func(c *Config) { c.Top = -1 },
		"thresholds": func(c *Config) { c.Thresholds.MinCoverage = 2 },
	} {
		c := ok
		change(&c)
		if _, err := NewPoller(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if p, err := NewPoller(ok); err != nil || p.cfg.Timeout != 800*time.Millisecond || p.Cluster() != "a" {
		t.Errorf("defaults: %v", err)
	}
}

func TestReasonsAreBounded(t *testing.T) {
	p := newFed(t, "prod")
	for i := range 2 * maxReasons {
		fail(p, reasoned(fmt.Sprintf("reason %d", i)))
	}
	pub, _ := p.Current()
	if n := len(pub.Failures); n > maxReasons+1 || pub.Failures[ReasonOther] != maxReasons {
		t.Errorf("%d reasons, %d of them other", n, pub.Failures[ReasonOther])
	}
}
