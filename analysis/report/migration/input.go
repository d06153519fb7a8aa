package migration

import (
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Input is what a plan is made from. Job or Savepoint may be nil, not both.
type Input struct {
	Cluster, FlinkVersion string
	// Job is the job as last judged.
	Job *analysis.JobResult
	// Savepoint is what a savepoint's metadata recorded.
	Savepoint *Savepoint
	// Foreseen is the largest parallelism that anyone foresees; 0 is unknown.
	Foreseen int
	// Target is the max parallelism to plan for whatever is needed; 0 lets the
	// plan choose.
	Target int
	// Throughput is the pace of the rewrite in bytes a second, above 0.
	Throughput float64
	// StateTTL is how long keyed state lives; 0 is unknown or for ever.
	StateTTL time.Duration
}

// Savepoint is what the metadata of a savepoint says.
type Savepoint struct {
	// Path is how the user named it.
	Path      string
	Format    int
	Operators []Operator
}

// Operator is one operator of a savepoint.
type Operator struct {
	ID string
	// Name and UID are empty where they are not recorded.
	Name, UID string
	// Parallelism and MaxParallelism are those recorded.
	Parallelism, MaxParallelism int
	KeyedBytes, OperatorBytes   int64
}

// uidFormat is the first format of _metadata that records uids (Flink 2.0's
// format 5, MetadataV5Serializer).
const uidFormat = 5
