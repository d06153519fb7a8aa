package report

import "github.com/flink-skew-exporter/flink-skew-exporter/analysis"

const (
	warning  = analysis.SeverityWarning
	critical = analysis.SeverityCritical
	info     = analysis.SeverityInfo
)

// verdictFixtures holds one cluster a verdict, each with the numbers of a real
// one or near to it.
func verdictFixtures() map[analysis.VerdictID]ClusterInput {
	return map[analysis.VerdictID]ClusterInput{
		analysis.NotEnoughData: cluster(notJudged()), analysis.Quiet: cluster(quietVertex()), analysis.Balanced: cluster(sink()),
		analysis.HotKey: cluster(victim(), hotKeyVertex(), sink()), analysis.FewKeys: cluster(fewKeysVertex()),
		analysis.KeyGroupLayout: cluster(victim(), layoutVertex()), analysis.PartitionLayout: cluster(partitionVertex()),
		analysis.IdleReaders: cluster(idleVertex()), analysis.HotPartition: cluster(hotPartitionVertex()),
		analysis.SlowTaskManager: cluster(victim(), slowVertex()), analysis.CostlyRecords: cluster(costlyVertex()),
		analysis.UnevenInput: cluster(sourceOfSkew(), unevenVertex()), analysis.UniformSaturation: cluster(victim(), saturatedVertex()),
		analysis.Stalled: cluster(stalledVertex()), analysis.Backpressured: cluster(victim(), hotKeyVertex()),
	}
}

func notJudged() *analysis.VertexResult {
	v := judge(keyed(128, subtask{}, subtask{}), analysis.NotEnoughData, analysis.SeverityNone, analysis.ScalingNA, nil, ratio("coverage", 0.5, 0.8))
	v.Coverage, v.Windows = of(0.5), 0
	v.Verdict.Advice.Missing = analysis.MissingCoverage
	return v
}

func quietVertex() *analysis.VertexResult {
	return judge(keyed(128, subtask{busy: 0.004, records: 0.3}, subtask{busy: 0.001, records: 0.1}), analysis.Quiet, analysis.SeverityNone, analysis.ScalingNA, nil)
}

func hotKeyVertex() *analysis.VertexResult {
	v := keyed(128, subtask{busy: 0.24, records: 158}, subtask{busy: 1, records: 1297}, subtask{busy: 0.26, records: 150}, subtask{busy: 0.25, records: 152}, subtask{busy: 0.27, records: 156})
	judge(v, analysis.HotKey, critical, analysis.ScalingNo, []int{1}, ratio("busy_max", 1, 0.9), ratio("records_per_key_group_ratio", 8.3, 2), ratio("records_share", 0.68, 0), ratio("key_group_share", 26.0/128, 0))
	v.Verdict.Advice.Floor = of(0.88)
	v.Verdict.Advice.Steps = []analysis.Step{ranged(4, 0.89, 1.26), ranged(6, 0.88, 1.26), ranged(7, 0.88, 1.26), ranged(128, 0.88, 1)}
	v.Verdict.Advice.KeyGroups = &analysis.KeyGroupRange{First: 26, Last: 51}
	v.Hot = &analysis.Hot{Subtask: 1, KeyGroups: v.Verdict.Advice.KeyGroups}
	return find(v, analysis.Bottleneck, warning, ratio("upstream_backpressured", 0.99, 0.5))
}

func fewKeysVertex() *analysis.VertexResult {
	v := keyed(128, subtask{}, subtask{busy: 0.62, records: 400}, subtask{busy: 0.31, records: 200}, subtask{}, subtask{busy: 0.3, records: 201}, subtask{}, subtask{}, subtask{busy: 0.32, records: 199})
	return judge(v, analysis.FewKeys, warning, analysis.ScalingNo, []int{0, 3, 5, 6}, ratio("busy_max", 0.62, 0.9))
}

// layoutVertex is p 100 of M 128.
func layoutVertex() *analysis.VertexResult {
	ss := make([]subtask, 100)
	v := keyed(128, ss...)
	for i := range ss {
		ss[i] = subtask{busy: 0.49, records: 240}
		if v.Subtasks[i].KeyGroups == 2 {
			ss[i] = subtask{busy: 1, records: 481}
		}
	}
	v = keyed(128, ss...)
	var big []int
	for i, s := range ss {
		if s.busy == 1 {
			big = append(big, i)
		}
	}
	judge(v, analysis.KeyGroupLayout, warning, analysis.ScalingYes, big, ratio("busy_max", 1, 0.9), ratio("busy_others", 0.49, 0), ratio("layout_ratio", 1.5625, 1.15))
	v.Verdict.Advice.Steps = []analysis.Step{ranged(64, 1, 1.5), ranged(128, 0.5, 1)}
	find(v, analysis.WastedSubtasks, info)
	return find(v, analysis.Bottleneck, warning, ratio("upstream_backpressured", 0.99, 0.5))
}

func partitionVertex() *analysis.VertexResult {
	v := source(5, subtask{busy: 0.62, records: 800, partitions: of(2)}, subtask{busy: 0.61, records: 801, partitions: of(2)}, subtask{busy: 0.31, records: 402, partitions: of(1)})
	judge(v, analysis.PartitionLayout, warning, analysis.ScalingPartly, []int{0, 1}, ratio("partitions_ratio", 1.2, 1.15))
	v.Verdict.Advice.Steps = []analysis.Step{{Parallelism: 1, BusiestLoad: of(1.54)}, {Parallelism: 5, BusiestLoad: of(0.31)}}
	return v
}

func idleVertex() *analysis.VertexResult {
	var ss []subtask
	for range 5 {
		ss = append(ss, subtask{busy: 0.98, records: 900, partitions: of(1)})
	}
	for range 3 {
		ss = append(ss, subtask{partitions: of(0)})
	}
	v := judge(source(5, ss...), analysis.IdleReaders, warning, analysis.ScalingNo, []int{5, 6, 7}, ratio("busy_readers", 0.98, 0))
	return find(v, analysis.PartitionCeiling, info)
}

func hotPartitionVertex() *analysis.VertexResult {
	v := source(4, subtask{busy: 0.2, records: 210, partitions: of(1)}, subtask{busy: 0.21, records: 205, partitions: of(1)}, subtask{busy: 0.95, records: 1600, partitions: of(1)}, subtask{busy: 0.19, records: 199, partitions: of(1)})
	return judge(v, analysis.HotPartition, warning, analysis.ScalingNo, []int{2}, ratio("records_per_partition_ratio", 7.8, 2),
		number("records_hot", 1600, analysis.UnitRecordsPerSecond), number("records_mean", 553.5, analysis.UnitRecordsPerSecond), ratio("busy_max", 0.95, 0.9))
}

func slowVertex() *analysis.VertexResult {
	const slow, fast = "172.18.0.7:41357-9c2d1e", "172.18.0.5:39113-77aa01"
	v := keyed(128, subtask{busy: 0.21, records: 300, tm: fast}, subtask{busy: 0.2, records: 302, tm: fast}, subtask{busy: 0.22, records: 299, tm: "tm-3"}, subtask{busy: 1, records: 288, tm: slow}, subtask{busy: 0.99, records: 287, tm: slow}, subtask{busy: 0.2, records: 300, tm: "tm-3"})
	judge(v, analysis.SlowTaskManager, critical, analysis.ScalingNo, []int{3, 4}, ratio("cost_ratio", 4.98, 1.8),
		number("cost_high", 0.00346, analysis.UnitSeconds), number("cost_others", 0.000695, analysis.UnitSeconds), ratio("busy_max", 1, 0.9), ratio("input_ratio", 0.96, 0))
	v.Verdict.Evidence = append(v.Verdict.Evidence, ratio("gc_share", 0.23, 0), ratio("gc_share_others", 0.01, 0), ratio("cpu_of_cores", 0.71, 0),
		ratio("cpu_of_cores_others", 0.36, 0), number("tasks_on_taskmanager", 4, analysis.UnitSubtasks), number("tasks_on_taskmanager_others", 4.5, analysis.UnitSubtasks))
	v.Verdict.Advice.TaskManager = slow
	v.Verdict.Advice.Workers = []analysis.Worker{{ID: slow, Host: "worker-7.example.org", CPUCores: of(2), CPUUsed: of(1.42), GCShare: of(0.23), Slots: of(8), SlotsUsed: of(2), Tasks: of(4)}}
	return v
}

func costlyVertex() *analysis.VertexResult {
	v := keyed(128, subtask{busy: 0.07, records: 250}, subtask{busy: 0.06, records: 248}, subtask{busy: 0.82, records: 251}, subtask{busy: 0.07, records: 247})
	return judge(v, analysis.CostlyRecords, warning, analysis.ScalingNo, []int{2}, ratio("cost_ratio", 11.7, 1.8),
		number("cost_high", 0.00327, analysis.UnitSeconds), number("cost_others", 0.00028, analysis.UnitSeconds), ratio("busy_max", 0.82, 0), ratio("input_ratio", 1.01, 0))
}

func sourceOfSkew() *analysis.VertexResult {
	return judge(source(2, subtask{busy: 0.2, records: 100, partitions: of(1)}, subtask{busy: 0.3, records: 130, partitions: of(1)}), analysis.Balanced, analysis.SeverityNone, analysis.ScalingNA, nil)
}

func unevenVertex() *analysis.VertexResult {
	v := vertexOf("v2", "score", subtask{busy: 0.1, records: 60}, subtask{busy: 0.11, records: 61}, subtask{busy: 0.9, records: 520}, subtask{busy: 0.1, records: 59})
	v.Inputs[0].Ship = analysis.ShipForward
	return judge(v, analysis.UnevenInput, warning, analysis.ScalingNo, []int{2}, ratio("records_skew", 2.97, 1.5),
		ratio("busy_skew", 2.97, 0), ratio("busy_max", 0.9, 0))
}

func saturatedVertex() *analysis.VertexResult {
	v := keyed(128, subtask{busy: 0.99, records: 470}, subtask{busy: 1, records: 472}, subtask{busy: 0.98, records: 466}, subtask{busy: 0.99, records: 469})
	v.Sizing = analysis.Sizing{TrueRate: of(1900), Required: of(6), RequiredHeadroom: of(21.3)}
	judge(v, analysis.UniformSaturation, critical, analysis.ScalingYes, nil, ratio("busy_mean", 0.99, 0.9), ratio("busy_min", 0.98, 0.75),
		analysis.Measure{Name: "records_mean", Value: of(469), Unit: analysis.UnitRecordsPerSecond})
	v.Verdict.Advice.Steps = []analysis.Step{ranged(3, 1.33, 2), ranged(8, 0.66, 2), ranged(16, 0.33, 2), ranged(128, 0.03, 1)}
	find(v, analysis.Bottleneck, warning, ratio("upstream_backpressured", 0.99, 0.5))
	return find(v, analysis.Waiting, info, ratio("cpu_per_busy_second", 0.06, 0.25))
}

func stalledVertex() *analysis.VertexResult {
	v := keyed(128, subtask{busy: 0.2, records: 310}, subtask{busy: 0.21, records: 309}, subtask{busy: 1}, subtask{busy: 0.2, records: 308})
	return judge(v, analysis.Stalled, critical, analysis.ScalingNo, []int{2}, ratio("busy_max", 1, 0.9),
		number("records_stalled", 0, analysis.UnitRecordsPerSecond), number("records_others", 309, analysis.UnitRecordsPerSecond))
}

// ranged is a prediction from an even to the worst spread of load.
func ranged(p int, low, high float64) analysis.Step {
	return analysis.Step{Parallelism: p, BusiestLoad: of(low), BusiestHigh: of(high)}
}
