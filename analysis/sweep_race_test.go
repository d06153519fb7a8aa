//go:build race

package analysis_test

// underRace says that the race detector is on, which makes a run cost ten
// times as much: the sweep keeps to its small runs then, and "make test" runs
// the whole of it once more without.
const underRace = true
