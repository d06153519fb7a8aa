package savepoint

import (
	"encoding/hex"
	"math"
)

// Metadata is what one _metadata file says.
type Metadata struct {
	// Format is the number of the file's format, 2 to 7.
	Format int
	// CheckpointID is the checkpoint's or savepoint's number in its job, from 0.
	CheckpointID int64
	// Masters are states of sources with a hook on the JobManager; rare.
	Masters []Master
	// Operators are in the file's order, which is arbitrary.
	Operators []*Operator
	// Properties is nil where the format records none (2 and 3), and where Parse
	// returned an error about them.
	Properties *Properties
	// Size is the file's length in bytes as far as it was read.
	Size int64
	// Trailing is how many bytes follow the end of the metadata, counted up to
	// 1 MiB in a stream; Flink ignores them and writes none.
	Trailing int64
	// OldChannels is whether the channel state could be read only in the form
	// that Flink 1.11 gave it.
	OldChannels bool
	// Warnings say what is odd but did not prevent reading, one sentence each.
	Warnings []string
}

// Master is the state that a hook of the JobManager recorded.
type Master struct {
	// Name is the hook's identifier.
	Name string
	// Version is that of the payload's serializer.
	Version int32
	// Bytes is the payload's length.
	Bytes int64
}

// ID is an operator's id.
type ID [16]byte

// String returns the id as Flink prints it, 32 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Operator is one operator of the job, chained ones included.
type Operator struct {
	ID ID
	// Name and UID are empty where the file records none: formats before 5 never
	// do, later ones only the uids that the user set.
	Name, UID string
	// Parallelism and MaxParallelism are those in effect, 1 ≤ Parallelism ≤
	// MaxParallelism ≤ 32768. Whether the user set the ceiling is not recorded.
	Parallelism, MaxParallelism int
	// FullyFinished is whether all subtasks had ended; then there are none.
	FullyFinished bool
	// Coordinator is the state of the operator's coordinator, or nil.
	Coordinator *Stream
	// Subtasks are in ascending order of their index. Flink writes one each.
	Subtasks []Subtask
}

// Subtask is one subtask's part of an operator.
type Subtask struct {
	// Index is below the operator's parallelism.
	Index int
	// Finished is whether the subtask had ended.
	Finished bool
	// State is nil when the subtask has none.
	State *State
}

// State is what one subtask recorded. A part that it does not have is nil.
type State struct {
	ManagedOperator, RawOperator *OperatorState
	ManagedKeyed, RawKeyed       *Keyed
	// Input and Output are the in-flight data of an unaligned checkpoint.
	Input, Output *Channels
	// RefCheckpoint is the reference checkpoint's id (format 7), or nil.
	RefCheckpoint *int64
}

// Bytes returns the size of all parts: Flink's own state size of the subtask,
// in-flight data included.
func (s Subtask) Bytes() int64 {
	if s.State == nil {
		return 0
	}
	return add(add(s.KeyedBytes(), s.OperatorBytes()), s.InFlightBytes())
}

// KeyedBytes returns the size of the keyed state, managed and raw.
func (s Subtask) KeyedBytes() int64 {
	if s.State == nil {
		return 0
	}
	return add(s.State.ManagedKeyed.size(), s.State.RawKeyed.size())
}

// OperatorBytes returns the size of the operator (non-keyed) state, managed and raw.
func (s Subtask) OperatorBytes() int64 {
	if s.State == nil {
		return 0
	}
	return add(s.State.ManagedOperator.size(), s.State.RawOperator.size())
}

// InFlightBytes returns the size of the channel state, input and output.
func (s Subtask) InFlightBytes() int64 {
	if s.State == nil {
		return 0
	}
	return add(s.State.Input.size(), s.State.Output.size())
}

// CheckpointedBytes returns how much this one snapshot newly uploaded, as far as
// Flink recorded it. It is not the size of the state.
func (s Subtask) CheckpointedBytes() int64 {
	if s.State == nil {
		return 0
	}
	n := add(s.OperatorBytes(), s.InFlightBytes())
	for _, k := range []*Keyed{s.State.ManagedKeyed, s.State.RawKeyed} {
		if k != nil {
			n = add(n, k.Checkpointed)
		}
	}
	return n
}

// Bytes returns Flink's own state size of the operator: all subtasks and the
// coordinator.
func (o *Operator) Bytes() int64 { return o.sum(Subtask.Bytes) }

// CheckpointedBytes is Bytes of what this one snapshot newly uploaded.
func (o *Operator) CheckpointedBytes() int64 { return o.sum(Subtask.CheckpointedBytes) }

func (o *Operator) sum(of func(Subtask) int64) int64 {
	var n int64
	if o.Coordinator != nil {
		n = o.Coordinator.Size
	}
	for _, s := range o.Subtasks {
		n = add(n, of(s))
	}
	return n
}

// OperatorState is the non-keyed state of one subtask.
type OperatorState struct {
	// Merged is whether it lies in a file shared with others (FLIP-306).
	Merged bool
	// Bytes is the size of the stream.
	Bytes int64
	// States are by name, in the file's order, each name once.
	States []NamedState
	// Stream is where the state lies, kept with Options.Detail only.
	Stream *Stream
}

// NamedState is one operator state.
type NamedState struct {
	Name string
	Mode Mode
	// Elements is how many list elements the subtask has; a broadcast state has one.
	Elements int
	// Offsets are the elements' positions, kept with Options.Detail only.
	Offsets []int64
}

// Mode says how operator state is dealt out when a job is restored.
type Mode uint8

// The modes, by their number in the file (OperatorStateHandle.Mode).
const (
	// SplitDistribute deals the elements out anew.
	SplitDistribute Mode = iota
	// Union gives all elements to every subtask.
	Union
	// Broadcast is the same copy in every subtask.
	Broadcast
)

// String returns Flink's name of the mode.
func (m Mode) String() string {
	return [...]string{"SPLIT_DISTRIBUTE", "UNION", "BROADCAST"}[m]
}

// Channels is the in-flight data of one subtask in one direction.
type Channels struct {
	// Bytes is the data's size; the files are shared and larger.
	Bytes int64
	// Count is the number of channels.
	Count int
	// List is kept with Options.Detail only.
	List []Channel
}

// Channel is the data of one channel, or of all channels of a subtask merged in
// one stream.
type Channel struct {
	// Merged is whether Parts lists the channels (format 6 and later).
	Merged  bool
	Subtask int
	ChannelPart
	Stream Stream
	Parts  []ChannelPart
}

// ChannelPart is one channel's share: gate and channel of an input, partition
// and subpartition of an output.
type ChannelPart struct {
	Outer, Inner int32
	Bytes        int64
	Offsets      []int64
}

func (k *Keyed) size() int64 {
	if k == nil {
		return 0
	}
	return k.Bytes
}

func (o *OperatorState) size() int64 {
	if o == nil {
		return 0
	}
	return o.Bytes
}

func (c *Channels) size() int64 {
	if c == nil {
		return 0
	}
	return c.Bytes
}

// add returns a + b for sizes, which are never negative; the largest number
// stands for sums beyond it, which only a damaged file has.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
