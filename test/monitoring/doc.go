// Package monitoring starts what stands behind the exporter in production: a
// real Prometheus with the rules of alerts/, a real Alertmanager with the
// example of deploy/alertmanager, and receivers that keep what they are sent.
// It must not import the product's code.
//
// Rules and examples are used as they are but for three things: addresses,
// copies instead of mounts, and time. Every duration of configuration is divided
// by one factor: for, keep_firing_for and interval of the rules, the ranges and
// offsets in their expressions, the intervals of scraping, of evaluation, and
// those of Alertmanager's routes. What is not divided are plain numbers, such as
// the bounds in seconds of a watermark's lag, and texts: a description still
// says "for at least 10 min".
//
// It needs prometheus, alertmanager (Debian: prometheus-alertmanager) and amtool
// on the PATH.
package monitoring
