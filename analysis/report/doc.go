// Package report puts results into words: the JSON document of diagnose and of
// the HTTP API, the terminal text and Markdown.
//
// It owns every sentence that a person reads about a verdict or a finding. The
// analysis gives data only; the words are made here, late, so that no text can
// become a label and one text serves all outputs.
//
// The package is pure: it imports analysis, keygroup and the standard library
// without net, os, log/slog and time.Now. Time, counts of polls and terminal
// properties come in as data, and nothing is remembered between calls.
//
// It rests on these facts of Flink:
//   - the owner of a key is decided by its key group alone
//     (KeyGroupRangeAssignment), so the busiest subtask owns ceil(M/p) groups
//     and parallelism has steps;
//   - a split of a source is read by one reader at a time (FLIP-27);
//   - max parallelism is frozen into savepoints, so that raising it needs an
//     offline rewrite (State Processor API);
//   - with no max parallelism set, a restore keeps that of the savepoint, so
//     that rescaling up to it is safe whatever the default would be
//     (StateAssignmentOperation checks and applies it);
//   - a subtask's checkpoint is start delay until the first barrier, alignment
//     until the last one, then a synchronous and an asynchronous part
//     (CheckpointMetrics); only the first two grow with back pressure;
//   - the first phase of a two-phase SQL aggregate hands on partial results by
//     mini-batch, that of a window by slice or when its memory is full
//     (RecordsWindowBuffer);
//   - names of jobs, vertices and keys are free text of users: everything
//     printed is cleaned of control characters and cut.
package report
