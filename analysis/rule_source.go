package analysis

import "math"

// judgeIdleReaders finds readers of a source that own no partition and do
// nothing. Ownership must have been read: a source's task-level input is 0 on
// many versions, so silence alone proves nothing.
func judgeIdleReaders(q *inquiry) (Judgement, bool) {
	if !q.v.Source() || !q.ownsPartitions() {
		return q.no(notApplicable("known_partitions"))
	}
	if !(q.maxLoad >= q.c.ActivityRate) {
		return q.no(against("records_max", q.maxLoad, UnitRecordsPerSecond, q.c.ActivityRate))
	}
	idle := q.positions(func(i int) bool { return q.partitions[i] == 0 && !(q.load[i] > 0.01*q.meanLoad) })
	if len(idle) == 0 {
		return q.no(against("readers_without_partition", 0, UnitSubtasks, 1))
	}
	busyReaders, _ := meanOf(q.busy, not(member(idle)))
	severity := SeverityInfo
	if q.saturated(IdleReaders, busyReaders) {
		severity = SeverityWarning // The readers that have a partition are at their limit.
	}
	partitions := q.partitionSum()
	return Judgement{
		Severity: severity, ScalingHelps: ScalingNo, Subtasks: q.at(idle),
		Evidence: []Measure{
			measureOf("readers_without_partition", float64(len(idle)), UnitSubtasks),
			measureOf("partitions", partitions, UnitPartitions),
			measureOf("parallelism", float64(q.v.Parallelism), UnitSubtasks),
			measureOf("busy_readers", busyReaders, UnitRatio),
		},
		Advice: Advice{Steps: []Step{{
			Parallelism: min(int(partitions), q.v.Parallelism),
			BusiestLoad: Of(q.maxBusy),
		}}},
	}, true
}

// judgeHotPartition finds a partition that brings far more than the others:
// readers own alike, one gets more. Readers that own none are not compared.
func judgeHotPartition(q *inquiry) (Judgement, bool) {
	if !q.v.Source() || !q.ownsPartitions() || len(q.index) < 2 {
		return q.no(notApplicable("known_partitions"))
	}
	if !q.enoughRecords() {
		return q.no(q.tooFewRecords())
	}
	limit := q.threshold(HotPartition, q.c.HotEnter, q.c.HotLeave)
	s := fewHigh(q.share)
	if len(s.high) == 0 || s.ratio() < limit {
		return q.no(against("records_per_partition_ratio", s.ratio(), UnitRatio, limit))
	}
	if s.gap < hotGap {
		return q.no(against("records_per_partition_gap", s.gap, UnitRatio, hotGap))
	}
	in := member(s.high)
	loadHot, _ := meanOf(q.load, in)
	busyHot, _ := meanOf(q.busy, in)
	busyRest, _ := meanOf(q.busy, func(i int) bool { return !in(i) && !math.IsNaN(q.share[i]) })
	if !math.IsNaN(busyHot) && busyHot < busierThan*busyRest {
		return q.no(against("busy_ratio", busyHot/busyRest, UnitRatio, busierThan))
	}
	return Judgement{
		Severity: q.severity(HotPartition, s.high), ScalingHelps: ScalingNo, Subtasks: q.at(s.high),
		Evidence: []Measure{
			against("records_per_partition_ratio", s.ratio(), UnitRatio, limit),
			measureOf("records_hot", loadHot, UnitRecordsPerSecond),
			measureOf("records_mean", q.meanLoad, UnitRecordsPerSecond),
			measureOf("busy_max", busyHot, UnitRatio),
			measureOf("busy_others", busyRest, UnitRatio),
			measureOf("partitions", q.partitionSum(), UnitPartitions),
		},
	}, true
}

// cappedLead is how many times as much as the others the readers with most
// partitions must read, and be busy, to be told from an evenly saturated
// source when they are at their limit.
const cappedLead = 1.1

// judgePartitionLayout finds a source whose readers own unequal numbers of
// partitions, and whose load follows.
func judgePartitionLayout(q *inquiry) (Judgement, bool) {
	if !q.v.Source() || !q.ownsPartitions() || len(q.index) < 2 {
		return q.no(notApplicable("known_partitions"))
	}
	if !q.enoughRecords() {
		return q.no(q.tooFewRecords())
	}
	most, mean, least := extremes(q.partitions)
	if most/mean < q.c.LayoutEnter || least == 0 {
		return q.no(against("partitions_ratio", most/mean, UnitRatio, q.c.LayoutEnter))
	}
	heavy := q.positions(func(i int) bool { return q.partitions[i] == most })
	in := member(heavy)
	loadHeavy, _ := meanOf(q.load, in)
	loadLight, _ := meanOf(q.load, not(in))
	partsLight, _ := meanOf(q.partitions, not(in))
	busyHeavy, _ := meanOf(q.busy, in)
	busyLight, _ := meanOf(q.busy, not(in))
	fit := loadHeavy / loadLight / (most / partsLight)
	// Readers at their limit read no faster and fall behind, while those with
	// fewer partitions keep up: the load then follows the partitions less.
	capped := q.saturated(PartitionLayout, busyHeavy) && fit <= 1 && loadHeavy >= cappedLead*loadLight && busyHeavy >= cappedLead*busyLight
	if !(math.Abs(fit-1) <= layoutFit) && !capped {
		return q.no(against("load_ratio", loadHeavy/loadLight, UnitRatio, most/partsLight))
	}
	if busyHeavy < q.c.ActivityBusy {
		return q.no(against("busy_max", busyHeavy, UnitRatio, q.c.ActivityBusy))
	}
	partitions := int(q.partitionSum())
	return Judgement{
		Severity: min(SeverityWarning, q.severity(PartitionLayout, heavy)), ScalingHelps: ScalingPartly, Subtasks: q.at(heavy),
		Evidence: []Measure{
			against("partitions_ratio", most/mean, UnitRatio, q.c.LayoutEnter),
			measureOf("partitions", float64(partitions), UnitPartitions),
			measureOf("partitions_max", most, UnitPartitions),
			measureOf("partitions_min", least, UnitPartitions),
			measureOf("load_ratio", loadHeavy/loadLight, UnitRatio),
			measureOf("busy_max", busyHeavy, UnitRatio),
			measureOf("busy_others", busyLight, UnitRatio),
		},
		Advice: Advice{Steps: q.partitionSteps(partitions)},
	}, true
}

// partitionSteps are the parallelisms nearest below and above that divide the
// number of partitions, with the load each leaves on a reader.
func (q *inquiry) partitionSteps(partitions int) []Step {
	perPartition := q.meanBusy * float64(len(q.index)) / float64(partitions)
	step := func(p int) Step {
		return Step{Parallelism: p, BusiestLoad: Of(perPartition * float64(partitions/p))}
	}
	var steps []Step
	for p := q.v.Parallelism - 1; p >= 1; p-- {
		if partitions%p == 0 {
			steps = append(steps, step(p))
			break
		}
	}
	for p := q.v.Parallelism + 1; p <= partitions; p++ {
		if partitions%p == 0 {
			return append(steps, step(p))
		}
	}
	return steps
}

func (e *evidence) partitionSum() float64 {
	var sum float64
	for _, p := range e.partitions {
		sum += p
	}
	return sum
}
