package report

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

// What reports of other packages write in the same way as this one.

// Clean returns text of users without what acts instead of being seen, on one
// line, cut to n columns.
func Clean(s string, n int) string { return cut(clean(s), n) }

// EscapeMarkdown makes text literal in Markdown.
func EscapeMarkdown(s string) string { return escape(s) }

// Number writes v with about three digits, thousands separated.
func Number(v float64) string { return significant(v) }

// Thousands writes v as a whole number, thousands separated.
func Thousands(v float64) string { return thousands(v) }

// Bytes writes a size in powers of 1024.
func Bytes(v float64) string { return bytesize(v) }

// Seconds writes a duration in the unit that suits it.
func Seconds(v float64) string { return seconds(v) }

// Count writes "1 subtask" or "3 subtasks".
func Count(n int, noun string) string { return count(n, noun) }

// Show formats a present number with f and an absent one as a dash.
func Show(n analysis.Num, f func(float64) string) string { return show(n, f) }
