package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

var update = flag.Bool("update", false, "rewrite the golden files and the pictures in the documentation")

// golden compares got with a file of testdata, or rewrites it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it)\n got:\n%s\nwant:\n%s", path, got, want)
	}
}

func text(t *testing.T, in Input, f Filter, o TextOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, in, f, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func input(cs ...ClusterInput) Input { return Input{GeneratedAt: at(), Clusters: cs} }

func TestGoldenVerdicts(t *testing.T) {
	for id, c := range verdictFixtures() {
		t.Run(string(id), func(t *testing.T) {
			calmAll := id == analysis.NotEnoughData || id == analysis.Quiet || id == analysis.Balanced || id == analysis.Backpressured
			golden(t, string(id)+".golden", text(t, input(c), Filter{}, TextOptions{Unicode: true, Width: 100, All: calmAll}))
			golden(t, string(id)+".ascii.golden", text(t, input(c), Filter{}, TextOptions{Width: 100, All: calmAll}))
		})
	}
}

func TestGoldenOutputs(t *testing.T) {
	down := ClusterInput{Name: "prod-eu", Reason: "refused", Polls: 3, Span: 33 * time.Second}
	stale := cluster(sink())
	stale.Name, stale.Up, stale.Reason = "prod-us", false, "timeout"
	restarting := cluster(sink())
	restarting.Result.Jobs = append(restarting.Result.Jobs, analysis.JobResult{ID: "77", Name: "clicks", State: "RESTARTING"})
	restarting.Result.Gaps = []analysis.Gap{{JobID: "77", What: "job", Reason: analysis.GapNotRunning}}
	all := input(cluster(victim(), hotKeyVertex(), sink()), down, stale, restarting)
	golden(t, "verbose.golden", text(t, all, Filter{}, TextOptions{Unicode: true, Width: 100, All: true, Verbose: true}))
	golden(t, "color.golden", text(t, all, Filter{}, TextOptions{Unicode: true, Width: 100, Color: true}))
	golden(t, "healthy.golden", text(t, input(cluster(sourceOfSkew(), sink())), Filter{}, TextOptions{Unicode: true, Width: 100}))
	for file, o := range map[string]MarkdownOptions{"report.md.golden": {}, "verbose.md.golden": {All: true, Verbose: true}} {
		var b bytes.Buffer
		if err := Markdown(&b, all, Filter{}, o); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.Bytes())
	}
	var b bytes.Buffer
	if err := JSON(&b, all, Filter{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json.golden", b.Bytes())
}
