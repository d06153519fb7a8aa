package analysis

import (
	"math"
	"slices"
)

// inquiry is what a rule is asked with: one vertex's evidence and what the
// rest of the cluster says of it. Rules are pure functions of it.
type inquiry struct {
	*evidence
	c Config
	// held is the verdict that stands from earlier windows; its rule judges by
	// the leave thresholds, so that a value between the two changes nothing.
	held VerdictID
	// heldSeverity is the severity of that verdict.
	heldSeverity Severity
	// inputs is how back-pressured the vertices that feed this one are.
	inputs inputPressure
	// dear counts, by TaskManager, the vertices whose records cost more there.
	dear map[string]int
	// why is the measure that stopped the rule asked last.
	why Measure
	// checks collects every rule's answer; nil unless Config.Trace.
	checks *[]Check
}

// no is a rule's answer that it does not hold, and the measure that stopped it.
func (q *inquiry) no(why Measure) (Judgement, bool) {
	q.why = why
	return Judgement{}, false
}

// notApplicable is the measure of a rule that is not about such a vertex.
func notApplicable(name string) Measure { return Measure{Name: name} }

// ask asks the rules in order and returns the first verdict that holds. With a
// trace the later ones are asked too.
func (q *inquiry) ask(rs []rule) (v Verdict, ok bool) {
	for _, r := range rs {
		if ok && q.checks == nil {
			break
		}
		q.why = Measure{}
		j, holds := r.judge(q)
		if holds && !ok {
			v, ok = Verdict{ID: r.id, Judgement: j}, true
		}
		if q.checks != nil {
			c := Check{Rule: string(r.id), Fired: holds, Why: q.why}
			if holds && len(j.Evidence) > 0 {
				c.Why = j.Evidence[0]
			}
			*q.checks = append(*q.checks, c)
		}
	}
	return v, ok
}

// rule decides whether one verdict holds. Rules are asked in the order of
// rules; the first that holds gives the verdict.
type rule struct {
	id    VerdictID
	judge func(*inquiry) (Judgement, bool)
}

// rules are in order of precedence: a stuck call and a victim are recognised
// before causes of skew, the most specific evidence before the general one.
func rules() []rule {
	return []rule{
		{Stalled, judgeStalled},
		{Backpressured, judgeBackpressured},
		{SlowTaskManager, judgeSlowTaskManager},
		{FewKeys, judgeFewKeys},
		{HotKey, judgeHotKey},
		{CostlyRecords, judgeCostlyRecords},
		{KeyGroupLayout, judgeKeyGroupLayout},
		{HotPartition, judgeHotPartition},
		{IdleReaders, judgeIdleReaders},
		{PartitionLayout, judgePartitionLayout},
		{UnevenInput, judgeUnevenInput},
		{UniformSaturation, judgeUniformSaturation},
	}
}

// threshold returns the enter threshold of a verdict, or the leave threshold
// while that verdict stands.
func (q *inquiry) threshold(id VerdictID, enter, leave float64) float64 {
	if q.held == id {
		return leave
	}
	return enter
}

// saturated reports whether a busy ratio counts as saturated for the verdict:
// one that stands as a warning for that reason is left later than it is entered.
func (q *inquiry) saturated(id VerdictID, busy float64) bool {
	if q.held == id && q.heldSeverity >= SeverityWarning {
		return busy >= q.c.SaturatedLeave
	}
	return busy >= q.c.SaturatedEnter
}

// leastRecords is how many records a subtask an uneven split must rest on to be
// no accident: 20 leave 5 standard deviations between half the mean and the
// mean's double.
const leastRecords = 20

// enoughRecords reports whether counts are large enough to be compared.
func (q *inquiry) enoughRecords() bool {
	return q.maxLoad >= q.c.ActivityRate && q.records >= leastRecords*float64(len(q.index))
}

// severity grades load that sits on the given positions: info while they have
// room, warning when they are saturated, critical when what feeds them waits.
func (q *inquiry) severity(id VerdictID, positions []int) Severity {
	busy, n := meanOf(q.busy, member(positions))
	switch {
	case n == 0 || !q.saturated(id, busy):
		return SeverityInfo
	case q.inputs.pressed:
		return SeverityCritical
	default:
		return SeverityWarning
	}
}

// tooFewRecords is what stops a rule when enoughRecords does not hold.
func (q *inquiry) tooFewRecords() Measure {
	return against("records_seen", q.records, UnitRecords, leastRecords*float64(len(q.index)))
}

// member returns whether a position is among the given ones, which ascend.
func member(positions []int) func(int) bool {
	return func(i int) bool {
		_, found := slices.BinarySearch(positions, i)
		return found
	}
}

func not(keep func(int) bool) func(int) bool { return func(i int) bool { return !keep(i) } }

// measureOf builds one line of evidence; NaN is absent.
func measureOf(name string, value float64, unit Unit) Measure {
	return Measure{Name: name, Value: Of(value), Unit: unit}
}

// against builds one line of evidence that was held against a threshold.
func against(name string, value float64, unit Unit, threshold float64) Measure {
	return Measure{Name: name, Value: Of(value), Unit: unit, Threshold: Of(threshold)}
}

// evenLoad reports whether the positions get no more than limit times the
// load per share of the others.
func (q *inquiry) evenLoad(positions []int, limit float64) (ratio float64, even bool) {
	in := member(positions)
	high, n := meanOf(q.share, in)
	rest, m := meanOf(q.share, not(in))
	if n == 0 || m == 0 || rest <= 0 {
		return math.NaN(), false
	}
	return high / rest, high <= limit*rest
}
