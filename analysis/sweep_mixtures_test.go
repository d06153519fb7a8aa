package analysis_test

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// mixtures are the scenarios in which one trouble lies beside, before or behind
// another, or looks like another from afar.
func mixtures() []scenario {
	many := []int{4, 16, 100, 1000}
	return []scenario{
		{"two_keys_a_subtask", many, plantTwoKeysEach},
		{"few_keys_behind_slow_sink", many, plantFewKeysBehindSlowSink},
		{"layout_behind_slow_sink", many, plantLayoutBehindSlowSink},
		{"sink_slower_by_a_third", many, plantSlowerSink},
		{"slow_taskmanager_on_uneven_layout", many, plantSlowTaskManagerOnLayout},
		{"costly_records_on_uneven_layout", many, plantCostlyOnLayout},
		{"costly_records_beside_hot_key", many, plantCostlyBesideHotKey},
		{"hot_partition_beside_idle_readers", many, plantHotPartitionBesideIdleReaders},
		{"stalled_hot_key", many, plantStalledHotKey},
		{"hot_key_behind_finished", many, plantHotKeyWithFinished},
		{"source_without_busy_time", many, plantNoBusyTime},
		{"one_of_one", []int{1}, plantOneOfOne},
	}
}

// plantTwoKeysEach: two keys for each subtask on average leave an eighth of the
// subtasks without any, and others with four or five. No key is hot: where few
// keys cannot be proved, nothing else may be claimed.
func plantTwoKeysEach(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	idle := d.fewKeys(v, 2*p)
	offer(&j, d.load(), slices.Max(keyShares(v)), recordCost.Seconds())
	few := d.blames("enrich", analysis.FewKeys, nil)
	few.least = analysis.SeverityNone
	few.verdicts = append(few.verdicts, analysis.NotEnoughData)
	if !d.full {
		few.verdicts = append(few.verdicts, analysis.Balanced)
	}
	if p < 8 || len(idle) < 2 {
		// A few subtasks are no sample: one with five of eight keys is as a hot one is.
		few.verdicts = append(few.verdicts, analysis.HotKey, analysis.UniformSaturation, analysis.Balanced)
	}
	return planted{job: j, demands: []demand{d.source(), few, calm("sink")}}
}

func plantFewKeysBehindSlowSink(d *dice, p int) planted {
	d.full = true
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	d.fewKeys(v, max(2, p/2))
	share := slices.Max(keyShares(v))
	offer(&j, d.load(), share, recordCost.Seconds())
	slowSink(&j, d.between(0.2, 0.45), share)
	return planted{job: j, demands: []demand{d.source(), healthy("enrich", analysis.Backpressured), d.blames("sink", analysis.UniformSaturation, nil)}}
}

func plantLayoutBehindSlowSink(d *dice, p int) planted {
	x := plantKeyGroupLayout(d, p)
	d.full = true
	v := &x.job.Vertices[enrichAt]
	share := float64(keygroup.Busiest(p, v.MaxParallelism)) / float64(v.MaxParallelism)
	offer(&x.job, d.load(), share, recordCost.Seconds())
	slowSink(&x.job, d.between(0.2, 0.45), share)
	x.demands = []demand{d.source(), healthy("enrich", analysis.Backpressured), d.blames("sink", analysis.UniformSaturation, nil)}
	return x
}

// plantSlowerSink: what comes before the sink is busy for half of its time and
// more, and waits for the rest. It never idles and is not full: the sink is what
// everything waits for.
func plantSlowerSink(d *dice, p int) planted {
	d.full = true
	j := d.pipeline(p)
	share := slices.Max(keyShares(&j.Vertices[enrichAt]))
	offer(&j, d.load(), share, recordCost.Seconds())
	slowSink(&j, d.between(0.55, 0.75), share)
	return planted{job: j, demands: []demand{
		d.source(), healthy("enrich", analysis.Backpressured, analysis.Balanced), d.blames("sink", analysis.UniformSaturation, nil),
	}}
}

// plantSlowTaskManagerOnLayout: the layout makes some subtasks half as busy
// again; those on one worker pay three to seven times as much for a record.
func plantSlowTaskManagerOnLayout(d *dice, p int) planted {
	x := plantSlowTaskManager(d, p)
	v := &x.job.Vertices[enrichAt]
	v.MaxParallelism = d.uneven(p)
	v.Keys.GroupWeights = slices.Repeat([]float64{1}, v.MaxParallelism)
	most, shares := 0.0, keyShares(v)
	for _, i := range onWorker(v.SlowTaskManager.TaskManager, x.taskManagers, p) {
		most = max(most, shares[i])
	}
	offer(&x.job, d.load(), most, recordCost.Seconds()*v.SlowTaskManager.Factor)
	return x
}

func plantCostlyOnLayout(d *dice, p int) planted {
	x := plantCostlyRecords(d, p)
	v := &x.job.Vertices[enrichAt]
	v.MaxParallelism = d.uneven(p)
	v.Keys.GroupWeights = slices.Repeat([]float64{1}, v.MaxParallelism)
	owner := ownerOf(v, v.Costly.Hash)
	offer(&x.job, d.load(), keyShares(v)[owner], recordCost.Seconds()*v.Costly.Factor)
	x.demands[1] = d.blames("enrich", analysis.CostlyRecords, []int{owner})
	return x
}

// plantCostlyBesideHotKey: one key has many records and, on another subtask, one whose records are dear. Either
// is true; a third is not.
func plantCostlyBesideHotKey(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	owner, group := d.heat(v, 8)
	v.Costly = &flinksim.Costly{Hash: d.hash(), Factor: 8}
	for ownerOf(v, v.Costly.Hash) == owner {
		v.Costly.Hash = d.hash()
	}
	offer(&j, d.load(), keyShares(v)[owner], recordCost.Seconds())
	hot := d.blames("enrich", analysis.HotKey, nil)
	hot.verdicts = append(hot.verdicts, analysis.CostlyRecords)
	hot.hotGroups = []int{group}
	return planted{job: j, demands: []demand{d.source(), hot, calm("sink")}}
}

// plantHotPartitionBesideIdleReaders: some readers own nothing, but what is at
// its limit is the reader of one partition.
func plantHotPartitionBesideIdleReaders(d *dice, p int) planted {
	n := max(3, p*3/4)
	weights := d.weights(n)
	hot := d.IntN(n)
	weights[hot] = d.between(6, 12)
	j := d.kafka(p, weights)
	total := 0.0
	for _, w := range weights {
		total += w
	}
	offer(&j, d.readerLoad(0.65), weights[hot]/total, recordCost.Seconds())
	return planted{job: j, demands: []demand{d.blames("Source", analysis.HotPartition, nil), calm("enrich")}}
}

// plantStalledHotKey: the subtask with the hot key is stuck in a call.
func plantStalledHotKey(d *dice, p int) planted {
	d.full = true
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	owner, _ := d.heat(v, d.between(4, 12))
	v.Stalled = []int{owner}
	offer(&j, d.between(0.3, 0.6), keyShares(v)[owner], recordCost.Seconds())
	return planted{job: j, demands: []demand{d.source(), d.blames("enrich", analysis.Stalled, []int{owner}), calm("sink")}}
}

// plantHotKeyWithFinished: some readers of a bounded source have ended; they
// neither hide the hot key nor count as missing.
func plantHotKeyWithFinished(d *dice, p int) planted {
	x := plantHotKey(d, p)
	s := &x.job.Vertices[sourceAt]
	if s.Parallelism > 1 {
		s.Finished = []int{s.Parallelism - 1}
	}
	x.demands[0].verdicts = append(x.demands[0].verdicts, analysis.NotEnoughData)
	return x
}

// plantNoBusyTime: a legacy source does not tell how busy it is.
func plantNoBusyTime(d *dice, p int) planted {
	x := plantHotKey(d, p)
	x.job.Vertices[sourceAt].NoBusyTime = true
	x.demands[0].verdicts = append(x.demands[0].verdicts, analysis.NotEnoughData)
	return x
}

// plantOneOfOne: one subtask of each vertex is neither even nor uneven.
func plantOneOfOne(d *dice, p int) planted {
	if d.full {
		return plantUniformSaturation(d, p)
	}
	return plantBalanced(d, p)
}
