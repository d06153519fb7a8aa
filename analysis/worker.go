package analysis

import (
	"math"
	"slices"
)

// Worker is what is known of one TaskManager, for whoever has to look at it.
type Worker struct {
	// ID is Flink's resource id; never a metric label.
	ID string `json:"id"`
	// Host is the machine without the port, empty when unknown.
	Host string `json:"host,omitempty"`
	// CPUCores is the number of processors that the process sees, CPUUsed how
	// many of them it kept busy over the weighed windows.
	CPUCores Num `json:"cpu_cores"`
	CPUUsed  Num `json:"cpu_used"`
	// GCShare is the share of time in garbage collection, 0–1, in the newest
	// poll; Flink tells it from 1.17 on.
	GCShare Num `json:"gc_share"`
	// Slots and SlotsUsed are its task slots and those that run something.
	Slots     Num `json:"slots"`
	SlotsUsed Num `json:"slots_used"`
	// Tasks is how many subtasks of all jobs it runs; absent unless those of
	// every vertex were read.
	Tasks Num `json:"tasks"`
}

// mostWorkers bounds how many TaskManagers an advice names.
const mostWorkers = 8

// workers describes the TaskManagers of the snapshot, in its order.
func (a *analyzer) workers() []Worker {
	all := make([]Worker, 0, len(a.snapshot.TaskManagers))
	for _, tm := range a.snapshot.TaskManagers {
		w := Worker{ID: tm.ID, Host: tm.Host, CPUCores: tm.CPUCores, CPUUsed: a.hosts[tm.ID].cpu(), GCShare: tm.GCRatio, Slots: tm.Slots}
		if slots, ok := tm.Slots.Get(); ok {
			w.SlotsUsed = tm.FreeSlots.Map(func(free float64) float64 { return slots - free })
		}
		all = append(all, w)
	}
	return all
}

// countTasks adds to the workers how many subtasks each runs. It is asked only
// where a TaskManager is in doubt, as it looks at every subtask.
func countTasks(all []Worker, s *Snapshot) {
	on := make(map[string]int, len(all))
	for i := range s.Jobs {
		for j := range s.Jobs[i].Vertices {
			v := &s.Jobs[i].Vertices[j]
			if v.Detail != DetailFresh {
				return
			}
			for k := range v.Subtasks {
				if t := &v.Subtasks[k]; t.State == Running {
					on[t.TaskManager]++
				}
			}
		}
	}
	for i := range all {
		all[i].Tasks = OfInt(on[all[i].ID])
	}
}

// suspects are the workers of the given ids, at most mostWorkers of them, and
// the measures by which they differ from the others: each the mean of the
// suspects against the mean of the rest, absent where nothing is known.
func (a *analyzer) suspects(ids []string) ([]Worker, []Measure) {
	if a.counted == nil {
		a.counted = a.workers()
		countTasks(a.counted, a.snapshot)
	}
	var in, rest []Worker
	for _, w := range a.counted {
		if slices.Contains(ids, w.ID) {
			in = append(in, w)
		} else {
			rest = append(rest, w)
		}
	}
	var ms []Measure
	for _, m := range []struct {
		name string
		unit Unit
		of   func(Worker) Num
	}{
		{"gc_share", UnitRatio, func(w Worker) Num { return w.GCShare }},
		{"cpu_of_cores", UnitRatio, func(w Worker) Num { return ratio(w.CPUUsed, w.CPUCores) }},
		{"tasks_on_taskmanager", UnitSubtasks, func(w Worker) Num { return w.Tasks }},
	} {
		if mean := meanWorker(in, m.of); !math.IsNaN(mean) {
			ms = append(ms, measureOf(m.name, mean, m.unit), measureOf(m.name+"_others", meanWorker(rest, m.of), m.unit))
		}
	}
	return in[:min(len(in), mostWorkers)], ms
}

// meanWorker is the mean of what is known of the workers, NaN when nothing is.
func meanWorker(ws []Worker, of func(Worker) Num) float64 {
	sum, n := 0.0, 0.0
	for _, w := range ws {
		if v, ok := of(w).Get(); ok {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}
