// Package alerts holds the alerting and recording rules (*.rules.yml), their
// tests for promtool (tests/) and a runbook for each alert (runbooks/). The Go
// code embeds the rules, so that the program knows the series they record.
//
// It must not import anything of the product; its tests import rulecheck, which
// holds every name against the collector's table.
//
// The rules are written for Prometheus 2.42 and later (keep_firing_for). They
// are evaluated by promtool only, which is not Go's to install: "promtool test
// rules alerts/tests/*.yml". The tests here look at structure: that no alert
// lacks a runbook, a firing test or a silent one.
package alerts
