package jobs

import "strconv"

// Names by which a test finds the jobs' vertices: parts of their full names.
const (
	Source      = "orders source"
	Enrich      = "enrich"
	Sink        = "format"
	Decode      = "decode"
	OnePhase    = "GroupAggregate"
	SecondPhase = "GlobalGroupAggregate"
	Stamp       = "stamp"
	Drop        = "drop"
	Topic       = "orders topic"
)

// Sinks is how many subtasks the last vertex of the skewed job has.
const Sinks = 2

// Scenario is one trouble: how to make it and what has to be said of it.
type Scenario struct {
	// Name is also the job's name.
	Name string
	// Class is the job's entry class.
	Class string
	// Keyed is the one vertex with key groups, empty when the job has none.
	Keyed string
	// Parallelism and MaxParallelism are those of the keyed vertex, or of the
	// source when there is none.
	Parallelism, MaxParallelism int
	// Args are further arguments of the job.
	Args []string
	// Late is the vertex of which one subtask holds back the watermark, which one
	// Flink decides; empty for none.
	Late string
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
	// Warns is true when the severity must be warning or critical, false when it
	// must not be; MayWarn leaves it open.
	Warns, MayWarn bool
	// Findings must stand beside the verdict, NotFindings must not.
	Findings, NotFindings []string
	// FindingSubtasks are those that a finding must name, exactly.
	FindingSubtasks map[string][]int
	// Says are words that the summary or the advice must contain, SaysNot words
	// that they must not.
	Says, SaysNot []string
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

// calm is what vertices without trouble are.
func calm() Expectation { return Expectation{Verdicts: []string{"balanced", "quiet"}} }

// skew makes a scenario of the job whose keyed vertex is Enrich.
func skew(name string, p, m int, args []string, expect map[string]Expectation) Scenario {
	return Scenario{
		Name: name, Class: Skew, Keyed: Enrich, Parallelism: p, MaxParallelism: m,
		Args: append([]string{"--sinks", strconv.Itoa(Sinks)}, args...), Expect: expect,
	}
}

// Waiting returns the scenarios whose work costs time but no CPU. They need
// little enough of it to run on two cores all at once without starving each other.
func Waiting() []Scenario {
	return []Scenario{
		// 16 key groups on 10 subtasks: six own two, four own one, 2/1.6 = 1.25.
		skew("key-group-layout", 10, 16, []string{"--enrich-us", "1000"}, map[string]Expectation{
			Enrich: {
				Verdicts: []string{"key_group_layout"}, ScalingHelps: "yes", Warns: true,
				Findings: []string{"bottleneck"}, MinRecordsSkew: 1.2,
			},
			Source: victim(),
		}),
		skew("uniform-saturation", 4, 128, []string{"--enrich-us", "1000"}, map[string]Expectation{
			Enrich: {
				Verdicts: []string{"uniform_saturation"}, ScalingHelps: "yes", Warns: true,
				Findings: []string{"bottleneck"},
			},
			Source: victim(),
		}),
		// 500 records a second; each of four subtasks is busy for a quarter of the
		// time. The source throttles itself by waiting: 100 % busy and no trouble.
		skew("healthy", 4, 128, []string{"--parse-us", "2000", "--enrich-us", "2000"}, map[string]Expectation{
			Enrich: calm(),
			Sink:   calm(),
		}),
		skew("slow-sink", 4, 128, []string{"--format-us", "2000"}, map[string]Expectation{
			Sink:   {Verdicts: []string{"uniform_saturation"}, Warns: true, Findings: []string{"bottleneck", "waiting"}},
			Enrich: {Verdicts: []string{"backpressured"}},
			Source: victim(),
		}),
		// Five keys, each on a subtask of its own; three subtasks get nothing, 8/5 = 1.6.
		skew("few-keys", 8, 128, []string{"--keys", "5", "--enrich-us", "1000"}, map[string]Expectation{
			Enrich: {Verdicts: []string{"few_keys"}, ScalingHelps: "no", Warns: true, MinRecordsSkew: 1.5},
			Source: victim(),
		}),
	}
}

// HotKey returns the scenario whose work costs CPU as well as time: the hot
// subtask uses half a core, the others little. It is to run alone.
func HotKey() Scenario {
	// Key group 32 of 128 is owned by subtask 32·5/128 = 1, which gets 60 % and
	// 26/128 of the rest: 3.4 times the mean.
	args := []string{"--hot-percent", "60", "--hot-key", "32", "--enrich-us", "500", "--enrich-cpu-us", "500"}
	return skew("hot-key", 5, 128, args, map[string]Expectation{
		Enrich: {
			Verdicts: []string{"hot_key"}, Subtasks: []int{1}, ScalingHelps: "no", Warns: true,
			Findings: []string{"bottleneck"}, MinRecordsSkew: 3,
		},
		Source: victim(),
	})
}

// SlowWorker returns the scenario of which nothing but a slow TaskManager makes
// trouble: each record waits for one call, which takes a slow process longer.
// The subtasks on that TaskManager are to be named.
func SlowWorker(slow []int) Scenario {
	return skew("slow-taskmanager", 6, 128, []string{"--call-us", "4000"}, map[string]Expectation{
		Enrich: {Verdicts: []string{"slow_taskmanager"}, Subtasks: slow, ScalingHelps: "no", Warns: true},
		Source: victim(),
	})
}

// SpinningSink is the counterpart of the slow sink among those that wait: its
// work is all CPU, as much of the host as it can get. It is to run alone.
// starved says that the host gave it less than it asked for by so much that
// waiting would be right as well.
func SpinningSink(starved bool) Scenario {
	sink := Expectation{
		Verdicts: []string{"uniform_saturation"}, Warns: true,
		Findings: []string{"bottleneck"}, NotFindings: []string{"waiting"},
	}
	if starved {
		sink.NotFindings = nil
	}
	return skew("spinning-sink", 4, 128, []string{"--format-cpu-us", "2000"}, map[string]Expectation{
		Sink:   sink,
		Enrich: {Verdicts: []string{"backpressured"}},
		Source: victim(),
	})
}
