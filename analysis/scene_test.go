package analysis

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

var unknown = math.NaN()

// epoch is when the first poll of every scene is.
var epoch = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// scene is a vertex as a test describes it: per subtask, rates that stay the
// same over all windows. Missing slices mean zero, NaN means not given.
type scene struct {
	id, name       string
	p, m           int // m 0: unknown
	ship           ShipStrategy
	from           string // id of the upstream vertex; none: a source
	busy, pressed  []float64
	in, out        []float64
	taskManagers   []string
	partitions     []float64
	description    string
	gauges         bool // no accumulated times, as before Flink 1.17
	skipped        bool
	checkpointSize []float64
	// had is how many records each subtask had in before all that.
	had []float64
	// unseen are subtasks that Flink gives no answer for.
	unseen []int
}

// even returns n times v.
func even(n int, v float64) []float64 {
	vs := make([]float64, n)
	for i := range vs {
		vs[i] = v
	}
	return vs
}

// with returns vs with the value at i replaced.
func with(vs []float64, i int, v float64) []float64 {
	c := append([]float64(nil), vs...)
	c[i] = v
	return c
}

func pick(vs []float64, i int) float64 {
	if i < len(vs) {
		return vs[i]
	}
	return 0
}

// vertex renders the scene as Flink would answer after so many seconds of an
// attempt that has run since ten minutes before.
func (s scene) vertex(seconds float64) Vertex {
	t := 600 + seconds
	v := Vertex{ID: s.id, Name: s.name, Description: s.description, Parallelism: s.p, Status: Running, Detail: DetailFresh}
	if s.m > 0 {
		v.MaxParallelism = OfInt(s.m)
	}
	if s.from != "" {
		v.Inputs = []Input{{From: s.from, Ship: s.ship}}
	}
	if s.skipped {
		v.Detail = DetailSkipped
		return v
	}
	for i := range s.p {
		busy, pressed := pick(s.busy, i), pick(s.pressed, i)
		sub := Subtask{
			Index: int32(i), State: Running, TaskManager: fmt.Sprintf("tm-%d", i%3),
			RunningMs: Of(t * 1000), AgeMs: Of(t * 1000),
			Counters: Counters{
				BusyMs: Of(busy * t * 1000), BackPressuredMs: Of(pressed * t * 1000),
				IdleMs:    Of((1 - busy - pressed) * t * 1000),
				RecordsIn: Of(math.Floor(pick(s.had, i) + pick(s.in, i)*t)), RecordsOut: Of(math.Floor(pick(s.out, i) * t)),
				BytesIn: Of(pick(s.in, i) * t * 100),
			},
		}
		if math.IsNaN(busy) {
			sub.IdleMs = Of((1 - pressed) * t * 1000)
		}
		if s.gauges {
			sub.BusyMs, sub.BackPressuredMs, sub.IdleMs = Num{}, Num{}, Num{}
			sub.Gauges = &Ratios{Busy: Of(busy), BackPressured: Of(pressed), Idle: Of(1 - busy - pressed)}
		}
		if s.taskManagers != nil {
			sub.TaskManager = s.taskManagers[i]
		}
		if s.partitions != nil {
			sub.Partitions = Of(s.partitions[i])
			v.Partitions = Of(v.Partitions.Or(0) + s.partitions[i])
		}
		if !slices.Contains(s.unseen, i) {
			v.Subtasks = append(v.Subtasks, sub)
		}
	}
	if s.checkpointSize != nil {
		v.Checkpoint = &VertexCheckpoint{ID: 7}
		for i, b := range s.checkpointSize {
			v.Checkpoint.Subtasks = append(v.Checkpoint.Subtasks, SubtaskCheckpoint{Index: int32(i), StateBytes: Of(b), DeltaBytes: Of(1), EndToEndMs: Of(500)})
		}
	}
	return v
}

// poll is the snapshot of the scenes, as one job, so many 15-second polls
// after the first.
func poll(n int, scenes ...scene) Snapshot {
	return snapshotAt(float64(n)*15, scenes...)
}

// snapshotAt is the same so many seconds after the first poll.
func snapshotAt(seconds float64, scenes ...scene) Snapshot {
	s := Snapshot{At: epoch.Add(time.Duration(seconds * float64(time.Second))), Cluster: "test", JobStates: map[string]int{Running: 1}}
	job := Job{ID: "job", Name: "orders", State: Running, RunningSince: epoch.Add(-10 * time.Minute)}
	for _, sc := range scenes {
		job.Vertices = append(job.Vertices, sc.vertex(seconds))
	}
	s.Jobs = []Job{job}
	return s
}

// history analyses so many polls of unchanging scenes.
func history(c Config, polls int, scenes ...scene) (State, Result) {
	var state State
	var r Result
	for n := range polls {
		state, r = Analyze(state, poll(n, scenes...), c)
	}
	return state, r
}

// judged returns the result of the vertex after four polls.
func judged(t *testing.T, id string, scenes ...scene) VertexResult {
	t.Helper()
	_, r := history(Defaults(), 4, scenes...)
	return find(t, r, id)
}

func find(t *testing.T, r Result, id string) VertexResult {
	t.Helper()
	for _, j := range r.Jobs {
		for _, v := range j.Vertices {
			if v.ID == id {
				return v
			}
		}
	}
	t.Fatalf("no vertex %s", id)
	return VertexResult{}
}

// pressedSource is a source that waits for its output nearly always.
func pressedSource() scene {
	return scene{id: "source", name: "Source: orders", p: 1, m: 128, busy: []float64{0.01}, pressed: []float64{0.99}, out: []float64{1000}}
}

// roomySource is a source that has nothing to wait for.
func roomySource() scene {
	return scene{id: "source", name: "Source: orders", p: 1, m: 128, busy: []float64{0.3}, out: []float64{1000}}
}

// keyed is a vertex behind a HASH exchange.
func keyed(p, m int, busy, in []float64) scene {
	return scene{id: "keyed", name: "count", p: p, m: m, from: "source", ship: ShipHash, busy: busy, in: in, out: in}
}
