package weekly

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
)

// startDeadline is how long Prometheus may take until it answers.
const startDeadline = time.Minute

// prometheus writes the history as blocks, starts a Prometheus that holds
// nothing else, and returns its address.
func prometheus(t *testing.T, vertices []vertex, outages []outage) string {
	t.Helper()
	dir := t.TempDir()
	metrics, data, config := filepath.Join(dir, "history.om"), filepath.Join(dir, "data"), filepath.Join(dir, "prometheus.yml")
	f, err := os.Create(metrics)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(f, vertices, outages); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("scrape_configs: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// promtool reads the whole file once a block, so that there are few blocks.
	out, err := exec.Command("promtool", "tsdb", "create-blocks-from", "--max-block-duration=672h", "openmetrics", "--quiet", metrics, data).CombinedOutput()
	if err != nil {
		t.Fatalf("making blocks of the history: %v\n%s", err, out)
	}
	p := proc.Start(t, proc.Spec{
		Name: "prometheus", Path: "prometheus", Logs: dir,
		Args: []string{
			"--config.file=" + config, "--storage.tsdb.path=" + data, "--storage.tsdb.retention.time=100y",
			"--web.listen-address=127.0.0.1:0",
		},
	})
	listening := regexp.MustCompile(`(?i)listening on.*?address=(127\.0\.0\.1:\d+)`)
	url := ""
	await.Until(t, startDeadline, "Prometheus to be ready", func() error {
		if err := p.Ended(); err != nil {
			return await.Hopeless(err)
		}
		m := listening.FindSubmatch(p.Stderr())
		if m == nil {
			return fmt.Errorf("it has not said where it listens")
		}
		url = "http://" + string(m[1])
		client := http.Client{Timeout: 5 * time.Second}
		resp, err := client.Get(url + "/-/ready")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		return nil
	})
	return url
}
