package page

import (
	"math"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// nameColumns is how much of a name a table or a card shows, titleColumns a heading.
const (
	nameColumns  = 60
	titleColumns = 160
)

// badge is a verdict in words, with a colour and a sign, because colour alone
// tells some readers nothing.
type badge struct {
	// Class is the colour: that of the severity, ok, or unknown.
	Class string
	Sign  string
	Words string
	// Severity is a word, empty where there is none to name.
	Severity string
}

// newBadge returns a vertex's badge; label is report's.
func newBadge(v *analysis.VertexResult, label string) badge {
	b := badge{Class: "ok", Sign: sign(v.Verdict.ID), Words: words(v.Verdict.ID)}
	switch label {
	case "OK":
		return b
	case "UNKNOWN":
		b.Class = "unknown"
		return b
	}
	if unjudged(v) {
		b.Class = "unknown"
		return b
	}
	b.Class = strings.ToLower(label)
	b.Severity = b.Class
	return b
}

// unjudged reports whether a vertex has no verdict and nothing graver beside it.
func unjudged(v *analysis.VertexResult) bool {
	return v.Verdict.ID == analysis.NotEnoughData && v.Severity() < analysis.SeverityWarning
}

// unjudgedOf says how many of a job's vertices have no verdict, empty when all have.
func unjudgedOf(j *analysis.JobResult) string {
	n := 0
	for i := range j.Vertices {
		if unjudged(&j.Vertices[i]) {
			n++
		}
	}
	switch {
	case n == 0:
		return ""
	case n == len(j.Vertices):
		return "No vertex could be judged yet"
	}
	return report.Whole(analysis.OfInt(n)) + " of " + verticesOf(len(j.Vertices)) + " could not be judged"
}

// sign is the mark that stands for a verdict.
func sign(id analysis.VerdictID) string {
	switch id {
	case analysis.NotEnoughData:
		return "?"
	case analysis.Quiet:
		return "·"
	case analysis.Balanced:
		return "✓"
	case analysis.HotKey, analysis.FewKeys, analysis.HotPartition, analysis.UnevenInput:
		return "▲"
	case analysis.KeyGroupLayout, analysis.PartitionLayout, analysis.IdleReaders:
		return "▦"
	case analysis.SlowTaskManager:
		return "◐"
	case analysis.CostlyRecords:
		return "◆"
	case analysis.UniformSaturation:
		return "■"
	case analysis.Stalled:
		return "✖"
	case analysis.Backpressured:
		return "←"
	}
	return "?"
}

// words writes a verdict or finding as people say it.
func words[T ~string](id T) string {
	switch analysis.VerdictID(id) {
	case analysis.KeyGroupLayout:
		return "key-group layout"
	case analysis.SlowTaskManager:
		return "slow TaskManager"
	case analysis.Backpressured:
		return "back-pressured"
	}
	return strings.ReplaceAll(report.Clean(string(id), nameColumns), "_", " ")
}

// severityClass is the colour of a severity.
func severityClass(s analysis.Severity) string {
	if s == analysis.SeverityNone {
		return "ok"
	}
	return s.String()
}

// severitySign is the mark that stands for a class.
func severitySign(class string) string {
	switch class {
	case "critical":
		return "✖"
	case "warning":
		return "!"
	case "info":
		return "i"
	case "ok":
		return "✓"
	}
	return "?"
}

// levels is how many tones a share has, from 0 to 100 %.
const levels = 10

// level is the tone of a share of 0–1, -1 of an absent one.
func level(n analysis.Num) int {
	v, ok := n.Get()
	if !ok {
		return -1
	}
	return int(math.Round(min(1, max(0, v)) * levels))
}
