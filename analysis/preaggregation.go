package analysis

import (
	"math"
	"strings"
)

// preAggregation recognises the second phase of a local–global pair by the
// names of Flink SQL's physical nodes (LocalGroupAggregate and
// GlobalGroupAggregate, and their window variants), and measures what the
// first phase gains. Nil when the vertex is no second phase.
func preAggregation(vs []Vertex, evidences []*evidence, i int) *PreAggregation {
	d := vs[i].Description
	if !strings.Contains(d, "GlobalGroupAggregate(") && !strings.Contains(d, "GlobalWindowAggregate(") {
		return nil
	}
	for _, in := range vs[i].Inputs {
		for j := range vs {
			if vs[j].ID != in.From || !combines(vs[j].Description) {
				continue
			}
			p := &PreAggregation{Local: vs[j].ID}
			if !vs[j].Source() {
				p.Gain = ratio(sumOf(evidences[j].in), sumOf(evidences[j].out))
			}
			return p
		}
	}
	return nil
}

func combines(description string) bool {
	return strings.Contains(description, "LocalGroupAggregate(") || strings.Contains(description, "LocalWindowAggregate(")
}

// sumOf adds values up; absent when one is missing or there is none.
func sumOf(values []float64) Num {
	if len(values) == 0 {
		return Num{}
	}
	sum := 0.0
	for _, v := range values {
		if math.IsNaN(v) {
			return Num{}
		}
		sum += v
	}
	return Of(sum)
}
