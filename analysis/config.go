package analysis

import (
	"fmt"
	"regexp"
	"time"
)

// Config holds every threshold that a verdict or finding rests on. Field tags
// are the keys of the configuration file's "thresholds" section.
type Config struct {
	// Window is the span over which evidence is weighed: a window this old
	// counts half as much as the newest one.
	Window time.Duration `yaml:"window"`
	// WarmUp is how long an attempt must have been RUNNING before it is judged.
	WarmUp time.Duration `yaml:"warm_up"`
	// MaxAge is how long a subtask's last values are held when Flink repeats
	// its cached answer.
	MaxAge time.Duration `yaml:"max_age"`
	// MinCoverage is the least share of subtasks with fresh values, 0–1.
	MinCoverage float64 `yaml:"min_coverage"`
	// ActivityBusy is the activity floor: a vertex whose busiest subtask stays
	// below this busy ratio, and waits for output less than that, is quiet.
	ActivityBusy float64 `yaml:"activity_busy"`
	// ActivityRate is how many records a second the fastest subtask must have
	// for anything to be said of how they are spread.
	ActivityRate float64 `yaml:"activity_rate"`
	// SaturatedEnter and SaturatedLeave are busy ratios: at or above the first a
	// subtask becomes saturated, below the second it ceases to be.
	SaturatedEnter float64 `yaml:"saturated_enter"`
	SaturatedLeave float64 `yaml:"saturated_leave"`
	// BackpressuredEnter and BackpressuredLeave are shares of time spent waiting for output.
	BackpressuredEnter float64 `yaml:"backpressured_enter"`
	BackpressuredLeave float64 `yaml:"backpressured_leave"`
	// SkewEnter and SkewLeave are max/mean ratios from which load is uneven.
	SkewEnter float64 `yaml:"skew_enter"`
	SkewLeave float64 `yaml:"skew_leave"`
	// HotEnter and HotLeave are how many times the others' records per owned
	// key group, or per owned partition, make a subtask hot.
	HotEnter float64 `yaml:"hot_enter"`
	HotLeave float64 `yaml:"hot_leave"`
	// FewKeysIdle is the share of subtasks without any record from which the
	// keys are too few whatever the load of the others looks like.
	FewKeysIdle float64 `yaml:"few_keys_idle"`
	// LayoutEnter is the layout ratio, of key groups or of source partitions,
	// from which the layout is worth a word.
	LayoutEnter float64 `yaml:"layout_enter"`
	// LayoutExcessEnter and LayoutExcessLeave are the excess skew (records per
	// owned key group, max/mean) up to which the layout explains the load.
	LayoutExcessEnter float64 `yaml:"layout_excess_enter"`
	LayoutExcessLeave float64 `yaml:"layout_excess_leave"`
	// CostEnter is the ratio of a subtask's cost per record to the median from which it is dear.
	CostEnter float64 `yaml:"cost_enter"`
	CostLeave float64 `yaml:"cost_leave"`
	// CostBusy is the busy ratio below which the cost of a record is no matter,
	// and on a host that is short of CPU little more than noise: a factor of two
	// and a half was seen there on calm vertices.
	CostBusy float64 `yaml:"cost_busy"`
	// WaitingCPU is how many CPU seconds a TaskManager uses for each busy second
	// of its subtasks below which they are said to wait.
	WaitingCPU float64 `yaml:"waiting_cpu"`
	// TargetUtilisation is the busy ratio that sizing aims at, 0–1.
	TargetUtilisation float64 `yaml:"target_utilisation"`
	// SlotsBind counts free task slots as a limit. It is off by default: where
	// workers are started on demand there are never free slots, and scaling up
	// works all the same.
	SlotsBind bool `yaml:"slots_bind"`
	// StateEnter is the skew of state size, beyond what the layout explains,
	// from which it is worth a word, and StateFloor the bytes that the largest
	// subtask must have for it.
	StateEnter float64 `yaml:"state_enter"`
	StateFloor float64 `yaml:"state_floor"`
	// StragglerEnter is how many times the median the slowest subtask's
	// checkpoint takes to be a straggler, and StragglerFloor the least duration.
	StragglerEnter float64       `yaml:"straggler_enter"`
	StragglerFloor time.Duration `yaml:"straggler_floor"`
	// WatermarkHeld is how far behind the others a subtask's watermark must be
	// to be said to hold them back.
	WatermarkHeld time.Duration `yaml:"watermark_held"`
	// CatchUp is the time in which a source's backlog is expected to be cleared.
	CatchUp time.Duration `yaml:"catch_up"`
	// ExcludeVertices are vertices by name that get no verdict and no finding;
	// the search for bottlenecks walks through them. Nil excludes none.
	ExcludeVertices *regexp.Regexp `yaml:"-"`
	// Silenced are the verdicts and findings that keep quiet: such a verdict is
	// still given, with severity none, and such a finding is left out.
	Silenced map[string]bool `yaml:"-"`
	// Trace records in every VertexResult why each rule did or did not fire.
	Trace bool `yaml:"-"`
	// WindowsIn and WindowsOut are how many windows in a row must agree before
	// a verdict is entered, and before it is left for balanced or quiet.
	WindowsIn  int `yaml:"windows_in"`
	WindowsOut int `yaml:"windows_out"`
}

// Defaults returns the thresholds that the documentation names.
func Defaults() Config {
	return Config{
		Window:             time.Minute,
		WarmUp:             20 * time.Second,
		MaxAge:             time.Minute,
		MinCoverage:        0.8,
		ActivityBusy:       0.05,
		ActivityRate:       1,
		SaturatedEnter:     0.9,
		SaturatedLeave:     0.8,
		BackpressuredEnter: 0.5,
		BackpressuredLeave: 0.4,
		SkewEnter:          1.5,
		SkewLeave:          1.3,
		HotEnter:           2,
		HotLeave:           1.6,
		FewKeysIdle:        0.25,
		LayoutEnter:        1.15,
		LayoutExcessEnter:  1.3,
		LayoutExcessLeave:  1.5,
		CostEnter:          1.8,
		CostLeave:          1.5,
		CostBusy:           0.2,
		WaitingCPU:         0.25,
		TargetUtilisation:  0.75,
		StateEnter:         2,
		StateFloor:         64 << 20,
		StragglerEnter:     3,
		StragglerFloor:     5 * time.Second,
		WatermarkHeld:      time.Minute,
		CatchUp:            30 * time.Minute,
		WindowsIn:          2,
		WindowsOut:         3,
	}
}

// Validate returns an error that names the first key with an unusable value.
func (c Config) Validate() error {
	type check struct {
		key string
		ok  bool
		why string
	}
	for _, k := range []check{
		{"window", c.Window > 0, "must be above 0"},
		{"warm_up", c.WarmUp >= 0, "must not be negative"},
		{"max_age", c.MaxAge > 0, "must be above 0"},
		{"min_coverage", c.MinCoverage > 0 && c.MinCoverage <= 1, "must be in (0, 1]"},
		{"activity_busy", c.ActivityBusy >= 0 && c.ActivityBusy < 1, "must be in [0, 1)"},
		{"activity_rate", c.ActivityRate >= 0, "must not be negative"},
		{"saturated_enter", c.SaturatedEnter > 0 && c.SaturatedEnter <= 1, "must be in (0, 1]"},
		{"saturated_leave", c.SaturatedLeave > 0 && c.SaturatedLeave <= c.SaturatedEnter, "must be in (0, saturated_enter]"},
		{"backpressured_enter", c.BackpressuredEnter > 0 && c.BackpressuredEnter <= 1, "must be in (0, 1]"},
		{"backpressured_leave", c.BackpressuredLeave > 0 && c.BackpressuredLeave <= c.BackpressuredEnter, "must be in (0, backpressured_enter]"},
		{"skew_enter", c.SkewEnter > 1, "must be above 1"},
		{"skew_leave", c.SkewLeave > 1 && c.SkewLeave <= c.SkewEnter, "must be in (1, skew_enter]"},
		{"hot_enter", c.HotEnter > 1, "must be above 1"},
		{"hot_leave", c.HotLeave > 1 && c.HotLeave <= c.HotEnter, "must be in (1, hot_enter]"},
		{"few_keys_idle", c.FewKeysIdle > 0 && c.FewKeysIdle <= 1, "must be in (0, 1]"},
		{"layout_enter", c.LayoutEnter > 1, "must be above 1"},
		{"layout_excess_enter", c.LayoutExcessEnter > 1, "must be above 1"},
		{"layout_excess_leave", c.LayoutExcessLeave >= c.LayoutExcessEnter, "must not be below layout_excess_enter"},
		{"cost_enter", c.CostEnter > 1, "must be above 1"},
		{"cost_leave", c.CostLeave > 1 && c.CostLeave <= c.CostEnter, "must be in (1, cost_enter]"},
		{"cost_busy", c.CostBusy >= 0 && c.CostBusy < 1, "must be in [0, 1)"},
		{"waiting_cpu", c.WaitingCPU > 0 && c.WaitingCPU <= 1, "must be in (0, 1]"},
		{"target_utilisation", c.TargetUtilisation > 0 && c.TargetUtilisation <= 1, "must be in (0, 1]"},
		{"state_enter", c.StateEnter > 1, "must be above 1"},
		{"state_floor", c.StateFloor >= 0, "must not be negative"},
		{"straggler_enter", c.StragglerEnter > 1, "must be above 1"},
		{"straggler_floor", c.StragglerFloor >= 0, "must not be negative"},
		{"watermark_held", c.WatermarkHeld > 0, "must be above 0"},
		{"catch_up", c.CatchUp > 0, "must be above 0"},
		{"windows_in", c.WindowsIn >= 1, "must be at least 1"},
		{"windows_out", c.WindowsOut >= 1, "must be at least 1"},
	} {
		if !k.ok {
			return fmt.Errorf("%s %s", k.key, k.why)
		}
	}
	return nil
}
