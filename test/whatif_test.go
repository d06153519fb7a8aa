package test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// forecast is what the curve said before a rescale.
type forecast struct {
	band product.Band
	// rate is the records a second that the band is for.
	rate float64
}

// keyedVertex returns the labels of the vertex that the rescaled job's hot key is in.
func keyedVertex(m product.Scrape, p int) (product.Labels, error) {
	found := m.Samples("flink_skew_vertex_key_groups_per_subtask", product.Labels{"job_name": jobs.Rescaled(p).Name, "stat": "max"})
	if len(found) != 1 {
		return nil, fmt.Errorf("%d keyed vertices, want 1", len(found))
	}
	l := found[0].Labels
	return product.Labels{"cluster": l["cluster"], "job_id": l["job_id"], "vertex_id": l["vertex_id"]}, nil
}

// forecast reads the curve at another parallelism while the job runs at p.
func (w watch) forecast(t *testing.T, p, to int) forecast {
	t.Helper()
	var f forecast
	w.until(t, "the what-if curve", func(m product.Scrape) error {
		v, err := keyedVertex(m, p)
		if err != nil {
			return err
		}
		rate, errRate := m.Value("flink_skew_vertex_records_in_per_second", v)
		band, errBand := w.server.WhatIf(v["cluster"], v["job_id"], v["vertex_id"], to)
		f = forecast{band, rate}
		return errors.Join(errRate, errBand)
	})
	return f
}

// heldBy is the condition that the busiest subtask does what was forecast: its
// load at the rate of then, which is its busy share by the rates' ratio.
func (w watch) heldBy(f forecast, p int) func(product.Scrape) error {
	return func(m product.Scrape) error {
		v, err := keyedVertex(m, p)
		if err != nil {
			return err
		}
		rate, errRate := m.Value("flink_skew_vertex_records_in_per_second", v)
		busy, errBusy := m.Value("flink_skew_vertex_busy_ratio", with(v, "stat", "max"))
		if err := errors.Join(errRate, errBusy); err != nil {
			return err
		}
		load := busy * f.rate / rate
		if load < f.band.Low || load > f.band.High {
			return fmt.Errorf("the busiest subtask's load is %.3f, forecast %+v", load, f.band)
		}
		return nil
	}
}
