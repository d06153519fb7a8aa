package analysis

import "testing"

// TestMixtures holds the edges at which one rule gives way to another where
// two things are uneven at once; the sweep found each of them.
func TestMixtures(t *testing.T) {
	// mixture is a vertex whose subtasks 1, 4 and 7 pay three times as much for
	// a record, all on one worker, and whose subtask 0 has a hot key.
	mixture := func(hot float64) scene {
		busy, in := even(9, .2), even(9, 100)
		for _, i := range []int{1, 4, 7} {
			busy[i] = .6
		}
		busy[0], in[0] = hot, 500*hot
		return keyed(9, 144, busy, in)
	}
	// idling is a vertex that pays three times as much on one worker, where one
	// of three subtasks is above the activity floor.
	idling := func(third float64) scene {
		busy, in := even(9, .06), even(9, 15)
		busy[1], busy[4], busy[7] = .204, .18, third
		return keyed(9, 144, busy, in)
	}
	starved := keyed(4, 128, []float64{0, .99, 0, 0}, even(4, 0))
	beside := keyed(5, 128, []float64{.2, .9, .26, .2, .2}, []float64{100, 450, 130, 100, 100})
	beside.ship = ShipRebalance
	readers := func(light float64) scene {
		return scene{
			id: "source", name: "Source: orders", p: 4, m: 128, partitions: []float64{2, 2, 1, 1},
			busy: []float64{.99, .99, light, light}, out: []float64{990, 990, 1000 * light, 1000 * light},
		}
	}
	// laid has a subtask whose records are dear beside others that own two key
	// groups where the rest own one.
	laid := func(dear float64) scene {
		s := keyed(8, 12, byGroups(8, 12, .2), byGroups(8, 12, 100))
		s.busy[1] = dear
		return s
	}
	hotReader := scene{
		id: "source", name: "Source: orders", p: 4, m: 128, partitions: []float64{1, 1, 1, 0},
		busy: []float64{.2, .97, .2, 0}, out: []float64{200, 1500, 210, 0},
	}
	for _, c := range []struct {
		name     string
		scenes   []scene
		vertex   string
		want     VerdictID
		subtasks []int
	}{
		{"a slow worker's subtasks are nearly as busy as the hot one", []scene{roomySource(), mixture(.77)}, "keyed", SlowTaskManager, []int{1, 4, 7}},
		{"a hot subtask is 1.3 times as busy as the slow ones", []scene{roomySource(), mixture(.79)}, "keyed", HotKey, []int{0}},
		{"one worker's records are dear, most of them too few to matter", []scene{roomySource(), idling(.18)}, "keyed", Balanced, []int{}},
		{"another subtask of that worker is not dear", []scene{roomySource(), idling(.06)}, "keyed", CostlyRecords, []int{1}},
		{"a stuck call starves the others and holds up the source", []scene{pressedSource(), starved}, "keyed", Stalled, []int{1}},
		{"busy without records while nothing waits", []scene{roomySource(), starved}, "keyed", NotEnoughData, []int{}},
		{"a third above the rest is noise beside four times it", []scene{roomySource(), beside}, "keyed", UnevenInput, []int{1}},
		{"full readers with two partitions, a ninth behind those with one", []scene{readers(.89)}, "source", PartitionLayout, []int{0, 1}},
		{"readers with one partition are as full as those with two", []scene{readers(.91)}, "source", UniformSaturation, []int{}},
		{"dear records beside an uneven layout", []scene{roomySource(), laid(.97)}, "keyed", CostlyRecords, []int{1}},
		{"dear records that make it as busy as those that own more", []scene{roomySource(), laid(.44)}, "keyed", KeyGroupLayout, []int{0, 2, 4, 6}},
		{"a hot partition beside a reader without any", []scene{hotReader}, "source", HotPartition, []int{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := judged(t, c.vertex, c.scenes...).Verdict
			if v.ID != c.want || len(v.Subtasks) != len(c.subtasks) {
				t.Fatalf("%s of %v, want %s of %v; evidence %+v", v.ID, v.Subtasks, c.want, c.subtasks, v.Evidence)
			}
			for i := range c.subtasks {
				if v.Subtasks[i] != c.subtasks[i] {
					t.Errorf("subtasks %v, want %v", v.Subtasks, c.subtasks)
				}
			}
		})
	}
}
