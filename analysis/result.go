package analysis

import "time"

// Result is what one poll means. It shares nothing that later polls change.
type Result struct {
	At           time.Time `json:"at"`
	Cluster      string    `json:"cluster"`
	FlinkVersion string    `json:"flink_version,omitempty"`
	Slots        Slots     `json:"slots"`
	TaskManagers Num       `json:"task_managers"`
	// Workers are the TaskManagers one by one; without their numbers of tasks.
	Workers   []Worker       `json:"workers,omitempty"`
	JobStates map[string]int `json:"job_states"`
	Jobs      []JobResult    `json:"jobs"`
	Gaps      []Gap          `json:"gaps,omitempty"`
}

// JobResult is one job that has not ended.
type JobResult struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	State        string    `json:"state"`
	Scheduler    string    `json:"scheduler,omitempty"`
	StartedAt    time.Time `json:"started_at,omitzero"`
	RunningSince time.Time `json:"running_since,omitzero"`
	// Restarts counts new attempts: those before the first poll, as far as
	// attempt numbers tell, and those seen since.
	Restarts Num            `json:"restarts"`
	Vertices []VertexResult `json:"vertices"`
}

// VertexResult is one vertex: its signals, what explains them, and the verdict.
type VertexResult struct {
	ID             string  `json:"id"`
	Name           string  `json:"name"`
	Parallelism    int     `json:"parallelism"`
	MaxParallelism Num     `json:"max_parallelism"`
	Keyed          bool    `json:"keyed"`
	Inputs         []Input `json:"inputs,omitempty"`
	Partitions     Num     `json:"partitions"`
	// Backlog is the records that wait in a source's partitions.
	Backlog Num `json:"backlog"`
	// Coverage is the share of subtasks with fresh values, 0–1.
	Coverage Num `json:"coverage"`
	// Windows is how many windows in a row have had data since the last change.
	Windows int `json:"windows"`
	// WindowSeconds is the median length of the newest window.
	WindowSeconds Num     `json:"window_seconds"`
	Signals       Signals `json:"signals"`
	// RecordsInPerSecond and RecordsOutPerSecond are sums over the subtasks.
	RecordsInPerSecond  Num       `json:"records_in_per_second"`
	RecordsOutPerSecond Num       `json:"records_out_per_second"`
	Layout              *Layout   `json:"layout,omitempty"`
	Ceiling             Ceiling   `json:"ceiling"`
	Limits              Limits    `json:"limits"`
	Sizing              Sizing    `json:"sizing"`
	Verdict             Verdict   `json:"verdict"`
	Findings            []Finding `json:"findings"`
	// Hot is the hottest subtask while a skew verdict stands.
	Hot *Hot `json:"hot,omitempty"`
	// Subtasks are sorted by index and hold those with values.
	Subtasks []SubtaskResult `json:"subtasks,omitempty"`
	// Checks are the rules that were asked and what each one found, in order;
	// only with Config.Trace.
	Checks []Check `json:"checks,omitempty"`
}

// Check is one rule's answer in the newest window.
type Check struct {
	Rule  string `json:"rule"`
	Fired bool   `json:"fired"`
	// Why is the measure that stopped the rule, against its threshold; its Name
	// alone when the rule does not apply to such a vertex.
	Why Measure `json:"why"`
}

// Finding returns the finding of that id, or nil.
func (v *VertexResult) Finding(id FindingID) *Finding {
	for i := range v.Findings {
		if v.Findings[i].ID == id {
			return &v.Findings[i]
		}
	}
	return nil
}

// Severity is the highest of the verdict and the findings.
func (v *VertexResult) Severity() Severity {
	s := v.Verdict.Severity
	for _, f := range v.Findings {
		s = max(s, f.Severity)
	}
	return s
}

// Signals are the distributions over a vertex's subtasks in the newest window.
// A signal that no subtask gave is the zero Distribution.
type Signals struct {
	Busy          Distribution `json:"busy"`
	BackPressured Distribution `json:"backpressured"`
	Idle          Distribution `json:"idle"`
	RecordsIn     Distribution `json:"records_in"`
	RecordsOut    Distribution `json:"records_out"`
	BytesIn       Distribution `json:"bytes_in"`
	// State is in bytes, CheckpointDuration in seconds, CostPerRecord in seconds a record.
	State              Distribution `json:"state"`
	CheckpointDuration Distribution `json:"checkpoint_duration"`
	CostPerRecord      Distribution `json:"cost_per_record"`
	// WatermarkLag is in seconds behind the poll's time.
	WatermarkLag Distribution `json:"watermark_lag"`
}

// Signal names a distribution that has skew ratios; the set is closed.
type Signal string

// Signals with skew ratios, named as the metric label names them.
const (
	SignalBusy               Signal = "busy"
	SignalBackPressured      Signal = "backpressured"
	SignalRecordsIn          Signal = "records_in"
	SignalRecordsOut         Signal = "records_out"
	SignalBytesIn            Signal = "bytes_in"
	SignalState              Signal = "state"
	SignalCheckpointDuration Signal = "checkpoint_duration"
	SignalCostPerRecord      Signal = "cost_per_record"
)

// Each calls f for every signal that has skew ratios, in a fixed order.
func (s *Signals) Each(f func(Signal, *Distribution)) {
	f(SignalBusy, &s.Busy)
	f(SignalBackPressured, &s.BackPressured)
	f(SignalRecordsIn, &s.RecordsIn)
	f(SignalRecordsOut, &s.RecordsOut)
	f(SignalBytesIn, &s.BytesIn)
	f(SignalState, &s.State)
	f(SignalCheckpointDuration, &s.CheckpointDuration)
	f(SignalCostPerRecord, &s.CostPerRecord)
}

// Distribution describes one signal over the subtasks that gave it.
type Distribution struct {
	// Count is how many subtasks gave a value; 0 means that all else is absent.
	Count  int `json:"count"`
	Max    Num `json:"max"`
	Mean   Num `json:"mean"`
	Median Num `json:"median"`
	Min    Num `json:"min"`
	P95    Num `json:"p95"`
	Sum    Num `json:"sum"`
	// Skew is max/mean, at least 1; absent when the mean is 0 or below the floor.
	Skew Num `json:"ratio"`
	// Excess is the skew of the value per owned key group: 1 means that the
	// layout explains all. Absent unless the vertex is keyed.
	Excess Num `json:"excess"`
	// WebUISkew is Flink's own data-skew percentage / 100: mean absolute
	// deviation / mean, capped at 1 (FLINK-34025). It goes blind as parallelism grows.
	WebUISkew Num `json:"webui_skew"`
	// ArgMax is the subtask of the largest value, -1 without values.
	ArgMax int `json:"argmax"`
}

// Layout is how a vertex's key groups fall to its subtasks.
type Layout struct {
	// Max, Min and Median are key groups a subtask; Mean is M/p.
	Max    int     `json:"max"`
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Mean   float64 `json:"mean"`
	// Ratio is ceil(M/p)·p/M: the skew that the layout alone makes.
	Ratio float64 `json:"ratio"`
}

// Binding is what limits a vertex's parallelism. The set is closed.
type Binding string

// Bindings.
const (
	BindMaxParallelism   Binding = "max_parallelism"
	BindSourcePartitions Binding = "source_partitions"
	BindTaskSlots        Binding = "task_slots"
)

// Ceiling is the parallelism beyond which a vertex cannot usefully go.
type Ceiling struct {
	// Effective is the smallest of the known limits; absent when none is known.
	Effective Num     `json:"effective"`
	Binding   Binding `json:"binding,omitempty"`
	// Headroom is Effective / parallelism: 1 is at the ceiling.
	Headroom Num `json:"headroom_ratio"`
	// Wasted is how many subtasks could go without loading the busiest one more.
	Wasted Num `json:"wasted_subtasks"`
	// NextUseful is the next larger parallelism that unloads the busiest subtask.
	NextUseful Num `json:"next_useful_parallelism"`
}

// Sizing is what the present load needs. Rates are in records a second.
type Sizing struct {
	// TrueRate is the records in per second that the vertex could process if
	// its subtasks were always busy (records / busy, summed).
	TrueRate Num `json:"true_rate"`
	// Required is the parallelism for the present demand at target utilisation.
	Required Num `json:"required_parallelism"`
	// RequiredHeadroom is the effective ceiling / Required; below 1 scaling cannot meet it.
	RequiredHeadroom Num `json:"required_headroom_ratio"`
	// Demand is what would arrive if nothing held up the sources, propagated from
	// them through the ratios of records that are observed; DemandAtLeast says that
	// it is a lower bound, since a source is held up that tells no backlog.
	Demand        Num  `json:"demand"`
	DemandAtLeast bool `json:"demand_at_least"`
	// DemandRatio is Demand over what arrives now, at least 1.
	DemandRatio Num `json:"demand_ratio"`
	// CatchUpRate is what clears the sources' backlogs in Config.CatchUp beside the
	// demand, and RequiredCatchUp the parallelism for both; absent without a backlog.
	CatchUpRate     Num `json:"catch_up_rate"`
	RequiredCatchUp Num `json:"required_catch_up_parallelism"`
	// Target is the utilisation that sizing aims at (Config.TargetUtilisation).
	Target Num `json:"target_utilisation"`
	// Autoscaler is what the autoscaler of Flink's Kubernetes operator would set,
	// with its defaults; absent where it would do nothing.
	Autoscaler Num `json:"autoscaler_parallelism"`
}

// Hot is the hottest subtask of a skewed vertex.
type Hot struct {
	Subtask int `json:"subtask"`
	// KeyGroups is its range; nil unless the vertex is keyed.
	KeyGroups *KeyGroupRange `json:"key_groups,omitempty"`
}

// SubtaskResult is one subtask's values in the newest window.
type SubtaskResult struct {
	Index int32 `json:"index"`
	// KeyGroups is how many key groups it owns; 0 unless the vertex is keyed.
	KeyGroups     int32  `json:"key_groups,omitempty"`
	TaskManager   string `json:"task_manager,omitempty"`
	Busy          Num    `json:"busy"`
	BackPressured Num    `json:"backpressured"`
	Idle          Num    `json:"idle"`
	// Rates are per second; CostPerRecord is busy seconds a record in.
	RecordsIn     Num `json:"records_in"`
	RecordsOut    Num `json:"records_out"`
	BytesIn       Num `json:"bytes_in"`
	CostPerRecord Num `json:"cost_per_record"`
	StateBytes    Num `json:"state_bytes"`
	Partitions    Num `json:"partitions"`
}
