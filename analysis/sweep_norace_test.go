//go:build !race

package analysis_test

const underRace = false
