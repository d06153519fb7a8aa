package collector

import (
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Reload is what came of the newest attempt to read the configuration.
type Reload struct {
	// OK is whether the newest attempt succeeded; if not, the configuration
	// before it is in use.
	OK bool
	// At is when an attempt last succeeded.
	At time.Time
}

// Discovery is what is known of one source of targets.
type Discovery struct {
	// Source names it: the files' patterns or the URL, without credentials.
	Source string
	// Targets is how many clusters its last good list has.
	Targets int
	// Failures counts lists that could not be had or used.
	Failures uint64
	// At is when its last good list was read; zero before there was one.
	At time.Time
}

// SetReload shows what came of reading the configuration. Before the first
// call nothing is shown: a demo has no configuration to read.
func (c *Collector) SetReload(r Reload) { c.reload.Store(&r) }

// SetDiscovery replaces the sources of targets shown. Of sources with the same
// label value only the first is shown.
func (c *Collector) SetDiscovery(all []Discovery) {
	seen := make(map[string]bool, len(all))
	shown := make([]Discovery, 0, len(all))
	for _, d := range all {
		if d.Source = CleanLabel(d.Source); !seen[d.Source] {
			seen[d.Source] = true
			shown = append(shown, d)
		}
	}
	c.discovery.Store(&shown)
}

// configRows say which configuration and which targets are in use.
func configRows() []row[*exporterView] {
	return append([]row[*exporterView]{
		{
			Family: Family{
				Name: "exporter_config_last_reload_successful", Type: Gauge, Stability: Stable, Cardinality: "1",
				Help: "1 if the newest attempt to read the configuration succeeded; 0 if it failed and the one before is in use.",
			},
			values: func(e *exporterView, put emit) {
				if e.reload != nil {
					put(flag(e.reload.OK), labels{})
				}
			},
		},
		{
			Family: Family{
				Name: "exporter_config_last_reload_success_timestamp_seconds", Type: Gauge, Stability: Stable, Cardinality: "1",
				Help: "When the configuration in use was read, as Unix time.",
			},
			values: func(e *exporterView, put emit) {
				if e.reload != nil {
					put(unixSeconds(e.reload.At), labels{})
				}
			},
		},
	}, discoveryRows()...)
}

func discoveryRows() []row[*exporterView] {
	spec := func(f Family, value func(d *Discovery) analysis.Num) row[*exporterView] {
		f.Labels, f.Cardinality, f.Stability = []string{"source"}, "1 a source of targets", Experimental
		return row[*exporterView]{Family: f, values: func(e *exporterView, put emit) {
			for i := range e.discovery {
				put(value(&e.discovery[i]), labels{e.discovery[i].Source})
			}
		}}
	}
	return []row[*exporterView]{
		spec(Family{
			Name: "exporter_discovery_targets", Type: Gauge,
			Help: "Clusters in the last good list of a source of targets.",
		}, func(d *Discovery) analysis.Num { return analysis.OfInt(d.Targets) }),
		spec(Family{
			Name: "exporter_discovery_failures_total", Type: Counter,
			Help: "Lists of targets that were unreadable, broken or empty; the last good one stays in use.",
		}, func(d *Discovery) analysis.Num { return analysis.Of(float64(d.Failures)) }),
		spec(Family{
			Name: "exporter_discovery_success_timestamp_seconds", Type: Gauge,
			Help: "When the last good list of targets was read, as Unix time; absent before there was one.",
		}, func(d *Discovery) analysis.Num { return unixSeconds(d.At) }),
	}
}
