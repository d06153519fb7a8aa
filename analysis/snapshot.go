package analysis

import "time"

// Snapshot is what one poll of one cluster saw. It is plain data: any number
// that Flink did not give is absent, and Gaps says why.
type Snapshot struct {
	// At is when the poll began, by the exporter's clock.
	At time.Time `json:"at"`
	// Cluster is the configured name of the cluster.
	Cluster      string `json:"cluster"`
	FlinkVersion string `json:"flink_version,omitempty"`
	Slots        Slots  `json:"slots"`
	// JobStates counts every job the JobManager lists, by Flink's JobStatus.
	JobStates map[string]int `json:"job_states"`
	// Jobs are those that have not ended, in the JobManager's order.
	Jobs         []Job         `json:"jobs"`
	TaskManagers []TaskManager `json:"task_managers"`
	Gaps         []Gap         `json:"gaps,omitempty"`
}

// Slots are the cluster's task slots.
type Slots struct {
	Total Num `json:"total"`
	Free  Num `json:"free"`
}

// TaskManager is one worker process.
type TaskManager struct {
	// ID is Flink's resource id; never a metric label.
	ID string `json:"id"`
	// Host is the machine without the port, empty when unknown.
	Host      string `json:"host,omitempty"`
	Slots     Num    `json:"slots"`
	FreeSlots Num    `json:"free_slots"`
	// CPUCores is the number of processors the process sees.
	CPUCores Num `json:"cpu_cores"`
	// CPUSeconds is the CPU time the process has used (Status.JVM.CPU.Time).
	CPUSeconds Num `json:"cpu_seconds"`
	// GCRatio is the share of time in garbage collection, 0–1.
	GCRatio Num `json:"gc_ratio"`
	// CPUAt is when CPUSeconds was read.
	CPUAt time.Time `json:"cpu_at,omitzero"`
}

// Job is one job that has not ended.
type Job struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// State is Flink's JobStatus, such as RUNNING, RESTARTING or SUSPENDED.
	State string `json:"state"`
	// Scheduler is Default, Adaptive or AdaptiveBatch; empty before Flink 2.
	Scheduler string    `json:"scheduler,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	// RunningSince is when the job last entered RUNNING; a restart or a rescale moves it.
	RunningSince time.Time `json:"running_since,omitzero"`
	// Vertices are in Flink's topological order. Empty unless the job runs.
	Vertices []Vertex `json:"vertices,omitempty"`
	// Checkpoint is the newest completed checkpoint, absent when there is none.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
}

// Sink reports whether no vertex of the job reads from the given one.
func (j *Job) Sink(vertexID string) bool {
	for i := range j.Vertices {
		for _, in := range j.Vertices[i].Inputs {
			if in.From == vertexID {
				return false
			}
		}
	}
	return true
}

// Checkpoint is a completed checkpoint of a job.
type Checkpoint struct {
	ID           int64     `json:"id"`
	TriggeredAt  time.Time `json:"triggered_at"`
	ExternalPath string    `json:"external_path,omitempty"`
	// Failed and Completed are the job's counts so far.
	Failed    Num `json:"failed"`
	Completed Num `json:"completed"`
}

// Detail says how a vertex's subtasks were read in this poll.
type Detail string

const (
	// DetailFresh means that Subtasks are of this poll.
	DetailFresh Detail = "fresh"
	// DetailSkipped means that the vertex's total busy time since the last poll
	// was below the activity floor, so that its subtasks were not asked for.
	DetailSkipped Detail = "skipped"
	// DetailMissing means that they were asked for and not had; a Gap says why.
	DetailMissing Detail = "missing"
)

// ShipStrategy is how an edge distributes records, as Flink's plan names it.
type ShipStrategy string

// Ship strategies that the rules look at. Flink has more.
const (
	ShipHash      ShipStrategy = "HASH"
	ShipForward   ShipStrategy = "FORWARD"
	ShipRebalance ShipStrategy = "REBALANCE"
	ShipRescale   ShipStrategy = "RESCALE"
	ShipBroadcast ShipStrategy = "BROADCAST"
)

// Input is an incoming edge of a vertex.
type Input struct {
	// From is the id of the upstream vertex.
	From string       `json:"from"`
	Ship ShipStrategy `json:"ship"`
}

// Vertex is one job vertex: a chain of operators that runs as subtasks.
type Vertex struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Description is the plan node's text, HTML removed; SQL names its keys there.
	Description string `json:"description,omitempty"`
	Parallelism int    `json:"parallelism"`
	// MaxParallelism is the number of key groups; absent when Flink gave none or -1.
	MaxParallelism Num    `json:"max_parallelism"`
	Status         string `json:"status"`
	// SlotSharingGroup is Flink's id of the group, empty when unknown.
	SlotSharingGroup string  `json:"slot_sharing_group,omitempty"`
	Inputs           []Input `json:"inputs,omitempty"`
	// Totals are the sums over subtasks that the job's own answer carries.
	Totals Counters `json:"totals"`
	Detail Detail   `json:"detail"`
	// Subtasks are sorted by index; an index that Flink did not report is missing.
	Subtasks []Subtask `json:"subtasks,omitempty"`
	// Partitions is the number of source partitions seen over all subtasks;
	// absent when the vertex is no source or they are not known.
	Partitions Num `json:"partitions"`
	// Backlog is the records that wait in the source's partitions (Flink's
	// pendingRecords, FLIP-33), summed over the subtasks; absent when unknown.
	Backlog Num `json:"backlog"`
	// Watermarks are the newest that were read, which may be some polls ago;
	// nil when they were not read or the vertex has none.
	Watermarks *VertexWatermarks `json:"watermarks,omitempty"`
	// Checkpoint holds the subtasks' part of the newest completed checkpoint.
	Checkpoint *VertexCheckpoint `json:"checkpoint,omitempty"`
}

// Source reports whether the vertex has no inputs.
func (v *Vertex) Source() bool { return len(v.Inputs) == 0 }

// Keyed reports whether an input is hash-partitioned, which alone gives key groups a meaning.
func (v *Vertex) Keyed() bool {
	for _, in := range v.Inputs {
		if in.Ship == ShipHash {
			return true
		}
	}
	return false
}

// Counters only grow while an attempt lives. Times are in milliseconds.
type Counters struct {
	BusyMs          Num `json:"busy_ms"`
	BackPressuredMs Num `json:"back_pressured_ms"`
	IdleMs          Num `json:"idle_ms"`
	RecordsIn       Num `json:"records_in"`
	RecordsOut      Num `json:"records_out"`
	BytesIn         Num `json:"bytes_in"`
}

// Ratios are instantaneous shares of time, 0–1, as Flink's gauges and its
// back-pressure endpoint give them.
type Ratios struct {
	Busy          Num `json:"busy"`
	BackPressured Num `json:"back_pressured"`
	Idle          Num `json:"idle"`
}

// Subtask is one parallel instance of a vertex.
type Subtask struct {
	Index int32 `json:"index"`
	// Attempt numbers executions of this subtask from 0.
	Attempt int32 `json:"attempt"`
	// State is Flink's ExecutionState; only RUNNING subtasks are judged.
	State string `json:"state"`
	// TaskManager is the id of the worker, empty when not assigned.
	TaskManager string `json:"task_manager,omitempty"`
	// RunningMs is how long this attempt has been RUNNING, in milliseconds.
	RunningMs Num `json:"running_ms"`
	// AgeMs is how long ago this attempt was created by the JobManager's clock,
	// in milliseconds; its growth is the time between two answers.
	AgeMs Num `json:"age_ms"`
	Counters
	// Gauges are there when accumulated times are not (Flink 1.15 and 1.16).
	Gauges *Ratios `json:"gauges,omitempty"`
	// Partitions is the number of source partitions this subtask owns.
	Partitions Num `json:"partitions"`
}

// Running is Flink's ExecutionState of a subtask that processes records.
const Running = "RUNNING"

// VertexWatermarks are the input watermarks of a vertex's subtasks at one time.
type VertexWatermarks struct {
	At       time.Time          `json:"at"`
	Subtasks []SubtaskWatermark `json:"subtasks"`
}

// WatermarkState is what a subtask's input watermark is.
type WatermarkState string

// States of a watermark.
const (
	// WatermarkSet: there is one, in Ms.
	WatermarkSet WatermarkState = "set"
	// WatermarkNone: none has arrived yet (Flink answers Long.MIN_VALUE).
	WatermarkNone WatermarkState = "none"
	// WatermarkEnded: the input has ended (Long.MAX_VALUE).
	WatermarkEnded WatermarkState = "ended"
)

// SubtaskWatermark is one subtask's input watermark.
type SubtaskWatermark struct {
	Index int32          `json:"index"`
	State WatermarkState `json:"state"`
	// Ms is in epoch milliseconds, present only when State is set.
	Ms Num `json:"ms"`
}

// VertexCheckpoint is one vertex's part of a completed checkpoint. It never
// changes once made, so that snapshots may share it.
type VertexCheckpoint struct {
	ID       int64               `json:"id"`
	Subtasks []SubtaskCheckpoint `json:"subtasks"`
}

// SubtaskCheckpoint is one subtask's part of a completed checkpoint. Sizes are
// bytes, durations milliseconds.
type SubtaskCheckpoint struct {
	Index int32 `json:"index"`
	// StateBytes is the full state (Flink's state_size), DeltaBytes what this
	// checkpoint wrote (checkpointed_size); they differ with incremental checkpoints.
	StateBytes   Num `json:"state_bytes"`
	DeltaBytes   Num `json:"delta_bytes"`
	EndToEndMs   Num `json:"end_to_end_ms"`
	SyncMs       Num `json:"sync_ms"`
	AsyncMs      Num `json:"async_ms"`
	AlignmentMs  Num `json:"alignment_ms"`
	StartDelayMs Num `json:"start_delay_ms"`
}

// GapReason is why something is absent from a snapshot. The set is closed.
type GapReason string

// Reasons of gaps.
const (
	// GapTorn: a rescale or restart fell between two calls of one poll.
	GapTorn GapReason = "torn"
	// GapVanished: the job answered 404 after the overview listed it.
	GapVanished GapReason = "vanished"
	// GapFailed: the call failed; Detail holds the error's reason.
	GapFailed GapReason = "failed"
	// GapCold: Flink's metric cache had nothing yet.
	GapCold GapReason = "cold"
	// GapNotRunning: the job is between RUNNING states.
	GapNotRunning GapReason = "not_running"
	// GapLimit: a configured limit left it out.
	GapLimit GapReason = "limit"
)

// Gap says what a snapshot lacks, where, and why.
type Gap struct {
	JobID    string    `json:"job_id,omitempty"`
	VertexID string    `json:"vertex_id,omitempty"`
	What     string    `json:"what"`
	Reason   GapReason `json:"reason"`
	// Detail is a reason from a closed set of the source, never free text.
	Detail string `json:"detail,omitempty"`
}
