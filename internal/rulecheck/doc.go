// Package rulecheck says whether Prometheus rules and Grafana dashboards name
// only metrics, labels and label values that this exporter has. It owns a
// tokenizer of PromQL, the vocabulary made of the collector's table, and the
// readers of rule files (Prometheus' own format and the operator's
// PrometheusRule) and of dashboards.
//
// It may import collector, analysis and a YAML reader. It must not open files
// or write anything: bytes in, problems out.
//
// It is not a parser of PromQL. Prometheus' own parser would bring its storage
// engine's and several clients' packages into the product's dependencies, for
// a question that needs names only: which identifiers of an expression are
// metrics, which matchers stand in their braces, and which labels are named by
// by, without, on, ignoring, group_left and group_right. Types, functions and
// the balance of parentheses are promtool's matter (promtool check rules). A
// name that a Grafana variable completes (flink_skew_vertex_${signal}) cannot
// be known, and is left out.
//
// Names of others are no business of this package: only what begins with
// flink_skew_, or is a recorded series (level:metric:operation) of such a
// metric, is looked up.
package rulecheck
