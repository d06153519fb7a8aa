// Package analysis says why a Flink vertex's subtasks are as loaded as they
// are. It owns the product's vocabulary (Snapshot, Result, Verdict, Finding)
// and the rules that lead from one to the other.
//
// The package is pure: no HTTP, no files, no clock, no logging, no Prometheus
// types. Time comes in as data, memory between polls is a State value, and
// Analyze is a reducer: the same snapshots give the same bytes.
//
// It rests on these facts of Flink:
//   - a key belongs to one of maxParallelism key groups, and subtasks own
//     contiguous ranges of them (KeyGroupRangeAssignment; package keygroup);
//   - busy, back-pressured and idle time of a subtask add up to the time
//     measured (TaskIOMetricGroup, accumulated since Flink 1.17), so shares of
//     time need no clock;
//   - busy is not CPU: synchronous waits count as busy.
package analysis
