package analysis

import (
	"slices"
	"testing"
)

// slowScenes are two vertices; records of the first cost five times as much on tm-0.
func slowScenes() []scene {
	s := keyed(6, 126, []float64{1, .28, .26, 1, .25, .26}, even(6, 430))
	sink := chain("sink", "keyed", .2, 0)
	return []scene{pressedSource(), s, sink}
}

// withWorkers lists three TaskManagers, of which tm-0 collects garbage.
func withWorkers(s *Snapshot) {
	for i, gc := range []float64{.3, .01, .03} {
		s.TaskManagers = append(s.TaskManagers, TaskManager{
			ID: []string{"tm-0", "tm-1", "tm-2"}[i], Host: []string{"a", "b", ""}[i], Slots: Of(4), FreeSlots: Of(1), CPUCores: Of(2),
			CPUSeconds: Of(100 + 1.5*s.At.Sub(epoch).Seconds()), CPUAt: s.At, GCRatio: Of(gc),
		})
	}
}

// TestSlowWorker: the verdict names the worker and what sets it apart.
func TestSlowWorker(t *testing.T) {
	_, r := after(Defaults(), 4, withWorkers, slowScenes()...)
	v := find(t, r, "keyed").Verdict
	if v.ID != SlowTaskManager || len(v.Advice.Workers) != 1 {
		t.Fatalf("%s, %+v", v.ID, v.Advice.Workers)
	}
	w := v.Advice.Workers[0]
	// Two subtasks of the vertex, one of the sink, and the source's only one.
	if w.ID != "tm-0" || w.Host != "a" || !near(w.GCShare, .3, 1e-9) || !near(w.CPUUsed, 1.5, 1e-6) || !near(w.SlotsUsed, 3, 0) || !near(w.Tasks, 4, 0) {
		t.Errorf("%+v", w)
	}
	for name, want := range map[string]float64{
		"gc_share": .3, "gc_share_others": .02, "cpu_of_cores": .75, "cpu_of_cores_others": .75, "tasks_on_taskmanager": 4, "tasks_on_taskmanager_others": 2.5,
	} {
		if got := evidenceOf(t, v.Evidence, name).Value; !near(got, want, 1e-6) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if len(r.Workers) != 3 || r.Workers[1].Host != "b" || r.Workers[2].Tasks.Known() {
		t.Errorf("%+v", r.Workers)
	}
}

// TestUnknownWorker: what Flink does not tell is absent, the verdict the same.
func TestUnknownWorker(t *testing.T) {
	skipped := slowScenes()
	skipped[2].skipped = true
	_, r := after(Defaults(), 4, func(s *Snapshot) {
		for _, id := range []string{"tm-0", "tm-1"} {
			s.TaskManagers = append(s.TaskManagers, TaskManager{ID: id})
		}
	}, skipped...)
	v := find(t, r, "keyed").Verdict
	if v.ID != SlowTaskManager || len(v.Advice.Workers) != 1 {
		t.Fatalf("%s, %+v", v.ID, v.Advice.Workers)
	}
	if w := v.Advice.Workers[0]; w.GCShare.Known() || w.CPUUsed.Known() || w.SlotsUsed.Known() || w.Tasks.Known() {
		t.Errorf("made up: %+v", w)
	}
	if slices.ContainsFunc(v.Evidence, func(m Measure) bool { return m.Name == "gc_share" || m.Name == "tasks_on_taskmanager" }) {
		t.Errorf("made up: %+v", v.Evidence)
	}
	_, r = history(Defaults(), 4, slowScenes()...)
	if v = find(t, r, "keyed").Verdict; v.ID != SlowTaskManager || len(v.Advice.Workers) != 0 || r.Workers != nil {
		t.Errorf("%s, %+v", v.ID, v.Advice.Workers)
	}
}

// TestWaitingWorkers: a vertex that waits names the workers it waits on.
func TestWaitingWorkers(t *testing.T) {
	_, r := after(Defaults(), 4, func(s *Snapshot) {
		withWorkers(s)
		for i := range s.TaskManagers {
			s.TaskManagers[i].CPUSeconds = Of(100 + .1*s.At.Sub(epoch).Seconds())
		}
	}, pressedSource(), keyed(2, 128, even(2, 1), even(2, 300)))
	v := find(t, r, "keyed")
	f := v.Finding(Waiting)
	if f == nil || len(f.Advice.Workers) != 2 || f.Advice.Workers[1].Host != "b" {
		t.Fatalf("%+v", f)
	}
	if got := evidenceOf(t, f.Evidence, "gc_share").Value; !near(got, .155, 1e-9) {
		t.Errorf("mean share of garbage collection %v", got)
	}
}

// TestIndivisible: what other parallelisms leave of few keys and of dear records.
func TestIndivisible(t *testing.T) {
	few := judged(t, "keyed", pressedSource(), keyed(8, 128, []float64{0, .5, 0, 1, 0, .5, .5, 0}, []float64{0, 450, 0, 900, 0, 450, 450, 0})).Verdict
	if few.ID != FewKeys || !near(few.Advice.Floor, .5, .01) || len(few.Advice.Steps) < 3 {
		t.Fatalf("%s, floor %v, steps %+v", few.ID, few.Advice.Floor, few.Advice.Steps)
	}
	blurred := judged(t, "keyed", pressedSource(), keyed(8, 128, []float64{0, .5, 0, 1, 0, .7, .6, 0}, []float64{0, 450, 0, 900, 0, 650, 560, 0})).Verdict
	if blurred.ID != FewKeys || blurred.Advice.Floor.Known() || blurred.Advice.Steps != nil {
		t.Errorf("of keys that are not alike %s, floor %v, steps %+v", blurred.ID, blurred.Advice.Floor, blurred.Advice.Steps)
	}
	s := keyed(5, 128, with(even(5, .2), 1, .8), even(5, 640))
	s.description = "[4]:GroupAggregate(groupBy=[c], select=[c])"
	dear := judged(t, "keyed", roomySource(), s).Verdict
	if dear.ID != CostlyRecords || !near(dear.Advice.Floor, .6, .01) || dear.Advice.Key != "groupBy=[c]" {
		t.Fatalf("%s, floor %v, key %q", dear.ID, dear.Advice.Floor, dear.Advice.Key)
	}
	for _, step := range dear.Advice.Steps {
		if step.BusiestLoad.Or(0) < .6-1e-6 || step.BusiestHigh.Or(0) < step.BusiestLoad.Or(0) {
			t.Errorf("%+v is below what stays together", step)
		}
	}
}
