package flinksim

import (
	"fmt"
	"time"
)

// loadVariants is how many different programs a load cluster runs; the jobs
// are copies of them.
const loadVariants = 8

// Load returns a cluster for load tests: so many jobs, each of so many
// vertices, all of the same parallelism. Copies share their rendered answers,
// so that a million subtasks (1000, 10, 100) cost tens of megabytes and the
// server is not what a benchmark measures.
func Load(jobs, vertices, parallelism int) Cluster {
	c := Cluster{
		Name: "load", Version: "2.3.0", Seed: 7, Age: 10 * time.Minute,
		// As many large workers as there would be machines, not one per eight slots.
		TaskManagers: 100, SlotsPerTM: max(1, (jobs*parallelism+99)/100), Cores: 16,
		GraphInterval: 3 * time.Second,
	}
	for v := range min(loadVariants, jobs) {
		j := loadJob(v, vertices, parallelism)
		j.Copies = (jobs + loadVariants - 1 - v) / loadVariants
		c.Jobs = append(c.Jobs, j)
	}
	return c
}

// loadJob is a chain of keyed stages behind a source; variants differ in what
// is wrong with one stage.
func loadJob(variant, vertices, p int) Job {
	j := Job{Name: fmt.Sprintf("load-%d", variant), WatermarkDelay: time.Second}
	rate := 500 * float64(p)
	j.Vertices = append(j.Vertices, Vertex{Name: sourceName, Parallelism: p, Rate: rate, Cost: 400 * time.Microsecond, CPU: 1})
	for v := 1; v < vertices; v++ {
		ship := Hash
		if v%3 == 0 {
			ship = Rebalance
		}
		j.Vertices = append(j.Vertices, Vertex{
			Name: fmt.Sprintf("stage %d: enrich & count", v), Parallelism: p,
			Inputs: []Input{{j.Vertices[v-1].Name, ship}},
			Cost:   time.Duration(600+50*((v+variant)%8)) * time.Microsecond, CPU: 1, StateBytes: int64(p) << 20,
		})
	}
	if len(j.Vertices) < 2 {
		return j
	}
	stage := &j.Vertices[1+variant%(len(j.Vertices)-1)]
	switch variant % 4 {
	case 1:
		stage.Keys = Keys{HotShare: 0.3, HotHash: int32(variant)}
	case 2:
		stage.Cost *= 4
	case 3:
		stage.SlowTaskManager = &Slow{TaskManager: 1, Factor: 3}
	}
	return j
}
