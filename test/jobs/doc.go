// Package jobs holds the skewed job that runs on the real cluster: one Java
// source file that every Flink from 1.15 to 2.3 compiles, and the scenarios,
// which are its arguments with what a diagnosis must say of them.
//
// Keys are chosen with Flink's own KeyGroupRangeAssignment, so that what is
// even and what is not does not depend on the product's arithmetic.
package jobs
