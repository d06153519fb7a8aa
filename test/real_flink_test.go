package test

import (
	"os"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

const (
	// Eight polls, 10 s apart, see a new job through its warm-up and give several windows.
	polls        = 8
	pollInterval = 10 * time.Second
	// deadline bounds every wait; the longest, for 8 polls, takes 75 s where nothing is slow.
	deadline = 4 * time.Minute
	// endDeadline is the promise to whoever stops the daemon.
	endDeadline = 5 * time.Second
)

// suite is what all parts share: a release of Flink, the jobs compiled against
// it, and the binary under test.
type suite struct {
	flink  flink.Distribution
	jar    string
	binary product.Binary
}

// part is what runs on a cluster of its own.
type part struct {
	name string
	run  func(suite, *testing.T)
}

// full reports whether everything is to run, rather than what is quick enough
// for every change.
func full() bool { return os.Getenv("FLINK_SKEW_FULL") == "1" }

// parts returns what is to run against a release.
func parts(d flink.Distribution) []part {
	selected := []part{{"session", suite.testSession}, {"changes", suite.testChanges}}
	if full() {
		selected = append(selected, part{"mixed", suite.testMixed}, part{"load", suite.testLoad})
		if hasConnector(d) {
			selected = append(selected, part{"kafka", suite.testKafka})
		}
	}
	return selected
}

// TestRealFlink runs the parts in turn, so that no two clusters are up at once:
// two cores are hardly enough for one.
func TestRealFlink(t *testing.T) {
	d, err := flink.Install(t.Context(), flink.Version())
	if err != nil {
		t.Fatal(err)
	}
	jar, err := jobs.Build(d.Classpath(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := suite{flink: d, jar: jar, binary: product.Build(t, "..")}
	for _, p := range parts(d) {
		t.Run(p.name, func(t *testing.T) { p.run(s, t) })
	}
}
