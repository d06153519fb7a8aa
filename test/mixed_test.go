package test

import (
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
)

// testMixed runs jobs with two troubles at once, and ones near the edge of a
// verdict. Their work waits, so that they can run side by side.
func (s suite) testMixed(t *testing.T) {
	b := s.start(t, flink.Options{TaskManagers: 3, Slots: 12})
	t.Run("hot keys", func(t *testing.T) { b.testScenarios(t, jobs.HotKeys()) })
	t.Run("layouts", func(t *testing.T) { b.testScenarios(t, jobs.Edges()) })
}
