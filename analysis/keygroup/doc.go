// Package keygroup is Flink's arithmetic of key groups: which group a key
// falls to, which subtask owns a group, and which parallelisms are worth
// running under a given maximum.
//
// Keyed state belongs to key groups, not to subtasks. An operator has exactly
// maxParallelism of them, numbered from 0, and every subtask owns a contiguous
// range. The formulas are those of KeyGroupRangeAssignment and MathUtils in
// Flink (unchanged from 1.2 to 2.3).
//
// The package imports the standard library alone. Its functions panic on
// arguments outside their documented ranges, as indexing a slice does; callers
// check what comes from outside with Valid.
package keygroup
