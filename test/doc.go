// Package test holds the product against real Apache Flink, end to end: the
// built binary beside clusters whose jobs have one trouble each. It is a module
// of its own, so that its dependencies stay out of the product's.
//
// The parts run in turn, each on a cluster of its own: session (scenarios that
// wait, SQL, event time, one that computes, a JobManager that freezes and dies),
// changes (a rescale and restarts while they are watched), and, only when all is
// asked for, load (costly records, a throttled TaskManager, a sink that spins)
// and kafka (a real broker). docs/tested.md says what has been run.
//
// Packages: flink (download, start, drive a cluster), jobs (the jobs and what
// must be said of them), kafka (a broker), product (the exporter's commands and
// /metrics, from outside), page (the status page in Chromium), monitoring
// (Prometheus and Alertmanager behind it), weekly (the weekly report beside a real
// Prometheus, without Flink), proc (child processes that cannot outlive the test),
// await (the one way to wait).
//
// Environment: FLINK_VERSION (default 2.3.0), FLINK_SKEW_FULL (1 for all parts;
// kafka needs Maven), FLINK_SKEW_CACHE (where releases are kept),
// FLINK_SKEW_EXPORTER (a binary to test instead of a fresh build),
// FLINK_SKEW_TAPES (a folder that keeps the recordings).
package test
