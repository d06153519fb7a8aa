package analysis

import (
	"fmt"
	"math"
	"time"
)

// thresholdEdges are the cases of TestEdges, by the key of the threshold.
func thresholdEdges() map[string]edge {
	all := map[string]edge{}
	for _, some := range []map[string]edge{windowEdges(), loadEdges(), skewEdges(), findingEdges()} {
		for key, e := range some {
			all[key] = e
		}
	}
	return all
}

// calm is an even load with room.
func calmScenes() []scene {
	return []scene{roomySource(), keyed(4, 128, even(4, .3), even(4, 100))}
}

// windowEdges are of what counts as a window, and how many do.
func windowEdges() map[string]edge {
	balanced, none := string(Balanced), string(NotEnoughData)
	hot := []scene{roomySource(), keyed(4, 128, with(even(4, .1), 1, .8), with(even(4, 100), 1, 9000))}
	return map[string]edge{
		"window": {"the past outweighs", "the present does", func(c Config, x float64) string {
			// Four windows of rest follow a long full load, for x seconds together.
			full := []scene{roomySource(), keyed(4, 128, even(4, 1), even(4, 100))}
			c.WindowsOut = 1
			half := []scene{roomySource(), keyed(4, 128, even(4, .5), even(4, 100))}
			r := film(c, x/4, phase{80, full}, phase{4, half})
			for _, m := range r.Jobs[0].Vertices[1].Verdict.Evidence {
				if m.Name == "busy_mean" && m.Value.Or(0) < .75 {
					return "the present does"
				}
			}
			return "the past outweighs"
		}},
		"warm_up": {none, balanced, func(c Config, x float64) string {
			_, r := after(c, 2, func(s *Snapshot) {
				for i := range s.Jobs[0].Vertices[1].Subtasks {
					s.Jobs[0].Vertices[1].Subtasks[i].RunningMs = Of((x + s.At.Sub(epoch).Seconds()) * 1000)
				}
			}, calmScenes()...)
			return said(r)
		}},
		"max_age": {balanced, none, func(c Config, x float64) string {
			state, _ := history(c, 2, calmScenes()...)
			s := poll(1, calmScenes()...) // Flink repeats its last answer.
			s.At = s.At.Add(time.Duration(x * float64(time.Second)))
			_, r := Analyze(state, s, c)
			return said(r)
		}},
		"min_coverage": {none, balanced, func(c Config, x float64) string {
			s := keyed(1000, 4000, even(1000, .3), even(1000, 100))
			for i := range 1000 - int(math.Round(1000*x)) {
				s.unseen = append(s.unseen, i)
			}
			return still(c, roomySource(), s)
		}},
		"windows_in": {balanced, string(HotKey), func(c Config, x float64) string {
			return said(film(c, 15, phase{6, calmScenes()}, phase{int(x), hot}))
		}},
		"windows_out": {string(HotKey), balanced, func(c Config, x float64) string {
			c.Window = time.Second
			return said(film(c, 15, phase{6, hot}, phase{int(x), calmScenes()}))
		}},
	}
}

// loadEdges are of how busy a vertex is, and how much it waits.
func loadEdges() map[string]edge {
	balanced := string(Balanced)
	at := func(busy float64) []scene {
		return []scene{pressedSource(), keyed(4, 128, even(4, busy), even(4, 1000))}
	}
	waiting := func(share float64) []scene {
		s := keyed(4, 128, even(4, .2), even(4, 1000))
		s.pressed = even(4, share)
		return []scene{roomySource(), s}
	}
	return map[string]edge{
		"activity_busy": {string(Quiet), balanced, func(c Config, x float64) string {
			calm := func(busy float64) []scene { return []scene{roomySource(), keyed(4, 128, even(4, busy), even(4, 100))} }
			return then(c, calm(.01), calm(x)) // It becomes quiet a fifth below.
		}},
		"activity_rate": {balanced, string(HotKey), func(c Config, x float64) string {
			s := keyed(2, 128, []float64{.6, .1}, []float64{x, x / 6})
			return said(film(c, 600, phase{4, []scene{roomySource(), s}}))
		}},
		"saturated_enter": {balanced, string(UniformSaturation), func(c Config, x float64) string {
			return still(c, at(x)...)
		}},
		"saturated_leave": {balanced, string(UniformSaturation), func(c Config, x float64) string {
			return then(c, at(1), at(x))
		}},
		"backpressured_enter": {balanced, string(Backpressured), func(c Config, x float64) string {
			return still(c, waiting(x)...)
		}},
		"backpressured_leave": {balanced, string(Backpressured), func(c Config, x float64) string {
			return then(c, waiting(.7), waiting(x))
		}},
		"target_utilisation": {"parallelism 4 does", "more is required", func(c Config, x float64) string {
			r := film(c, 15, phase{4, at(x)})
			if r.Jobs[0].Vertices[1].Sizing.Required.Or(0) <= 4 {
				return "parallelism 4 does"
			}
			return "more is required"
		}},
		"slots_bind": {"128", "6", func(c Config, _ float64) string {
			_, r := after(c, 3, func(s *Snapshot) { s.Slots = Slots{Total: Of(6), Free: Of(2)} }, calmScenes()...)
			return fmt.Sprint(r.Jobs[0].Vertices[1].Ceiling.Effective.Or(0))
		}},
	}
}

// skewEdges are of how far apart subtasks are.
func skewEdges() map[string]edge {
	balanced := string(Balanced)
	uneven := func(x float64) []scene {
		s := keyed(10, 128, outlier(10, .2, x), outlier(10, 100, x))
		s.ship = ShipRebalance
		return []scene{roomySource(), s}
	}
	hot := func(x float64) []scene {
		return []scene{roomySource(), keyed(8, 128, with(even(8, .2), 2, .2*x), with(even(8, 100), 2, 100*x))}
	}
	// laid is 100 subtasks of 128 key groups, of which one gets x times the mean
	// of records a key group.
	laid := func(x float64) []scene {
		boost := 99 * x / (100 - x)
		busy, in := byGroups(100, 128, .2), byGroups(100, 128, 100)
		const light = 1 // owns one key group
		return []scene{roomySource(), keyed(100, 128, with(busy, light, .2*boost), with(in, light, 100*boost))}
	}
	dear := func(x, busy float64) []scene {
		s := keyed(5, 128, with(even(5, busy/x), 1, busy), even(5, 640))
		s.taskManagers = []string{"a", "b", "c", "b", "a"}
		return []scene{roomySource(), s}
	}
	return map[string]edge{
		"skew_enter": {balanced, string(UnevenInput), func(c Config, x float64) string { return still(c, uneven(x)...) }},
		"skew_leave": {balanced, string(UnevenInput), func(c Config, x float64) string { return then(c, uneven(2), uneven(x)) }},
		"hot_enter":  {balanced, string(HotKey), func(c Config, x float64) string { return still(c, hot(x)...) }},
		"hot_leave":  {balanced, string(HotKey), func(c Config, x float64) string { return then(c, hot(3), hot(x)) }},
		"few_keys_idle": {balanced, string(FewKeys), func(c Config, x float64) string {
			const p = 200
			in := even(p, 0)
			for i := int(math.Round(p * x)); i < p; i++ {
				in[i] = 100 * (1 + float64(i%17)/75) // In no steps, and not uneven.
			}
			return still(c, roomySource(), keyed(p, 16*p, times(in, .003), in))
		}},
		"layout_enter": {balanced, string(KeyGroupLayout), func(c Config, x float64) string {
			m := int(math.Round(200 / x)) // Two groups on the busiest of 100.
			return still(c, roomySource(), keyed(100, m, byGroups(100, m, .3), byGroups(100, m, 50)))
		}},
		"layout_excess_enter": {string(KeyGroupLayout), balanced, func(c Config, x float64) string { return still(c, laid(x)...) }},
		"layout_excess_leave": {string(KeyGroupLayout), balanced, func(c Config, x float64) string { return then(c, laid(1), laid(x)) }},
		"cost_enter":          {balanced, string(CostlyRecords), func(c Config, x float64) string { return still(c, dear(x, .7)...) }},
		"cost_leave":          {balanced, string(CostlyRecords), func(c Config, x float64) string { return then(c, dear(3, .7), dear(x, .7)) }},
		"cost_busy":           {balanced, string(CostlyRecords), func(c Config, x float64) string { return still(c, dear(3, x)...) }},
	}
}

// findingEdges are of the findings beside the verdict.
func findingEdges() map[string]edge {
	const none = "none"
	nothing := func(*Snapshot) {}
	checkpoint := func(usual, slowest float64) func(*Snapshot) {
		return func(s *Snapshot) {
			v := &s.Jobs[0].Vertices[1]
			v.Checkpoint = &VertexCheckpoint{ID: 1}
			for i, seconds := range with(even(4, usual), 2, slowest) {
				v.Checkpoint.Subtasks = append(v.Checkpoint.Subtasks, SubtaskCheckpoint{Index: int32(i), StateBytes: Of(1), EndToEndMs: Of(1000 * seconds)})
			}
		}
	}
	sized := func(sizes []float64) scene {
		s := calmScenes()[1]
		s.checkpointSize = sizes
		return s
	}
	return map[string]edge{
		"waiting_cpu": {string(Waiting), none, func(c Config, x float64) string {
			return stands(c, Waiting, func(s *Snapshot) {
				for i := range 3 {
					used := x * s.At.Sub(epoch).Seconds()
					s.TaskManagers = append(s.TaskManagers, TaskManager{ID: fmt.Sprintf("tm-%d", i), CPUCores: Of(2), CPUSeconds: Of(100 + used), CPUAt: s.At})
				}
			}, pressedSource(), keyed(3, 128, even(3, 1), even(3, 300)))
		}},
		"state_enter": {none, string(StateSkew), func(c Config, x float64) string {
			return stands(c, StateSkew, nothing, roomySource(), sized(outlier(4, 1<<30, x)))
		}},
		"state_floor": {none, string(StateSkew), func(c Config, x float64) string {
			return stands(c, StateSkew, nothing, roomySource(), sized(with(even(4, x/9), 1, x)))
		}},
		"straggler_enter": {none, string(CheckpointStraggler), func(c Config, x float64) string {
			return stands(c, CheckpointStraggler, checkpoint(10, 10*x), calmScenes()...)
		}},
		"straggler_floor": {none, string(CheckpointStraggler), func(c Config, x float64) string {
			return stands(c, CheckpointStraggler, checkpoint(.1, x), calmScenes()...)
		}},
		"watermark_held": {none, string(WatermarkHeld), func(c Config, x float64) string {
			return stands(c, WatermarkHeld, func(s *Snapshot) {
				w := &VertexWatermarks{At: s.At}
				for i, behind := range with(even(4, 1), 2, 1+x) {
					w.Subtasks = append(w.Subtasks, SubtaskWatermark{Index: int32(i), State: WatermarkSet, Ms: Of(float64(s.At.UnixMilli()) - 1000*behind)})
				}
				s.Jobs[0].Vertices[1].Watermarks = w
			}, calmScenes()...)
		}},
		"catch_up": {none, string(CatchUpShort), func(c Config, x float64) string {
			// At 70 % busy there are 1000·(1/0.7 - 1) records a second to spare.
			spare := 1000 * (1/.7 - 1)
			return stands(c, CatchUpShort, func(s *Snapshot) { s.Jobs[0].Vertices[0].Backlog = Of(x * spare) },
				roomySource(), keyed(4, 128, even(4, .7), even(4, 250)))
		}},
	}
}
