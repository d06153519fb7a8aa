package analysis

import "testing"

// TestStarvedPeers: behind a slow worker the channels to it are full, so that
// its peers starve and it seems to get more than they. That is neither a hot
// key nor a lack of keys, whatever a few windows look like; a recording of a
// real cluster that begins late shows it.
func TestStarvedPeers(t *testing.T) {
	on := func(s scene, taskManagers ...string) scene {
		s.taskManagers = taskManagers
		return s
	}
	since := func(s scene, had ...float64) scene {
		s.had = had
		return s
	}
	hiding := func(s scene, i int) scene {
		s.unseen = []int{i}
		return s
	}
	slow := func(others, rest float64) scene { // Subtasks 2 and 3 are full with 400 records a second.
		return keyed(6, 126, []float64{others, others, 1, 1, others, others}, []float64{rest, rest, 400, 400, rest, rest})
	}
	one := keyed(6, 126, with(even(6, .08), 1, 1), with(even(6, 120), 1, 400))
	dear := keyed(6, 126, with(with(even(6, .2), 1, 1), 4, 1), even(6, 400))
	far := []string{"a", "b", "c", "c", "a", "b"}
	for _, c := range []struct {
		name string
		s    scene
		want VerdictID
	}{
		{"a worker's records are dear and many for now", on(slow(.07, 120), far...), NotEnoughData},
		{"many, and alike in cost: two keys on one worker", on(slow(.3, 120), far...), HotKey},
		{"dear and many on two workers, of which the others do as much", on(slow(.12, 120), "a", "b", "c", "a", "b", "c"), HotKey},
		{"the others get nothing for now, but had as much", since(on(slow(.05, 0), far...), 3e6, 3e6, 1e6, 1e6, 3e6, 3e6), NotEnoughData},
		{"the others have never had any", on(slow(.05, 0), far...), FewKeys},
		{"the others had a twenty-first part of the mean", since(on(slow(.05, 0), far...), even(6, 4200)...), FewKeys},
		{"one subtask: what a record costs sets it apart more than how many", one, NotEnoughData},
		{"one subtask: it had no more than the others before", since(keyed(6, 126, with(even(6, .1), 1, 1), with(even(6, 80), 1, 400)), 9e6, 9e6, 9e6, 9e6, 9e6, 9e6), NotEnoughData},
		{"one subtask: it has been so since the start", keyed(6, 126, with(even(6, .1), 1, 1), with(even(6, 80), 1, 400)), HotKey},
		{"one dear subtask, whose neighbours are not", hiding(with2(dear, 4, .2), 0), CostlyRecords},
		{"one dear subtask, whose neighbour is out of sight", hiding(dear, 4), NotEnoughData},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := judged(t, "keyed", pressedSource(), c.s).Verdict; v.ID != c.want {
				t.Errorf("%s, want %s; evidence %+v", v.ID, c.want, v.Evidence)
			}
		})
	}
}

// with2 is the scene with another busy ratio at i.
func with2(s scene, i int, busy float64) scene {
	s.busy = with(s.busy, i, busy)
	return s
}
