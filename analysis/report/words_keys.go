package report

import (
	"fmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// hotKey: load and input of one or a few subtasks are far above what their key
// groups explain.
func hotKey(f facts) Words {
	who, plural := f.who()
	about, others := f.split()
	with := "one key or a few"
	if k := f.key(); k != "" {
		with = verb(plural, "a hot key in ", "hot keys in ") + k
	}
	head := who + " " + verb(plural, "carries", "carry") + " " + with
	if busy, ok := f.busyMax().Get(); ok {
		head = fmt.Sprintf("%s %s %s busy with %s", who, verb(plural, "is", "are"), percent(busy), with)
	}
	records := first(f.measure("records_share"), f.now(share(about, others, f.records)))
	groups := first(f.measure("key_group_share"), f.groupShare())
	they := verb(plural, "it", "they")
	switch r, okR := records.Get(); {
	case okR && groups.Known():
		head += fmt.Sprintf(": %s %s %s of the records while owning %s of the key groups", they, verb(plural, "takes", "take"), percent(r), show(groups, percent))
	case okR:
		head += fmt.Sprintf(": %s %s %s of the records", they, verb(plural, "takes", "take"), percent(r))
	}
	w := Words{Summary: []string{head + "."}}
	w.Summary = append(w.Summary, f.floor())
	w.Do = append(w.Do, f.preAggregate(), f.findKey())
	if f.j.Advice.PreAggregation != nil {
		w.Dont = append(w.Dont, "Look for a switch to two-phase aggregation: it is on.")
	}
	w.Dont = append(w.Dont, "Add parallelism or slots: the owner of the key stays one subtask.",
		"Raise max parallelism for this: the key still falls to one key group.")
	return w
}

// floor says how hot the busiest subtask stays whatever the parallelism.
func (f facts) floor() string {
	upTo := "any parallelism"
	if m, ok := f.maxParallelism(); ok {
		upTo = fmt.Sprintf("any parallelism up to %d", m)
	}
	floor, ok := f.j.Advice.Floor.Get()
	switch {
	case !ok:
		return "More parallelism will not help: a key is processed by one subtask at " + upTo + "."
	case floor >= 1:
		return fmt.Sprintf("More parallelism will not help: at %s one subtask stays saturated.", upTo)
	}
	return fmt.Sprintf("More parallelism will not help: at %s one subtask stays above about %s busy.", upTo, percent(floor))
}

// groupShare is the part of the key groups that the named subtasks own.
func (f facts) groupShare() analysis.Num {
	m, ok := f.maxParallelism()
	if !ok {
		return analysis.Num{}
	}
	n := 0
	for _, i := range f.j.Subtasks {
		if i >= 0 && i < f.v.Parallelism {
			n += keygroup.Count(i, f.v.Parallelism, m)
		}
	}
	if n == 0 {
		return analysis.Num{}
	}
	return analysis.Of(float64(n) / float64(m))
}

// fewKeys: some subtasks get nothing since there are too few distinct keys.
func fewKeys(f facts) Words {
	fed, starved := f.fed()
	w := Words{}
	of := ""
	if k := f.key(); k != "" {
		of = " of " + k
	}
	head := "There are too few distinct keys" + of + " to go round: some subtasks get (almost) no records"
	if fed > 0 && starved > 0 {
		head = fmt.Sprintf("%d of %d subtasks do all the work and %d %s (almost) no records: there are too few distinct keys%s to go round",
			fed, fed+starved, starved, verb(starved > 1, "gets", "get"), of)
	}
	w.Summary = []string{
		head + clause(f.busyMax(), "; the busiest is %s busy", percent) + ".",
		"Load comes in steps of one key, so more parallelism will not help.",
	}
	idle := ""
	if fed > 0 && starved > 0 {
		idle = fmt.Sprintf(" (%d of %d do nothing)", starved, f.v.Parallelism)
	}
	w.Do = append(w.Do,
		fmt.Sprintf("Count the distinct keys%s first. If so few are meant, fewer subtasks do as well%s; two keys may then meet on one of them.", of, idle),
		fmt.Sprintf("Group by something finer where the meaning allows it, so that there are many more keys than %s, and merge in a second stage.", count(f.v.Parallelism, "subtask")),
		"If a constant or a nearly constant expression is the key, use an unkeyed operator instead.")
	if f.j.Advice.PreAggregation != nil {
		w.Dont = append(w.Dont, "Look for a switch to two-phase aggregation: it is on, and does not make the keys more.")
	}
	w.Dont = append(w.Dont, "Add parallelism: the keys do not become more, and which subtasks two of them share is a matter of their hashes.")
	return w
}

// idleShare is the part of the mean input below which a subtask is described
// as getting almost nothing.
const idleShare = 0.05

// fed counts the subtasks that get records and those that get almost none.
func (f facts) fed() (fed, starved int) {
	if n, ok := f.measure("subtasks_without_records").Get(); ok {
		return f.v.Parallelism - int(n), int(n)
	}
	avg, ok := f.recordsSignal().Mean.Get()
	if !ok {
		return 0, 0
	}
	for i := range f.v.Subtasks {
		r, ok := f.records(&f.v.Subtasks[i]).Get()
		switch {
		case !ok:
		case r < avg*idleShare:
			starved++
		default:
			fed++
		}
	}
	return fed, starved
}
