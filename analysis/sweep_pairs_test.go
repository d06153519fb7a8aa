package analysis_test

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// pairs are the scenarios in which two things are uneven at once.
func pairs() []scenario {
	many := []int{4, 16, 100, 1000}
	return []scenario{
		{"hot_key_on_uneven_layout", many, plantHotKeyOnLayout},
		{"hot_key_behind_slow_sink", many, plantHotKeyBehindSlowSink},
		{"hot_key_before_busy_sink", many, plantHotKeyBeforeBusySink},
		{"hot_key_forwarded", many, plantHotKeyForwarded},
		{"hot_key_outweighs_slow_taskmanager", many, plantHotKeyOverSlowTaskManager},
		{"slow_taskmanager_outweighs_hot_key", many, plantSlowTaskManagerOverHotKey},
		{"partition_layout_feeds_balanced", many, plantPartitionLayoutFeedsBalanced},
		{"two_hot_keys", many, plantTwoHotKeys},
		{"ten_keys_over_sixteen", []int{16}, plantTenKeys},
		{"half_of_the_subtasks_hot", []int{16, 100, 1000}, plantHalfHot},
		{"join", many, plantJoin},
	}
}

func plantHotKeyOnLayout(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	v.MaxParallelism = d.uneven(p)
	v.Keys.GroupWeights = d.weights(v.MaxParallelism)
	owner, group := d.heat(v, d.between(6, 16))
	offer(&j, d.load(), keyShares(v)[owner], recordCost.Seconds())
	hot := d.blames("enrich", analysis.HotKey, []int{owner})
	hot.hotGroups = []int{group}
	return planted{job: j, demands: []demand{d.source(), hot, calm("sink")}}
}

// plantHotKeyBehindSlowSink: the sink is what everything waits for; the hot
// key before it would matter only if the sink were faster.
func plantHotKeyBehindSlowSink(d *dice, p int) planted {
	d.full = true
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	owner, group := d.heat(v, d.between(4, 12))
	share := keyShares(v)[owner]
	offer(&j, d.load(), share, recordCost.Seconds())
	slowSink(&j, d.between(0.25, 0.75), share)
	enrich := healthy("enrich", analysis.Backpressured)
	enrich.hotGroups = []int{group}
	return planted{job: j, demands: []demand{d.source(), enrich, d.blames("sink", analysis.UniformSaturation, nil)}}
}

// plantHotKeyBeforeBusySink: the sink is busy, but what everything waits for
// is the hot key.
func plantHotKeyBeforeBusySink(d *dice, p int) planted {
	d.full = true
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	owner, group := d.heat(v, d.between(4, 12))
	share := keyShares(v)[owner]
	offer(&j, d.load(), share, recordCost.Seconds())
	slowSink(&j, d.between(1.3, 2), share)
	hot := d.blames("enrich", analysis.HotKey, []int{owner})
	hot.hotGroups = []int{group}
	return planted{job: j, demands: []demand{d.source(), hot, calm("sink")}}
}

// plantHotKeyForwarded: a sink that reads its own writer alone is as uneven as that.
func plantHotKeyForwarded(d *dice, p int) planted {
	j := d.pipeline(p)
	v, sink := &j.Vertices[enrichAt], &j.Vertices[sinkAt]
	sink.Inputs[0].Ship = flinksim.Forward
	owner, group := d.heat(v, d.between(4, 16))
	offer(&j, d.load(), keyShares(v)[owner], recordCost.Seconds())
	hot := d.blames("enrich", analysis.HotKey, []int{owner})
	hot.hotGroups = []int{group}
	return planted{job: j, demands: []demand{d.source(), hot, healthy("sink", analysis.UnevenInput)}}
}

// mixed is a pipeline with a slow TaskManager and a hot key on another one.
// The hot subtask is busy hotter times as much as a slow one.
func (d *dice) mixed(p int, hotter float64) (x planted, hot, slow demand) {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	n := d.workers(p)
	owner, group := d.heat(v, 8)
	slowest := &flinksim.Slow{TaskManager: (owner%n + 1 + d.IntN(n-1)) % n}
	// A slow subtask gets an eighth of what the hot one does. The busier of the
	// two is offered the load.
	slowest.Factor = 8 / hotter
	v.SlowTaskManager, j.Vertices[sinkAt].SlowTaskManager = slowest, slowest
	offer(&j, d.load()*min(1, hotter), keyShares(v)[owner], recordCost.Seconds())
	hot = d.blames("enrich", analysis.HotKey, []int{owner})
	hot.hotGroups = []int{group}
	slow = d.blames("enrich", analysis.SlowTaskManager, onWorker(slowest.TaskManager, n, p))
	slow.hotGroups = hot.hotGroups
	return planted{job: j, taskManagers: n}, hot, slow
}

// plantHotKeyOverSlowTaskManager: the slow worker has room, the hot key has not.
func plantHotKeyOverSlowTaskManager(d *dice, p int) planted {
	x, hot, _ := d.mixed(p, d.between(2, 3))
	x.demands = []demand{d.source(), hot, healthy("sink", analysis.Balanced, analysis.SlowTaskManager, analysis.Quiet)}
	return x
}

// plantSlowTaskManagerOverHotKey: the hot key has room, the slow worker has not.
func plantSlowTaskManagerOverHotKey(d *dice, p int) planted {
	x, _, slow := d.mixed(p, d.between(0.5, 0.7))
	x.demands = []demand{d.source(), slow, healthy("sink", analysis.Balanced, analysis.SlowTaskManager, analysis.Quiet)}
	return x
}

// plantPartitionLayoutFeedsBalanced: uneven readers write to even keys.
func plantPartitionLayoutFeedsBalanced(d *dice, p int) planted {
	n := d.uneven(p)
	j := d.kafka(p, slices.Repeat([]float64{1}, n))
	v := &j.Vertices[enrichAt]
	v.Inputs[0].Ship, v.MaxParallelism = flinksim.Hash, 16*p
	v.Keys.GroupWeights = d.weights(v.MaxParallelism)
	v.Cost = recordCost / 2
	most := keygroup.Busiest(p, n)
	offer(&j, d.readerLoad(float64(most-1)/float64(most)), float64(most)/float64(n), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.blames("Source", analysis.PartitionLayout, nil), healthy("enrich", analysis.Balanced)}}
}

// plantTwoHotKeys: two subtasks with a key each, one up to a third hotter.
func plantTwoHotKeys(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	perSubtask := float64(v.MaxParallelism / p)
	var groups, owners []int
	for len(groups) < 2 {
		g := keygroup.Group(d.hash(), v.MaxParallelism)
		if o := keygroup.Owner(g, p, v.MaxParallelism); !slices.Contains(owners, o) {
			groups, owners = append(groups, g), append(owners, o)
		}
	}
	heat := d.between(5, 12) * perSubtask
	v.Keys.GroupWeights[groups[0]] += heat
	v.Keys.GroupWeights[groups[1]] += heat * d.between(0.75, 1)
	offer(&j, d.load(), slices.Max(keyShares(v)), recordCost.Seconds())
	slices.Sort(owners)
	hot := d.blames("enrich", analysis.HotKey, owners)
	hot.hotGroups = groups
	return planted{job: j, demands: []demand{d.source(), hot, calm("sink")}}
}

func plantTenKeys(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	if d.IntN(2) == 0 {
		v.MaxParallelism = keygroup.DefaultMax(p)
	}
	idle := d.fewKeys(v, 10)
	offer(&j, d.load(), slices.Max(keyShares(v)), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.source(), d.blames("enrich", analysis.FewKeys, idle), calm("sink")}}
}

// plantHalfHot: every second subtask gets two to five times as much. That is
// no few hot keys; where it holds up the source, no single cause may be
// claimed, and all being well neither.
func plantHalfHot(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	hotter := d.between(2, 5)
	for g := range v.Keys.GroupWeights {
		if keygroup.Owner(g, p, v.MaxParallelism)%2 == 0 {
			v.Keys.GroupWeights[g] *= hotter
		}
	}
	offer(&j, d.load(), slices.Max(keyShares(v)), recordCost.Seconds())
	enrich := healthy("enrich", analysis.Balanced)
	if d.full {
		enrich = d.blames("enrich", analysis.NotEnoughData, nil)
	}
	return planted{job: j, demands: []demand{d.source(), enrich, calm("sink")}}
}

// plantJoin: a hot key of a vertex that two sources feed.
func plantJoin(d *dice, p int) planted {
	x := plantHotKey(d, p)
	second := x.job.Vertices[sourceAt]
	second.Name = "Source: customers -> parse"
	second.Rate /= 2
	x.job.Vertices[sourceAt].Rate /= 2
	x.job.Vertices = slices.Insert(x.job.Vertices, 1, second)
	enrich := &x.job.Vertices[enrichAt+1]
	enrich.Inputs = append(enrich.Inputs, flinksim.Input{From: second.Name, Ship: flinksim.Hash})
	return x
}
