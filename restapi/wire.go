package restapi

import (
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// overview is what /overview says of the cluster.
type overview struct {
	flinkVersion                        string
	slotsTotal, slotsFree, taskManagers analysis.Num
}

// jobEntry is one job of /jobs/overview. startMs is in epoch milliseconds;
// scheduler is empty before Flink 2.
type jobEntry struct {
	id, name, state, scheduler string
	startMs                    analysis.Num
}

// jobDetail is one job of /jobs/:id. All times are epoch milliseconds:
// runningMs is when the job last entered RUNNING, nowMs the JobManager's clock.
// The vertices are complete but for Detail, Subtasks, Partitions and Checkpoint.
type jobDetail struct {
	id, name, state, scheduler string
	startMs, nowMs, runningMs  analysis.Num
	vertices                   []analysis.Vertex
}

// vertexDetail is every subtask of one vertex, from /jobs/:id/vertices/:vid.
type vertexDetail struct {
	id                    string
	parallelism           int
	maxParallelism, nowMs analysis.Num
	// subtasks are sorted by index, each index at most once. A counter whose
	// "…-complete" flag is false is absent.
	subtasks []analysis.Subtask
	// hosts maps a TaskManager's id to its host without the port, where no
	// earlier answer of the poll told it; a subtask that is not assigned has
	// no entry.
	hosts map[string]string
	// cold says that subtasks run and none of them had complete counters.
	cold bool
}

// checkpointList is what /jobs/:id/checkpoints says; latest is the newest
// completed checkpoint, nil when there is none.
type checkpointList struct {
	completed, failed analysis.Num
	latest            *analysis.Checkpoint
}

// backpressure is the answer of …/backpressure. Without ok there is no data;
// ratios are keyed by subtask number.
type backpressure struct {
	ok     bool
	ratios map[int32]analysis.Ratios
}
