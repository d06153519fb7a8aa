// Package savepoint reads the _metadata file of a Flink savepoint or
// checkpoint: which operators there are, at what parallelism and ceiling
// (maxParallelism), and how many bytes of state each subtask, and where the file
// gives them each key group, holds.
//
// It owns the binary format (formats 2 to 7, Flink 1.3 to 2.3), the arithmetic
// of bytes per key group, and the prediction of bytes per subtask at another
// parallelism. It takes an io.Reader and opens no file; it imports the standard
// library and analysis/keygroup, and neither net, os nor log. Nothing in the
// format needs a second file, and none that it names is ever opened.
//
// What it reads is not trusted. Memory grows with what was read, never by a
// number that the file states; nesting is bounded; an error names the offset at
// which it was found. State that lies in the file itself is user data: it is
// skipped, not kept.
//
// The facts behind it, by class of Flink:
//
//   - The layout of a file is that of MetadataV2V3SerializerBase and its
//     subclasses MetadataV2Serializer (1.3) to MetadataV6Serializer (2.1). The
//     number in the file says which; tags of handles grew without a new number
//     (1.13, 1.14, 1.15, 1.16, 1.20), so every known tag is accepted everywhere.
//   - State sizes are those of StateObject.getStateSize, written by the job: they
//     are right even when the state files are gone.
//   - The offsets of KeyGroupRangeOffsets give bytes per key group in canonical
//     savepoints (FLIP-41, KeyGroupsSavepointStateHandle since 1.13) and in
//     snapshots of the HashMap backend. RocksDB's and ForSt's own files
//     (IncrementalRemoteKeyedStateHandle) and the changelog (FLIP-158) are not
//     cut by key group.
//   - The id of an operator with a uid is MurmurHash3 of the uid
//     (StreamGraphHasherV2.generateUserSpecifiedHash); names and uids themselves
//     are recorded since 2.0 (format 5).
//   - Finished subtasks and operators are those of FLIP-147 (1.14), channel state
//     is that of unaligned checkpoints (FLIP-76, 1.11), merged segments are those
//     of FLIP-306 (1.20).
package savepoint
