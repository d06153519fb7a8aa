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

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector/scrape"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/heap"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// drainTime is how long answers under way may take once we are to end.
// Together with what ends at once it stays well below 5 s.
const drainTime = 2 * time.Second

// daemonOptions is what serve and demo start a daemon with.
type daemonOptions struct {
	config *config.Config
	web    *toolkit.FlagConfig
	pprof  bool
	// history is how many bytes the heatmaps' last hour may take; 0 keeps none.
	history int
	logger  *slog.Logger
}

// daemon polls clusters and serves what it finds. It is made, run once, and
// ends with the context it runs under.
type daemon struct {
	o       daemonOptions
	started time.Time
	clients []*restapi.Client
	pollers []*collector.Poller
	history *history.Store
	server  *http.Server
	ballast *heap.Ballast

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
		o: o, started: time.Now(), history: history.New(o.history), ballast: heap.New(), bound: make(chan struct{}),
	}
	for _, k := range o.config.Clusters {
		if err := d.addCluster(k); err != nil {
			return nil, fmt.Errorf("cluster %s: %w", k.Name, err)
		}
	}
	metrics, err := d.metrics()
	if err != nil {
		return nil, err
	}
	handler, err := web.Handler(web.Options{
		Version: buildinfo.Read().String(), Metrics: metrics, View: d.view, Waiting: d.waiting, Pprof: o.pprof,
		History: d.history,
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

func (d *daemon) addCluster(k config.Cluster) error {
	c := d.o.config
	seen := &collector.Observer{}
	o := clientOptions(c, k, d.o.logger)
	o.Observer = seen
	client, err := restapi.New(o)
	if err != nil {
		return err
	}
	p, err := collector.NewPoller(collector.Config{
		Source: client, Cluster: k.Name, Interval: c.PollInterval(k), Timeout: c.PollTimeout(k),
		Thresholds: c.Judging(k), Top: c.Collector.Top, Observer: seen, Logger: d.o.logger,
		Seen: func(r *analysis.Result) { d.history.Record(k.Name, r) },
	})
	if err != nil {
		return err
	}
	d.clients = append(d.clients, client)
	d.pollers = append(d.pollers, p)
	return nil
}

func (d *daemon) metrics() (http.Handler, error) {
	built := buildinfo.Read()
	c, err := collector.New(collector.Options{
		Build:    collector.Build{Version: built.Version, Revision: built.Revision, Branch: built.Branch, Tags: built.Tags},
		Subtasks: collector.Mode(d.o.config.Collector.Subtasks),
		Budget:   d.o.config.Collector.SeriesBudget,
		Logger:   d.o.logger,
	})
	if err != nil {
		return nil, err
	}
	if err := c.SetPollers(d.pollers); err != nil {
		return nil, usageError{err}
	}
	process := prometheus.NewPedanticRegistry()
	process.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return scrape.NewHandler(scrape.Config{Collector: c, Others: process, Logger: d.o.logger}), nil
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
	for _, c := range d.clients {
		cleanup.add(c.Close)
	}
	d.startPolling(&cleanup)

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

// startPolling runs every poller until cleanup.
func (d *daemon) startPolling(cleanup *closers) {
	ctx, cancel := context.WithCancel(context.Background())
	var polling sync.WaitGroup
	for _, p := range d.pollers {
		polling.Go(func() { p.Run(ctx) })
	}
	cleanup.add(func() {
		cancel()
		polling.Wait()
	})
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
	for _, p := range d.pollers {
		pub, fresh := p.Current()
		failed := uint64(0)
		for _, n := range pub.Failures {
			failed += n
		}
		c := report.ClusterInput{Name: pub.Cluster, Up: pub.Up, Reason: pub.Reason, Polls: int(pub.Polls - failed)}
		if fresh {
			c.Result, c.Span = pub.Result, pub.At.Sub(d.started)
		}
		in.Clusters = append(in.Clusters, c)
	}
	return in
}

// waiting names the clusters whose first poll has not ended.
func (d *daemon) waiting() []string {
	var names []string
	for _, p := range d.pollers {
		if pub, _ := p.Current(); pub.Polls == 0 {
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
