// Package history remembers the busy share of every vertex's subtasks over the
// last hour, for the heatmaps of the status page.
//
// It is a bounded ring, not a database: one byte for each row and column, at
// most Columns columns and Store's budget over all clusters. A row stands for
// one subtask, or for the busiest of several neighbours where a vertex has more
// subtasks than rows, so that a hot one never disappears. When the budget does
// not suffice, rows are merged two by two in all vertices, and below the
// smallest number of rows nothing is remembered until there is room again.
//
// It reads no clock and starts no goroutine: whoever polls calls Record. It may
// import analysis alone.
package history
