// Package prom asks a Prometheus server over its HTTP API.
//
// It must not know dashboards: expressions come in as text.
package prom
