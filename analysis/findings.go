package analysis

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// context is what findings are formed from beside the verdict.
type findingContext struct {
	q       *inquiry
	s       *vertexState
	result  *VertexResult
	root    bool
	hosts   map[string]hostState
	busyOn  map[string]float64 // busy seconds a second, by TaskManager
	hasData bool
	short   *shortage // nil unless this vertex is the tightest of its job
	// a describes the TaskManagers.
	a *analyzer
}

// findingRules are in order of documentation.
func findingRules() []func(*findingContext) (Finding, bool) {
	return []func(*findingContext) (Finding, bool){
		findBottleneck, findCeilingReached, findCeilingBelowRequired, findPartitionCeiling,
		findDerivedCeiling, findWastedSubtasks, findWaiting, findStateSkew, findCheckpointStraggler,
		findWatermarkHeld, findCatchUpShort, findNonParallel, findJobChanged,
	}
}

func finding(id FindingID, severity Severity, scaling ScalingHelps, evidence ...Measure) Finding {
	return Finding{ID: id, Judgement: Judgement{
		Severity: severity, Confidence: ConfidenceHigh, ScalingHelps: scaling, Evidence: evidence,
	}}
}

// findBottleneck: the vertex where the slow path starts.
func findBottleneck(x *findingContext) (Finding, bool) {
	if !x.hasData || !x.root {
		return Finding{}, false
	}
	f := finding(Bottleneck, SeverityWarning, x.result.Verdict.ScalingHelps,
		against("busy_max", x.q.maxBusy, UnitRatio, x.q.c.SaturatedLeave),
		against("backpressured_mean", x.q.meanBackPressd, UnitRatio, x.q.c.BackpressuredEnter),
		against("upstream_backpressured", x.q.inputs.mean, UnitRatio, x.q.c.BackpressuredEnter),
	)
	f.Confidence = confidence(x.s.windows, "")
	return f, true
}

// wantsMore reports whether the vertex is saturated and needs more subtasks
// than it has.
func (x *findingContext) wantsMore() bool {
	required, ok := x.result.Sizing.Required.Get()
	return ok && x.hasData && required > float64(x.q.v.Parallelism) && x.q.maxBusy >= x.q.c.SaturatedEnter
}

// findCeilingReached: the vertex runs at its ceiling and needs more.
func findCeilingReached(x *findingContext) (Finding, bool) {
	effective, ok := x.result.Ceiling.Effective.Get()
	if !ok || x.q.v.Parallelism == 1 && effective == 1 || float64(x.q.v.Parallelism) < effective || !x.wantsMore() {
		return Finding{}, false
	}
	return finding(CeilingReached, SeverityWarning, ScalingNo,
		against("parallelism", float64(x.q.v.Parallelism), UnitSubtasks, effective),
		measureOf("required_parallelism", x.result.Sizing.Required.Or(math.NaN()), UnitSubtasks),
		measureOf("busy_max", x.q.maxBusy, UnitRatio),
	), true
}

// findCeilingBelowRequired: the present load needs more subtasks than the
// ceiling allows.
func findCeilingBelowRequired(x *findingContext) (Finding, bool) {
	effective, ok := x.result.Ceiling.Effective.Get()
	required, known := x.result.Sizing.Required.Get()
	if !ok || !known || x.q.v.Parallelism == 1 && effective == 1 || required <= effective || !x.wantsMore() {
		return Finding{}, false
	}
	return finding(CeilingBelowRequired, SeverityWarning, ScalingNo,
		against("required_parallelism", required, UnitSubtasks, effective),
	), true
}

// findPartitionCeiling: a source has a reader for every partition, or more,
// although its maxParallelism would allow further ones.
func findPartitionCeiling(x *findingContext) (Finding, bool) {
	partitions, ok := x.q.v.Partitions.Get()
	if !ok || !x.q.v.Source() || x.result.Ceiling.Binding != BindSourcePartitions || float64(x.q.v.Parallelism) < partitions {
		return Finding{}, false
	}
	return finding(PartitionCeiling, SeverityInfo, ScalingNo,
		against("parallelism", float64(x.q.v.Parallelism), UnitSubtasks, partitions),
		measureOf("partitions", partitions, UnitPartitions),
		measureOf("max_parallelism", x.q.v.MaxParallelism.Or(math.NaN()), UnitSubtasks),
	), true
}

// recommendedHeadroom is how many times the largest foreseeable parallelism a
// good maxParallelism is, at least (domain practice: four to eight times).
const recommendedHeadroom = 4

// findDerivedCeiling: maxParallelism looks as if Flink had derived it at a first
// start rather than somebody chosen it. It cannot be known for certain, so the
// confidence is never high; it matters only where the headroom is small.
func findDerivedCeiling(x *findingContext) (Finding, bool) {
	m, p := keyGroups(x.q.v), x.q.v.Parallelism
	if m == 0 {
		return Finding{}, false
	}
	derived := keygroup.DefaultMax(p)
	// A power of two from 128 below today's default is what a smaller first start derived.
	earlier := m < derived && m >= 128 && m&(m-1) == 0
	if m != derived && !earlier {
		return Finding{}, false
	}
	largest := max(float64(p), x.result.Sizing.Required.Or(0))
	f := finding(DerivedCeiling, SeverityNone, ScalingNA,
		measureOf("max_parallelism", float64(m), UnitKeyGroups),
		measureOf("derived_now", float64(derived), UnitKeyGroups),
		against("headroom", float64(m)/largest, UnitRatio, recommendedHeadroom),
	)
	if float64(m) < recommendedHeadroom*largest {
		f.Severity = SeverityInfo
	}
	f.Confidence = ConfidenceMedium
	if earlier {
		f.Confidence = ConfidenceLow
	}
	return f, true
}

// findWastedSubtasks: a smaller parallelism leaves the busiest subtask with as
// many key groups.
func findWastedSubtasks(x *findingContext) (Finding, bool) {
	wasted, ok := x.result.Ceiling.Wasted.Get()
	if !ok || wasted < 1 || !x.q.v.Keyed() {
		return Finding{}, false
	}
	return finding(WastedSubtasks, SeverityInfo, ScalingPartly,
		measureOf("wasted_subtasks", wasted, UnitSubtasks),
		measureOf("useful_parallelism", float64(x.q.v.Parallelism)-wasted, UnitSubtasks),
		measureOf("next_useful_parallelism", x.result.Ceiling.NextUseful.Or(math.NaN()), UnitSubtasks),
	), true
}

// findWaiting: the vertex is saturated, but the TaskManagers that run it used
// far less CPU than their subtasks were busy. They wait for something outside,
// or are starved of CPU. The share of the processors they used says which is
// likelier: a process that leaves most of them idle is not short of its own,
// though the host may be, which cannot be seen from here.
func findWaiting(x *findingContext) (Finding, bool) {
	if !x.hasData || !(x.q.maxBusy >= x.q.c.SaturatedEnter) || x.result.Verdict.ID == Balanced {
		return Finding{}, false // A source that sleeps to throttle itself is balanced, and no matter.
	}
	seen := make(map[string]bool)
	var ids []string
	var cpu, busy, cores float64
	for i, tm := range x.q.taskManager {
		if seen[tm] || x.q.busy[i] < x.q.c.SaturatedEnter {
			continue
		}
		seen[tm] = true
		ids = append(ids, tm)
		used, ok := x.hosts[tm].cpu().Get()
		if !ok || x.busyOn[tm] <= 0 {
			return Finding{}, false
		}
		cpu, busy = cpu+used, busy+x.busyOn[tm]
		cores += x.hosts[tm].cores.Or(math.NaN())
	}
	if busy <= 0 || cpu/busy >= x.q.c.WaitingCPU {
		return Finding{}, false
	}
	f := finding(Waiting, SeverityInfo, ScalingPartly,
		against("cpu_per_busy_second", cpu/busy, UnitRatio, x.q.c.WaitingCPU),
		measureOf("cpu_used", cpu, UnitSeconds),
		measureOf("cpu_of_cores", cpu/cores, UnitRatio),
		measureOf("busy_on_taskmanagers", busy, UnitSeconds),
	)
	workers, measures := x.a.suspects(ids)
	f.Advice.Workers = workers
	for _, m := range measures {
		if m.Name != "cpu_of_cores" {
			f.Evidence = append(f.Evidence, m)
		}
	}
	f.Confidence = confidence(x.s.windows, ConfidenceMedium)
	return f, true
}

// findNonParallel: parallelism 1 of 1 is by design, not a full ceiling.
func findNonParallel(x *findingContext) (Finding, bool) {
	m, ok := x.q.v.MaxParallelism.Get()
	if !ok || m != 1 {
		return Finding{}, false
	}
	return finding(NonParallel, SeverityNone, ScalingNo, measureOf("max_parallelism", m, UnitSubtasks)), true
}

// findJobChanged: a restart or rescale fell into the window.
func findJobChanged(x *findingContext) (Finding, bool) {
	if !x.s.changed {
		return Finding{}, false
	}
	return finding(JobChanged, SeverityInfo, ScalingNA,
		measureOf("parallelism", float64(x.q.v.Parallelism), UnitSubtasks)), true
}
