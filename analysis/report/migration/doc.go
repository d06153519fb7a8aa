// Package migration plans how a job gets a higher max parallelism: whether it
// needs one at all, which, and the reversible way there with the job's own
// numbers. It is pure and renders Markdown.
//
// The facts: max parallelism is frozen into every savepoint, because it is the
// modulus of the key-group function (KeyGroupRangeAssignment); the one way to
// change it and keep the state is to rewrite a savepoint offline with the State
// Processor API (SavepointReader, SavepointWriter), which finds operators by
// their uid (OperatorIdentifier). Names of its classes are those of Flink 1.20
// and 2.x.
package migration
