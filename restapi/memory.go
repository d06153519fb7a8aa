package restapi

import (
	"hash/fnv"
	"math"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// every is the rhythm, in polls, in which what seems to stand still is looked
// at again: details of quiet vertices, checkpoints of jobs that make none,
// partition names that a source does not have yet.
const every = 10

const (
	// calmWindows is after how many quiet windows in a row a vertex is skipped.
	calmWindows = 2
	// minAccounted is the share of the subtasks' time that the totals must
	// account for to be believed.
	minAccounted = 0.5
)

// jobMemory is what is remembered of a job from poll to poll. It is dropped
// when the JobManager no longer lists the job, and begun anew when the job
// enters RUNNING again.
type jobMemory struct {
	// running is the RUNNING timestamp that the memory is of.
	running analysis.Num
	// seen is the last poll that listed the job.
	seen int
	// primed says that the metric cache was given its time once.
	primed   bool
	vertices map[string]*vertexMemory

	// checkpoints is the last answer; noCheckpoints counts the polls since
	// when it has shown none at all.
	checkpoints   checkpointList
	noCheckpoints int
}

// recall returns the memory of a job's present run.
func (c *Client) recall(job string, running analysis.Num) *jobMemory {
	m := c.jobs[job]
	if m == nil || m.running != running {
		m = &jobMemory{running: running, vertices: map[string]*vertexMemory{}}
		c.jobs[job] = m
	}
	m.seen = c.polls
	return m
}

// keep notes that this poll's list holds the job.
func (c *Client) keep(job string) {
	if m := c.jobs[job]; m != nil {
		m.seen = c.polls
	}
}

// forget drops the jobs that this poll's list did not hold.
func (c *Client) forget() {
	for id, m := range c.jobs {
		if m.seen != c.polls {
			delete(c.jobs, id)
		}
	}
}

// vertexMemory is what is remembered of a vertex during one run of its job.
type vertexMemory struct {
	parallelism int
	// totals is the baseline and atMs the JobManager's time when they were
	// first read with these values.
	totals analysis.Counters
	atMs   float64
	known  bool
	// calm counts the successive windows below the activity floor.
	calm int
	// read says that the details were had at least once.
	read bool
	// phase spreads the vertices' regular refreshes over the polls.
	phase int
	// checkpoint is the newest checkpoint whose details are cached.
	checkpoint int64
	// nameReads counts how often partition names were asked for, nextNames is
	// the poll from which on they may be again.
	nameReads, nextNames int

	// watermarks and backlog are the newest that were read, the latter at
	// backlogAt; each of the turns is the last poll in which it was asked for
	// them, at first the one before it was first seen.
	watermarks                  *analysis.VertexWatermarks
	backlog                     analysis.Num
	backlogAt                   time.Time
	watermarksTurn, backlogTurn int
}

// recallVertex returns the memory of a vertex at its present parallelism.
func (m *jobMemory) recallVertex(v *analysis.Vertex) *vertexMemory {
	vm := m.vertices[v.ID]
	if vm == nil || vm.parallelism != v.Parallelism {
		h := fnv.New32a()
		h.Write([]byte(v.ID))
		vm = &vertexMemory{
			parallelism: v.Parallelism, phase: int(h.Sum32() % every),
			watermarksTurn: m.seen - 1, backlogTurn: m.seen - 1,
		}
		m.vertices[v.ID] = vm
	}
	return vm
}

// skip reports whether the vertex's details may be left out in this poll,
// because all its subtasks together were busy or back-pressured for less than
// floor seconds per second: none of them can then be above it. Unknown totals
// are never quiet.
func (vm *vertexMemory) skip(v *analysis.Vertex, nowMs, floor float64, poll int) bool {
	quiet := floor > 0 && vm.judge(v, nowMs, floor)
	return quiet && vm.read && (poll+vm.phase)%every != 0
}

// judge compares the totals with the last different ones.
func (vm *vertexMemory) judge(v *analysis.Vertex, nowMs, floor float64) bool {
	load, all, ok := times(v.Totals)
	if !ok {
		vm.known, vm.calm = false, 0
		return false
	}
	if !vm.known {
		vm.totals, vm.atMs, vm.known, vm.calm = v.Totals, nowMs, true, 0
		return false
	}
	if v.Totals == vm.totals {
		// Flink's metric cache has not been refreshed since, which says
		// nothing about the load; only ended subtasks truly stand still.
		return vm.calm >= calmWindows || v.Status == "FINISHED"
	}
	loadBefore, allBefore, _ := times(vm.totals)
	elapsed := nowMs - vm.atMs
	vm.totals, vm.atMs = v.Totals, nowMs
	if belowFloor(math.Abs(load-loadBefore), all-allBefore, elapsed, floor, float64(v.Parallelism)) {
		vm.calm++
	} else {
		vm.calm = 0
	}
	return vm.calm >= calmWindows
}

// belowFloor judges one window. Flink adds up the totals while it refreshes
// them, so that some of the subtasks, or only the idle times, may be of this
// refresh and the rest of the one before: the load is held against the clock
// and against the time that the totals account for, which must be most of it.
// load is what it changed by, up or down: a fall by a few milliseconds is
// rounding, a larger one a reset, after which nothing is known.
func belowFloor(load, accounted, elapsed, floor, parallelism float64) bool {
	return elapsed > 0 && accounted >= minAccounted*parallelism*elapsed &&
		load < floor*elapsed && load*parallelism < floor*accounted
}

// times returns the milliseconds not idle and those accounted for in all,
// summed over a vertex.
func times(t analysis.Counters) (load, all float64, ok bool) {
	busy, okBusy := t.BusyMs.Get()
	waiting, okWaiting := t.BackPressuredMs.Get()
	idle, okIdle := t.IdleMs.Get()
	return busy + waiting, busy + waiting + idle, okBusy && okWaiting && okIdle
}
