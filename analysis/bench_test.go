package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// syntheticSnapshot is a cluster of jobs of ten keyed vertices, all of them
// active, after so many polls of 15 s.
func syntheticSnapshot(jobs, parallelism, poll int) Snapshot {
	at := time.Unix(1_800_000_000, 0).Add(time.Duration(poll) * 15 * time.Second)
	s := Snapshot{At: at, Cluster: "bench", Jobs: make([]Job, jobs)}
	rng := rand.New(rand.NewPCG(1, uint64(poll)))
	t := float64(poll+10) * 15000
	for j := range s.Jobs {
		job := Job{ID: fmt.Sprintf("%032x", j), Name: "job", State: Running, RunningSince: time.Unix(1_700_000_000, 0), Vertices: make([]Vertex, 10)}
		for k := range job.Vertices {
			v := Vertex{
				ID: fmt.Sprintf("%032x", k), Name: "vertex", Parallelism: parallelism, MaxParallelism: Of(128),
				Status: Running, Detail: DetailFresh, Subtasks: make([]Subtask, parallelism),
			}
			if k > 0 {
				v.Inputs = []Input{{From: fmt.Sprintf("%032x", k-1), Ship: ShipHash}}
			}
			for i := range v.Subtasks {
				busy := 0.3 + 0.2*rng.Float64()
				v.Subtasks[i] = Subtask{
					Index: int32(i), State: Running, TaskManager: "tm", RunningMs: Of(t), AgeMs: Of(t),
					Counters: Counters{
						BusyMs: Of(t * busy), BackPressuredMs: Of(0), IdleMs: Of(t * (1 - busy)),
						RecordsIn: Of(t), RecordsOut: Of(t), BytesIn: Of(t * 100),
					},
				}
			}
			job.Vertices[k] = v
		}
		s.Jobs[j] = job
	}
	return s
}

// BenchmarkAnalyze reports the cost of one poll a subtask, all vertices active.
func BenchmarkAnalyze(b *testing.B) {
	for _, jobs := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("subtasks=%d", jobs*1000), func(b *testing.B) {
			c := Defaults()
			state, _ := Analyze(State{}, syntheticSnapshot(jobs, 100, 0), c)
			next := syntheticSnapshot(jobs, 100, 1)
			b.ReportAllocs()
			for b.Loop() {
				Analyze(state, next, c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(jobs*1000), "ns/subtask")
		})
	}
}
