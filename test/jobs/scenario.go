package jobs

import "strconv"

// Names by which a test finds the job's vertices: parts of their full names.
const (
	Source = "orders source"
	Enrich = "enrich"
	Sink   = "format"
)

// Scenario is one trouble: how to make it and what has to be said of it.
type Scenario struct {
	// Name is also the job's name.
	Name string
	// Parallelism and MaxParallelism are those of the keyed vertex.
	Parallelism, MaxParallelism int
	// Args are further arguments of the job.
	Args []string
	// Expect holds the vertices that matter, by a part of their name. Every
	// other vertex must be at info or below.
	Expect map[string]Expectation
}

// Expectation is what a diagnosis must say of one vertex.
type Expectation struct {
	// Verdicts are those that are right.
	Verdicts []string
	// Subtasks must be named, exactly; nil leaves them open.
	Subtasks []int
	// ScalingHelps is the right answer, empty when it is left open.
	ScalingHelps string
	// Warns is true when the severity must be warning or critical.
	Warns bool
	// Findings must stand beside the verdict.
	Findings []string
	// MinRecordsSkew is a lower bound of the skew ratio (max/mean) of records in, 0
	// for none. The job's data fix that ratio; that of busy time also falls when the
	// host is short of CPU, because waiting for a core counts as busy.
	MinRecordsSkew float64
}

// Arguments returns the program arguments of the job.
func (s Scenario) Arguments() []string {
	return append([]string{
		"--name", s.Name,
		"--parallelism", strconv.Itoa(s.Parallelism),
		"--max-parallelism", strconv.Itoa(s.MaxParallelism),
	}, s.Args...)
}

// victim is what the sources of jobs are whose trouble lies downstream.
func victim() Expectation { return Expectation{Verdicts: []string{"backpressured"}} }

// Waiting returns the scenarios whose work costs time but no CPU. They need
// little enough of it to run on two cores all at once without starving each other.
func Waiting() []Scenario {
	return []Scenario{
		{
			// 16 key groups on 10 subtasks: six own two, four own one, 2/1.6 = 1.25.
			Name: "key-group-layout", Parallelism: 10, MaxParallelism: 16,
			Args: []string{"--enrich-us", "1000", "--sinks", "2"},
			Expect: map[string]Expectation{
				Enrich: {
					Verdicts: []string{"key_group_layout"}, ScalingHelps: "yes", Warns: true,
					Findings: []string{"bottleneck"}, MinRecordsSkew: 1.2,
				},
				Source: victim(),
			},
		},
		{
			Name: "uniform-saturation", Parallelism: 4, MaxParallelism: 128,
			Args: []string{"--enrich-us", "1000", "--sinks", "2"},
			Expect: map[string]Expectation{
				Enrich: {
					Verdicts: []string{"uniform_saturation"}, ScalingHelps: "yes", Warns: true,
					Findings: []string{"bottleneck"},
				},
				Source: victim(),
			},
		},
		{
			// 500 records a second; each of four subtasks is busy for a quarter of the
			// time. The source throttles itself by waiting: 100 % busy and no trouble.
			Name: "healthy", Parallelism: 4, MaxParallelism: 128,
			Args: []string{"--parse-us", "2000", "--enrich-us", "2000", "--sinks", "2"},
			Expect: map[string]Expectation{
				Enrich: {Verdicts: []string{"balanced", "quiet"}},
				Sink:   {Verdicts: []string{"balanced", "quiet"}},
			},
		},
		{
			Name: "slow-sink", Parallelism: 4, MaxParallelism: 128,
			Args: []string{"--format-us", "2000", "--sinks", "2"},
			Expect: map[string]Expectation{
				Sink:   {Verdicts: []string{"uniform_saturation"}, Warns: true, Findings: []string{"bottleneck"}},
				Enrich: {Verdicts: []string{"backpressured"}},
				Source: victim(),
			},
		},
		{
			// Five keys, each on a subtask of its own; three subtasks get nothing, 8/5 = 1.6.
			Name: "few-keys", Parallelism: 8, MaxParallelism: 128,
			Args: []string{"--keys", "5", "--enrich-us", "1000", "--sinks", "2"},
			Expect: map[string]Expectation{
				Enrich: {Verdicts: []string{"few_keys"}, ScalingHelps: "no", Warns: true, MinRecordsSkew: 1.5},
				Source: victim(),
			},
		},
	}
}

// HotKey returns the scenario whose work costs CPU as well as time: the hot
// subtask uses half a core, the others little. It is to run alone.
func HotKey() Scenario {
	return Scenario{
		// Key group 32 of 128 is owned by subtask 32·5/128 = 1, which gets 60 % and
		// 26/128 of the rest: 3.4 times the mean.
		Name: "hot-key", Parallelism: 5, MaxParallelism: 128,
		Args: []string{"--hot-percent", "60", "--hot-key", "32", "--enrich-us", "500", "--enrich-cpu-us", "500", "--sinks", "2"},
		Expect: map[string]Expectation{
			Enrich: {
				Verdicts: []string{"hot_key"}, Subtasks: []int{1}, ScalingHelps: "no", Warns: true,
				Findings: []string{"bottleneck"}, MinRecordsSkew: 3,
			},
			Source: victim(),
		},
	}
}
