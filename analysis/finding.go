package analysis

import (
	"fmt"
	"strings"
)

// VerdictID is the one word for why a vertex's subtasks are as loaded as they
// are. The set is closed; every vertex has exactly one.
type VerdictID string

// The verdicts.
const (
	NotEnoughData     VerdictID = "not_enough_data"
	Quiet             VerdictID = "quiet"
	Balanced          VerdictID = "balanced"
	HotKey            VerdictID = "hot_key"
	FewKeys           VerdictID = "few_keys"
	KeyGroupLayout    VerdictID = "key_group_layout"
	PartitionLayout   VerdictID = "partition_layout"
	IdleReaders       VerdictID = "idle_readers"
	HotPartition      VerdictID = "hot_partition"
	SlowTaskManager   VerdictID = "slow_taskmanager"
	CostlyRecords     VerdictID = "costly_records"
	UnevenInput       VerdictID = "uneven_input"
	UniformSaturation VerdictID = "uniform_saturation"
	Stalled           VerdictID = "stalled"
	Backpressured     VerdictID = "backpressured"
)

// Verdicts lists the closed set in the order of documentation.
func Verdicts() []VerdictID {
	return []VerdictID{
		NotEnoughData, Quiet, Balanced, HotKey, FewKeys, KeyGroupLayout, PartitionLayout, IdleReaders,
		HotPartition, SlowTaskManager, CostlyRecords, UnevenInput, UniformSaturation, Stalled, Backpressured,
	}
}

// FindingID names a fact that stands beside the verdict. The set is closed.
type FindingID string

// The findings.
const (
	Bottleneck           FindingID = "bottleneck"
	CeilingReached       FindingID = "ceiling_reached"
	CeilingBelowRequired FindingID = "ceiling_below_required"
	PartitionCeiling     FindingID = "partition_ceiling"
	DerivedCeiling       FindingID = "derived_ceiling"
	WastedSubtasks       FindingID = "wasted_subtasks"
	Waiting              FindingID = "waiting"
	StateSkew            FindingID = "state_skew"
	CheckpointStraggler  FindingID = "checkpoint_straggler"
	WatermarkHeld        FindingID = "watermark_held"
	CatchUpShort         FindingID = "catch_up_short"
	NonParallel          FindingID = "non_parallel"
	JobChanged           FindingID = "job_changed"
)

// FindingIDs lists the closed set in the order of documentation.
func FindingIDs() []FindingID {
	return []FindingID{
		Bottleneck, CeilingReached, CeilingBelowRequired, PartitionCeiling, DerivedCeiling, WastedSubtasks, Waiting,
		StateSkew, CheckpointStraggler, WatermarkHeld, CatchUpShort, NonParallel, JobChanged,
	}
}

// Severity orders how much a verdict or finding matters.
type Severity int

// Severities, least first. Their numbers are those of flink_skew_vertex_severity.
const (
	SeverityNone Severity = iota
	SeverityInfo
	SeverityWarning
	SeverityCritical
)

// severityNames are by number.
func severityNames() []string { return []string{"none", "info", "warning", "critical"} }

// String returns the severity's name.
func (s Severity) String() string { return severityNames()[s] }

// MarshalText writes the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a severity's name.
func (s *Severity) UnmarshalText(b []byte) error {
	for i, name := range severityNames() {
		if name == string(b) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("no severity %q; there are %s", b, strings.Join(severityNames(), ", "))
}

// Confidence is how sure a verdict is: it is low after one window.
type Confidence string

// Confidences.
const (
	ConfidenceLow    Confidence = "low"
	ConfidenceMedium Confidence = "medium"
	ConfidenceHigh   Confidence = "high"
)

// ScalingHelps answers whether more (or fewer) subtasks would mend the matter.
type ScalingHelps string

// Answers.
const (
	ScalingYes    ScalingHelps = "yes"
	ScalingPartly ScalingHelps = "partly"
	ScalingNo     ScalingHelps = "no"
	ScalingNA     ScalingHelps = "n/a"
)

// Unit is the unit of a Measure.
type Unit string

// Units.
const (
	UnitRatio            Unit = "ratio"
	UnitRecordsPerSecond Unit = "records/s"
	UnitRecords          Unit = "records"
	UnitSeconds          Unit = "seconds"
	UnitMilliseconds     Unit = "milliseconds"
	UnitSubtasks         Unit = "subtasks"
	UnitVertices         Unit = "vertices"
	UnitKeyGroups        Unit = "key groups"
	UnitPartitions       Unit = "partitions"
	UnitBytes            Unit = "bytes"
)

// Measure is one number of a verdict's proof and what it was held against.
type Measure struct {
	Name      string `json:"name"`
	Value     Num    `json:"value"`
	Unit      Unit   `json:"unit"`
	Threshold Num    `json:"threshold"`
}

// KeyGroupRange is an inclusive range of key groups.
type KeyGroupRange struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Step is a parallelism worth running and what it would leave on the busiest subtask.
type Step struct {
	Parallelism int `json:"parallelism"`
	// BusiestLoad is the load of the busiest subtask at the present rate, 1
	// being all that one subtask can do, if the load inside each of today's
	// subtasks is spread evenly over what it owns; absent when unknown.
	BusiestLoad Num `json:"busiest_load"`
	// BusiestHigh is an upper bound of it by what is known of the spread over key
	// groups: the excess of a hot subtask sits in one of them, and the others
	// differ as much as the other subtasks tell (Band); absent when unknown.
	BusiestHigh Num `json:"busiest_high"`
}

// Advice is what there is to act on, as data; reports put it into words.
type Advice struct {
	// Missing is why there is not enough data, from the closed set of MissingReason.
	Missing MissingReason `json:"missing,omitempty"`
	// Steps are useful parallelisms around the present one.
	Steps []Step `json:"steps,omitempty"`
	// KeyGroups is where the hot key must be looked for.
	KeyGroups *KeyGroupRange `json:"key_groups,omitempty"`
	// Floor is the load of the busiest subtask that no parallelism goes below.
	Floor Num `json:"floor"`
	// PreAggregation says that the records arrive combined already.
	PreAggregation *PreAggregation `json:"pre_aggregation,omitempty"`
	// Key is the key expression of the plan, such as groupBy=[c]; for people, never a label.
	Key string `json:"key,omitempty"`
	// Cause is the id of the vertex that this one waits for.
	Cause string `json:"cause,omitempty"`
	// TaskManager is the id of the slow worker.
	TaskManager string `json:"task_manager,omitempty"`
	// Workers are the TaskManagers to look at, at most eight of them.
	Workers []Worker `json:"workers,omitempty"`
}

// PreAggregation describes a local–global pair: records are combined by a
// first phase before they are shuffled by key.
type PreAggregation struct {
	// Local is the id of the vertex that combines.
	Local string `json:"local"`
	// Gain is records into the local phase over partial results out of it; near
	// 1 keys hardly repeat within a batch. Absent when Flink does not count the
	// records in, as with a source that combines in its own chain.
	Gain Num `json:"gain"`
}

// MissingReason is what a vertex lacks to be judged.
type MissingReason string

// What may be missing.
const (
	MissingFirstWindow MissingReason = "first_window"
	MissingWarmingUp   MissingReason = "warming_up"
	MissingCoverage    MissingReason = "coverage"
	MissingDetails     MissingReason = "details"
	MissingBusy        MissingReason = "busy_not_measurable"
	MissingNotRunning  MissingReason = "not_running"
	MissingFrozen      MissingReason = "frozen"
	// MissingAgreement: the load is uneven and heavy, but the signals do not
	// agree on one cause.
	MissingAgreement MissingReason = "agreement"
	// MissingSubtasks: the subtasks named give no numbers, and something waits
	// for this vertex or a skew verdict stood: a missing one may be the hot one.
	MissingSubtasks MissingReason = "subtasks_missing"
	// MissingMaxParallelism: the vertex is keyed, uneven and saturated, and its
	// max parallelism is unknown or below its parallelism.
	MissingMaxParallelism MissingReason = "max_parallelism"
	// MissingExcluded: the configuration excludes the vertex.
	MissingExcluded MissingReason = "excluded"
)

// Judgement is what verdicts and findings have in common.
type Judgement struct {
	Severity     Severity     `json:"severity"`
	Confidence   Confidence   `json:"confidence"`
	ScalingHelps ScalingHelps `json:"scaling_helps"`
	// Subtasks are the indexes it is about, ascending; empty means the whole vertex.
	Subtasks []int     `json:"subtasks"`
	Evidence []Measure `json:"evidence"`
	Advice   Advice    `json:"advice"`
}

// Verdict is the vertex's one word with its proof.
type Verdict struct {
	ID VerdictID `json:"id"`
	Judgement
}

// Finding stands beside the verdict.
type Finding struct {
	ID FindingID `json:"id"`
	Judgement
}
