package collector

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

//go:generate go run ../internal/gen/metricsdoc -o ../METRICS.md

// Prefix begins the name of every metric family of this exporter.
const Prefix = "flink_skew_"

// Type is the type of a metric family, spelled as the text format spells it.
type Type string

// Types of families.
const (
	Gauge     Type = "gauge"
	Counter   Type = "counter"
	Histogram Type = "histogram"
)

// Stability says whether dashboards and alerts of others may rest on a family.
type Stability string

const (
	// Stable families are renamed or removed only in a major version.
	Stable Stability = "stable"
	// Experimental families may change in any version; the changelog says so.
	Experimental Stability = "experimental"
)

// Family is what is to be known of a metric family without its values. It is
// the vocabulary that rules, dashboards and METRICS.md are checked against.
type Family struct {
	Name string
	Help string
	Type Type
	// Labels are all label names, the subject's first. A histogram has le besides.
	Labels    []string
	Stability Stability
	// Cardinality says how many series there are, in words.
	Cardinality string
}

// labels are the values of a row's own labels, in the row's order. Unused ones
// are empty. Two suffice, and an array does not allocate.
type labels [2]string

// emit takes one series of the row's family and the present subject. An absent
// number is not emitted: missing is never zero.
type emit func(n analysis.Num, lv labels)

// row is one line of the table: a family and how its values are read off a
// subject of type S. Family.Labels holds the row's own labels only until the
// table is assembled, which puts the subject's before them.
type row[S any] struct {
	Family
	values func(s S, put emit)
	// buckets is set instead of values when the type is Histogram; nil means
	// that the subject has no distribution.
	buckets func(s S) *buckets
}

// one is the value function of a family with one series a subject.
func one[S any](value func(S) analysis.Num) func(S, emit) {
	return func(s S, put emit) { put(value(s), labels{}) }
}

// Label names of the subjects.
func clusterLabels() []string { return []string{"cluster"} }
func jobLabels() []string     { return []string{"cluster", "job_id", "job_name"} }
func vertexLabels() []string {
	return []string{"cluster", "job_id", "job_name", "vertex_id", "vertex"}
}

// table holds every row, by the kind of subject it is read off.
type table struct {
	build    []row[*buildView]
	exporter []row[*exporterView]
	pollers  []row[*pollerView]
	clusters []row[*clusterView]
	jobs     []row[*jobView]
	vertices []row[*vertexView]
	// subtasks have the head of their vertex and "subtask" as first own label.
	subtasks []row[*analysis.SubtaskResult]
}

// newTable assembles the rows.
func newTable() *table {
	return &table{
		build:    finish(buildRows(), buildLabels()),
		exporter: finish(slices.Concat(exporterRows(), configRows()), nil),
		pollers:  finish(pollerRows(), clusterLabels()),
		clusters: finish(clusterRows(), clusterLabels()),
		jobs:     finish(jobRows(), jobLabels()),
		vertices: finish(slices.Concat(shapeRows(), ceilingRows(), loadRows(), verdictRows()), vertexLabels()),
		subtasks: finish(subtaskRows(), vertexLabels()),
	}
}

// finish puts the prefix before each name and the subject's labels before the row's own.
func finish[S any](rows []row[S], subject []string) []row[S] {
	for i := range rows {
		rows[i].Name = Prefix + rows[i].Name
		rows[i].Labels = slices.Concat(subject, rows[i].Labels)
	}
	return rows
}

// section is the families of one kind of subject.
type section struct {
	title    string
	families []Family
}

// sections lists the table in the order of documentation.
func (t *table) sections() []section {
	return []section{
		{"Clusters and polls", slices.Concat(familiesOf(t.pollers), familiesOf(t.clusters))},
		{"Jobs", familiesOf(t.jobs)},
		{"Vertices", familiesOf(t.vertices)},
		{"Subtasks", familiesOf(t.subtasks)},
		{"The exporter", slices.Concat(familiesOf(t.exporter), familiesOf(t.build))},
	}
}

func familiesOf[S any](rows []row[S]) []Family {
	fs := make([]Family, len(rows))
	for i := range rows {
		fs[i] = rows[i].Family
	}
	return fs
}

// Families returns every metric family of the exporter in the order of
// documentation. Names are unique.
func Families() []Family {
	var fs []Family
	for _, s := range newTable().sections() {
		fs = append(fs, s.families...)
	}
	return fs
}
