package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestProbeExamplesAreValid gives every scrape configuration of docs/probe.md
// to promtool, as Prometheus would read it.
func TestProbeExamplesAreValid(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "probe.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if !strings.HasPrefix(block[1], "scrape_configs:") {
			continue
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "prometheus.yml")
		if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		// The list that one of them reads.
		if err := os.WriteFile(filepath.Join(dir, "flink-clusters.json"), []byte(`[{"targets": ["jm:8081"]}]`), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := promtool(t, file)
		if strings.Contains(out, "field kubernetes_sd_configs not found") {
			// Debian's is built without Kubernetes; the rest can be checked.
			text := strings.Replace(block[1], "kubernetes_sd_configs:\n      - role: service", "static_configs:\n      - targets: [a]", 1)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err = promtool(t, file)
		}
		if err != nil {
			t.Errorf("promtool (package prometheus): %v\n%s\nin\n%s", err, out, block[1])
		}
		checked++
	}
	if checked != 3 {
		t.Errorf("%d scrape configurations found, want 3", checked)
	}
}

func promtool(t *testing.T, file string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "promtool", "check", "config", file).CombinedOutput()
	return string(out), err
}
