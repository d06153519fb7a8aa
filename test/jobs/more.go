package jobs

// Advising returns the scenarios that are about SQL and event time. As those of
// Waiting they wait, and can run all at once.
func Advising() []Scenario {
	// Key group 64 of 128 is owned by subtask 64·6/128 = 3, which gets 60 % and a
	// sixth of the rest: 4 times the mean.
	hot := []string{"--hot-percent", "60", "--hot-key", "64"}
	return []Scenario{
		{
			Name: "sql-one-phase", Class: SQL, Keyed: OnePhase, Parallelism: 6, MaxParallelism: 128,
			Args: append([]string{"--accumulate-us", "1000"}, hot...),
			Expect: map[string]Expectation{
				OnePhase: {
					Verdicts: []string{"hot_key"}, Subtasks: []int{3}, ScalingHelps: "no", Warns: true,
					Findings: []string{"bottleneck"}, MinRecordsSkew: 3,
					Says: []string{"groupBy=[customer]", "TWO_PHASE", "table.exec.mini-batch.enabled"},
				},
				Decode: victim(),
				Source: victim(),
			},
		},
		{
			// Batches of two: where both records carry the hot key one partial sum goes
			// on, and so the hot key still makes half of the partial sums.
			Name: "sql-two-phase", Class: SQL, Keyed: SecondPhase, Parallelism: 6, MaxParallelism: 128,
			Args: append([]string{"--mini-batch", "2", "--merge-us", "1000"}, hot...),
			Expect: map[string]Expectation{
				SecondPhase: {
					Verdicts: []string{"hot_key"}, Subtasks: []int{3}, ScalingHelps: "no", Warns: true,
					Findings: []string{"bottleneck"}, MinRecordsSkew: 2.5,
					Says:    []string{"groupBy=[customer]", "combined before the shuffle already", "gains little"},
					SaysNot: []string{"TWO_PHASE", "table.exec.mini-batch.enabled"},
				},
				Decode: victim(),
				Source: victim(),
			},
		},
		{
			// The same with batches that do their work: each of 128 keys has about one
			// partial sum a second from each decoder, the hot one too.
			Name: "sql-combined", Class: SQL, Keyed: SecondPhase, Parallelism: 6, MaxParallelism: 128,
			Args: append([]string{"--mini-batch", "2000", "--accumulate-us", "500", "--merge-us", "2000", "--keys", "128"}, hot...),
			Expect: map[string]Expectation{
				SecondPhase: calm(),
				Decode:      {Verdicts: []string{"uniform_saturation"}, Warns: true},
				Source:      victim(),
			},
		},
		late("watermark-behind", "3600"),
		late("watermark-none", "-1"),
	}
}

// late makes a scenario of a source of which one reader holds back the watermark.
// The vertex that it feeds one to one shows it; behind the shuffle all subtasks
// wait for the same.
func late(name, behind string) Scenario {
	stamp := calm()
	stamp.Findings = []string{"watermark_held"}
	drop := calm()
	drop.NotFindings = []string{"watermark_held"}
	return Scenario{
		Name: name, Class: EventTime, Keyed: Drop, Parallelism: 3, MaxParallelism: 128,
		Args:   []string{"--behind-s", behind, "--parse-us", "2000", "--stamp-us", "500"},
		Late:   Stamp,
		Expect: map[string]Expectation{Stamp: stamp, Drop: drop},
	}
}

// Costly returns the scenario in which one key's records cost a thousand times
// what the others' do, at even input.
func Costly() Scenario {
	// Key 70 of 128 is on subtask 70·4/128 = 2, where one record of 32 is dear: on
	// the average 0.2 + 32/32 = 1.2 ms against 0.2 ms.
	args := []string{"--keys", "128", "--enrich-us", "200", "--costly-key", "70", "--costly-us", "32000"}
	return skew("costly-records", 4, 128, args, map[string]Expectation{
		Enrich: {Verdicts: []string{"costly_records"}, Subtasks: []int{2}, ScalingHelps: "no", Warns: true},
		Source: victim(),
	})
}

// Restarting returns the scenario whose job fails again and again, some time
// after each start; between failures it is saturated evenly.
func Restarting() Scenario {
	return skew("restarting", 4, 128, []string{"--enrich-us", "1000", "--fail-after-ms", "60000"}, map[string]Expectation{
		Enrich: {Verdicts: []string{"uniform_saturation", "not_enough_data"}, MayWarn: true},
		Source: {Verdicts: []string{"backpressured", "not_enough_data"}},
		Sink:   {Verdicts: []string{"balanced", "quiet", "not_enough_data"}},
	})
}

// Rescaled returns the scenario with one hot key, whose work waits, at a
// parallelism of M = 128: the key is in key group 32.
func Rescaled(p int) Scenario {
	args := []string{"--hot-percent", "60", "--hot-key", "32", "--enrich-us", "1000"}
	return skew("rescaled", p, 128, args, map[string]Expectation{
		Enrich: {
			Verdicts: []string{"hot_key"}, Subtasks: []int{32 * p / 128}, ScalingHelps: "no", Warns: true,
			Findings: []string{"bottleneck"},
		},
		Source: victim(),
	})
}

// OnTopic returns the scenarios that read a Kafka topic of five partitions
// which gets 2,000 records a second, evenly. idle are the readers of the first
// that have no partition, as Flink's assignment wants it.
func OnTopic(brokers string, idle []int) []Scenario {
	read := func(name string, p int, decodeMicros string, e Expectation) Scenario {
		return Scenario{
			Name: name, Class: Kafka, Parallelism: p, MaxParallelism: 128,
			Args:   []string{"--role", "read", "--brokers", brokers, "--decode-us", decodeMicros},
			Expect: map[string]Expectation{Topic: e},
		}
	}
	return []Scenario{
		// 400 records a second a partition, and 200 are all that a reader can do.
		read("idle-readers", 8, "5000", Expectation{
			Verdicts: []string{"idle_readers"}, Subtasks: idle, ScalingHelps: "no", MayWarn: true,
			Findings: []string{"partition_ceiling"},
		}),
		// Two partitions take 64 % of a reader, one takes 32 %.
		read("partition-layout", 3, "800", Expectation{
			Verdicts: []string{"partition_layout"}, MayWarn: true, NotFindings: []string{"partition_ceiling"},
		}),
	}
}

// Writer returns the job that fills the topic.
func Writer(brokers string) Scenario {
	return Scenario{
		Name: "writer", Class: Kafka, Parallelism: 1, MaxParallelism: 128,
		Args: []string{"--role", "write", "--brokers", brokers, "--partitions", "5", "--write-us", "500"},
	}
}
