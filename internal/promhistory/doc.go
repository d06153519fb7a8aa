// Package promhistory reads the history of a report from Prometheus, or from
// what speaks its query API (Thanos, Mimir, VictoriaMetrics).
//
// It owns the queries: they use the exporter's own series and none of the
// recording rules, so that the report works without them, and a test holds
// their names against the table of families. It may import analysis, its
// reports and client_golang's API client; it must not import restapi or web,
// and reads no clock.
//
// How the queries are built:
//   - every one is of one cluster, aggregated to (cluster, job_name, vertex), so
//     that a redeployed job, a restarted exporter, or two exporters of one
//     cluster make no new series;
//   - shares of an hour are counted over a subquery of fixed points, five minutes
//     apart, so that they do not depend on the scrape interval;
//   - windows end one second before the hour: both ends of a range are then off
//     the grid of a subquery, which Prometheus aligns to the epoch, and one hour
//     has twelve points whether the version counts the left end (2.x) or not (3.x).
package promhistory
