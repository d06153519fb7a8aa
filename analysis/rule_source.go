package analysis

import "math"

// judgeIdleReaders finds readers of a source that own no partition and do
// nothing. Ownership must have been read: a source's task-level input is 0 on
// many versions, so silence alone proves nothing.
func judgeIdleReaders(q *inquiry) (Judgement, bool) {
	if !q.v.Source() || !q.ownsPartitions() || !(q.maxLoad >= q.c.ActivityRate) {
		return Judgement{}, false
	}
	idle := q.positions(func(i int) bool { return q.partitions[i] == 0 && !(q.load[i] > 0.01*q.meanLoad) })
	if len(idle) == 0 {
		return Judgement{}, false
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
// readers own alike, one gets more.
func judgeHotPartition(q *inquiry) (Judgement, bool) {
	if !q.v.Source() || !q.ownsPartitions() || len(q.index) < 2 || !q.enoughRecords() {
		return Judgement{}, false
	}
	limit := q.threshold(HotPartition, q.c.HotEnter, q.c.HotLeave)
	s := fewHigh(q.share)
	if len(s.high) == 0 || s.ratio() < limit || s.gap < hotGap {
		return Judgement{}, false
	}
	in := member(s.high)
	loadHot, _ := meanOf(q.load, in)
	busyHot, _ := meanOf(q.busy, in)
	busyRest, _ := meanOf(q.busy, not(in))
	if !math.IsNaN(busyHot) && busyHot < 1.3*busyRest {
		return Judgement{}, false
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

// judgePartitionLayout finds a source whose readers own unequal numbers of
// partitions, and whose load follows.
func judgePartitionLayout(q *inquiry) (Judgement, bool) {
	if !q.v.Source() || !q.ownsPartitions() || len(q.index) < 2 || !q.enoughRecords() {
		return Judgement{}, false
	}
	most, mean, least := extremes(q.partitions)
	if most/mean < q.c.LayoutEnter || least == 0 {
		return Judgement{}, false
	}
	heavy := q.positions(func(i int) bool { return q.partitions[i] == most })
	in := member(heavy)
	loadHeavy, _ := meanOf(q.load, in)
	loadLight, _ := meanOf(q.load, not(in))
	partsLight, _ := meanOf(q.partitions, not(in))
	busyHeavy, _ := meanOf(q.busy, in)
	busyLight, _ := meanOf(q.busy, not(in))
	fit := loadHeavy / loadLight / (most / partsLight)
	if math.Abs(fit-1) > layoutFit || !math.IsNaN(busyHeavy) && busyHeavy < q.c.ActivityBusy {
		return Judgement{}, false
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
