package report

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// muchGC is the share of time in garbage collection from which it is the
	// first suspect: a worker with room for its state spends a hundredth on it.
	muchGC = 0.1
	// allCores is the share of its processors from which a process has none left.
	allCores = 0.9
	// standsOut is how many times the others' a worker's number must be to be
	// pointed at.
	standsOut = 1.5
)

// host names the machine of the slow worker where its id does not.
func (f facts) host() string {
	for _, w := range f.j.Advice.Workers {
		if h := clean(w.Host); w.ID == f.j.Advice.TaskManager && h != "" && !strings.Contains(w.ID, h) {
			return " (host " + name(h) + ")"
		}
	}
	return ""
}

// workerFacts says in one sentence what sets the worker apart, or that nothing
// does; empty when nothing is known of it.
func (f facts) workerFacts() string {
	var words []string
	add := func(measure, format string, as func(float64) string) {
		v, ok := f.measure(measure).Get()
		if !ok {
			return
		}
		words = append(words, fmt.Sprintf(format, as(v))+clause(f.measure(measure+"_others"), " (the others %s)", as))
	}
	add("gc_share", "spends %s of its time in garbage collection", percent)
	add("cpu_of_cores", "uses %s of its processors", percent)
	add("tasks_on_taskmanager", "runs %s subtasks of all jobs", significant)
	if len(words) == 0 {
		return ""
	}
	return "That TaskManager " + list(words) + "."
}

// outstanding reports whether a number of the worker is at least so much and
// stands out from the others'.
func (f facts) outstanding(measure string, least float64) bool {
	v, ok := f.measure(measure).Get()
	others, known := f.measure(measure + "_others").Get()
	return ok && v >= least && (!known || v >= standsOut*others)
}

// workerSteps are what the worker's own numbers ask for, the likeliest first.
func (f facts) workerSteps() []string {
	var do []string
	if f.outstanding("gc_share", muchGC) {
		do = append(do, "Look at its garbage collection first: the heap's fill after a collection, state on the heap (hashmap state backend), a leak; give it more heap only if it is full after a full collection.")
	}
	if v, ok := f.measure("cpu_of_cores").Get(); ok && v >= allCores {
		do = append(do, "Its processors are all in use: raise the CPU limit of its container, or run fewer slots on it.")
	}
	if f.outstanding("tasks_on_taskmanager", 2) {
		do = append(do, "It carries more subtasks than the others: spread the slots before anything else.")
	}
	return do
}

// where names the TaskManagers of a finding with their hosts and garbage
// collection, at most maxWaiters of them; empty when none is known.
func (f facts) where() string {
	var words []string
	for _, w := range f.j.Advice.Workers {
		words = append(words, name(w.ID)+workerBrackets(w))
	}
	if more := len(words) - maxWaiters; more > 0 {
		words = append(words[:maxWaiters], fmt.Sprintf("%d more", more))
	}
	if len(words) == 0 {
		return ""
	}
	return "It runs on " + list(words) + "."
}

// workerBrackets is what is known of a worker, in brackets.
func workerBrackets(w analysis.Worker) string {
	var words []string
	if h := clean(w.Host); h != "" && !strings.Contains(w.ID, h) {
		words = append(words, "host "+name(h))
	}
	if c := clause(w.CPUUsed, "%s", significant); c != "" {
		words = append(words, c+clause(w.CPUCores, " of %s", thousands)+" processors used")
	}
	if c := clause(w.GCShare, "garbage collection %s", percent); c != "" {
		words = append(words, c)
	}
	if n, ok := w.Tasks.Get(); ok {
		words = append(words, count(int(n), "subtask"))
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}
