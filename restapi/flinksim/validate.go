package flinksim

import (
	"fmt"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// withDefaults returns c with the zero values replaced that stand for defaults.
func (c Cluster) withDefaults() Cluster {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&c.MetricInterval, 10*time.Second)
	set(&c.MetricDelay, 300*time.Millisecond)
	set(&c.MetricForget, 5*time.Minute)
	c.Jobs = slices.Clone(c.Jobs) // the caller may change its own
	if c.SlotsPerTM == 0 {
		c.SlotsPerTM = 8
	}
	if c.Cores == 0 {
		c.Cores = 2
	}
	switch {
	case c.Noise == 0:
		c.Noise = 0.04
	case c.Noise < 0:
		c.Noise = 0
	}
	if c.TaskManagers == 0 {
		c.TaskManagers = max(3, (c.slotsNeeded()+c.SlotsPerTM-1)/c.SlotsPerTM)
	}
	return c
}

// slotsNeeded is the sum over jobs of the widest vertex, since the vertices of
// a job share slots.
func (c *Cluster) slotsNeeded() int {
	n := 0
	for i := range c.Jobs {
		n += c.Jobs[i].width() * max(1, c.Jobs[i].Copies)
	}
	return n
}

func (j *Job) width() int {
	w := 0
	for i := range j.Vertices {
		w = max(w, j.Vertices[i].Parallelism)
	}
	return w
}

// validate returns an error that names the first part that cannot be simulated.
func (c *Cluster) validate() error {
	if !slices.Contains(Versions(), c.Version) {
		return fmt.Errorf("flinksim: version %q is not one of %v", c.Version, Versions())
	}
	if c.Noise >= 0.5 {
		return fmt.Errorf("flinksim: noise %v must be below 0.5, else counters could fall", c.Noise)
	}
	for i := range c.Jobs {
		if err := c.Jobs[i].validate(); err != nil {
			return fmt.Errorf("flinksim: job %q: %w", c.Jobs[i].Name, err)
		}
	}
	return nil
}

func (j *Job) validate() error {
	if len(j.Vertices) == 0 {
		return fmt.Errorf("it has no vertices")
	}
	if p := j.Pulse; p.On < 0 || p.Off < 0 || p.On == 0 && p.Off > 0 {
		return fmt.Errorf("pulse %v on, %v off: both must be 0, or the first above it", p.On, p.Off)
	}
	seen := map[string]bool{}
	for i := range j.Vertices {
		v := &j.Vertices[i]
		if seen[v.Name] {
			return fmt.Errorf("vertex %q is there twice", v.Name)
		}
		if !keygroup.Valid(v.Parallelism, v.groups(v.Parallelism)) {
			return fmt.Errorf("vertex %q: parallelism %d of %d is impossible", v.Name, v.Parallelism, v.groups(v.Parallelism))
		}
		for _, in := range v.Inputs {
			if !seen[in.From] {
				return fmt.Errorf("vertex %q: input %q must be an earlier vertex", v.Name, in.From)
			}
		}
		if v.Cost < 0 || v.Rate < 0 {
			return fmt.Errorf("vertex %q: rate and cost must not be negative", v.Name)
		}
		if n := len(v.Keys.GroupWeights); n > 0 && n != v.groups(v.Parallelism) {
			return fmt.Errorf("vertex %q: %d weights for %d key groups", v.Name, n, v.groups(v.Parallelism))
		}
		seen[v.Name] = true
	}
	return nil
}

// groups is the number of key groups. p counts only where Flink derives it.
func (v *Vertex) groups(p int) int {
	if v.MaxParallelism > 0 {
		return v.MaxParallelism
	}
	if p < 1 {
		return 0
	}
	return keygroup.DefaultMax(v.Parallelism)
}

func (v *Vertex) source() bool { return len(v.Inputs) == 0 }

func (v *Vertex) kafka() bool { return len(v.Partitions) > 0 }

func (v *Vertex) keyed() bool {
	return slices.ContainsFunc(v.Inputs, func(in Input) bool { return in.Ship == Hash })
}

func (v *Vertex) recordBytes() float64 {
	if v.RecordBytes == 0 {
		return 25
	}
	return float64(v.RecordBytes)
}
