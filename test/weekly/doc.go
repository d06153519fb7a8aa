// Package weekly holds the report command against a real Prometheus whose
// history is known: four weeks of the exporter's series, made up so that every
// answer of the report can be told beforehand, written as blocks by promtool.
// It needs prometheus and promtool, and no Flink:
//
//	go test ./weekly
//
// It must not import the product's code: the series' names are the contract
// with users, written down here a second time on purpose.
package weekly
