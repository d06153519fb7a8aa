package report

import (
	"fmt"
	"strconv"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// keyGroupLayout: load follows the number of owned key groups, which is uneven.
func keyGroupLayout(f facts) Words {
	m, ok := f.maxParallelism()
	if !ok {
		return Words{
			Summary: []string{"The load follows the number of key groups that each subtask owns, which is uneven" + clause(f.busyMax(), "; the busiest is %s busy", percent) + "."},
			Do:      []string{"Run it at a parallelism that divides max parallelism."},
		}
	}
	p := f.v.Parallelism
	k, needed := keygroup.Busiest(p, m), keygroup.Needed(p, m)
	w := Words{Summary: []string{f.owners(p, m, k)}}
	if needed < p {
		w.Summary = append(w.Summary, fmt.Sprintf("It runs at the speed of parallelism %d.", needed))
	}
	w.Do = append(w.Do, f.useful(p, m, needed))
	if next, ok := keygroup.NextUseful(p, m); ok {
		from := max(needed, 1)
		if next-from > 1 {
			w.Dont = append(w.Dont, fmt.Sprintf("Choose anything between %d and %d: some subtask still owns %s, so the busiest one is not unloaded.", from+1, next-1, count(k, "key group")))
		}
	}
	w.Dont = append(w.Dont, "Look for a hot key: the key groups are loaded alike.")
	return w
}

// owners says how many subtasks own how many key groups, and how busy each
// kind is.
func (f facts) owners(p, m, k int) string {
	large := m % p
	if large == 0 {
		return fmt.Sprintf("The load follows the key groups that each subtask owns%s.", clause(f.busyMax(), "; the busiest is %s busy", percent))
	}
	var big, small []*analysis.SubtaskResult
	for i := range f.v.Subtasks {
		s := &f.v.Subtasks[i]
		if idx := int(s.Index); idx < p && keygroup.Count(idx, p, m) == k {
			big = append(big, s)
		} else {
			small = append(small, s)
		}
	}
	head := fmt.Sprintf("%d of %d subtasks own %s, the other %d own %d", large, p, count(k, "key group"), p-large, k-1)
	if a, b, ok := f.pair("busy_max", "busy_others", mean(big, busyOf), mean(small, busyOf)); ok {
		head += fmt.Sprintf(": the former are %s busy, the latter %s", percent(a), percent(b))
	} else {
		head += clause(f.busyMax(), "; the busiest is %s busy", percent)
	}
	return head + "."
}

// useful names the parallelisms around the present one that are worth running.
func (f facts) useful(p, m, needed int) string {
	down, up := f.stepsAround()
	var options []string
	if needed < p {
		same := "same"
		if f.predicted(needed).Or(0) > nearlySame*f.busyMax().Or(1) {
			same = "about the same" // The key groups are not quite alike.
		}
		options = append(options, fmt.Sprintf("at %d (%s throughput, %s)", needed, same, f.back(p-needed)))
	} else if len(down) > 0 {
		options = append(options, "at "+step(down[len(down)-1]))
	}
	if len(up) == 0 {
		if next, ok := keygroup.NextUseful(p, m); ok {
			up = []analysis.Step{{Parallelism: next}}
		}
	}
	if len(up) > 0 {
		option := "at " + step(up[0])
		if up[0].Parallelism == m {
			option += ", which is the ceiling"
		}
		options = append(options, option)
	}
	if len(options) == 0 {
		return fmt.Sprintf("Plan a larger max parallelism than %d with divisors that you run: each subtask owns one key group already.", m)
	}
	out := "Run it " + options[0]
	if len(options) > 1 {
		out += " or " + options[1]
	}
	return out + "."
}

// nearlySame is how many times as loaded as now a smaller parallelism may leave
// the busiest subtask for the throughput to be called the same.
const nearlySame = 1.1

// predicted is the load of the busiest subtask at an advised parallelism.
func (f facts) predicted(p int) analysis.Num {
	for _, s := range f.j.Advice.Steps {
		if s.Parallelism == p {
			return s.BusiestLoad
		}
	}
	return analysis.Num{}
}

// partitionLayout: readers own unequal numbers of partitions and load follows.
func partitionLayout(f facts) Words {
	w := Words{}
	head := "The readers own unequal numbers of partitions, and the load follows"
	if kinds := f.partitionKinds(); kinds != "" {
		head = kinds
	}
	w.Summary = []string{head + "."}
	n, ok := f.v.Partitions.Get()
	p := f.v.Parallelism
	switch down, up := f.stepsAround(); {
	case len(down)+len(up) > 0:
		w.Do = append(w.Do, "Run it at "+steps(append(down, up...))+".")
	case ok && n >= 1:
		w.Do = append(w.Do, fmt.Sprintf("Run it at a parallelism that divides %s: %s.", count(int(n), "partition"), divisors(int(n), p)))
	default:
		w.Do = append(w.Do, "Run it at a parallelism that divides the number of partitions.")
	}
	if ok && p > 0 && int(n)%p != 0 {
		w.Do = append(w.Do, fmt.Sprintf("Or give the topic more partitions: %d is the next multiple of %d.", (int(n)/p+1)*p, p))
	}
	w.Dont = []string{"Go beyond the number of partitions: the readers added would own none.",
		"Raise the number of partitions of a topic that others read by key without planning it: keys move to other partitions."}
	return w
}

// partitionKinds says how many readers own how many partitions and what each
// kind does; empty when ownership is not known.
func (f facts) partitionKinds() string {
	kinds := map[int][]*analysis.SubtaskResult{}
	lo, hi := 1<<31, -1
	for i := range f.v.Subtasks {
		if n, ok := f.v.Subtasks[i].Partitions.Get(); ok {
			kinds[int(n)] = append(kinds[int(n)], &f.v.Subtasks[i])
			lo, hi = min(lo, int(n)), max(hi, int(n))
		}
	}
	if hi < 0 || lo == hi {
		return ""
	}
	out := fmt.Sprintf("%s of %d %s %s and %d %s %d%s", count(len(kinds[hi]), "reader"), f.v.Parallelism,
		verb(len(kinds[hi]) > 1, "owns", "own"), count(hi, "partition"), len(kinds[lo]), verb(len(kinds[lo]) > 1, "owns", "own"), lo,
		clause(f.v.Partitions, " (%s in all)", thousands))
	if a, b, ok := f.pair("busy_max", "busy_others", mean(kinds[hi], busyOf), mean(kinds[lo], busyOf)); ok {
		return out + fmt.Sprintf(": the former are %s busy, the latter %s", percent(a), percent(b))
	}
	a, okA := mean(kinds[hi], f.records).Get()
	b, okB := mean(kinds[lo], f.records).Get()
	if okA && okB {
		return out + fmt.Sprintf(": the former read %s records/s each, the latter %s", rate(a), rate(b))
	}
	return out
}

// divisors names the divisors of n that are nearest to p, below and above.
func divisors(n, p int) string {
	below, above := 0, 0
	for d := 1; d <= n; d++ {
		switch {
		case n%d != 0 || d == p:
		case d < p:
			below = d
		case above == 0:
			above = d
		}
	}
	switch {
	case below > 0 && above > 0:
		return fmt.Sprintf("%d or %d", below, above)
	case above > 0:
		return strconv.Itoa(above)
	}
	return strconv.Itoa(below)
}
