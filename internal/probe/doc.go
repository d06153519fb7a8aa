// Package probe answers /probe: one poll of one Flink cluster at the request of
// a scraper, as blackbox_exporter does it for other protocols. Prometheus'
// service discovery, relabelling and sharding choose the targets then.
//
// It owns what a probe may ask for (targets, modules), the state that is kept of
// each target, so that consecutive probes make windows, and the explanation of
// debug=true. It must not import restapi or cmd, and reads no clock: who polls
// comes in as a function, time as another.
//
// State is kept in a bounded LRU by cluster, target and module; the plain one,
// because the expirable one never stops its goroutine. Probes of one target
// that come while it is polled share that poll.
package probe
