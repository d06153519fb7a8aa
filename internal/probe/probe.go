package probe

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector/scrape"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// Source polls one target.
type Source interface {
	collector.Source
	// Close ends its connections.
	Close()
}

// Options are what a Handler is made of.
type Options struct {
	// Open returns a source for a cluster, which counts its requests by the observer.
	Open func(c *config.Config, k config.Cluster, o *collector.Observer) (Source, error)
	// Build is shown as build_info.
	Build  collector.Build
	Now    func() time.Time
	Logger *slog.Logger
}

// Handler answers /probe.
type Handler struct {
	o Options
	// mu is held while the configuration changes.
	mu      sync.RWMutex
	config  *config.Config
	allowed []config.TargetPattern
	targets *lru.Cache[key, *target]
}

// key is what state is kept apart by.
type key struct{ cluster, address, module string }

// target is one cluster that is probed and what is known of it.
type target struct {
	cluster  config.Cluster
	observer *collector.Observer
	source   Source
	poller   *collector.Poller
	shown    *collector.Collector
	metrics  http.Handler
	timeout  time.Duration
	polls    singleflight.Group
}

// New returns a handler. It fails when the configuration cannot work.
func New(o Options, c *config.Config) (*Handler, error) {
	h := &Handler{o: o}
	return h, h.Use(c)
}

// Use changes the configuration. What is known of targets is forgotten unless
// it is the same: modules and thresholds may have changed.
func (h *Handler) Use(c *config.Config) error {
	allowed := make([]config.TargetPattern, len(c.Probe.AllowTargets))
	for i, text := range c.Probe.AllowTargets {
		p, err := config.ParseTargetPattern(text)
		if err != nil {
			return fmt.Errorf("probe.allow_targets[%d]: %w", i, err)
		}
		allowed[i] = p
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.targets != nil && c.SameProbes(h.config) {
		h.config = c
		return nil
	}
	targets, err := lru.NewWithEvict(c.Probe.MaxTargets, func(_ key, t *target) { t.source.Close() })
	if err != nil {
		return fmt.Errorf("probe.max_targets: %w", err)
	}
	old := h.targets
	h.config, h.allowed, h.targets = c, allowed, targets
	if old != nil {
		old.Purge()
	}
	return nil
}

// Close ends all connections.
func (h *Handler) Close() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	h.targets.Purge()
}

// margin is how long before the scraper gives up an answer is due; early is how
// much sooner the source has to come to its end, so that what it has by then
// can be used.
const (
	margin = 500 * time.Millisecond
	early  = 200 * time.Millisecond
)

// ServeHTTP polls the target and answers with its metrics, 200 even when it is
// down. A request that names no target we may ask gets an error and polls nothing.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, c, err := h.target(r)
	if err != nil {
		refuse(w, err)
		return
	}
	debug := r.URL.Query().Get("debug") == "true"
	ctx, cancel := context.WithTimeout(r.Context(), t.limit(r.Header))
	defer cancel()
	if debug {
		t.poller.Trace()
	}
	before, _ := t.poller.Current()
	if debug || before.Polls == 0 || h.o.Now().Sub(t.polled()) >= c.Probe.Reuse {
		t.poll(ctx)
	}
	if debug {
		h.explain(w, t)
		return
	}
	t.metrics.ServeHTTP(w, r)
}

// limit is how long a probe may take: the module's timeout, or less when the
// scraper says that it gives up sooner.
func (t *target) limit(header http.Header) time.Duration {
	limit := t.timeout
	seconds, err := strconv.ParseFloat(header.Get("X-Prometheus-Scrape-Timeout-Seconds"), 64)
	if err == nil && seconds > 0 && seconds < limit.Seconds() {
		limit = time.Duration(seconds * float64(time.Second))
		limit -= min(margin, limit/4)
	}
	return max(limit, 2*early)
}

// poll polls once, or waits for a poll under way. The poll goes on when the one
// who asked for it is gone, because others may wait for it; it has his deadline.
func (t *target) poll(ctx context.Context) {
	done := t.polls.DoChan("", func() (any, error) {
		end, _ := ctx.Deadline()
		own, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
		defer cancel()
		return t.poller.Once(own), nil
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// polled is when the last poll ended, the zero time before there was one.
func (t *target) polled() time.Time {
	pub, _ := t.poller.Current()
	return pub.Ended
}

// earlier is a source that ends a little before its context does.
type earlier struct{ Source }

// open makes a target that has not been polled.
func (h *Handler) open(c *config.Config, k config.Cluster) (*target, error) {
	module, _ := c.Module(k.Module)
	mode := module.Subtasks
	if mode == "" {
		mode = c.Collector.Subtasks
	}
	t := &target{cluster: k, observer: &collector.Observer{}, timeout: c.PollTimeout(k)}
	shown, err := collector.New(collector.Options{
		Subtasks: collector.Mode(mode), Budget: c.Collector.SeriesBudget, Build: h.o.Build, Logger: h.o.Logger,
	})
	if err != nil {
		return nil, err
	}
	if t.source, err = h.o.Open(c, k, t.observer); err != nil {
		return nil, err
	}
	t.poller, err = collector.NewPoller(collector.Config{
		Source: earlier{t.source}, Cluster: k.Name, Interval: c.PollInterval(k), Timeout: t.timeout,
		Thresholds: c.Judging(k), Top: c.Collector.Top, Observer: t.observer, Logger: h.o.Logger,
	})
	if err == nil {
		err = shown.SetPollers([]*collector.Poller{t.poller})
	}
	if err != nil {
		t.source.Close()
		return nil, err
	}
	t.shown = shown
	t.metrics = scrape.NewHandler(scrape.Config{Collector: shown, Logger: h.o.Logger})
	return t, nil
}
