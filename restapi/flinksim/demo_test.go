package flinksim

import (
	"strings"
	"testing"
	"time"
)

// TestDemo: one job for each verdict of the closed set, which is written out
// here since the simulator does not import the analysis; every expectation
// names a vertex that is there, and every cluster can be simulated.
func TestDemo(t *testing.T) {
	for _, p := range []int{1, 8, 100, 2000} {
		wanted := map[string]bool{}
		for _, v := range []string{
			"not_enough_data", "quiet", "balanced", "hot_key", "few_keys", "key_group_layout", "partition_layout", "idle_readers",
			"hot_partition", "slow_taskmanager", "costly_records", "uneven_input", "uniform_saturation", "stalled", "backpressured",
		} {
			wanted[v] = true
		}
		names := map[string]bool{}
		for _, c := range Demo(p) {
			start(t, c)
			for _, j := range c.Jobs {
				if names[j.Name] || len(j.Expect) == 0 {
					t.Errorf("p %d: job %q is there twice or expects nothing", p, j.Name)
				}
				names[j.Name] = true
				about := strings.ReplaceAll(strings.TrimPrefix(j.Name, "demo-"), "-", "_")
				shown := false
				for part, verdict := range j.Expect {
					shown = shown || verdict == about
					if !wanted[verdict] || !hasVertex(&j, part) {
						t.Errorf("p %d: %s expects %s of %q", p, j.Name, verdict, part)
					}
				}
				if !shown {
					t.Errorf("p %d: no vertex of %s shows it", p, j.Name)
				}
			}
		}
		for verdict := range wanted {
			if !names["demo-"+strings.ReplaceAll(verdict, "_", "-")] {
				t.Errorf("p %d: no job shows %s", p, verdict)
			}
		}
	}
}

func hasVertex(j *Job, part string) bool {
	for i := range j.Vertices {
		if strings.Contains(j.Vertices[i].Name, part) {
			return true
		}
	}
	return false
}

// TestInvalid: what cannot be simulated is named.
func TestInvalid(t *testing.T) {
	vertex := func(change func(*Vertex)) Cluster {
		c := plainCluster()
		change(&c.Jobs[0].Vertices[1])
		return c
	}
	unknown := plainCluster()
	unknown.Version = "9.9"
	noisy := plainCluster()
	noisy.Noise = 0.5
	event := plainCluster()
	event.Jobs[0].Events = []Event{{Kind: RescaleTo, Parallelism: map[string]int{"nobody": 2}}}
	pulse := plainCluster()
	pulse.Jobs[0].Pulse.Off = time.Second
	for want, c := range map[string]Cluster{
		"pulse 0s on, 1s off":  pulse,
		`version "9.9"`:        unknown,
		"noise 0.5":            noisy,
		`no vertex "nobody"`:   event,
		"it has no vertices":   {Version: "2.3.0", Jobs: []Job{{Name: "bare"}}},
		"parallelism 4 of 3":   vertex(func(v *Vertex) { v.MaxParallelism = 3 }),
		"must be an earlier":   vertex(func(v *Vertex) { v.Inputs[0].From = "later" }),
		"is there twice":       vertex(func(v *Vertex) { v.Name = sourceName }),
		"must not be negative": vertex(func(v *Vertex) { v.Cost = -1 }),
		"2 weights for 64":     vertex(func(v *Vertex) { v.Keys.GroupWeights = []float64{1, 2} }),
	} {
		if _, err := New(c, start(t, plainCluster()).Sim.now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
