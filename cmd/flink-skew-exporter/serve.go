package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kingpin/v2"
	"github.com/alecthomas/units"
	toolkit "github.com/prometheus/exporter-toolkit/web"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
)

// defaultAddress is where serve and demo listen.
const defaultAddress = ":9923"

// webFlags are the flags of our own port.
type webFlags struct {
	toolkit *toolkit.FlagConfig
	pprof   *bool
	history *units.Base2Bytes
}

func addWebFlags(c *kingpin.CmdClause) webFlags {
	return webFlags{
		toolkit: kingpinflag.AddFlags(c, defaultAddress),
		pprof:   c.Flag("web.enable-pprof", "Serve Go's profiles under /debug/pprof/. They tell about the process; keep the port closed to strangers.").Bool(),
		history: c.Flag("web.history", "Memory for the heatmaps of the last hour on the status page; merged rows as it fills. 0B keeps none.").
			Default(fmt.Sprintf("%dMiB", history.DefaultBudget>>20)).Bytes(),
	}
}

// collectorKeys are the configuration keys that serve has flags for, beyond
// those of every polling command.
func collectorKeys() []string {
	return []string{"poll.interval", "collector.subtasks", "collector.top", "collector.series_budget"}
}

func addServe(r *registry) {
	c := r.app.Command("serve", withExample(
		"Polls one or more clusters and serves /metrics, the JSON API under /api/v1/, /-/healthy and /-/ready. This is what runs without a command.",
		"flink-skew-exporter --flink.url=http://jobmanager:8081",
		"flink-skew-exporter serve --config.file=/etc/flink-skew-exporter.yml")).Default()
	flags := addConfigFlags(c, slices.Concat(collectorKeys(), pollKeys(), analysisKeys())...)
	port := addWebFlags(c)
	lifecycle := c.Flag("web.enable-lifecycle", "Let a POST to /-/reload read the configuration again, as SIGHUP always does. Keep the port closed to strangers.").Bool()
	r.add(c, func(ctx context.Context, p process) error {
		// A signal that comes before the configuration is read is not lost.
		hangups := make(chan os.Signal, 1)
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)
		load := func() (*config.Config, error) {
			cfg, err := flags.load()
			if err != nil {
				return nil, err
			}
			return cfg, needWork(cfg)
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		d, err := newDaemon(daemonOptions{
			config: cfg, reload: load, lifecycle: *lifecycle, web: port.toolkit, pprof: *port.pprof,
			history: int(*port.history), logger: p.logger,
		})
		if err != nil {
			return err
		}
		go reloadOn(ctx, hangups, d)
		built := buildinfo.Read()
		p.logger.Info("starting", "version", built.Version, "revision", built.Revision, "clusters", len(cfg.Clusters))
		return d.Run(ctx)
	})
}

// reloadOn reloads whenever a signal comes, until ctx ends. What goes wrong
// the daemon logs.
func reloadOn(ctx context.Context, signals <-chan os.Signal, d *daemon) {
	for {
		select {
		case <-signals:
			_ = d.reload()
		case <-ctx.Done():
			return
		}
	}
}

// needWork returns an error unless there is something to poll, to find or to probe.
func needWork(c *config.Config) error {
	if c.Discovers() || len(c.Probe.AllowTargets) > 0 {
		return nil
	}
	return need(c)
}
