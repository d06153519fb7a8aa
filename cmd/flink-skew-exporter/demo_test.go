package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// TestDemoShowsEveryVerdict polls the demo's clusters on a clock of its own,
// over the loopback interface as the demo does, and expects what it announces.
func TestDemoShowsEveryVerdict(t *testing.T) {
	c := &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	stage := &demoStage{clusters: flinksim.Demo(demoParallelism), now: c.read}
	var cleanup closers
	defer cleanup.close()
	if err := stage.start(t.Context(), &cleanup); err != nil {
		t.Fatal(err)
	}
	cfg := demoDefaults()
	cfg.SetClusters(stage.configured)
	var all []*readings
	var clients []*restapi.Client
	for _, k := range cfg.Clusters {
		o := clientOptions(cfg, k, slog.New(slog.DiscardHandler))
		o.Now, o.NoPrime = c.read, true
		client, err := restapi.New(o)
		if err != nil {
			t.Fatal(err)
		}
		cleanup.add(client.Close)
		clients = append(clients, client)
		all = append(all, &readings{name: k.Name, thresholds: cfg.Thresholds})
	}
	in := report.Input{}
	for range settleIntervals {
		in.Clusters = nil
		for i, r := range all {
			s, err := clients[i].Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r.take(s, nil)
			in.Clusters = append(in.Clusters, r.input(false))
		}
		c.move(demoInterval)
	}
	expected := stage.expectations()
	for _, e := range expected {
		v := e.found(in)
		if v == nil {
			t.Errorf("%s: no vertex %q", e.job, e.part)
		} else if v.Verdict.ID != e.verdict {
			t.Errorf("%s, %s: got %s, want %s", e.job, v.Name, v.Verdict.ID, e.verdict)
		}
	}
	if !allFound(in, expected) {
		t.Error("the guide would wait to its end")
	}
	for _, id := range analysis.Verdicts() {
		shown := false
		for _, e := range expected {
			shown = shown || e.verdict == id
		}
		if !shown {
			t.Errorf("the demo has nothing for %s", id)
		}
	}
	var b bytes.Buffer
	printFound(&b, in, expected)
	if strings.Contains(b.String(), "not yet") || strings.Contains(b.String(), "not seen") {
		t.Errorf("the table tells of failures:\n%s", b.String())
	}
	printFound(&b, report.Input{}, expected[:1])
	if !strings.Contains(b.String(), "not seen yet") {
		t.Errorf("a vertex that is missing is not said to be:\n%s", b.String())
	}
}

func TestMetricsOfTheGuideExist(t *testing.T) {
	known := map[string]bool{}
	for _, f := range collector.Families() {
		known[f.Name] = true
	}
	for _, id := range analysis.Verdicts() {
		name, _, _ := strings.Cut(metricFor(id), "{")
		if !known[collector.Prefix+name] {
			t.Errorf("%s: there is no metric %s%s", id, collector.Prefix, name)
		}
	}
}

// watched is a writer that tells when a text has passed.
type watched struct {
	bytes.Buffer
	text string
	seen chan struct{}
	mu   sync.Mutex
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := strings.Contains(w.String(), w.text)
	n, err := w.Buffer.Write(b)
	if !before && strings.Contains(w.String(), w.text) {
		close(w.seen)
	}
	return n, err
}

func TestDemoSaysWhereToLook(t *testing.T) {
	for _, c := range []struct {
		args []string
		last string
		want []string
	}{
		{[]string{"demo"}, "Ctrl-C ends the demo.", []string{
			"simulated cluster demo-session, Flink 2.3.0, ", "/metrics ", "/api/v1/findings ", "VERDICT TO EXPECT", "hot_key", "(demo-hot-key)",
		}},
		{[]string{"demo", "--jobs=20", "--parallelism=4"}, "worst first", []string{"simulated cluster load, Flink 2.3.0, 20 jobs", "/metrics "}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &watched{text: c.last, seen: make(chan struct{})}
		ended := make(chan int, 1)
		go func() {
			args := append(c.args, "--web.listen-address=127.0.0.1:0", "--log.level=error")
			ended <- run(ctx, args, process{stdout: out, stderr: io.Discard})
		}()
		<-out.seen
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("%v: exit code %d", c.args, code)
		}
		for _, part := range c.want {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%v: %q is not in\n%s", c.args, part, out.String())
			}
		}
	}
}

func TestReachable(t *testing.T) {
	for want, addr := range map[string]net.Addr{
		"localhost:9923": &net.TCPAddr{IP: net.IPv6zero, Port: 9923},
		"127.0.0.1:1":    &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1},
		"/run/x.sock":    &net.UnixAddr{Name: "/run/x.sock"},
	} {
		if got := reachable(addr); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestDemoFlagErrors(t *testing.T) {
	got := execute(t, "demo", "--poll.interval=0s")
	oneLine(t, got, exitUsage, "--poll.interval: must be at least 1s")
	got = execute(t, "demo", "--jobs=-1")
	oneLine(t, got, exitUsage, "--jobs: must be a whole number from 0 on")
}
