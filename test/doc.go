// Package test holds the product against real Apache Flink, end to end: the
// built binary beside a session cluster whose jobs have one trouble each. It
// is a module of its own, so that its dependencies stay out of the product's.
//
// Packages: flink (download, start, drive a cluster), jobs (the skewed job and
// what must be said of it), product (the exporter's commands and /metrics, from
// outside), proc (child processes that cannot outlive the test), await (the one
// way to wait).
//
// Environment: FLINK_VERSION (default 2.3.0), FLINK_SKEW_CACHE (where releases
// are kept), FLINK_SKEW_EXPORTER (a binary to test instead of a fresh build).
package test
