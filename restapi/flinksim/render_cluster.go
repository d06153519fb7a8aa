package flinksim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// cluster answers /overview and /config.
func (q *request) cluster() (answer, bool) {
	feat, c := &q.sim.env.feat, &q.sim.env.cluster
	var e enc
	e.obj()
	if q.path[0] == "config" {
		e.kInts(3000, "refresh-interval")
		e.kStr("timezone-name", "Coordinated Universal Time")
		e.kInts(0, "timezone-offset")
		e.kStr("flink-version", c.Version)
		e.kStr("flink-revision", feat.commit+" @ 2025-01-01T00:00:00+00:00")
		e.keyObj("features")
		e.kBool("web-submit", true)
		e.kBool("web-cancel", true)
		if feat.webRescale {
			e.kBool("web-rescale", false)
		}
		if feat.webHistory {
			e.kBool("web-history", false)
		}
		e.end()
		e.end()
		return ok(e.b), true
	}
	counts := map[string]int{}
	for _, en := range q.sim.order {
		_, l := en.at(q.t)
		switch l.state {
		case canceled, finished, failed:
			counts[l.state]++
		case vanished:
		default:
			counts[running]++
		}
	}
	total := c.TaskManagers * c.SlotsPerTM
	e.kInt("taskmanagers", int64(c.TaskManagers))
	e.kInt("slots-total", int64(total))
	e.kInt("slots-available", int64(max(0, total-q.usedSlots())))
	e.kInt("jobs-running", int64(counts[running]))
	e.kInt("jobs-finished", int64(counts[finished]))
	e.kInt("jobs-cancelled", int64(counts[canceled]))
	e.kInt("jobs-failed", int64(counts[failed]))
	e.kStr("flink-version", c.Version)
	e.kStr("flink-commit", feat.commit)
	e.end()
	return ok(e.b), true
}

// usedSlots is the sum over live jobs of the widest vertex.
func (q *request) usedSlots() int {
	n := 0
	for _, en := range q.sim.order {
		if _, l := en.at(q.t); l.state == running || l.state == restarting {
			n += slices.Max(l.run.par)
		}
	}
	return n
}

// configuration is what the cluster was started with.
func (s *Sim) configuration() []byte {
	var e enc
	e.arr()
	for _, kv := range [][2]string{
		{"rest.port", "8081"},
		{"rest.flamegraph.enabled", "false"},
		{"jobmanager.rpc.address", "jobmanager"},
		{"jobmanager.memory.process.size", "1600m"},
		{"taskmanager.memory.process.size", "1728m"},
		{"taskmanager.numberOfTaskSlots", strconv.Itoa(s.env.cluster.SlotsPerTM)},
		{"cluster.evenly-spread-out-slots", "true"},
		{"state.checkpoints.dir", "file:///checkpoints"},
	} {
		e.obj()
		e.kStr("key", kv[0])
		e.kStr("value", kv[1])
		e.end()
	}
	e.endArr()
	return e.b
}

func (q *request) jobManager() (answer, bool) {
	switch {
	case len(q.path) != 2:
		return answer{}, false
	case q.path[1] == "config":
		return ok(q.sim.configuration()), true
	case q.path[1] == "metrics":
		return ok(metricList(nil, q.query)), true
	}
	return answer{}, false
}

// taskManagers answers /taskmanagers and everything below.
func (q *request) taskManagers() (answer, bool) {
	var e enc
	if len(q.path) == 1 {
		used := q.usedSlots()
		e.obj()
		e.keyArr("taskmanagers")
		for k := range q.sim.env.tms {
			q.taskManager(&e, k, used)
			e.end()
		}
		e.endArr()
		e.end()
		return ok(e.b), true
	}
	k := -1
	for n := range q.sim.env.tms {
		if q.sim.env.tms[n].id == q.path[1] {
			k = n
		}
	}
	if k < 0 {
		return failure(http.StatusNotFound, "org.apache.flink.runtime.rest.NotFoundException: Could not find TaskExecutor "+q.path[1]+"."), true
	}
	switch {
	case len(q.path) == 2:
		q.taskManagerDetails(&e, k)
		return ok(e.b), true
	case len(q.path) == 3 && q.path[2] == "metrics":
		return ok(metricList(q.taskManagerMetrics(k), q.query)), true
	}
	return answer{}, false
}

// slotsOn is how many of used slots are on worker k when spread evenly.
func (q *request) slotsOn(k, used int) int {
	n := len(q.sim.env.tms)
	on := used / n
	if k < used%n {
		on++
	}
	return min(on, q.sim.env.cluster.SlotsPerTM)
}

// taskManager begins a worker's object; the caller ends it.
func (q *request) taskManager(e *enc, k, used int) {
	c, tm := &q.sim.env.cluster, &q.sim.env.tms[k]
	free := c.SlotsPerTM - q.slotsOn(k, used)
	scheme := "pekko"
	if q.sim.env.feat.akka {
		scheme = "akka"
	}
	e.obj()
	e.kStr("id", tm.id)
	e.kStr("path", fmt.Sprintf("%s.tcp://flink@%s:%d/user/rpc/taskmanager_0", scheme, tm.host, tm.port-1))
	e.kInt("dataPort", int64(tm.port))
	e.kInts(-1, "jmxPort")
	e.kInt("timeSinceLastHeartbeat", q.t.UnixMilli()-1500)
	e.kInt("slotsNumber", int64(c.SlotsPerTM))
	e.kInt("freeSlots", int64(free))
	if q.sim.env.feat.two {
		// Two tasks a slot is near enough for what nobody decides by.
		e.kInt("assignedTasks", int64((c.SlotsPerTM-free)*2))
	}
	e.key("totalResource")
	resource(e, 1)
	e.key("freeResource")
	resource(e, float64(free)/float64(c.SlotsPerTM))
	e.keyObj("hardware")
	e.kInt("cpuCores", int64(c.Cores))
	e.kInts(25_276_063_744, "physicalMemory")
	e.kInts(314_572_800, "freeMemory")
	e.kInts(134_217_728, "managedMemory")
	e.end()
	e.keyObj("memoryConfiguration")
	e.kInts(104_857_600, "frameworkHeap", "frameworkOffHeap")
	e.kInts(209_715_200, "taskHeap", "jvmMetaspace")
	e.kInts(0, "taskOffHeap")
	e.kInts(67_108_864, "networkMemory")
	e.kInts(134_217_728, "managedMemory")
	e.kInts(201_326_592, "jvmOverhead")
	e.kInts(620_756_992, "totalFlinkMemory")
	e.kInts(1_031_798_784, "totalProcessMemory")
	e.end()
}

// resource writes a share of a worker's resources.
func resource(e *enc, share float64) {
	part := func(mib float64) int64 { return int64(mib * share) }
	e.obj()
	e.kDbl("cpuCores", share)
	e.kInt("taskHeapMemory", part(200))
	e.kInts(0, "taskOffHeapMemory")
	e.kInt("managedMemory", part(128))
	e.kInt("networkMemory", part(64))
	e.keyObj("extendedResources")
	e.end()
	e.end()
}

func (q *request) taskManagerDetails(e *enc, k int) {
	q.taskManager(e, k, q.usedSlots())
	slots := q.sim.env.cluster.SlotsPerTM
	e.keyArr("allocatedSlots")
	for _, en := range q.sim.order {
		state, l := en.at(q.t)
		if l.state != running {
			continue
		}
		for i := range slices.Max(l.run.par) {
			if state.worker(i) != k {
				continue
			}
			e.obj()
			e.kStr("jobId", en.id)
			e.key("resource")
			resource(e, 1/float64(slots))
			if q.sim.env.feat.two {
				e.kInt("assignedTasks", int64(len(l.run.par)))
			}
			e.end()
		}
	}
	e.endArr()
	e.keyObj("metrics")
	e.kInts(0, "heapUsed", "heapCommitted", "heapMax", "nonHeapUsed", "nonHeapCommitted", "nonHeapMax",
		"directCount", "directUsed", "directMax", "mappedCount", "mappedUsed", "mappedMax")
	if !q.sim.env.feat.two {
		e.kInts(0, "memorySegmentsAvailable", "memorySegmentsTotal")
	}
	e.kInts(0, "nettyShuffleMemorySegmentsAvailable", "nettyShuffleMemorySegmentsUsed", "nettyShuffleMemorySegmentsTotal",
		"nettyShuffleMemoryAvailable", "nettyShuffleMemoryUsed", "nettyShuffleMemoryTotal")
	e.keyArr("garbageCollectors")
	e.endArr()
	e.end()
	e.end()
}

// idleCPU is the processor seconds a second that a worker needs for itself.
const idleCPU = 0.02

// taskManagerMetrics are the process's; nil while the store is empty.
func (q *request) taskManagerMetrics(k int) map[string]string {
	asOf := q.sim.metrics(q.t)
	if asOf.IsZero() {
		return nil
	}
	c := &q.sim.env.cluster
	used, rate, slow := 0.0, idleCPU, false
	seen := map[*jobState]bool{}
	for _, en := range q.sim.order {
		state, l := en.at(q.t)
		if seen[state] || l.state == vanished {
			continue
		}
		seen[state] = true
		used += l.cpu[k]
		if l.state == running && asOf.After(l.run.from) {
			used += l.run.flow.cpu[k] * l.run.active(asOf.Sub(l.run.from)).Seconds()
			rate += l.run.flow.cpu[k]
		}
		for v := range state.spec.Vertices {
			s := state.spec.Vertices[v].SlowTaskManager
			slow = slow || s != nil && s.TaskManager == k
		}
	}
	used += idleCPU * (asOf.Sub(q.sim.env.begin) + c.Age).Seconds()
	values := map[string]string{
		"Status.JVM.CPU.Load":         javaDouble(min(1, rate/float64(c.Cores))),
		"Status.JVM.CPU.Time":         strconv.FormatInt(int64(used*100)*10_000_000, 10), // the kernel counts in 10 ms
		"Status.JVM.Memory.Heap.Used": strconv.FormatInt(40_000_000+int64(unit(mix(uint64(asOf.Unix()), uint64(k)))*2e7), 10),
	}
	if q.sim.env.feat.jobType {
		gc := 2.0
		if slow {
			gc = 160
		}
		values["Status.JVM.GarbageCollector.All.TimeMsPerSecond"] = javaDouble(gc)
	}
	return values
}
