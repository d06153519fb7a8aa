package page

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TestRunbooksAreThere: every runbook that is linked to exists, and each alert
// that is about a vertex now has a link from somewhere.
func TestRunbooksAreThere(t *testing.T) {
	linked := map[string]bool{}
	for _, id := range analysis.Verdicts() {
		for _, n := range alertsOf(id) {
			linked[n] = true
		}
	}
	for _, id := range analysis.FindingIDs() {
		for _, n := range alertsBeside(id) {
			linked[n] = true
		}
	}
	const folder = "../../../alerts/runbooks"
	for n := range linked {
		if _, err := os.Stat(filepath.Join(folder, n+".md")); err != nil {
			t.Error(err)
		}
	}
	// Those of trends, and of the exporter itself, are about no vertex now.
	for _, n := range []string{
		"FlinkCeilingPredicted", "FlinkHeadroomLow", "FlinkClusterUnreachable", "FlinkDataStale", "FlinkPollsFailing",
		"FlinkSeriesDropped", "FlinkSkewExporterDown", "FlinkSkewConfigReloadFailed", "FlinkSkewDiscoveryFailing",
	} {
		linked[n] = true
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d runbooks, %v", len(files), err)
	}
	for _, f := range files {
		if n := filepath.Base(f); !linked[n[:len(n)-len(".md")]] {
			t.Errorf("no page leads to %s", n)
		}
	}
}
