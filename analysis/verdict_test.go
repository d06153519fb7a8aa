package analysis

import (
	"fmt"
	"slices"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// byGroups returns a value a key group, times each subtask's groups.
func byGroups(p, m int, perGroup float64) []float64 {
	vs := make([]float64, p)
	for i := range vs {
		vs[i] = perGroup * float64(keygroup.Count(i, p, m))
	}
	return vs
}

// TestVerdicts holds each rule at and around its edges.
func TestVerdicts(t *testing.T) {
	hostsOf := func(p int) []string { // subtasks 0 and 3 share a worker, and so on
		hosts := make([]string, p)
		for i := range hosts {
			hosts[i] = fmt.Sprintf("tm-%d", i%3)
		}
		return hosts
	}
	cases := []struct {
		name     string
		scenes   []scene
		vertex   string
		want     VerdictID
		subtasks []int
		severity Severity
		helps    ScalingHelps
	}{
		{
			name:   "one key saturates a subtask and holds back the source",
			scenes: []scene{pressedSource(), keyed(5, 128, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1300))},
			want:   HotKey, subtasks: []int{1}, severity: SeverityCritical, helps: ScalingNo,
		},
		{
			name:   "a hot key with room left is worth knowing, no more",
			scenes: []scene{roomySource(), keyed(5, 128, with(even(5, .17), 1, .55), with(even(5, 150), 1, 918))},
			want:   HotKey, subtasks: []int{1}, severity: SeverityInfo, helps: ScalingNo,
		},
		{
			name:   "one of two subtasks: no score of deviations could tell",
			scenes: []scene{pressedSource(), keyed(2, 128, []float64{1, .3}, []float64{1000, 300})},
			want:   HotKey, subtasks: []int{0}, severity: SeverityCritical, helps: ScalingNo,
		},
		{
			name:   "99 subtasks at 100 records a second, one at 1000",
			scenes: []scene{roomySource(), keyed(100, 12800, with(even(100, .09), 40, .92), with(even(100, 100), 40, 1000))},
			want:   HotKey, subtasks: []int{40}, severity: SeverityWarning, helps: ScalingNo,
		},
		{
			name: "50 at 1, 50 at 2 is no hot key",
			scenes: []scene{roomySource(), keyed(100, 12800,
				append(even(50, .2), even(50, .4)...), append(even(50, 100), even(50, 200)...))},
			want: Balanced, helps: ScalingNA,
		},
		{
			name:   "1.9 times the others is below the edge",
			scenes: []scene{roomySource(), keyed(8, 128, with(even(8, .3), 2, .57), with(even(8, 100), 2, 190))},
			want:   Balanced, helps: ScalingNA,
		},
		{
			name:   "2.1 times the others is above it",
			scenes: []scene{roomySource(), keyed(8, 128, with(even(8, .3), 2, .63), with(even(8, 100), 2, 210))},
			want:   HotKey, subtasks: []int{2}, severity: SeverityInfo, helps: ScalingNo,
		},
		{
			name:   "more records without more load is no proof",
			scenes: []scene{roomySource(), keyed(5, 128, even(5, .3), with(even(5, 100), 1, 900))},
			want:   Balanced, helps: ScalingNA,
		},
		{
			name:   "the others have no room: capacity, not a key",
			scenes: []scene{pressedSource(), keyed(4, 128, even(4, .97), with(even(4, 100), 1, 300))},
			want:   UniformSaturation, severity: SeverityCritical, helps: ScalingYes,
		},
		{
			name: "the same records behind REBALANCE are uneven input",
			scenes: []scene{roomySource(), func() scene {
				s := keyed(5, 128, with(even(5, .25), 1, .85), with(even(5, 160), 1, 1300))
				s.ship = ShipRebalance
				return s
			}()},
			want: UnevenInput, subtasks: []int{1}, severity: SeverityInfo, helps: ScalingNo,
		},
		{
			name:   "10 subtasks of 16 key groups, load follows the groups",
			scenes: []scene{pressedSource(), keyed(10, 16, byGroups(10, 16, .499), byGroups(10, 16, 380))},
			want:   KeyGroupLayout, subtasks: []int{0, 1, 3, 5, 6, 8}, severity: SeverityWarning, helps: ScalingYes,
		},
		{
			name:   "100 of 128",
			scenes: []scene{pressedSource(), keyed(100, 128, byGroups(100, 128, .5), byGroups(100, 128, 50))},
			want:   KeyGroupLayout, severity: SeverityWarning, helps: ScalingYes,
		},
		{
			name:   "171 of 256, idle enough to be information",
			scenes: []scene{roomySource(), keyed(171, 256, byGroups(171, 256, .2), byGroups(171, 256, 50))},
			want:   KeyGroupLayout, severity: SeverityInfo, helps: ScalingYes,
		},
		{
			name: "the same layout with one subtask at ten times its share is a hot key",
			scenes: []scene{pressedSource(), keyed(100, 128,
				with(byGroups(100, 128, .1), 50, 1), with(byGroups(100, 128, 50), 50, 1000))},
			want: HotKey, subtasks: []int{50}, severity: SeverityCritical, helps: ScalingNo,
		},
		{
			name:   "a layout ratio of 1.09 explains nothing worth a word",
			scenes: []scene{pressedSource(), keyed(7, 64, byGroups(7, 64, .099), byGroups(7, 64, 100))},
			want:   UniformSaturation, severity: SeverityCritical, helps: ScalingYes,
		},
		{
			name:   "5 keys over 8 subtasks, in steps of one key",
			scenes: []scene{pressedSource(), keyed(8, 128, []float64{0, .5, 0, 1, 0, .5, .5, 0}, []float64{0, 450, 0, 900, 0, 450, 450, 0})},
			want:   FewKeys, subtasks: []int{0, 2, 4, 7}, severity: SeverityWarning, helps: ScalingNo,
		},
		{
			name:   "one subtask of 8 without records, the others in no steps",
			scenes: []scene{roomySource(), keyed(8, 128, with(even(8, .3), 3, 0), []float64{100, 131, 117, 0, 146, 88, 104, 122})},
			want:   Balanced, helps: ScalingNA,
		},
		{
			name: "records cost five times as much on one worker",
			scenes: []scene{pressedSource(), func() scene {
				s := keyed(6, 128, []float64{1, .28, .26, 1, .25, .26}, even(6, 430))
				s.taskManagers = hostsOf(6)
				return s
			}()},
			want: SlowTaskManager, subtasks: []int{0, 3}, severity: SeverityCritical, helps: ScalingNo,
		},
		{
			name: "one dear subtask whose worker's other subtask is not: the records",
			scenes: []scene{roomySource(), func() scene {
				s := keyed(5, 128, with(even(5, .43), 1, .99), even(5, 640))
				s.taskManagers = []string{"a", "b", "c", "b", "a"}
				return s
			}()},
			want: CostlyRecords, subtasks: []int{1}, severity: SeverityWarning, helps: ScalingNo,
		},
		{
			name: "one dear subtask alone on its worker: one witness is not enough against the worker",
			scenes: []scene{roomySource(), func() scene {
				s := keyed(4, 128, with(even(4, .43), 1, .99), even(4, 640))
				s.taskManagers = []string{"a", "b", "c", "d"}
				return s
			}()},
			want: CostlyRecords, subtasks: []int{1}, severity: SeverityWarning, helps: ScalingNo,
		},
		{
			name:   "dear records on a calm vertex are the noise of the host",
			scenes: []scene{roomySource(), keyed(5, 128, with(even(5, .07), 1, .18), even(5, 640))},
			want:   Balanced, helps: ScalingNA,
		},
		{
			name:   "cost 1.7 times the others is below the edge",
			scenes: []scene{roomySource(), keyed(5, 128, with(even(5, .4), 1, .68), even(5, 640))},
			want:   Balanced, helps: ScalingNA,
		},
		{
			name:   "evenly saturated",
			scenes: []scene{pressedSource(), keyed(4, 128, even(4, .95), even(4, 1000))},
			want:   UniformSaturation, severity: SeverityCritical, helps: ScalingYes,
		},
		{
			name:   "evenly saturated, and nothing waits",
			scenes: []scene{roomySource(), keyed(4, 128, even(4, .95), even(4, 1000))},
			want:   UniformSaturation, severity: SeverityInfo, helps: ScalingYes,
		},
		{
			name:   "0.89 is below saturation",
			scenes: []scene{roomySource(), keyed(4, 128, even(4, .89), even(4, 1000))},
			want:   Balanced, helps: ScalingNA,
		},
		{
			name:   "a stuck call: busy and silent while others move",
			scenes: []scene{pressedSource(), keyed(4, 128, with(even(4, .3), 2, 1), with(even(4, 500), 2, 0))},
			want:   Stalled, subtasks: []int{2}, severity: SeverityCritical, helps: ScalingNo,
		},
		{
			name: "a window that fires: busy, nothing in, much out",
			scenes: []scene{pressedSource(), func() scene {
				s := keyed(3, 128, even(3, .95), even(3, 0))
				s.out = even(3, 5000)
				return s
			}(), chain("sink", "keyed", .2, 0)},
			want: UniformSaturation, severity: SeverityCritical, helps: ScalingYes,
		},
		{
			name:   "a whole vertex is stuck",
			scenes: []scene{pressedSource(), keyed(3, 128, even(3, 1), even(3, 0))},
			want:   Stalled, subtasks: []int{0, 1, 2}, severity: SeverityCritical, helps: ScalingNo,
		},
		{
			name:   "a self-throttling source is no stall and no saturation",
			scenes: []scene{{id: "source", name: "Source", p: 1, m: 128, busy: []float64{1}, out: []float64{.1}}},
			vertex: "source", want: Balanced, helps: ScalingNA,
		},
		{
			name:   "a source that waits for its output",
			scenes: []scene{pressedSource(), keyed(4, 128, even(4, .95), even(4, 1000))},
			vertex: "source", want: Backpressured, subtasks: []int{0}, severity: SeverityInfo, helps: ScalingNA,
		},
		{
			name:   "a source that cannot measure busy time still waits",
			scenes: []scene{func() scene { s := pressedSource(); s.busy = []float64{unknown}; return s }(), keyed(4, 128, even(4, .95), even(4, 1000))},
			vertex: "source", want: Backpressured, subtasks: []int{0}, severity: SeverityInfo, helps: ScalingNA,
		},
		{
			name:   "a source that cannot measure busy time and does not wait: nothing is known",
			scenes: []scene{{id: "source", name: "Source", p: 2, m: 128, busy: even(2, unknown), pressed: even(2, .1), out: even(2, 100)}},
			vertex: "source", want: NotEnoughData, helps: ScalingNA,
		},
		{
			name: "two of four subtasks wait, none works: a victim",
			scenes: []scene{roomySource(), func() scene {
				s := keyed(4, 128, even(4, .03), even(4, 240))
				s.pressed = []float64{.99, .99, 0, .3}
				return s
			}()},
			want: Backpressured, subtasks: []int{0, 1}, severity: SeverityInfo, helps: ScalingNA,
		},
		{
			name: "readers without a partition beside saturated ones",
			scenes: []scene{{id: "source", name: "Source", p: 8, m: 128, partitions: []float64{1, 1, 1, 1, 1, 0, 0, 0},
				busy: []float64{1, 1, 1, 1, 1, .01, .01, 0}, out: []float64{1600, 1600, 1600, 1600, 1600, 0, 0, 0}}},
			vertex: "source", want: IdleReaders, subtasks: []int{5, 6, 7}, severity: SeverityWarning, helps: ScalingNo,
		},
		{
			name: "silent readers whose partitions are unknown are not called idle",
			scenes: []scene{{id: "source", name: "Source", p: 4, m: 128,
				busy: []float64{.5, .5, .01, .01}, out: []float64{1600, 1600, 0, 0}}},
			vertex: "source", want: Balanced, helps: ScalingNA,
		},
		{
			name: "5 partitions on 3 readers",
			scenes: []scene{{id: "source", name: "Source", p: 3, m: 128, partitions: []float64{2, 2, 1},
				busy: []float64{.66, .68, .37}, out: []float64{1612, 1617, 802}}},
			vertex: "source", want: PartitionLayout, subtasks: []int{0, 1}, severity: SeverityInfo, helps: ScalingPartly,
		},
		{
			name: "readers own alike, one partition brings far more",
			scenes: []scene{{id: "source", name: "Source", p: 4, m: 128, partitions: even(4, 2),
				busy: []float64{.2, .95, .2, .2}, out: []float64{200, 1500, 210, 190}}},
			vertex: "source", want: HotPartition, subtasks: []int{1}, severity: SeverityWarning, helps: ScalingNo,
		},
		{
			name:   "busy 0.039 is below the activity floor whatever its skew",
			scenes: []scene{roomySource(), keyed(4, 128, with(even(4, .001), 0, .039), with(even(4, 1), 0, 90))},
			want:   Quiet, helps: ScalingNA,
		},
		{
			name:   "skipped details are quiet",
			scenes: []scene{roomySource(), func() scene { s := keyed(4, 128, nil, nil); s.skipped = true; return s }()},
			want:   Quiet, helps: ScalingNA,
		},
		{
			name: "Flink 1.15 gives gauges alone",
			scenes: []scene{pressedSource(), func() scene {
				s := keyed(5, 128, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1300))
				s.gauges = true
				return s
			}()},
			want: HotKey, subtasks: []int{1}, severity: SeverityCritical, helps: ScalingNo,
		},
		{
			name:   "uneven and saturated, and no cause fits: no word rather than a wrong one",
			scenes: []scene{pressedSource(), keyed(4, 128, []float64{1, .3, .3, .3}, []float64{170, 100, 100, 100})},
			want:   NotEnoughData, helps: ScalingNA,
		},
		{
			name:   "maxParallelism unknown, uneven and saturated: that is what is missing",
			scenes: []scene{pressedSource(), keyed(5, 0, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1300))},
			want:   NotEnoughData, helps: ScalingNA,
		},
		{
			name:   "maxParallelism unknown: key groups have no meaning",
			scenes: []scene{roomySource(), keyed(5, 0, with(even(5, .25), 1, .8), with(even(5, 160), 1, 1300))},
			want:   Balanced, helps: ScalingNA,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.vertex == "" {
				c.vertex = "keyed"
			}
			v := judged(t, c.vertex, c.scenes...)
			d := v.Verdict
			if d.ID != c.want || d.Severity != c.severity || d.ScalingHelps != c.helps {
				t.Errorf("got %s, %s, scaling helps %s; want %s, %s, %s\nevidence %+v missing %q",
					d.ID, d.Severity, d.ScalingHelps, c.want, c.severity, c.helps, d.Evidence, d.Advice.Missing)
			}
			if c.subtasks != nil && !slices.Equal(d.Subtasks, c.subtasks) {
				t.Errorf("subtasks %v, want %v", d.Subtasks, c.subtasks)
			}
		})
	}
}

// TestSlowHostAcrossVertices: one dear subtask a vertex, but in two vertices
// on the same worker.
func TestSlowHostAcrossVertices(t *testing.T) {
	first := keyed(4, 128, with(even(4, .3), 1, .9), even(4, 500))
	first.taskManagers = []string{"a", "b", "c", "d"}
	second := first
	second.id, second.from, second.busy = "second", "keyed", []float64{.2, .2, .2, .7}
	second.taskManagers = []string{"a", "c", "d", "b"}
	for id, subtask := range map[string]int{"keyed": 1, "second": 3} {
		v := judged(t, id, roomySource(), first, second)
		if v.Verdict.ID != SlowTaskManager || !slices.Equal(v.Verdict.Subtasks, []int{subtask}) || v.Verdict.Advice.TaskManager != "b" {
			t.Errorf("%s: %s, subtasks %v, worker %q", id, v.Verdict.ID, v.Verdict.Subtasks, v.Verdict.Advice.TaskManager)
		}
		if v.Verdict.Confidence != ConfidenceHigh {
			t.Errorf("%s: confidence %s with two witnesses", id, v.Verdict.Confidence)
		}
	}
}

// TestHotKeyAdvice: the range to look in, and the load that stays at any parallelism.
func TestHotKeyAdvice(t *testing.T) {
	s := keyed(5, 128, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1371))
	s.description = "[4]:GroupAggregate(groupBy=[c, TUMBLE(ts)[x]], select=[c])"
	v := judged(t, "keyed", pressedSource(), s)
	a := v.Verdict.Advice
	if a.KeyGroups == nil || *a.KeyGroups != (KeyGroupRange{26, 51}) {
		t.Errorf("key groups %+v, want 26…51", a.KeyGroups)
	}
	if a.Key != "groupBy=[c, TUMBLE(ts)[x]]" {
		t.Errorf("key %q", a.Key)
	}
	// 25 of its 26 groups carry what the others' do, 160/25.5 each.
	if f := a.Floor.Or(0); f < .88 || f > .89 {
		t.Errorf("floor %v, want about 0.886", a.Floor)
	}
	if v.Hot == nil || v.Hot.Subtask != 1 || v.Hot.KeyGroups == nil || v.Hot.KeyGroups.First != 26 {
		t.Errorf("hot %+v", v.Hot)
	}
}

// TestLayoutSteps: between 65 and 127 of 128 nothing changes.
func TestLayoutSteps(t *testing.T) {
	v := judged(t, "keyed", pressedSource(), keyed(100, 128, byGroups(100, 128, .5), byGroups(100, 128, 50)))
	steps := v.Verdict.Advice.Steps
	if len(steps) != 2 || steps[0].Parallelism != 64 || steps[1].Parallelism != 128 {
		t.Fatalf("steps %+v, want 64 and 128", steps)
	}
	for i, want := range []float64{1, .5} {
		if got := steps[i].BusiestLoad.Or(0); got < want-.01 || got > want+.01 {
			t.Errorf("load at %d: %.3f, want %.2f", steps[i].Parallelism, got, want)
		}
	}
}
