package config

import "reflect"

// SameProbes reports whether probes are made and judged alike by another
// configuration, so that what is known of their targets still counts.
func (c *Config) SameProbes(other *Config) bool {
	part := func(c *Config) []any {
		return []any{c.Probe, c.Modules, c.Poll, c.Analysis, c.Thresholds, c.Collector}
	}
	return reflect.DeepEqual(part(c), part(other))
}
