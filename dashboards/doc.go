// Package dashboards owns the five Grafana dashboards: what their panels ask
// Prometheus, how they look, and where they lead. The JSON beside this file is
// generated from it; edit the Go code and run go generate.
//
// It may import the collector, for the names of metric families, and analysis,
// for the closed sets and the thresholds; nothing of the product imports it. It
// is a module of its own, so that Grafana's SDK stays out of the product's.
//
// What it rests on:
//   - Grafana imports JSON of an older schema and migrates it, so the schema
//     version is that of Grafana 10.0 and only panels, transformations and cell
//     options that 10.0 has are used. The links and annotations of newer SDKs
//     carry placements that 10 does not know; they are left out.
//   - The merge transformation joins rows of instant queries on the columns
//     that all of them have, hence each query of a table aggregates by the same
//     labels, and by those alone.
//   - Jobs and vertices are chosen by name, which outlives a redeployment and is
//     what alerts link by, and narrowed down by id where several bear the name:
//     job names repeat in session clusters, vertex names within a job.
//   - Counters and gauges are asked for with max by, so that two exporters that
//     watch the same cluster do not count twice.
package dashboards

//go:generate go run ./gen -o .
