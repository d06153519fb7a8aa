// Package scrape serves a collector's frames over HTTP. It owns the /metrics
// handler and nothing else: package collector itself knows no HTTP.
//
// It may import collector, client_golang, prometheus/common and the standard
// library.
//
// A registry needs a protobuf message for each series, which for a cluster of
// 10,000 vertices means seconds and gigabytes a scrape. The handler therefore
// writes the text format straight from the frame, and leaves to promhttp only
// clients that take protobuf and no text. OpenMetrics is not offered, as
// promhttp does not by default: every client that knows it takes text too.
package scrape
