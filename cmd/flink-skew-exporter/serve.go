package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/alecthomas/kingpin/v2"
	"github.com/alecthomas/units"
	toolkit "github.com/prometheus/exporter-toolkit/web"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
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
	r.add(c, func(ctx context.Context, p process) error {
		cfg, err := flags.load()
		if err != nil {
			return err
		}
		if err := need(cfg); err != nil {
			return err
		}
		d, err := newDaemon(daemonOptions{config: cfg, web: port.toolkit, pprof: *port.pprof, history: int(*port.history), logger: p.logger})
		if err != nil {
			return err
		}
		built := buildinfo.Read()
		p.logger.Info("starting", "version", built.Version, "revision", built.Revision, "clusters", len(cfg.Clusters))
		return d.Run(ctx)
	})
}
