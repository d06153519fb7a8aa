package flinksim

import (
	"slices"
	"time"
)

// Names of the demo's vertices: what real ones look like, awkward characters included.
const (
	sourceName = "Source: orders source -> parse"
	enrichName = "enrich & count: by(customer), v2.1"
	sinkName   = "format -> warehouse sink: Writer"
	topicName  = "Source: orders topic -> decode"
	readName   = "measure"
	lookupName = "call pricing: lookup"
)

// Demo returns clusters whose jobs have one trouble each, one job per verdict,
// at about the given parallelism (at least 8, at most 1024); each job's Expect
// says what is right for its vertices.
func Demo(parallelism int) []Cluster {
	p := min(max(parallelism, 8), 1024)
	session := Cluster{
		Name: "demo-session", Version: "2.3.0", Seed: 42,
		Jobs: []Job{
			hotKey(p), keyGroupLayout(), fewKeys(p), partitionLayout(), idleReaders(), hotPartition(p),
			costlyRecords(p), unevenInput(p), stalled(p), quiet(p),
		},
	}
	legacy := Cluster{
		Name: "demo-legacy", Version: "1.20.3", Seed: 43,
		Jobs: []Job{slowTaskManager(p), uniformSaturation(p), backpressured(p), balanced(p), notEnoughData(p)},
	}
	clusters := []Cluster{session, legacy}
	for i := range clusters {
		c := &clusters[i]
		c.Age = 10 * time.Minute
		// Few large workers, so that each has several subtasks of every job.
		c.TaskManagers = 4
		c.SlotsPerTM = (c.slotsNeeded() + 7) / 4
		c.Cores = c.SlotsPerTM
	}
	return clusters
}

// pipeline is source → HASH → enrich → REBALANCE → sink with room everywhere.
func pipeline(name string, p int) Job {
	return Job{
		Name: name, WatermarkDelay: 2 * time.Second,
		Vertices: []Vertex{
			{Name: sourceName, Parallelism: 1, Rate: 400 * float64(p), Cost: 20 * time.Microsecond / time.Duration(p), CPU: 0.9},
			{Name: enrichName, Parallelism: p, MaxParallelism: 16 * p, Inputs: []Input{{sourceName, Hash}}, Cost: time.Millisecond, CPU: 0.9, StateBytes: int64(p) << 20},
			{Name: sinkName, Parallelism: p, Inputs: []Input{{enrichName, Rebalance}}, Cost: 200 * time.Microsecond, CPU: 0.5},
		},
	}
}

// kafka is a topic read by readers → REBALANCE → measure.
func kafka(name string, readers int, partitions []float64) Job {
	return Job{
		Name: name, WatermarkDelay: 2 * time.Second,
		Vertices: []Vertex{
			{Name: topicName, Parallelism: readers, Topic: "orders", Partitions: partitions, Cost: 500 * time.Microsecond, CPU: 0.9},
			{Name: readName, Parallelism: 2, Inputs: []Input{{topicName, Rebalance}}, Cost: 20 * time.Microsecond, CPU: 0.9},
		},
	}
}

func even(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// loadFor returns the source rate at which the busiest subtask of an enrich
// vertex that gets share of the records is busy for load.
func loadFor(load, share float64, cost time.Duration) float64 { return load / share / cost.Seconds() }

func hotKey(p int) Job {
	j := pipeline("demo-hot-key", p)
	j.Vertices[1].Keys = Keys{HotShare: 0.6, HotHash: 42}
	j.Vertices[0].Rate = loadFor(2, 0.6, time.Millisecond)
	j.Vertices[1].MaxParallelism = 0
	j.Expect = map[string]string{"enrich": "hot_key", "Source": "backpressured"}
	return j
}

func keyGroupLayout() Job {
	j := pipeline("demo-key-group-layout", 10)
	j.Vertices[1].MaxParallelism, j.Vertices[1].CPU = 16, 0.02
	j.Vertices[0].Rate = loadFor(2, 2.0/16, time.Millisecond)
	j.Expect = map[string]string{"enrich": "key_group_layout", "Source": "backpressured"}
	return j
}

func fewKeys(p int) Job {
	j := pipeline("demo-few-keys", p)
	j.Vertices[1].MaxParallelism = 0
	j.Vertices[1].Keys = Keys{Distinct: p * 5 / 8}
	busiest := slices.Max(shares(&j.Vertices[1], Hash, p))
	j.Vertices[0].Rate = loadFor(0.75, busiest, time.Millisecond)
	j.Expect = map[string]string{"enrich": "few_keys"}
	return j
}

func partitionLayout() Job {
	j := kafka("demo-partition-layout", 3, even(5))
	j.Vertices[0].Rate = loadFor(0.7, 2.0/5, 500*time.Microsecond)
	j.Expect = map[string]string{"orders topic": "partition_layout"}
	return j
}

func idleReaders() Job {
	j := kafka("demo-idle-readers", 8, even(5))
	j.Vertices[0].Rate = loadFor(1.5, 1.0/5, 500*time.Microsecond)
	j.Expect = map[string]string{"orders topic": "idle_readers"}
	return j
}

func hotPartition(p int) Job {
	weights := even(p)
	weights[p/3] = 8
	j := kafka("demo-hot-partition", p, weights)
	j.Vertices[0].Rate = loadFor(0.85, 8/sum(weights), 500*time.Microsecond)
	j.Expect = map[string]string{"orders topic": "hot_partition"}
	return j
}

func slowTaskManager(p int) Job {
	j := pipeline("demo-slow-taskmanager", p)
	slow := &Slow{TaskManager: 1, Factor: 5}
	j.Vertices[1].SlowTaskManager, j.Vertices[2].SlowTaskManager = slow, slow
	j.Expect = map[string]string{"enrich": "slow_taskmanager", "Source": "backpressured"}
	return j
}

func costlyRecords(p int) Job {
	j := pipeline("demo-costly-records", p)
	j.Vertices[1].Costly = &Costly{Hash: 7, Factor: 6}
	j.Vertices[0].Rate = loadFor(1.3, 6/float64(p), time.Millisecond)
	j.Expect = map[string]string{"enrich": "costly_records", "Source": "backpressured"}
	return j
}

func unevenInput(p int) Job {
	j := pipeline("demo-uneven-input", p)
	j.Vertices[1].Inputs[0].Ship = Custom
	j.Vertices[1].InputShares = even(p)
	j.Vertices[1].InputShares[p/2] = 4
	j.Vertices[0].Rate = loadFor(0.7, 4/(float64(p)+3), time.Millisecond)
	j.Expect = map[string]string{"enrich": "uneven_input"}
	return j
}

func uniformSaturation(p int) Job {
	j := pipeline("demo-uniform-saturation", p)
	j.Vertices[0].Rate = loadFor(2, 1/float64(p), time.Millisecond)
	j.Vertices[1].CPU = 0.02
	j.Expect = map[string]string{"enrich": "uniform_saturation", "Source": "backpressured"}
	return j
}

// stalled has one call that never returns. With FORWARD it holds up its own
// reader alone, so that the others move.
func stalled(p int) Job {
	return Job{
		Name: "demo-stalled", WatermarkDelay: 2 * time.Second,
		Vertices: []Vertex{
			{Name: topicName, Parallelism: p, Topic: "orders", Partitions: even(p), Rate: 400 * float64(p), Cost: 50 * time.Microsecond, CPU: 0.9},
			{Name: lookupName, Parallelism: p, Inputs: []Input{{topicName, Forward}}, Cost: time.Millisecond, CPU: 0.02, Stalled: []int{1}},
			{Name: sinkName, Parallelism: p, Inputs: []Input{{lookupName, Rebalance}}, Cost: 200 * time.Microsecond, CPU: 0.5},
		},
		Expect: map[string]string{"call pricing": "stalled"},
	}
}

func backpressured(p int) Job {
	j := pipeline("demo-backpressured", p)
	j.Vertices[2].Parallelism, j.Vertices[2].Cost, j.Vertices[2].CPU = 2, 2*time.Millisecond, 0.02
	j.Expect = map[string]string{"enrich": "backpressured", "Source": "backpressured", "format": "uniform_saturation"}
	return j
}

func balanced(p int) Job {
	j := pipeline("demo-balanced", p)
	j.Expect = map[string]string{"enrich": "balanced", "format": "balanced"}
	return j
}

func quiet(p int) Job {
	j := pipeline("demo-quiet", p)
	j.Vertices[0].Rate = 0.4
	j.Expect = map[string]string{"Source": "quiet", "enrich": "quiet", "format": "quiet"}
	return j
}

// notEnoughData restarts before anything can be judged.
func notEnoughData(p int) Job {
	j := pipeline("demo-not-enough-data", p)
	j.RestartEvery = 18 * time.Second
	j.Expect = map[string]string{"Source": "not_enough_data", "enrich": "not_enough_data", "format": "not_enough_data"}
	return j
}
