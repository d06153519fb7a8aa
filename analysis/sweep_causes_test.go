package analysis_test

import (
	"math"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// Names of the planted jobs' vertices, and their places in a pipeline.
const (
	ordersName = "Source: orders source -> parse"
	topicName  = "Source: orders topic -> decode"
	enrichName = "enrich & count: by(customer), v2.1"
	sinkName   = "format -> warehouse sink: Writer"

	sourceAt, enrichAt, sinkAt = 0, 1, 2
)

// recordCost is what a record costs where nothing is planted.
const recordCost = time.Millisecond

// causes are the scenarios with one trouble each, and the healthy ones.
func causes() []scenario {
	many := []int{4, 16, 100, 1000}
	return []scenario{
		{"hot_key", many, plantHotKey},
		{"few_keys", many, plantFewKeys},
		{"key_group_layout", many, plantKeyGroupLayout},
		{"partition_layout", many, plantPartitionLayout},
		{"idle_readers", many, plantIdleReaders},
		{"hot_partition", many, plantHotPartition},
		{"slow_taskmanager", many, plantSlowTaskManager},
		{"costly_records", many, plantCostlyRecords},
		{"uneven_input", many, plantUnevenInput},
		{"uniform_saturation", many, plantUniformSaturation},
		{"stalled", many, plantStalled},
		{"stalled_keyed", many, plantStalledKeyed},
		{"backpressured", many, plantSlowSink},
		{"balanced", many, plantBalanced},
		{"quiet", many, plantQuiet},
		{"not_enough_data", many, plantRestarting},
	}
}

// pipeline is source → HASH → enrich → REBALANCE → sink. Key groups are even
// over subtasks: 8, 16 or 32 each.
func (d *dice) pipeline(p int) flinksim.Job {
	m := oneOf(d, 8, 16, 32) * p
	sources := min(16, oneOf(d, 1, p, max(1, p/2)))
	return flinksim.Job{
		Name: "orders", WatermarkDelay: 2 * time.Second,
		Vertices: []flinksim.Vertex{
			{Name: ordersName, Parallelism: sources, CPU: 0.9},
			{
				Name: enrichName, Parallelism: p, MaxParallelism: m, Inputs: []flinksim.Input{{From: ordersName, Ship: flinksim.Hash}},
				Cost: recordCost, CPU: 0.9, StateBytes: int64(p) << 20,
				Keys: flinksim.Keys{GroupWeights: d.weights(m)},
			},
			{Name: sinkName, Parallelism: p, Inputs: []flinksim.Input{{From: enrichName, Ship: flinksim.Rebalance}}, Cost: recordCost / 4, CPU: 0.5},
		},
	}
}

// kafka is a topic read by so many readers → REBALANCE → enrich.
func (d *dice) kafka(readers int, partitions []float64) flinksim.Job {
	return flinksim.Job{
		Name: "orders", WatermarkDelay: 2 * time.Second,
		Vertices: []flinksim.Vertex{
			{Name: topicName, Parallelism: readers, Topic: "orders", Partitions: partitions, Cost: recordCost, CPU: 0.9},
			{Name: enrichName, Parallelism: readers, Inputs: []flinksim.Input{{From: topicName, Ship: flinksim.Rebalance}}, Cost: recordCost / 4, CPU: 0.9},
		},
	}
}

// offer sets the rate of a pipeline's source so that the subtask that gets the
// given share of the records, at a cost in seconds, is busy for load; beyond
// 1 that is how many times its capacity it is offered.
func offer(j *flinksim.Job, load, share, cost float64) {
	s := &j.Vertices[sourceAt]
	s.Rate = load / share / cost
	if s.Topic == "" {
		// The source itself is busy for a seventh of the time, if not held up.
		s.Cost = time.Duration(float64(s.Parallelism) / s.Rate / 7 * 1e9)
	}
}

// load is what a planted cause is offered: more than it can take, or room left.
func (d *dice) load() float64 {
	if d.full {
		return d.between(1.3, 2.5)
	}
	return d.between(0.4, 0.7)
}

// keyShares is what part of the records each subtask of a keyed vertex gets.
func keyShares(v *flinksim.Vertex) []float64 {
	shares := make([]float64, v.Parallelism)
	total := 0.0
	for _, w := range v.Keys.GroupWeights {
		total += w
	}
	for g, w := range v.Keys.GroupWeights {
		shares[keygroup.Owner(g, v.Parallelism, v.MaxParallelism)] += w / total * (1 - v.Keys.HotShare)
	}
	if v.Keys.HotShare > 0 {
		shares[ownerOf(v, v.Keys.HotHash)] += v.Keys.HotShare
	}
	return shares
}

// ownerOf is the subtask that processes a key.
func ownerOf(v *flinksim.Vertex, hash int32) int {
	return keygroup.Owner(keygroup.Group(hash, v.MaxParallelism), v.Parallelism, v.MaxParallelism)
}

// source is what is right for the source of a pipeline: it waits where the
// planted cause is at its limit, and has room elsewhere.
func (d *dice) source() demand {
	if d.full {
		return healthy("Source", analysis.Backpressured)
	}
	return calm("Source")
}

// blames is what is right for the vertex with the cause: at least a warning
// where it is at its limit, information where it has room.
func (d *dice) blames(vertex string, verdict analysis.VerdictID, subtasks []int) demand {
	x := demand{vertex: vertex, verdicts: []analysis.VerdictID{verdict}, subtasks: subtasks, least: analysis.SeverityInfo, most: analysis.SeverityInfo}
	if d.full {
		x.least, x.most = analysis.SeverityWarning, analysis.SeverityCritical
	}
	return x
}

// heat makes one key so hot that its subtask gets ratio times as many records
// as another with even groups would, and returns its subtask and key group.
func (d *dice) heat(v *flinksim.Vertex, ratio float64) (owner, group int) {
	v.Keys.HotHash = d.hash()
	v.Keys.HotShare = (ratio - 1) / (ratio - 1 + float64(v.Parallelism))
	return ownerOf(v, v.Keys.HotHash), keygroup.Group(v.Keys.HotHash, v.MaxParallelism)
}

func plantHotKey(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	if d.IntN(2) == 0 {
		v.MaxParallelism = keygroup.DefaultMax(p)
		v.Keys.GroupWeights = d.weights(v.MaxParallelism)
	}
	owner, group := d.heat(v, d.between(4, 16))
	offer(&j, d.load(), keyShares(v)[owner], recordCost.Seconds())
	hot := d.blames("enrich", analysis.HotKey, []int{owner})
	hot.hotGroups = []int{group}
	return planted{job: j, demands: []demand{d.source(), hot, calm("sink")}}
}

// fewKeys leaves a keyed vertex with so many distinct keys, and returns the
// subtasks that get none of them.
func (d *dice) fewKeys(v *flinksim.Vertex, keys int) (idle []int) {
	frequency := d.weights(keys)
	v.Keys.GroupWeights = make([]float64, v.MaxParallelism)
	for _, f := range frequency {
		v.Keys.GroupWeights[keygroup.Group(d.hash(), v.MaxParallelism)] += f
	}
	for i, share := range keyShares(v) {
		if share == 0 {
			idle = append(idle, i)
		}
	}
	return idle
}

func plantFewKeys(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	idle := d.fewKeys(v, max(2, p*oneOf(d, 4, 5, 6)/8))
	offer(&j, d.load(), slices.Max(keyShares(v)), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.source(), d.blames("enrich", analysis.FewKeys, idle), calm("sink")}}
}

// uneven draws how many units (key groups, partitions) p subtasks share so
// that those with most of them have at least a fifth more than the mean.
func (d *dice) uneven(p int) int {
	for {
		if m := p + 1 + d.IntN(3*p); keygroup.LayoutRatio(p, m) >= 1.2 {
			return m
		}
	}
}

func plantKeyGroupLayout(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	v.MaxParallelism = d.uneven(p)
	v.Keys.GroupWeights = nil
	most := keygroup.Busiest(p, v.MaxParallelism)
	var heavy []int
	for i := range p {
		if keygroup.Count(i, p, v.MaxParallelism) == most {
			heavy = append(heavy, i)
		}
	}
	offer(&j, d.load(), float64(most)/float64(v.MaxParallelism), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.source(), d.blames("enrich", analysis.KeyGroupLayout, heavy), calm("sink")}}
}

func plantPartitionLayout(d *dice, p int) planted {
	n := d.uneven(p)
	j := d.kafka(p, slices.Repeat([]float64{1}, n))
	most := keygroup.Busiest(p, n)
	offer(&j, d.readerLoad(float64(most-1)/float64(most)), float64(most)/float64(n), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.blames("Source", analysis.PartitionLayout, nil), calm("enrich")}}
}

// readerLoad is what the busiest reader of a source is offered, of which the
// next one gets the given part. A reader at its limit falls behind while the
// others keep up; offered so much that these were full too, the source would
// be evenly saturated.
func (d *dice) readerLoad(next float64) float64 {
	if d.full {
		return d.between(1.05, min(1.6, 0.85/next))
	}
	return d.between(0.4, 0.7)
}

func plantIdleReaders(d *dice, p int) planted {
	n := max(1, p/3) + d.IntN(p-max(1, p/3))
	j := d.kafka(p, d.weights(n))
	offer(&j, d.load(), 1/float64(n), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.blames("Source", analysis.IdleReaders, nil), calm("enrich")}}
}

func plantHotPartition(d *dice, p int) planted {
	per := oneOf(d, 1, 2)
	weights := d.weights(p * per)
	hot := d.IntN(len(weights))
	weights[hot] = d.between(6, 12)
	j := d.kafka(p, weights)
	share := weights[hot]
	if per == 2 {
		share += weights[(hot+p)%len(weights)]
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	// Twice as much as the others must be left of it at the limit.
	offer(&j, d.readerLoad(0.65), share/total, recordCost.Seconds())
	return planted{job: j, demands: []demand{d.blames("Source", analysis.HotPartition, nil), calm("enrich")}}
}

// workers is a number of TaskManagers on which p subtasks are spread evenly.
func (d *dice) workers(p int) int {
	switch {
	case p <= 4:
		return oneOf(d, 2, 4)
	case p <= 16:
		return oneOf(d, 4, 8)
	}
	return oneOf(d, 10, 20)
}

// onWorker are the subtasks of p on one of n TaskManagers: the simulator deals
// slots out in turn.
func onWorker(tm, n, p int) []int {
	var subtasks []int
	for i := tm; i < p; i += n {
		subtasks = append(subtasks, i)
	}
	return subtasks
}

func plantSlowTaskManager(d *dice, p int) planted {
	j := d.pipeline(p)
	n := d.workers(p)
	slow := &flinksim.Slow{TaskManager: d.IntN(n), Factor: d.between(3, 7)}
	j.Vertices[enrichAt].SlowTaskManager, j.Vertices[sinkAt].SlowTaskManager = slow, slow
	j.Vertices[sinkAt].Cost = recordCost / 2
	offer(&j, d.load(), 1/float64(p), recordCost.Seconds()*slow.Factor)
	sink := healthy("sink", analysis.SlowTaskManager, analysis.Balanced)
	return planted{job: j, taskManagers: n, demands: []demand{
		d.source(), d.blames("enrich", analysis.SlowTaskManager, onWorker(slow.TaskManager, n, p)), sink,
	}}
}

func plantCostlyRecords(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	v.Costly = &flinksim.Costly{Hash: d.hash(), Factor: d.between(3, 8)}
	offer(&j, d.load(), 1/float64(p), recordCost.Seconds()*v.Costly.Factor)
	return planted{job: j, demands: []demand{
		d.source(), d.blames("enrich", analysis.CostlyRecords, []int{ownerOf(v, v.Costly.Hash)}), calm("sink"),
	}}
}

func plantUnevenInput(d *dice, p int) planted {
	j := d.pipeline(p)
	v := &j.Vertices[enrichAt]
	v.Inputs[0].Ship = flinksim.Custom
	v.InputShares = d.weights(p)
	hot := d.IntN(p)
	v.InputShares[hot] = d.between(4, 8)
	total := 0.0
	for _, w := range v.InputShares {
		total += w
	}
	offer(&j, d.load(), v.InputShares[hot]/total, recordCost.Seconds())
	return planted{job: j, demands: []demand{d.source(), d.blames("enrich", analysis.UnevenInput, []int{hot}), calm("sink")}}
}

func plantUniformSaturation(d *dice, p int) planted {
	d.full = true
	j := d.pipeline(p)
	j.Vertices[enrichAt].Keys = flinksim.Keys{}
	offer(&j, d.load(), 1/float64(p), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.source(), d.blames("enrich", analysis.UniformSaturation, nil), calm("sink")}}
}

// plantStalled: a call that never returns holds up its own reader alone.
func plantStalled(d *dice, p int) planted {
	d.full = true
	stuck := d.IntN(p)
	j := d.kafka(p, slices.Repeat([]float64{1}, p))
	j.Vertices[0].Cost = recordCost / 10
	j.Vertices[1].Inputs[0].Ship = flinksim.Forward
	j.Vertices[1].Cost, j.Vertices[1].Stalled = recordCost, []int{stuck}
	offer(&j, d.between(0.3, 0.6), 1/float64(p), recordCost.Seconds())
	return planted{job: j, demands: []demand{
		healthy("Source", analysis.Backpressured), d.blames("enrich", analysis.Stalled, []int{stuck}),
	}}
}

// plantStalledKeyed: behind HASH one call that never returns stops everything.
func plantStalledKeyed(d *dice, p int) planted {
	d.full = true
	stuck := d.IntN(p)
	j := d.pipeline(p)
	j.Vertices[enrichAt].Stalled = []int{stuck}
	offer(&j, d.between(0.3, 0.6), 1/float64(p), recordCost.Seconds())
	return planted{job: j, demands: []demand{d.source(), d.blames("enrich", analysis.Stalled, []int{stuck}), calm("sink")}}
}

// slowSink makes the sink of a pipeline take no more than room times what the
// busiest subtask of enrich could do, of which it gets the given share.
func slowSink(j *flinksim.Job, room, share float64) {
	sink := &j.Vertices[sinkAt]
	capacity := room / share / recordCost.Seconds()
	sink.Cost = time.Duration(math.Round(float64(sink.Parallelism) / capacity * 1e9))
}

func plantSlowSink(d *dice, p int) planted {
	d.full = true
	j := d.pipeline(p)
	j.Vertices[sinkAt].Parallelism = oneOf(d, p, max(1, p/4))
	offer(&j, d.load(), 1/float64(p), recordCost.Seconds())
	slowSink(&j, d.between(0.1, 0.4), 1/float64(p))
	return planted{job: j, demands: []demand{
		d.source(), healthy("enrich", analysis.Backpressured), d.blames("sink", analysis.UniformSaturation, nil),
	}}
}

func plantBalanced(d *dice, p int) planted {
	j := d.pipeline(p)
	s := &j.Vertices[sourceAt]
	offer(&j, d.between(0.1, 0.75), 1/float64(p), recordCost.Seconds())
	if d.IntN(3) == 0 {
		s.Parallelism, s.Sleeps = 1, true
		offer(&j, d.between(0.1, 0.75), 1/float64(p), recordCost.Seconds())
	}
	return planted{job: j, demands: []demand{calm("Source"), healthy("enrich", analysis.Balanced), calm("sink")}}
}

func plantQuiet(d *dice, p int) planted {
	j := d.pipeline(p)
	offer(&j, d.between(0.0005, 0.02), 1/float64(p), recordCost.Seconds())
	j.Vertices[sourceAt].Cost = 10 * time.Microsecond / time.Duration(p)
	quiet := []analysis.VerdictID{analysis.Quiet}
	return planted{job: j, demands: []demand{healthy("Source", quiet...), healthy("enrich", quiet...), healthy("sink", quiet...)}}
}

// plantRestarting fails the job again before it can be judged.
func plantRestarting(d *dice, p int) planted {
	j := d.pipeline(p)
	offer(&j, d.load(), 1/float64(p), recordCost.Seconds())
	j.RestartEvery = time.Duration(d.between(12, 19) * float64(time.Second))
	none := []analysis.VerdictID{analysis.NotEnoughData}
	return planted{job: j, demands: []demand{healthy("Source", none...), healthy("enrich", none...), healthy("sink", none...)}}
}
