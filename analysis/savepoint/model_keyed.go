package savepoint

// KeyedKind is the kind of a handle of keyed state.
type KeyedKind uint8

// The kinds, named after the classes of Flink.
const (
	// KeyGroups is a snapshot of the HashMap backend, or raw keyed state, or a
	// savepoint of before 1.13 (KeyGroupsStateHandle).
	KeyGroups KeyedKind = iota + 1
	// KeyGroupsSavepoint is a canonical savepoint (KeyGroupsSavepointStateHandle).
	KeyGroupsSavepoint
	// IncrementalRemote is a set of files of RocksDB or ForSt
	// (IncrementalRemoteKeyedStateHandle), of full checkpoints too.
	IncrementalRemote
	// Changelog is a base and the changes since (ChangelogStateBackendHandle).
	Changelog
	// ChangelogInMemory is changes inside the file (InMemoryChangelogStateHandle).
	ChangelogInMemory
	// ChangelogStream is changes in files (ChangelogStateHandleStreamImpl).
	ChangelogStream
)

// String returns the class of Flink without its suffix.
func (k KeyedKind) String() string {
	return [...]string{"", "KeyGroups", "KeyGroupsSavepoint", "IncrementalRemote", "Changelog", "ChangelogInMemory", "ChangelogStream"}[k]
}

// Keyed is a handle of keyed state: that of one subtask, or a part of a changelog.
type Keyed struct {
	Kind KeyedKind
	// First and Last are the range of key groups, both inclusive; an empty range
	// is 0 to -1.
	First, Last int
	// Bytes is the size, a changelog's with all its parts.
	Bytes int64
	// Checkpointed is how much this snapshot newly uploaded.
	Checkpointed int64
	// Header is what lies before the first key group and belongs to none, for
	// KeyGroups and KeyGroupsSavepoint.
	Header int64
	// bytes are those of each key group from First on, noData for one without.
	bytes []int64
	// Files counts the files of IncrementalRemote other than its meta file, and
	// Tables those of them that are RocksDB's sorted tables (*.sst).
	Files, Tables FileSum
	// Detail is kept with Options.Detail only.
	Detail *KeyedDetail
}

// Recorded reports whether the handle gives bytes per key group.
func (k *Keyed) Recorded() bool { return k.Kind == KeyGroups || k.Kind == KeyGroupsSavepoint }

// Groups returns the bytes of each key group with data, ascending by group, where
// they are recorded. They and the header add up to the handle's bytes.
func (k *Keyed) Groups() []GroupBytes { return k.appendGroups(nil) }

func (k *Keyed) appendGroups(to []GroupBytes) []GroupBytes {
	for i, b := range k.bytes {
		if b != noData {
			to = append(to, GroupBytes{k.First + i, b})
		}
	}
	return to
}

// GroupBytes is the size of one key group.
type GroupBytes struct {
	Group int
	Bytes int64
}

// FileSum counts files and adds up their sizes.
type FileSum struct {
	Count int
	Bytes int64
}

func (f *FileSum) add(bytes int64) {
	f.Count++
	f.Bytes = add(f.Bytes, bytes)
}

// KeyedDetail is what a report on sizes does not need. Which fields are set
// depends on the kind.
type KeyedDetail struct {
	// Offsets are the positions of the key groups from Keyed.First on.
	Offsets []int64
	Stream  *Stream
	// Meta, Shared and Private are the files of IncrementalRemote.
	Meta            *Stream
	Shared, Private []LocalFile
	BackendID       string
	// CheckpointID is that of IncrementalRemote and Changelog.
	CheckpointID      int64
	MaterializationID int64
	// Materialized and Changes are the parts of Changelog.
	Materialized, Changes []*Keyed
	// From and To are the sequence numbers of ChangelogInMemory, InMemory the
	// lengths of its changes.
	From, To int64
	InMemory []Change
	// Streams and Storage are those of ChangelogStream.
	Streams []StreamAt
	Storage string
}

// LocalFile is a file under the name that it had on the worker.
type LocalFile struct {
	Local  string
	Stream Stream
}

// Change is one change in memory; Group is -1 for metadata.
type Change struct {
	Group int
	Bytes int64
}

// StreamAt is a stream of changes that begins at Offset.
type StreamAt struct {
	Offset int64
	Stream Stream
}

// StreamKind is the kind of a handle of bytes.
type StreamKind uint8

// The kinds, named after the classes of Flink.
const (
	// ByteStream is state inside the metadata file (ByteStreamStateHandle).
	ByteStream StreamKind = iota + 1
	// File is a file by its absolute address (FileStateHandle).
	File
	// KeyGroupsInStream is keyed state used as a stream (KeyGroupsStateHandle).
	KeyGroupsInStream
	// RelativeFile lies in the folder of the metadata file (RelativeFileStateHandle).
	RelativeFile
	// Segment is a part of a shared file (SegmentFileStateHandle).
	Segment
	// EmptySegment is a segment without a file (EmptySegmentFileStateHandle).
	EmptySegment
)

// String returns the kind's name in Go.
func (k StreamKind) String() string {
	return [...]string{"", "ByteStream", "File", "KeyGroupsInStream", "RelativeFile", "Segment", "EmptySegment"}[k]
}

// Stream says where bytes lie and how many they are.
type Stream struct {
	Kind StreamKind
	// Size is in bytes.
	Size int64
	// Name is the path or, of a ByteStream, the handle's name; kept with
	// Options.Detail only. It may hold host names and, in odd set-ups, secrets.
	Name string
	// Start is where a Segment begins in its file, and where the bytes of a
	// ByteStream begin in the metadata file.
	Start int64
	// Shared is the scope of a Segment; else it is exclusive to its subtask.
	Shared bool
	// Inner is that of KeyGroupsInStream, with Options.Detail only.
	Inner *StreamKeyGroups
}

// StreamKeyGroups is what KeyGroupsInStream adds to the stream in it.
type StreamKeyGroups struct {
	First   int
	Offsets []int64
	Stream  Stream
}
