package report

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// waits is the share of its time that the vertex waits for output.
func (f facts) waits() analysis.Num {
	return first(f.measure("backpressured_mean"), f.v.Signals.BackPressured.Mean, f.measure("backpressured_max"), f.v.Signals.BackPressured.Max)
}

// cause is the vertex that this one waits for; nil when it is not known.
func (f facts) cause() *analysis.VertexResult {
	if f.j.Advice.Cause == "" {
		return nil
	}
	return f.vertex(f.j.Advice.Cause)
}

// pair returns two numbers that one sentence sets side by side, from one
// source: both of the evidence, which weighs all windows, or else both of the
// newest window. ok is false when neither source has both.
func (f facts) pair(a, b string, nowA, nowB analysis.Num) (x, y float64, ok bool) {
	for _, p := range [][2]analysis.Num{{f.measure(a), f.measure(b)}, {sane(nowA), sane(nowB)}} {
		x, okX := p[0].Get()
		y, okY := p[1].Get()
		if okX && okY {
			return x, y, true
		}
	}
	return 0, 0, false
}

// evidence reports whether the judgement brings numbers of its own, beside
// which those of the newest window have no place in a sentence.
func (f facts) evidence() bool {
	return slices.ContainsFunc(f.j.Evidence, func(m analysis.Measure) bool { return sane(m.Value).Known() })
}

// now returns a number of the newest window for a sentence; absent when the
// judgement brings its own.
func (f facts) now(n analysis.Num) analysis.Num {
	if f.evidence() {
		return analysis.Num{}
	}
	return sane(n)
}
