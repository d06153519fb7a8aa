package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// facts are what the words of one verdict or finding may draw on: the vertex,
// its job for the neighbours, and the judgement itself.
type facts struct {
	job *analysis.JobResult
	v   *analysis.VertexResult
	j   *analysis.Judgement
}

// measure returns the evidence of the first name that is there with a number.
// The verdict rests on these, so they come before what can be computed from
// the newest window.
func (f facts) measure(names ...string) analysis.Num {
	for _, n := range names {
		for i := range f.j.Evidence {
			if m := &f.j.Evidence[i]; m.Name == n && sane(m.Value).Known() {
				return m.Value
			}
		}
	}
	return analysis.Num{}
}

// maxParallelism returns the number of key groups when they have a meaning.
func (f facts) maxParallelism() (int, bool) {
	m, ok := f.v.MaxParallelism.Get()
	if !ok || !f.v.Keyed || m > keygroup.UpperBound || !keygroup.Valid(f.v.Parallelism, int(m)) {
		return 0, false
	}
	return int(m), true
}

// split returns the subtasks that the judgement names and the others.
func (f facts) split() (about, others []*analysis.SubtaskResult) {
	for i := range f.v.Subtasks {
		s := &f.v.Subtasks[i]
		if slices.Contains(f.j.Subtasks, int(s.Index)) {
			about = append(about, s)
		} else {
			others = append(others, s)
		}
	}
	return about, others
}

// noun is what a subtask is called: one of a source is a reader.
func (f facts) noun() string {
	if f.source() {
		return "reader"
	}
	return "subtask"
}

// source reports whether the vertex is known to be a source. No inputs are no
// proof by themselves, for a job whose plan could not be read has none at all:
// its partitions, its name or the inputs of another vertex must say so, too.
func (f facts) source() bool {
	if len(f.v.Inputs) > 0 {
		return false
	}
	if f.v.Partitions.Known() || strings.HasPrefix(strings.TrimSpace(f.v.Name), "Source:") {
		return true
	}
	return slices.ContainsFunc(f.job.Vertices, func(o analysis.VertexResult) bool { return len(o.Inputs) > 0 })
}

// who names the subtasks at the start of a sentence, with the verb's number:
// "Subtask 1 of 5", "Subtasks 3 and 4 of 6", "All 4 subtasks".
func (f facts) who() (who string, plural bool) {
	n, p := len(f.j.Subtasks), f.v.Parallelism
	switch {
	case p == 1:
		return "The only " + f.noun(), false
	case n == 0 || n == p:
		return f.everyone(), true
	case n == 1:
		return fmt.Sprintf("%s %d of %s", sentence(f.noun()), f.j.Subtasks[0], thousands(float64(p))), false
	case n > maxRuns:
		return fmt.Sprintf("%d of %s (%s)", n, count(p, f.noun()), indexes(f.j.Subtasks)), true
	}
	return fmt.Sprintf("%ss %s of %s", sentence(f.noun()), indexes(f.j.Subtasks), thousands(float64(p))), true
}

// everyone names all subtasks of a vertex that has more than one.
func (f facts) everyone() string {
	if f.v.Parallelism == 2 {
		return "Both " + f.noun() + "s"
	}
	return "All " + count(f.v.Parallelism, f.noun())
}

// verb chooses the form that goes with one or many.
func verb(plural bool, one, many string) string {
	if plural {
		return many
	}
	return one
}

func (f facts) vertex(id string) *analysis.VertexResult {
	for i := range f.job.Vertices {
		if f.job.Vertices[i].ID == id {
			return &f.job.Vertices[i]
		}
	}
	return nil
}

// maxWaiters bounds how many waiting vertices a sentence names.
const maxWaiters = 3

// waiters says which vertices wait for this one and how long: those whose
// verdict names it as the cause. It is empty when nobody does.
func (f facts) waiters() string {
	var names []string
	for i := range f.job.Vertices {
		u := &f.job.Vertices[i]
		if u.Verdict.ID != analysis.Backpressured || u.Verdict.Advice.Cause != f.v.ID {
			continue
		}
		uf := facts{f.job, u, &u.Verdict.Judgement}
		names = append(names, vertexInText(u)+" is"+clause(uf.waits(), " %s", percent)+" back-pressured")
	}
	if more := len(names) - maxWaiters; more > 0 {
		names = append(names[:maxWaiters], count(more, "more vertex"))
		if more > 1 {
			names[maxWaiters] = thousands(float64(more)) + " more vertices"
		}
	}
	return list(names)
}

// records returns a subtask's records in per second; a source takes none in at
// task level on most versions, so what it gives out counts.
func (f facts) records(s *analysis.SubtaskResult) analysis.Num {
	if f.source() || !f.v.Signals.RecordsIn.Max.Known() {
		return s.RecordsOut
	}
	return s.RecordsIn
}

// recordsSignal is the distribution that goes with records.
func (f facts) recordsSignal() *analysis.Distribution {
	if f.source() || !f.v.Signals.RecordsIn.Max.Known() {
		return &f.v.Signals.RecordsOut
	}
	return &f.v.Signals.RecordsIn
}

// busyMax is the load of the busiest subtask.
func (f facts) busyMax() analysis.Num { return first(f.measure("busy_max"), f.v.Signals.Busy.Max) }

// first returns the first present number.
func first(ns ...analysis.Num) analysis.Num {
	for _, n := range ns {
		if n.Known() {
			return n
		}
	}
	return analysis.Num{}
}

func busyOf(s *analysis.SubtaskResult) analysis.Num { return s.Busy }
func costOf(s *analysis.SubtaskResult) analysis.Num { return s.CostPerRecord }

// mean averages the present values; absent when there is none.
func mean(ss []*analysis.SubtaskResult, of func(*analysis.SubtaskResult) analysis.Num) analysis.Num {
	sum, n := 0.0, 0
	for _, s := range ss {
		if v, ok := of(s).Get(); ok {
			sum += v
			n++
		}
	}
	if n == 0 {
		return analysis.Num{}
	}
	return analysis.Of(sum / float64(n))
}

// share returns what part of the total the first list has; absent when the
// total is.
func share(about, others []*analysis.SubtaskResult, of func(*analysis.SubtaskResult) analysis.Num) analysis.Num {
	a, b := mean(about, of), mean(others, of)
	x, okX := a.Get()
	y, okY := b.Get()
	total := x*float64(len(about)) + y*float64(len(others))
	if !okX || (!okY && len(others) > 0) || total <= 0 {
		return analysis.Num{}
	}
	return analysis.Of(x * float64(len(about)) / total)
}

// clause formats text with a present number and is empty without one, so that
// a sentence loses the clause rather than gaining an invented figure.
func clause(n analysis.Num, format string, f func(float64) string) string {
	v, ok := sane(n).Get()
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, f(v))
}

// step says what a parallelism would leave on the busiest subtask.
func step(s analysis.Step) string {
	load, ok := s.BusiestLoad.Get()
	switch {
	case !ok:
		return strconv.Itoa(s.Parallelism)
	case load >= 1:
		return fmt.Sprintf("%d (the busiest stays saturated: %s times what it can do)", s.Parallelism, significant(load))
	}
	return fmt.Sprintf("%d (the busiest at about %s)", s.Parallelism, percent(load))
}

// stepsAround splits the advised parallelisms at the present one. Smaller ones
// that would overload the busiest subtask are left out.
func (f facts) stepsAround() (down, up []analysis.Step) {
	for _, s := range f.j.Advice.Steps {
		switch {
		case s.Parallelism < f.v.Parallelism && s.BusiestLoad.Or(0) > 1:
		case s.Parallelism < f.v.Parallelism:
			down = append(down, s)
		case s.Parallelism > f.v.Parallelism:
			up = append(up, s)
		}
	}
	return down, up
}

// back says what n subtasks fewer give: slots only where the vertex is the
// job's widest, since the vertices of a slot sharing group share their slots.
func (f facts) back(n int) string {
	widest := 0
	for i := range f.job.Vertices {
		if o := &f.job.Vertices[i]; o.ID != f.v.ID {
			widest = max(widest, o.Parallelism)
		}
	}
	if widest <= f.v.Parallelism-n {
		return count(n, "slot") + " back"
	}
	return count(n, f.noun()) + " fewer"
}

// steps writes a list of parallelisms with what each leaves.
func steps(ss []analysis.Step) string {
	var words []string
	for _, s := range ss {
		words = append(words, step(s))
	}
	return choice(words)
}
