package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector/scrape"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/heap"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/probe"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
)

// drainTime is how long answers under way may take once we are to end.
// Together with what ends at once it stays well below 5 s.
const drainTime = 2 * time.Second

// daemonOptions is what serve and demo start a daemon with.
type daemonOptions struct {
	config *config.Config
	// reload reads the configuration again; nil when there is none to read.
	reload func() (*config.Config, error)
	// lifecycle is whether a request may reload, too.
	lifecycle bool
	web       *toolkit.FlagConfig
	pprof     bool
	// history is how many bytes the heatmaps' last hour may take; 0 keeps none.
	history int
	logger  *slog.Logger
}

// daemon polls clusters and serves what it finds. It is made, run once, and
// ends with the context it runs under.
type daemon struct {
	o         daemonOptions
	collector *collector.Collector
	fleet     *fleet
	probe     *probe.Handler // nil in a demo
	history   *history.Store
	server    *http.Server
	ballast   *heap.Ballast

	// mu is held while the configuration or what was found changes.
	mu     sync.Mutex
	config *config.Config
	finder *finder
	read   time.Time // when config was read
	told   map[string]bool
	// found has a signal when a list of targets was read.
	found chan struct{}

	listening sync.Once
	bound     chan struct{}
	addr      net.Addr
}

// newDaemon wires everything and begins nothing: no connection, no listener.
func newDaemon(o daemonOptions) (*daemon, error) {
	if err := toolkit.Validate(*o.web.WebConfigFile); err != nil {
		return nil, usagef("--web.config.file %s: %w", *o.web.WebConfigFile, err)
	}
	d := &daemon{
		o: o, history: history.New(o.history), ballast: heap.New(), bound: make(chan struct{}), found: make(chan struct{}, 1),
	}
	metrics, err := d.metrics()
	if err != nil {
		return nil, err
	}
	d.fleet = newFleet(d.collector, d.history, o.logger)
	if err := d.use(o.config); err != nil {
		return nil, err
	}
	probes, err := d.prober()
	if err != nil {
		return nil, err
	}
	handler, err := web.Handler(web.Options{
		Version: buildinfo.Read().String(), Metrics: metrics, View: d.view, Waiting: d.waiting, History: d.history,
		Pprof: o.pprof, Reload: d.reloader(), Probe: probes,
	})
	if err != nil {
		return nil, err
	}
	d.server = web.Server(handler, o.logger)
	// Serve tells us the listener, whichever way the toolkit came by it.
	d.server.BaseContext = func(l net.Listener) context.Context {
		d.listening.Do(func() {
			d.addr = l.Addr()
			close(d.bound)
		})
		return context.Background()
	}
	return d, nil
}

func (d *daemon) metrics() (http.Handler, error) {
	c, err := collector.New(collector.Options{
		Build:    build(),
		Subtasks: collector.Mode(d.o.config.Collector.Subtasks),
		Budget:   d.o.config.Collector.SeriesBudget,
		Logger:   d.o.logger,
	})
	if err != nil {
		return nil, err
	}
	d.collector = c
	process := prometheus.NewPedanticRegistry()
	process.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return scrape.NewHandler(scrape.Config{Collector: c, Others: process, Logger: d.o.logger}), nil
}

// build is what the exporter says that it was built from.
func build() collector.Build {
	b := buildinfo.Read()
	return collector.Build{Version: b.Version, Revision: b.Revision, Branch: b.Branch, Tags: b.Tags}
}

// Addr waits until the daemon listens and returns its first address, such as
// 127.0.0.1:9923. It returns nil when ctx ends before.
func (d *daemon) Addr(ctx context.Context) net.Addr {
	select {
	case <-d.bound:
		return d.addr
	case <-ctx.Done():
		return nil
	}
}

// Run polls and serves until ctx ends, then takes down in reverse what it set
// up: first the server, so that no answer is cut, then the polls, then the
// connections. It returns nil unless the server failed.
func (d *daemon) Run(ctx context.Context) error {
	defer runtime.KeepAlive(d.ballast)
	var cleanup closers
	defer cleanup.close()
	if d.probe != nil {
		cleanup.add(d.probe.Close)
	}
	d.fleet.begin()
	cleanup.add(d.fleet.end)
	d.watch(&cleanup)

	served := make(chan error, 1)
	go func() { served <- toolkit.ListenAndServe(d.server, d.o.web, d.o.logger) }()
	cleanup.add(func() { d.drain(served) })
	select {
	case <-ctx.Done():
		d.o.logger.Info("ending")
		return nil
	case err := <-served:
		served <- http.ErrServerClosed
		return listenError(err)
	}
}

// drain ends the server: politely, then by force. Its
// outcome comes over served.
func (d *daemon) drain(served <-chan error) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := d.server.Shutdown(ctx); err != nil {
		_ = d.server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		d.o.logger.Error("server did not end as asked", "error", err)
	}
}

func listenError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "listen" {
		return fmt.Errorf("cannot %w; free the port or choose another with --web.listen-address", err)
	}
	return fmt.Errorf("serve HTTP: %w", err)
}

// view is what is known of every cluster now. Results that are too old to be
// exported are not shown here either.
func (d *daemon) view() report.Input {
	in := report.Input{GeneratedAt: time.Now()}
	for _, m := range d.fleet.all() {
		pub, fresh := m.poller.Current()
		failed := uint64(0)
		for _, n := range pub.Failures {
			failed += n
		}
		c := report.ClusterInput{Name: pub.Cluster, Up: pub.Up, Reason: pub.Reason, Polls: int(pub.Polls - failed)}
		if fresh {
			c.Result, c.Span = pub.Result, pub.At.Sub(m.since)
		}
		in.Clusters = append(in.Clusters, c)
	}
	return in
}

// waiting names the clusters whose first poll has not ended, and the lists of
// targets that have not been read.
func (d *daemon) waiting() []string {
	d.mu.Lock()
	names := d.finder.waiting()
	d.mu.Unlock()
	for _, m := range d.fleet.all() {
		if pub, _ := m.poller.Current(); pub.Polls == 0 {
			names = append(names, pub.Cluster)
		}
	}
	return names
}

// closers run in the reverse order of their adding.
type closers []func()

func (c *closers) add(f func()) { *c = append(*c, f) }

func (c *closers) close() {
	for i := len(*c) - 1; i >= 0; i-- {
		(*c)[i]()
	}
}
