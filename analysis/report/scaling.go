package report

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// scaling says what other parallelisms would leave on the busiest subtask of a
// keyed vertex, as a range: the low end if the load inside each of today's
// subtasks is even over its key groups, the high end if it sits in one of them.
// It is empty when nothing is predicted.
func (f facts) scaling() string {
	m, ok := f.maxParallelism()
	if !ok {
		return ""
	}
	var ranges []string
	var at [][]string
	overloaded, wide := false, false
	now := keygroup.Busiest(f.v.Parallelism, m)
	for _, s := range f.j.Advice.Steps {
		if s.Parallelism < f.v.Parallelism {
			if f.v.Verdict.ID == analysis.KeyGroupLayout && keygroup.Busiest(s.Parallelism, m) == now {
				continue // As many key groups on the busiest, and load follows them: nothing changes.
			}
			if s.BusiestLoad.Or(0) >= 1 {
				continue // Fewer cannot do it even at best.
			}
		}
		if f.v.Verdict.ID == analysis.UniformSaturation {
			s.BusiestHigh = s.BusiestLoad // Its load is even: the worst case says nothing of it.
		}
		r, over := busiestRange(s)
		if r == "" {
			continue
		}
		overloaded, wide = overloaded || over, wide || strings.Contains(r, "–")
		p := thousands(float64(s.Parallelism))
		if s.Parallelism == m {
			p += " (max parallelism)"
		}
		if n := len(ranges); n > 0 && ranges[n-1] == r {
			at[n-1] = append(at[n-1], p)
			continue
		}
		ranges, at = append(ranges, r), append(at, []string{p})
	}
	if len(ranges) == 0 {
		return ""
	}
	for i, r := range ranges {
		busy := ""
		if i == 0 {
			busy = " busy"
		}
		ranges[i] = fmt.Sprintf("%s%s at %s", r, busy, choice(at[i]))
	}
	out := "at today's throughput the busiest would be " + list(ranges)
	if f.inputsWait() {
		out = "at today's throughput (more is waiting upstream) the busiest would be " + list(ranges)
	}
	if wide {
		out += ", depending on how load lies in its key groups"
	}
	if floor, ok := f.j.Advice.Floor.Get(); ok && floor > 0 {
		out += fmt.Sprintf("; %s alone %s %s", f.indivisible(), verb(f.v.Verdict.ID == analysis.CostlyRecords, "makes", "make"), percent(floor))
	}
	if overloaded {
		out += "; above 100 % is more than it can do"
	}
	return out + "."
}

// indivisible is what no parallelism divides.
func (f facts) indivisible() string {
	switch f.v.Verdict.ID {
	case analysis.FewKeys:
		return "one key"
	case analysis.CostlyRecords:
		return "the dear records"
	}
	return "the hot key"
}

// busiestRange writes a prediction as percent, and whether its high end is
// above what a subtask can do; empty when nothing is predicted.
func busiestRange(s analysis.Step) (text string, over bool) {
	low, ok := s.BusiestLoad.Get()
	if !ok {
		return "", false
	}
	high := s.BusiestHigh.Or(low)
	from, to := percent(low), percent(high)
	over = high >= 1.005 // What percent rounds above 100.
	if from == to {
		return "about " + from, over
	}
	return strings.TrimSuffix(from, " %") + "–" + to, over
}

// inputsWait reports whether more would come than gets through now.
func (f facts) inputsWait() bool {
	return f.v.Finding(analysis.Bottleneck) != nil || f.waiters() != ""
}

// choice joins words as in "a, b or c".
func choice(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
