package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// syntheticSnapshot is a cluster of jobs of ten keyed vertices, all of them
// active, after so many polls of 15 s.
func syntheticSnapshot(jobs, parallelism, poll int) Snapshot {
	at := time.Unix(1_800_000_000, 0).Add(time.Duration(poll) * 15 * time.Second)
	s := Snapshot{At: at, Cluster: "bench", Jobs: make([]Job, jobs)}
	rng := rand.New(rand.NewPCG(1, 2)) // The same rates in every poll.
	t := float64(poll+10) * 15000
	for j := range s.Jobs {
		job := Job{ID: fmt.Sprintf("%032x", j), Name: "job", State: Running, RunningSince: time.Unix(1_700_000_000, 0), Vertices: make([]Vertex, 10)}
		for k := range job.Vertices {
			v := Vertex{
				ID: fmt.Sprintf("%032x", k), Name: "vertex", Parallelism: parallelism, MaxParallelism: Of(4000),
				Status: Running, Detail: DetailFresh, Subtasks: make([]Subtask, parallelism),
			}
			if k > 0 {
				v.Inputs = []Input{{From: fmt.Sprintf("%032x", k-1), Ship: ShipHash}}
			}
			for i := range v.Subtasks {
				busy := math.Round(t * (0.4 + 0.1*rng.Float64())) // Flink counts whole milliseconds.
				v.Subtasks[i] = Subtask{
					Index: int32(i), State: Running, TaskManager: "tm", RunningMs: Of(t), AgeMs: Of(t),
					Counters: Counters{
						BusyMs: Of(busy), BackPressuredMs: Of(0), IdleMs: Of(t - busy),
						RecordsIn: Of(t + busy), RecordsOut: Of(t + busy), BytesIn: Of(t * 100),
					},
				}
			}
			job.Vertices[k] = v
		}
		s.Jobs[j] = job
	}
	return s
}

// cpuNanos is the process's CPU time so far, garbage collection included.
func cpuNanos(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// TestNoAllocationPerSubtask: a poll allocates for each vertex, however many
// subtasks it has.
func TestNoAllocationPerSubtask(t *testing.T) {
	c := Defaults()
	allocations := func(parallelism int) float64 {
		state, _ := Analyze(State{}, syntheticSnapshot(5, parallelism, 0), c)
		next := syntheticSnapshot(5, parallelism, 1)
		return testing.AllocsPerRun(10, func() { Analyze(state, next, c) })
	}
	if few, many := allocations(10), allocations(1000); many > few*1.1 {
		t.Errorf("%.0f allocations at parallelism 10, %.0f at 1000", few, many)
	}
}

// BenchmarkAnalyze reports the cost of one poll a subtask, all vertices active.
func BenchmarkAnalyze(b *testing.B) {
	for _, jobs := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("subtasks=%d", jobs*1000), func(b *testing.B) {
			c := Defaults()
			state, _ := Analyze(State{}, syntheticSnapshot(jobs, 100, 0), c)
			next := syntheticSnapshot(jobs, 100, 1)
			b.ReportAllocs()
			used := cpuNanos(b)
			for b.Loop() {
				Analyze(state, next, c)
			}
			b.ReportMetric((cpuNanos(b)-used)/float64(b.N)/float64(jobs*1000), "cpu-ns/subtask")
		})
	}
}
