// Package keyhash computes where Flink sends a key: the hashCode of a key as
// Java and Flink's SQL operators compute it, from the key's text, and the skew
// that many keys make over key groups and subtasks.
//
// It owns the types of keys (Parse), their hashes (Hasher) and the tally of a
// stream of keys in bounded memory (Tally). Key group and subtask follow from a
// hash by package keygroup. It imports that and the standard library, but no
// net, os, log or time.
//
// What it relies on, the same in Flink 1.15 to 2.3 and held to vectors that
// Flink's own classes made (testdata/vectors.tsv):
//
//   - A DataStream's key is what its KeySelector returns, and its hash that
//     object's hashCode (KeyGroupRangeAssignment.assignToKeyGroup). For boxed
//     types, String and UUID the JDK specifies it; Tuple1 to Tuple25 combine
//     their fields' by 31.
//   - A SQL operator's key is a BinaryRowData of the key's columns, whatever
//     their number, that the planner's generated projection writes; its hash is
//     Murmur3 over the row's bytes with seed 42 (MurmurHashUtil). A key of one
//     BIGINT has another hash than a Long.
//   - A null of a type that keeps its room in the row (decimals of more than 18
//     digits, timestamps of more than 3) leaves that room empty rather than out.
//   - Arrays and enums have the identity of the object as their hashCode, another
//     one in each JVM, so that keyBy refuses them (KeyedStream.validateKeyType).
package keyhash
