package main

import (
	"net/http"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/probe"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// prober makes what answers /probe; nil for a demo, which has no configuration
// that could allow a target.
func (d *daemon) prober() (http.Handler, error) {
	if d.o.reload == nil {
		return nil, nil
	}
	var err error
	d.probe, err = probe.New(probe.Options{Open: d.openTarget, Build: build(), Now: time.Now, Logger: d.o.logger}, d.o.config)
	if err != nil {
		return nil, err
	}
	return d.probe, nil
}

// openTarget makes the client of a probe's target.
func (d *daemon) openTarget(c *config.Config, k config.Cluster, seen *collector.Observer) (probe.Source, error) {
	o := clientOptions(c, k, d.o.logger)
	o.Observer = seen
	return restapi.New(o)
}
