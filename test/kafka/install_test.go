package kafka

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInstallOnce: jars that are there are not asked for again, and a failed
// download leaves nothing behind that could be taken for jars.
func TestInstallOnce(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("PATH", "") // There is no Maven to be asked.
	if _, err := InstallBroker(t.Context(), cache); err == nil {
		t.Fatal("installed without Maven")
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
		t.Fatalf("a failed download leaves %v, %v", left, err)
	}
	there := filepath.Join(cache, "kafka-broker-3.9.1")
	if err := os.Mkdir(there, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := InstallBroker(t.Context(), cache); err != nil || got != filepath.Join(there, "*") {
		t.Errorf("%q, %v", got, err)
	}
}

// TestConnector: each release has the connector that was built for it, or the
// nearest older one of its major version.
func TestConnector(t *testing.T) {
	for version, want := range map[string]string{"2.3.0": "5.0.0-2.2", "1.20.3": "3.4.0-1.20", "1.18.1": "", "1.2.0": ""} {
		if got := Connector(version); got != want {
			t.Errorf("Flink %s: %q, want %q", version, got, want)
		}
	}
}
