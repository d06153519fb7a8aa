package jobs

// HotKeys returns the scenarios in which a hot key is not the only thing uneven.
func HotKeys() []Scenario {
	hot := func(subtasks ...int) Expectation {
		return Expectation{
			Verdicts: []string{"hot_key"}, Subtasks: subtasks, ScalingHelps: "no", Warns: true,
			Findings: []string{"bottleneck"},
		}
	}
	behind := hot(1)
	// Its hot subtask waits for the sink for part of its time, the others wait
	// for all of theirs: both words are true, and neither is the job's trouble.
	behind.Verdicts, behind.Subtasks, behind.Findings = []string{"hot_key", "backpressured"}, nil, nil
	behind.Warns, behind.MayWarn, behind.ScalingHelps = false, true, ""
	// At 1.9 times the load a key group of the others it may be called hot or not,
	// but nothing else.
	warm := hot()
	warm.Verdicts, warm.Subtasks, warm.ScalingHelps = []string{"hot_key", "not_enough_data"}, nil, ""
	warm.Warns, warm.MayWarn = false, true
	return []Scenario{
		// Subtask 3 owns key groups 5 and 6 of 16: 40 % and two 16ths of the rest
		// make 48 %, where six subtasks own two groups and four own one.
		skew("hot-key-on-layout", 10, 16, []string{"--hot-percent", "40", "--hot-key", "5", "--enrich-us", "1000"},
			map[string]Expectation{Enrich: hot(3), Source: victim()}),
		// The same with a key so small that the layout alone makes half of the skew:
		// 21 % against 11 % of the other subtasks with two groups.
		skew("warm-key-on-layout", 10, 16, []string{"--hot-percent", "10", "--hot-key", "5", "--enrich-us", "1000"},
			map[string]Expectation{Enrich: warm, Source: victim()}),
		// 32·8/128 = 2 and 96·8/128 = 6: 30 % and an eighth of the rest each.
		skew("two-hot-keys", 8, 128, []string{"--hot-percent", "60", "--hot-key", "32,96", "--enrich-us", "1000"},
			map[string]Expectation{Enrich: hot(2, 6), Source: victim()}),
		// Two sinks do 1,000 records a second together; 680 of them come from one
		// subtask, which is busy with them for two thirds of its time.
		skew("hot-key-behind-slow-sink", 5, 128, []string{"--hot-percent", "60", "--hot-key", "32", "--enrich-us", "1000", "--format-us", "2000"},
			map[string]Expectation{
				Sink:   {Verdicts: []string{"uniform_saturation"}, Warns: true, Findings: []string{"bottleneck"}},
				Enrich: behind,
				Source: victim(),
			}),
	}
}

// Edges returns the scenarios near the edge of a verdict.
func Edges() []Scenario {
	return []Scenario{
		// Key groups 2, 1, 1, 2, 1, 1: a third of the subtasks do half of the work.
		skew("layout-6-of-8", 6, 8, []string{"--enrich-us", "1000"}, map[string]Expectation{
			Enrich: {Verdicts: []string{"key_group_layout"}, Subtasks: []int{0, 3}, ScalingHelps: "yes", Warns: true, Findings: []string{"bottleneck"}},
			Source: victim(),
		}),
		// 500 records a second of 8 ms: half of the time of those with two groups, a
		// quarter of the others'. Uneven, and nobody waits.
		skew("layout-with-room", 10, 16, []string{"--parse-us", "2000", "--enrich-us", "8000"}, map[string]Expectation{
			Enrich: {Verdicts: []string{"key_group_layout"}},
		}),
		// Ten keys on sixteen subtasks: six get nothing.
		skew("ten-keys-on-sixteen", 16, 128, []string{"--keys", "10", "--enrich-us", "1000"}, map[string]Expectation{
			Enrich: {Verdicts: []string{"few_keys"}, ScalingHelps: "no", Warns: true},
			Source: victim(),
		}),
		// A vertex that nobody has ever scaled: one subtask of one is no full ceiling.
		skew("one-of-one", 1, 1, []string{"--sinks", "1", "--enrich-us", "1000"}, map[string]Expectation{
			Enrich: {Verdicts: []string{"uniform_saturation"}, Warns: true, Findings: []string{"bottleneck", "non_parallel"}, NotFindings: []string{"ceiling_reached"}},
			Source: victim(),
		}),
	}
}
