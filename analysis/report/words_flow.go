package report

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// unevenInput: records are uneven on a vertex fed by neither HASH nor a source.
func unevenInput(f facts) Words {
	who, plural := f.who()
	head := fmt.Sprintf("%s %s far more records than the others", who, verb(plural, "gets", "get"))
	if r, ok := first(f.measure("records_skew"), f.now(f.recordsSignal().Skew)).Get(); ok && len(f.j.Subtasks) > 0 {
		head = fmt.Sprintf("%s %s %s the mean of the records", who, verb(plural, "gets", "get up to"), times(r))
	} else if ok {
		head = fmt.Sprintf("The busiest subtask gets %s the mean of the records", times(r))
	}
	if from := f.inputs(); from != "" {
		head += ", which come by " + from
	}
	w := Words{Summary: []string{head + clause(f.busyMax(), "; the busiest is %s busy", percent) + "."}}
	w.Summary = append(w.Summary, "No key decides this: the unevenness is made upstream, so more parallelism here will not help.")
	switch {
	case f.ship(analysis.ShipForward):
		w.Do = append(w.Do, "Look at the vertex before it: FORWARD hands on that one's skew; put rebalance() between them if order and locality allow it.")
	case f.ship(analysis.ShipRescale):
		w.Do = append(w.Do, "Make the two parallelisms multiples of each other, or use rebalance() in place of rescale().")
	default:
		w.Do = append(w.Do, "Look upstream: a custom partitioner, a rescale between parallelisms that do not divide, or a skewed vertex.")
	}
	w.Dont = []string{"Salt keys: this input is not partitioned by key."}
	return w
}

func (f facts) ship(s analysis.ShipStrategy) bool {
	for _, in := range f.v.Inputs {
		if in.Ship == s {
			return true
		}
	}
	return false
}

// inputs names the exchanges and where they come from.
func (f facts) inputs() string {
	var words []string
	for _, in := range f.v.Inputs {
		from := ""
		if v := f.vertex(in.From); v != nil {
			from = " from " + vertexInText(v)
		}
		words = append(words, name(string(in.Ship))+from)
	}
	if len(words) > maxWaiters {
		words = words[:maxWaiters]
	}
	return list(words)
}

// uniformSaturation: the subtasks are evenly near their limit.
func uniformSaturation(f facts) Words {
	p := f.v.Parallelism
	busy := f.v.Signals.Busy
	w := Words{}
	who := f.everyone() + " are"
	even := "evenly busy near their limit"
	if p == 1 {
		who, even = "The only "+f.noun()+" is", "busy near its limit"
	}
	average, least, ok := f.pair("busy_mean", "busy_min", busy.Mean, busy.Min)
	if m, known := first(f.measure("busy_mean"), busy.Mean).Get(); known && p == 1 {
		even = percent(m) + " busy"
	} else if ok && p > 1 && percent(average) == percent(least) {
		even = fmt.Sprintf("evenly busy: %s each", percent(average))
	} else if ok && p > 1 {
		even = fmt.Sprintf("evenly busy: %s on average, %s at least", percent(average), percent(least))
	} else if known {
		even = fmt.Sprintf("evenly busy: %s on average", percent(m))
	}
	w.Summary = []string{who + " " + even + "."}
	if f.v.Verdict.Severity <= analysis.SeverityInfo && f.waiters() == "" {
		w.Summary = append(w.Summary, "Nothing waits for it, so this may be as meant (a source that paces itself shows as busy).")
	}
	required := first(f.measure("required_parallelism"), f.v.Sizing.Required)
	w.Summary = append(w.Summary, f.needs(required)...)
	slow := f.v.Finding(analysis.Waiting) != nil
	if slow {
		w.Do = append(w.Do, waiting(f).Do...)
	}
	w.Do = append(w.Do, f.scaleUp(required))
	w.Dont = []string{"Look for a hot key or rearrange keys: the subtasks are loaded alike."}
	if slow {
		w.Dont = append(w.Dont, waiting(f).Dont...)
	}
	return w
}

// needs says what the present load asks for and what limits it.
func (f facts) needs(required analysis.Num) []string {
	r, ok := required.Get()
	if !ok {
		return nil
	}
	out := "The present load asks for parallelism " + thousands(r)
	if f.waiters() != "" {
		// What waits upstream would come too, so this is a lower bound.
		out = fmt.Sprintf("What gets through asks for parallelism %s already, and more is waiting", thousands(r))
	}
	if c, ok := f.v.Ceiling.Effective.Get(); ok {
		out += fmt.Sprintf("; the ceiling is %s%s", thousands(c), f.binds())
	}
	return []string{out + "."}
}

// binds names what limits the parallelism, in brackets; empty when unknown.
func (f facts) binds() string {
	if b := bindingWord(f.v.Ceiling.Binding); b != "" {
		return " (" + b + " binds)"
	}
	return ""
}

func bindingWord(b analysis.Binding) string {
	switch b {
	case analysis.BindMaxParallelism:
		return "max parallelism"
	case analysis.BindSourcePartitions:
		return "the number of source partitions"
	case analysis.BindTaskSlots:
		return "the number of task slots"
	}
	return ""
}

// scaleUp names the parallelisms that would relieve the vertex, and where that ends.
func (f facts) scaleUp(required analysis.Num) string {
	ceiling, known := f.v.Ceiling.Effective.Get()
	if r, ok := required.Get(); ok && known && r > ceiling {
		return fmt.Sprintf("Scaling goes up to %s only, which is not enough: make a record cheaper, or raise what binds%s.", thousands(ceiling), f.binds())
	}
	if _, up := f.stepsAround(); len(up) > 0 {
		if last := len(up) - 1; last > 1 && known && float64(up[last].Parallelism) >= ceiling {
			up = up[:last] // The ceiling itself is no advice while a smaller step helps.
		}
		return "Run it at " + steps(up) + "."
	}
	if next := first(required, f.v.Ceiling.NextUseful); next.Known() && next.Or(0) > float64(f.v.Parallelism) {
		return fmt.Sprintf("Run it at parallelism %s%s.", show(next, thousands), clause(f.v.Ceiling.Effective, " (the ceiling is %s)", thousands))
	}
	if known && float64(f.v.Parallelism) >= ceiling {
		return fmt.Sprintf("It is at its ceiling of %s already: make a record cheaper, or raise what binds%s.", thousands(ceiling), f.binds())
	}
	return "Give it more subtasks" + clause(f.v.Ceiling.Effective, ", up to %s", thousands) + ", or make a record cheaper."
}

// backpressured: its time goes to waiting for output. It is a victim.
func backpressured(f facts) Words {
	cause := f.cause()
	if cause == nil {
		return Words{
			Summary: []string{"It waits" + clause(f.waits(), " %s of its time", percent) + " for something downstream that is not known yet."},
			Do:      []string{"Follow the graph downstream to the first vertex that is busy and not back-pressured."},
			Dont:    []string{"Tune or scale this vertex: it is not the cause."},
		}
	}
	head := "It spends" + clause(f.waits(), " %s of", percent) + " its time waiting for output"
	why := ", whose own cause is unknown"
	if !calm(cause.Verdict.ID) {
		why = " (" + strings.ToLower(Label(cause.Verdict.ID)) + ")"
	}
	return Words{
		Summary: []string{fmt.Sprintf("%s; the cause is %s%s.", head, vertexInText(cause), why)},
		Do:      []string{fmt.Sprintf("See %s: when that is mended, this vertex runs on.", vertexInText(cause))},
		Dont:    []string{"Tune or scale this vertex: it is not the cause."},
	}
}
