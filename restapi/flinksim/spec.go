package flinksim

import "time"

// Ship strategies of edges, as Flink's plan names them.
const (
	Hash      = "HASH"
	Forward   = "FORWARD"
	Rebalance = "REBALANCE"
	Rescale   = "RESCALE"
	Broadcast = "BROADCAST"
	Custom    = "CUSTOM"
)

// Cluster is the plain description of one simulated cluster. Its zero values
// are usable defaults, except Version and Jobs.
type Cluster struct {
	// Name is for people; nothing on the wire carries it.
	Name string
	// Version is one of Versions().
	Version string
	// Seed makes ids, start-up times and noise; equal seeds give equal bytes.
	Seed uint64
	// TaskManagers is the number of workers; 0 is as many as the jobs need, at least 3.
	TaskManagers int
	// SlotsPerTM is the number of slots of each worker; 0 is 8.
	SlotsPerTM int
	// Cores is the number of processors each worker sees; 0 is 2.
	Cores int
	// Age is how long the jobs had been running when the simulation began.
	Age time.Duration
	// Noise is the relative wobble of rates and busy shares; 0 is 0.04,
	// negative is none. It must be below 0.5.
	Noise float64
	// MetricInterval is metrics.fetcher.update-interval; 0 is 10 s, negative
	// means that every answer is current and never cold.
	MetricInterval time.Duration
	// MetricDelay is how long a fetch takes; 0 is 300 ms.
	MetricDelay time.Duration
	// MetricForget is the quiet time after which the store is empty again; 0 is 5 min.
	MetricForget time.Duration
	// GraphInterval is web.refresh-interval, for which states and durations of
	// subtasks may be old; 0 means that they are always current. Load tests set
	// it so that rendered bodies can be shared.
	GraphInterval time.Duration
	Jobs          []Job
	Faults        []Fault
}

// Job is one job. Vertices are in topological order.
type Job struct {
	Name string
	// Scheduler is Default or Adaptive; empty is Default.
	Scheduler string
	// Copies deploys the same program so many times (0 is once), each under a
	// numbered name and an id of its own. Copies share vertex ids, as in Flink,
	// and their numbers, so that a million subtasks need little memory.
	Copies   int
	Vertices []Vertex
	// Events happen at their After, counted from when the simulation began.
	Events []Event
	// Pulse makes the load come and go, as windows that fire do.
	Pulse Pulse
	// RestartEvery fails the job so long after each start; 0 is never.
	RestartEvery time.Duration
	// Downtime is how long a restart takes; 0 is 3 s.
	Downtime time.Duration
	// CheckpointEvery is the checkpoint interval; 0 is 10 s, negative is off.
	CheckpointEvery time.Duration
	// Incremental makes most checkpoints write a seventh of the state.
	Incremental bool
	// WatermarkDelay is how far watermarks trail when nothing is slow; 0 means
	// that the job has no watermarks.
	WatermarkDelay time.Duration
	// UserConfig are the job's global parameters.
	UserConfig map[string]string
	// Expect maps a part of a vertex's name to the verdict that is right for it.
	Expect map[string]string
}

// Pulse is a load that works for On, then rests for Off, and so on, counted
// from when a subtask begins to run. While it rests, nothing moves and every
// subtask idles. The zero value never rests.
type Pulse struct{ On, Off time.Duration }

// Vertex is one chain of operators. A vertex without Inputs is a source.
type Vertex struct {
	// Name joins the operators of the chain with " -> ", as Flink does.
	Name string
	// Description is the plan node's text; empty derives it from Name.
	Description string
	Parallelism int
	// MaxParallelism is the number of key groups; 0 derives it as Flink does,
	// -1 derives it and reports -1.
	MaxParallelism int
	Inputs         []Input
	// Rate is what a source offers over all subtasks, in records a second.
	Rate float64
	// Cost is the busy time a record takes.
	Cost time.Duration
	// CPU is the share of Cost that is work on the processor, 0–1; the rest waits.
	CPU float64
	// Fanout is records out per record in; 0 is 1. Vertices without a reader write none.
	Fanout float64
	// RecordBytes is the size of a record on the wire; 0 is 25.
	RecordBytes int
	// StateBytes is the state over all subtasks.
	StateBytes int64
	// Keys says how records fall to key groups where an input is HASH.
	Keys Keys
	// InputShares are the weights of subtasks where an input is CUSTOM; nil is even.
	InputShares []float64
	// Topic and Partitions make a source a Kafka reader: the weights of the
	// topic's partitions.
	Topic      string
	Partitions []float64
	// SlowTaskManager makes records dearer on one worker.
	SlowTaskManager *Slow
	// Costly makes the records of one key dear.
	Costly *Costly
	// Stalled subtasks are always busy and never get on.
	Stalled []int
	// Finished subtasks have ended while the others run.
	Finished []int
	// Unreported subtasks run, but their metrics never reach the JobManager.
	Unreported []int
	// Sleeps makes a source spend its idle time sleeping inside its operator,
	// which Flink counts as busy.
	Sleeps bool
	// NoBusyTime makes a source unable to measure busy time ("NaN").
	NoBusyTime bool
}

// Input is an incoming edge.
type Input struct {
	// From is the name of an earlier vertex.
	From string
	// Ship is a ship strategy.
	Ship string
}

// Keys is a distribution of records over key groups. The zero value is even.
type Keys struct {
	// GroupWeights holds a weight per key group; nil is even.
	GroupWeights []float64
	// HotShare of all records carry the key whose Java hashCode is HotHash.
	HotShare float64
	HotHash  int32
	// Distinct, when above 0, means that there are only the keys 0…Distinct-1
	// (java.lang.Integer), equally frequent.
	Distinct int
}

// Slow is a worker on which a record costs Factor times as much.
type Slow struct {
	// TaskManager is the worker's index.
	TaskManager int
	Factor      float64
}

// Costly is a key whose records make the mean record of the subtask that owns
// it cost Factor times as much.
type Costly struct {
	// Hash is the key's Java hashCode.
	Hash   int32
	Factor float64
}

// EventKind is what happens to a job. The set is closed.
type EventKind int

// Events.
const (
	// Restart fails a task: the job is RESTARTING for Downtime, then every
	// subtask begins its next attempt with counters at 0.
	Restart EventKind = iota + 1
	// RescaleTo changes parallelisms under the same job id.
	RescaleTo
	// Cancel, Finish and Fail end the job; it stays listed.
	Cancel
	Finish
	Fail
	// Suspend loses the job's leadership; Resume ends that.
	Suspend
	Resume
	// Vanish removes the job: it is neither listed nor known.
	Vanish
)

// Event is something that happens to a job.
type Event struct {
	// After is when, counted from the beginning of the simulation.
	After time.Duration
	Kind  EventKind
	// Parallelism by vertex name, for RescaleTo; others keep theirs.
	Parallelism map[string]int
}

// FaultKind is a way in which the server misbehaves. The set is closed.
type FaultKind int

// Faults.
const (
	// NoLeader answers 503, as during a leader election.
	NoLeader FaultKind = iota + 1
	// SlowAnswer waits Delay before it answers.
	SlowAnswer
	// Hang accepts and never answers, until the client goes.
	Hang
	// StallBody sends half of the body and no more, until the client goes.
	StallBody
	// Truncate sends half of the body and ends.
	Truncate
	// HTMLPage answers 200 with a proxy's page.
	HTMLPage
	// Unauthorized answers 401 with a challenge.
	Unauthorized
	// NotFound answers 404, as for a job that has just gone.
	NotFound
	// ServerError answers 500 with a stack trace.
	ServerError
	// Empty answers 200 with nothing.
	Empty
	// Endless answers 200 with a body that does not end.
	Endless
)

// Fault is a misbehaviour on matching requests.
type Fault struct {
	Kind FaultKind
	// Path must be part of the request's path; empty matches all.
	Path string
	// After and For bound it in time from the beginning of the simulation; For 0 is forever.
	After, For time.Duration
	// Delay is for SlowAnswer.
	Delay time.Duration
}
