// Package discovery reads lists of Flink clusters from where Prometheus would
// find its targets: files in the format of file_sd, and addresses that answer
// in the format of http_sd.
//
// It owns the formats, what is honoured of their labels, and the two readers.
// A list is whole or an error; whether the one before stays in use, and when to
// read again, is the caller's affair. The package must not import restapi,
// collector or cmd, and reads no clock.
//
// It rests on Prometheus' documentation of <file_sd_config> and
// <http_sd_config>: a list of groups, each of targets (host:port) and labels,
// in JSON or, in files, YAML as well.
package discovery
