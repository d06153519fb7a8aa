// Package current runs the rules' tests (alerts/tests) with a current
// Prometheus as a library, as promtool of the oldest version that is supported
// runs them: "make test-alerts". The two differ in parser, engine and storage,
// and users have both.
//
// It knows of promtool's format what the tests use: rule_files,
// evaluation_interval, and for each test interval, input_series,
// alert_rule_test and promql_expr_test; anything else in a file is an error. As
// promtool does, it evaluates every group at every evaluation_interval, in the
// order of the files, whatever interval the group asks for.
//
// It is a module of its own, because Prometheus brings hundreds of packages
// that nobody else needs.
package current
