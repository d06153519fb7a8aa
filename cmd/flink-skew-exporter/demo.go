package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

const (
	// demoInterval is shorter than serve's, so that nobody waits long for a
	// verdict; the simulated clusters refresh their metrics more often than
	// Flink does by default to match.
	demoInterval = 5 * time.Second
	demoRefresh  = 4 * time.Second
	// demoParallelism and loadParallelism are the defaults of --parallelism
	// without and with --jobs.
	demoParallelism = 8
	loadParallelism = 100
	// loadVertices is how many vertices a job of a load test has.
	loadVertices = 10
)

// demo holds the flags of the command.
type demo struct {
	keys              configFlags
	port              webFlags
	jobs, parallelism *int
}

func demoDefaults() *config.Config {
	c := config.Default()
	c.Poll.Interval = demoInterval
	return c
}

func addDemo(r *registry) {
	c := r.app.Command("demo", withExample(
		"Serves like serve, for simulated clusters that it brings along: one job for each verdict. No Flink and no network are needed. Prints where to look.",
		"flink-skew-exporter demo",
		"flink-skew-exporter demo --jobs=1000 --parallelism=100 --poll.interval=15s"))
	d := &demo{
		jobs: count(c, "jobs", fmt.Sprintf("For load tests: so many jobs of %d vertices instead of one for each verdict.", loadVertices), "0"),
		parallelism: count(c, "parallelism",
			fmt.Sprintf("Parallelism of the jobs. (0 is %d, with --jobs %d)", demoParallelism, loadParallelism), "0"),
		port: addWebFlags(c),
	}
	d.keys.addKeyFlags(c, demoDefaults(), append(collectorKeys(), pollKeys()...)...)
	r.add(c, d.run)
}

// clusters describes what is simulated.
func (d *demo) clusters() []flinksim.Cluster {
	p := *d.parallelism
	if *d.jobs > 0 {
		if p == 0 {
			p = loadParallelism
		}
		return []flinksim.Cluster{flinksim.Load(*d.jobs, loadVertices, p)}
	}
	if p == 0 {
		p = demoParallelism
	}
	return flinksim.Demo(p)
}

func (d *demo) run(ctx context.Context, p process) error {
	cfg := demoDefaults()
	if err := d.keys.apply(cfg); err != nil {
		return err
	}
	var cleanup closers
	defer cleanup.close()
	stage := &demoStage{clusters: d.clusters(), load: *d.jobs > 0, now: time.Now}
	if err := stage.start(ctx, &cleanup); err != nil {
		return err
	}
	cfg.SetClusters(stage.configured)
	if err := cfg.Validate(); err != nil {
		return asFlag(err)
	}
	daemon, err := newDaemon(daemonOptions{config: cfg, web: d.port.toolkit, pprof: *d.port.pprof, history: int(*d.port.history), logger: p.logger})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	guided := make(chan struct{})
	go func() {
		defer close(guided)
		stage.guide(ctx, p.stdout, daemon, cfg.Poll.Interval)
	}()
	cleanup.add(func() {
		cancel()
		<-guided
	})
	return daemon.Run(ctx)
}

// demoStage is the simulated clusters and where they listen.
type demoStage struct {
	clusters   []flinksim.Cluster
	sims       []*flinksim.Sim
	configured []config.Cluster
	load       bool
	// now is the simulations' clock.
	now func() time.Time
}

// start serves each cluster on a port of the loopback interface, so that the
// whole way is used that a real cluster's answers take.
func (s *demoStage) start(ctx context.Context, cleanup *closers) error {
	for _, c := range s.clusters {
		c.MetricInterval = demoRefresh
		sim, err := flinksim.New(c, s.now)
		if err != nil {
			return fmt.Errorf("simulate cluster %s: %w", c.Name, err)
		}
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("simulate cluster %s on the loopback interface: %w", c.Name, err)
		}
		server := &http.Server{Handler: sim, ReadHeaderTimeout: time.Second}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(listener)
		}()
		cleanup.add(func() {
			_ = server.Close()
			<-served
		})
		s.sims = append(s.sims, sim)
		s.configured = append(s.configured, config.Cluster{Name: c.Name, URL: "http://" + listener.Addr().String()})
	}
	return nil
}
