package report

import (
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestScaling(t *testing.T) {
	alone := func(v *analysis.VertexResult, steps ...analysis.Step) *analysis.VertexResult {
		v.Findings, v.Verdict.Advice.Steps = nil, steps
		return v
	}
	free := func(steps ...analysis.Step) *analysis.VertexResult {
		v := hotKeyVertex()
		v.Verdict.Advice.Floor = none
		return alone(v, steps...)
	}
	unkeyed := partitionVertex()
	unkeyed.Findings = nil
	tests := []struct {
		name string
		v    *analysis.VertexResult
		want string
	}{
		{"a range", free(ranged(8, 0.56, 1)), "at today's throughput the busiest would be 56–100 % busy at 8, depending on how load lies in its key groups."},
		{"no range", free(ranged(8, 0.561, 0.562), analysis.Step{Parallelism: 10, BusiestLoad: of(0.4)}), "at today's throughput the busiest would be about 56 % busy at 8 and about 40 % at 10."},
		{"alike", free(ranged(6, 0.56, 1), ranged(7, 0.561, 1), ranged(8, 0.5, 0.9)),
			"at today's throughput the busiest would be 56–100 % busy at 6 or 7 and 50–90 % at 8, depending on how load lies in its key groups."},
		{"overloaded", free(ranged(8, 0.9, 1.3)), "at today's throughput the busiest would be 90–130 % busy at 8, depending on how load lies in its key groups; above 100 % is more than it can do."},
		{"the ceiling", free(ranged(128, 0.2, 0.3)), "at today's throughput the busiest would be 20–30 % busy at 128 (max parallelism), depending on how load lies in its key groups."},
		{"fewer that cannot do it", free(ranged(3, 1.1, 1.3), ranged(8, 0.5, 0.5)), "at today's throughput the busiest would be about 50 % busy at 8."},
		{"nothing predicted", free(analysis.Step{Parallelism: 8}), ""},
		{"no steps", free(), ""},
		{"no key groups", unkeyed, ""},
		{"a layout that stays", alone(layoutVertex(), ranged(64, 0.9, 1.5), ranged(128, 0.5, 1)),
			"at today's throughput the busiest would be 50–100 % busy at 128 (max parallelism), depending on how load lies in its key groups."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := cluster(tt.v).Result.Jobs[0]
			if got := Explain(&j, &j.Vertices[0]).Scaling; got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestScalingOfWhatWaits: with waiting inputs the prediction is of today's
// throughput, not of the demand, and a hot key is a floor under it.
func TestScalingOfWhatWaits(t *testing.T) {
	j := cluster(victim(), hotKeyVertex()).Result.Jobs[0]
	got := Explain(&j, &j.Vertices[1]).Scaling
	for _, want := range []string{"today's throughput (more is waiting upstream)", "88–126 % at 6 or 7", "the hot key alone makes 88 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

func TestLayoutThroughput(t *testing.T) {
	for load, want := range map[float64]string{1: "(same throughput", 1.09: "(same throughput", 1.2: "(about the same throughput"} {
		v := layoutVertex()
		v.Verdict.Advice.Steps[0] = ranged(64, load, 2)
		j := cluster(v).Result.Jobs[0]
		if got := Explain(&j, &j.Vertices[0]).Do[0]; !strings.Contains(got, want) {
			t.Errorf("at a load of %v: %s", load, got)
		}
	}
}
