package probe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

const secret = "s3cr3t-Pa55word"

// fleet makes sources and remembers them.
type fleet struct {
	mu     sync.Mutex
	opened []config.Cluster
	closed int
	polls  atomic.Int32
	// answer is what every source does.
	answer func(ctx context.Context, k config.Cluster) (analysis.Snapshot, error)
}

type fakeSource struct {
	f *fleet
	k config.Cluster
}

func (s fakeSource) Snapshot(ctx context.Context) (analysis.Snapshot, error) {
	s.f.polls.Add(1)
	return s.f.answer(ctx, s.k)
}

func (s fakeSource) Close() {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.closed++
}

func (f *fleet) open(_ *config.Config, k config.Cluster, o *collector.Observer) (Source, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k.Name == "unopenable:8081" {
		return nil, errors.New("no such certificate")
	}
	f.opened = append(f.opened, k)
	o.Response("/jobs/overview", 200, 10)
	return fakeSource{f, k}, nil
}

func good(context.Context, config.Cluster) (analysis.Snapshot, error) {
	return analysis.Snapshot{At: time.Unix(1_700_000_000, 0), FlinkVersion: "2.3.0", JobStates: map[string]int{"RUNNING": 1}}, nil
}

const settings = `
probe: {allow_targets: ['*.svc', '10.0.0.0/8:8081', 'secure:443', 'unopenable'], max_targets: 2, reuse: 0s}
modules:
- {name: yarn, timeout: 5s, subtasks: off, basic_auth: {username: u, password: ` + secret + `}, thresholds: {skew_enter: 9}}
`

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("test.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

func newHandler(t *testing.T, f *fleet, text string) *Handler {
	t.Helper()
	h, err := New(Options{Open: f.open, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}, parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask probes with these parameters, given in pairs.
func ask(ctx context.Context, h http.Handler, header http.Header, pairs ...string) *httptest.ResponseRecorder {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/probe?"+q.Encode(), http.NoBody)
	for k, v := range header {
		r.Header[k] = v
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestRefusals(t *testing.T) {
	f := &fleet{answer: good}
	h := newHandler(t, f, settings)
	for target, want := range map[string]string{
		"":                               "400 the parameter target is missing; give host:port or http(s)://host:port[/prefix]",
		"http://u:" + secret + "@a.svc":  "400 the parameter target holds a user; credentials belong into a module of the configuration",
		"http://a.svc:8081/?x=" + secret: "400 the parameter target has a query or fragment; give host:port or http(s)://host:port[/prefix]",
		"ftp://a.svc:8081":               "400 the parameter target is no address; give host:port or http(s)://host:port[/prefix]",
		"http://":                        "400 the parameter target is no address; give host:port or http(s)://host:port[/prefix]",
		"evil.org:8081":                  "403 target evil.org:8081 is not allowed: no pattern of probe.allow_targets in the configuration matches its host and port (without a port it is 8081)",
		"a.svc":                          "403 target a.svc is not allowed: no pattern of probe.allow_targets in the configuration matches its host and port (without a port it is 8081)",
		"a.svc:22":                       "403 target a.svc:22 is not allowed: no pattern of probe.allow_targets in the configuration matches its host and port (without a port it is 8081)",
		"10.0.0.1.evil.org:8081":         "403 target 10.0.0.1.evil.org:8081 is not allowed: no pattern of probe.allow_targets in the configuration matches its host and port (without a port it is 8081)",
		"http://evil.org:8081/a.svc":     "403 target evil.org:8081 is not allowed: no pattern of probe.allow_targets in the configuration matches its host and port (without a port it is 8081)",
		"http://secure:8443":             "403 target secure:8443 is not allowed: no pattern of probe.allow_targets in the configuration matches its host and port (without a port it is 8081)",
		"unopenable:8081":                "500 target unopenable:8081: no such certificate",
	} {
		w := ask(t.Context(), h, nil, "target", target)
		if got := fmt.Sprintf("%d %s", w.Code, w.Body); got != want+"\n" {
			t.Errorf("%s: %d %s, want %s", target, w.Code, w.Body, want)
		}
	}
	for _, pair := range [][2]string{{"module", "none"}, {"cluster", "a/b"}} {
		if w := ask(t.Context(), h, nil, "target", "a.svc:8081", pair[0], pair[1]); w.Code != http.StatusBadRequest {
			t.Errorf("%v: %d %s", pair, w.Code, w.Body)
		}
	}
	if f.polls.Load() != 0 {
		t.Errorf("%d polls of what is refused", f.polls.Load())
	}
	// By default nothing may be probed.
	if w := ask(t.Context(), newHandler(t, f, ""), nil, "target", "localhost:8081"); w.Code != http.StatusForbidden {
		t.Errorf("without an allow-list: %d", w.Code)
	}
}

func TestProbe(t *testing.T) {
	f := &fleet{answer: good}
	h := newHandler(t, f, settings)
	w := ask(t.Context(), h, nil, "target", "A.svc:8081")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `flink_skew_up{cluster="a.svc:8081"} 1`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w = ask(t.Context(), h, nil, "target", "https://secure/flink/", "module", "yarn", "cluster", "prod")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `flink_skew_up{cluster="prod"} 1`) || !strings.Contains(w.Body.String(), `mode="off"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	k := f.opened[1]
	if k.Addresses()[0] != "https://secure/flink" || k.BasicAuth.Password.Reveal() != secret || k.Module != "yarn" {
		t.Errorf("opened %+v", k)
	}
	// The same target is the same poller.
	w = ask(t.Context(), h, nil, "target", "http://a.svc:8081/", "module", "default")
	if len(f.opened) != 2 || !strings.Contains(w.Body.String(), `flink_skew_exporter_polls_total{cluster="a.svc:8081"} 2`) {
		t.Errorf("opened %d, %s", len(f.opened), w.Body)
	}
}

func TestDownIs200(t *testing.T) {
	f := &fleet{answer: func(context.Context, config.Cluster) (analysis.Snapshot, error) {
		return analysis.Snapshot{}, errors.New("refused")
	}}
	w := ask(t.Context(), newHandler(t, f, settings), nil, "target", "a.svc:8081")
	for _, line := range []string{`flink_skew_up{cluster="a.svc:8081"} 0`, `flink_skew_down_info{cluster="a.svc:8081",reason="other"} 1`} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("%d, no %s in\n%s", w.Code, line, w.Body)
		}
	}
}

// TestProbesShareAPoll: a target is never polled twice at once, and who goes
// away does not end the poll for the others.
func TestProbesShareAPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{answer: func(ctx context.Context, k config.Cluster) (analysis.Snapshot, error) {
			select {
			case <-time.After(time.Second):
				return good(ctx, k)
			case <-ctx.Done():
				return analysis.Snapshot{}, ctx.Err()
			}
		}}
		h := newHandler(t, f, settings)
		leaving, leave := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { ask(leaving, h, nil, "target", "a.svc:8081") })
		synctest.Wait()
		for range 5 {
			done.Go(func() {
				w := ask(t.Context(), h, nil, "target", "a.svc:8081")
				if !strings.Contains(w.Body.String(), `flink_skew_up{cluster="a.svc:8081"} 1`) {
					t.Errorf("%s", w.Body)
				}
			})
		}
		synctest.Wait()
		leave()
		done.Wait()
		if n := f.polls.Load(); n != 1 {
			t.Errorf("%d polls for six probes", n)
		}
	})
}

func TestReuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{answer: good}
		h := newHandler(t, f, strings.Replace(settings, "reuse: 0s", "reuse: 5s", 1))
		for _, step := range []struct {
			wait  time.Duration
			polls int32
		}{{0, 1}, {4 * time.Second, 1}, {time.Second, 2}, {30 * time.Second, 3}} {
			time.Sleep(step.wait)
			ask(t.Context(), h, nil, "target", "a.svc:8081")
			if n := f.polls.Load(); n != step.polls {
				t.Errorf("%v later: %d polls, want %d", step.wait, n, step.polls)
			}
		}
	})
}

func TestScrapeTimeoutIsKept(t *testing.T) {
	const target = "10.1.2.3:8081"
	for seconds, want := range map[string]time.Duration{
		"4": 3500 * time.Millisecond, "0.8": 600 * time.Millisecond, "1000": 12 * time.Second, "x": 12 * time.Second, "": 12 * time.Second, "-1": 12 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			var deadline time.Duration
			f := &fleet{answer: func(ctx context.Context, _ config.Cluster) (analysis.Snapshot, error) {
				began := time.Now()
				<-ctx.Done()
				deadline = time.Since(began)
				// What is had by then is used.
				return good(ctx, config.Cluster{})
			}}
			h := newHandler(t, f, settings)
			began := time.Now()
			w := ask(t.Context(), h, http.Header{"X-Prometheus-Scrape-Timeout-Seconds": {seconds}}, "target", target)
			if took := time.Since(began); took > want || deadline != want-early {
				t.Errorf("scrape timeout %q: took %v, the source had %v, want %v", seconds, took, deadline, want-early)
			}
			if !strings.Contains(w.Body.String(), `flink_skew_up{cluster="`+target+`"} 1`) {
				t.Errorf("%s", w.Body)
			}
		})
	}
}

// TestDeafSourceIsNotWaitedFor: a source that ignores its deadline is answered
// for in time, as timed out.
func TestDeafSourceIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{answer: func(ctx context.Context, k config.Cluster) (analysis.Snapshot, error) {
			time.Sleep(time.Minute)
			return good(ctx, k)
		}}
		h := newHandler(t, f, settings)
		began := time.Now()
		ask(t.Context(), h, nil, "target", "a.svc:8081")
		if took := time.Since(began); took > 12*time.Second {
			t.Errorf("took %v", took)
		}
		w := ask(t.Context(), h, nil, "target", "a.svc:8081")
		if n := f.polls.Load(); n != 1 || !strings.Contains(w.Body.String(), `reason="timeout"} 1`) {
			t.Errorf("%d polls at once, %s", n, w.Body)
		}
		time.Sleep(time.Minute)
	})
}

func TestTargetsAreBounded(t *testing.T) {
	f := &fleet{answer: good}
	h := newHandler(t, f, settings)
	for _, name := range []string{"a", "b", "a", "c", "b"} {
		ask(t.Context(), h, nil, "target", name+".svc:8081")
	}
	// c took b's place, and b then a's.
	if len(f.opened) != 4 || f.closed != 2 {
		t.Errorf("%d opened, %d closed", len(f.opened), f.closed)
	}
	h.Close()
	if f.closed != 4 {
		t.Errorf("%d of 4 closed at the end", f.closed)
	}
}

func TestUse(t *testing.T) {
	f := &fleet{answer: good}
	h := newHandler(t, f, settings)
	ask(t.Context(), h, nil, "target", "a.svc:8081")
	if err := h.Use(parse(t, settings+"clusters: [{url: 'http://x'}]\n")); err != nil || f.closed != 0 {
		t.Errorf("the same probes: %v, %d closed", err, f.closed)
	}
	if err := h.Use(parse(t, strings.Replace(settings, "'*.svc', ", "", 1))); err != nil || f.closed != 1 {
		t.Errorf("other probes: %v, %d closed", err, f.closed)
	}
	if w := ask(t.Context(), h, nil, "target", "a.svc:8081"); w.Code != http.StatusForbidden {
		t.Errorf("what is not allowed any more: %d", w.Code)
	}
}
