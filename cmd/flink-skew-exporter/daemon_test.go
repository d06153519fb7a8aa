package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// simulated serves the demo's first cluster, always up to date.
func simulated(t *testing.T) (*flinksim.Sim, *httptest.Server) {
	t.Helper()
	c := flinksim.Demo(8)[0]
	c.MetricInterval = -1
	sim, err := flinksim.New(c, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(sim)
	t.Cleanup(s.Close)
	return sim, s
}

// running is a daemon under test.
type running struct {
	base string
	// end ends it and returns what Run returned.
	end func() error
}

func start(t *testing.T, urls ...string) running {
	t.Helper()
	return startWith(t, func(*config.Config) {}, urls...)
}

// startWith starts a daemon that polls every second, with a configuration that
// a test may change.
func startWith(t *testing.T, change func(*config.Config), urls ...string) running {
	t.Helper()
	cfg := config.Default()
	cfg.Poll.Interval = time.Second
	change(cfg)
	clusters := make([]config.Cluster, len(urls))
	for i, u := range urls {
		clusters[i] = config.Cluster{Name: fmt.Sprintf("c%d", i), URL: u}
	}
	cfg.SetClusters(clusters)
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	d, err := newDaemon(daemonOptions{config: cfg, web: listenOn("127.0.0.1:0", ""), logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	r := running{base: "http://" + d.Addr(ctx).String(), end: func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}}
	t.Cleanup(func() { _ = r.end() })
	return r
}

func listenOn(address, webConfig string) *toolkit.FlagConfig {
	return &toolkit.FlagConfig{WebListenAddresses: &[]string{address}, WebSystemdSocket: new(bool), WebConfigFile: &webConfig}
}

// fetch returns the status and body of one of the daemon's pages.
func (r running) fetch(t *testing.T, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// await asks for a page until it is as wanted; the bound is only for a test
// that fails.
func (r running) await(t *testing.T, path string, want func(status int, body string) bool) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		status, body := r.fetch(t, path)
		if want(status, body) {
			return body
		}
		if !pause(ctx, 10*time.Millisecond) {
			t.Fatalf("%s did not become as wanted; the last answer was %d\n%.3000s", path, status, body)
		}
	}
}

func ready(status int, _ string) bool { return status == http.StatusOK }

func holds(line string) func(int, string) bool {
	return func(_ int, body string) bool { return strings.Contains("\n"+body, "\n"+line+"\n") }
}

func TestServe(t *testing.T) {
	_, server := simulated(t)
	r := start(t, server.URL)
	r.await(t, "/-/ready", ready)
	for path, part := range map[string]string{
		"/":                 "flink-skew-exporter",
		"/-/healthy":        "healthy",
		"/metrics":          `flink_skew_up{cluster="c0"} 1`,
		"/api/v1/clusters":  `"flink_version":"2.3.0"`,
		"/api/v1/jobs":      `"job_name":"demo-hot-key"`,
		"/api/v1/findings":  `"findings":[`,
		"/api/v1/jobs?x=%z": `"clusters":`,
	} {
		if status, body := r.fetch(t, path); status != http.StatusOK || !strings.Contains(body, part) {
			t.Errorf("%s: %d, %q is not in %.2000s", path, status, part, body)
		}
	}
	if _, body := r.fetch(t, "/metrics"); !strings.Contains(body, "go_goroutines") || !strings.Contains(body, `,version="`+buildinfo.Read().Version+`"} 1`) {
		t.Error("/metrics lacks the process or the build")
	}
	if err := r.end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.base, "http://")); err == nil {
		_ = c.Close()
		t.Error("the port is still open")
	}
}

// TestServeHeals has a cluster that refuses us for a while beside one that works.
func TestServeHeals(t *testing.T) {
	sim, working := simulated(t)
	var refuse atomic.Bool
	refuse.Store(true)
	sometimes := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if refuse.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		sim.ServeHTTP(w, r)
	})
	r := start(t, working.URL, sometimes)
	// Bad first polls make ready as well as good ones.
	r.await(t, "/-/ready", ready)
	r.await(t, "/metrics", holds(`flink_skew_up{cluster="c1"} 0`))
	_, body := r.fetch(t, "/metrics")
	if !strings.Contains(body, `flink_skew_poll_failures_total{cluster="c1",reason="unauthorized"}`) || !strings.Contains(body, `flink_skew_up{cluster="c0"} 1`) {
		t.Errorf("no reason, or the other cluster suffers:\n%.3000s", body)
	}
	if _, body := r.fetch(t, "/api/v1/clusters"); !strings.Contains(body, `"reason":"unauthorized"`) {
		t.Errorf("no reason in %s", body)
	}
	refuse.Store(false)
	r.await(t, "/metrics", holds(`flink_skew_up{cluster="c1"} 1`))
}

func TestNotReadyBeforeTheFirstPoll(t *testing.T) {
	asked := make(chan struct{}, 64)
	silent := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	cfg := config.Default()
	cfg.SetClusters([]config.Cluster{{Name: "slow", URL: silent}})
	d, err := newDaemon(daemonOptions{config: cfg, web: listenOn("127.0.0.1:0", ""), logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	r := running{base: "http://" + d.Addr(ctx).String()}
	<-asked
	if status, body := r.fetch(t, "/-/ready"); status != http.StatusServiceUnavailable || !strings.Contains(body, "first poll of slow") {
		t.Errorf("got %d %s", status, body)
	}
	if status, _ := r.fetch(t, "/metrics"); status != http.StatusOK {
		t.Errorf("/metrics waits for Flink: %d", status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServeCannotListen(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := execute(t, "--log.level=error", "serve", "--flink.url", closedPort(t), "--web.listen-address", l.Addr().String())
	oneLine(t, got, exitFailed, "cannot listen tcp "+l.Addr().String(), "address already in use", "--web.listen-address")
}

func TestServeWithBasicAuthOfItsOwn(t *testing.T) {
	_, server := simulated(t)
	// The hash of "secret", at bcrypt's least cost.
	file := writeFile(t, "web.yml", "basic_auth_users:\n  prom: $2b$04$b9rEVo2U3c8xC/9yRkBVXuKfGvGq0bLqkGmVvYJq4b5kq8jXv0b7W\n")
	cfg := config.Default()
	cfg.SetClusters([]config.Cluster{{Name: "c", URL: server.URL}})
	d, err := newDaemon(daemonOptions{config: cfg, web: listenOn("127.0.0.1:0", file), logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	r := running{base: "http://" + d.Addr(ctx).String()}
	if status, _ := r.fetch(t, "/metrics"); status != http.StatusUnauthorized {
		t.Errorf("got %d without a password, want 401", status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestDefaultsAgree keeps the configuration's defaults, which cannot import
// the collector, equal to the collector's.
func TestDefaultsAgree(t *testing.T) {
	c := config.Default().Collector
	if c.Top != collector.DefaultTop || c.SeriesBudget != collector.DefaultBudget {
		t.Errorf("configuration %+v, collector %d and %d", c, collector.DefaultTop, collector.DefaultBudget)
	}
	for _, mode := range []string{config.SubtasksAll, config.SubtasksTop, config.SubtasksOff} {
		if _, err := collector.ParseMode(mode); err != nil {
			t.Error(err)
		}
	}
}
