// Package jobs holds the jobs that run on the real cluster, a Java file each,
// which every Flink from 1.15 to 2.3 compiles (the one for Kafka needs a
// connector beside it), and the scenarios, which are a job's arguments with
// what a diagnosis must say of it.
//
// Keys are chosen with Flink's own KeyGroupRangeAssignment, so that what is
// even and what is not does not depend on the product's arithmetic. It must not
// import other packages of this module.
package jobs
