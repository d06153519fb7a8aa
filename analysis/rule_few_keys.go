package analysis

import "math"

const (
	// fewKeysIdleSome is the share from which idle subtasks tell of few keys
	// though no steps show, because keys are not alike: of k keys a subtask,
	// spread by chance, exp(-k) of the subtasks get none, so that a tenth stands
	// for 2.3. Two must be idle, and the load uneven, as so few keys make it.
	fewKeysIdleSome = 0.1
	// fewKeysStep is how far a load may be from a whole multiple of one key's
	// load, in units of it, to count as a step.
	fewKeysStep = 0.15
	// fewKeysMost is the largest multiple that is still taken for a step.
	fewKeysMost = 8
	// fewKeysPast is the share of the mean number of records since its start up
	// to which an idle subtask has never had its part. One that had it starves
	// for another reason: a full channel to a slow subtask stops the writers.
	fewKeysPast = 0.05
)

// judgeFewKeys finds an active keyed vertex of which some subtasks get no
// record at all: there are fewer distinct keys than would fill it, and load
// comes in steps of one key.
func judgeFewKeys(q *inquiry) (Judgement, bool) {
	if q.groups == nil || len(q.index) < 2 {
		return q.no(notApplicable("hash_input"))
	}
	if !q.enoughRecords() {
		return q.no(q.tooFewRecords())
	}
	if q.minLoad > 0 || !(q.maxBusy >= q.c.ActivityBusy) { // Everyone gets something; the common case.
		return q.no(against("subtasks_without_records", 0, UnitSubtasks, 1))
	}
	idle := q.positions(func(i int) bool { return q.load[i] == 0 && q.nowLoad[i] == 0 })
	idleShare := float64(len(idle)) / float64(len(q.index))
	if len(idle) == 0 {
		return q.no(against("subtasks_without_records", 0, UnitSubtasks, 1))
	}
	if some, all := q.recordsSinceStart(member(idle)); some > fewKeysPast*all {
		return q.no(against("records_since_start_share", some/all, UnitRatio, fewKeysPast))
	}
	some := idleShare >= fewKeysIdleSome && len(idle) >= 2 && q.maxLoad >= q.c.SkewEnter*q.meanLoad
	if _, steps := q.inSteps(); idleShare < q.c.FewKeysIdle && !some && !steps {
		return q.no(against("subtasks_without_records_share", idleShare, UnitRatio, q.c.FewKeysIdle))
	}
	advice := Advice{Key: keyExpression(q.v.Description)}
	if unit, ok := q.inSteps(); ok {
		advice.Floor = Of(q.maxBusy * unit / q.maxLoad)
		advice.Steps = q.steps(advice.Floor.Or(0))
	}
	busiest := q.positions(func(i int) bool { return q.busy[i] >= 0.9*q.maxBusy })
	return Judgement{
		Severity: min(SeverityWarning, q.severity(FewKeys, busiest)), ScalingHelps: ScalingNo, Subtasks: q.at(idle),
		Evidence: []Measure{
			measureOf("subtasks_without_records", float64(len(idle)), UnitSubtasks),
			against("subtasks_without_records_share", idleShare, UnitRatio, q.c.FewKeysIdle),
			measureOf("busy_max", q.maxBusy, UnitRatio),
			measureOf("records_mean", q.meanLoad, UnitRecordsPerSecond),
			measureOf("upstream_backpressured", q.inputs.mean, UnitRatio),
		},
		Advice: advice,
	}, true
}

// inSteps returns the smallest load that is not zero, and whether every other
// one is a small whole multiple of it, as the loads of alike keys are. It is
// then the load of one key, which no parallelism divides.
func (q *inquiry) inSteps() (unit float64, ok bool) {
	unit = math.Inf(1)
	for _, l := range q.load {
		if l > 0 {
			unit = min(unit, l)
		}
	}
	for _, l := range q.load {
		n := l / unit
		if l > 0 && (n > fewKeysMost || math.Abs(n-math.Round(n)) > fewKeysStep*math.Round(n)) {
			return unit, false
		}
	}
	return unit, true
}
