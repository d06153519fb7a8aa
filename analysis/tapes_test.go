package analysis_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

const tapes = "../testdata/tapes"

// expectation is what a tape must make of one vertex.
type expectation struct {
	Verdict      []string `json:"verdict"`
	Subtasks     []int    `json:"subtasks"`
	MinSeverity  string   `json:"min_severity"`
	MaxSeverity  string   `json:"max_severity"`
	ScalingHelps []string `json:"scaling_helps"`
	Findings     []string `json:"findings"`
	NotFindings  []string `json:"not_findings"`
}

func severity(t *testing.T, name string) analysis.Severity {
	for s := analysis.SeverityNone; s <= analysis.SeverityCritical; s++ {
		if s.String() == name {
			return s
		}
	}
	t.Fatalf("no severity %q", name)
	return 0
}

// replay feeds a tape through the client and the reducer and returns the
// result of every poll.
func replay(t *testing.T, name string, c analysis.Config) []analysis.Result {
	t.Helper()
	tape, err := restapi.OpenTape(filepath.Join(tapes, name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := tape.Source(restapi.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	var state analysis.State
	var results []analysis.Result
	for {
		s, err := source.Snapshot(context.Background())
		if errors.Is(err, io.EOF) {
			return results
		}
		if err != nil {
			// The JobManager of one tape was gone for its last polls: nothing is
			// known then, and what was known before still holds.
			t.Logf("poll failed: %v", err)
			continue
		}
		var r analysis.Result
		state, r = analysis.Analyze(state, s, c)
		results = append(results, r)
	}
}

// expectations are what expected.json demands, by tape and part of a vertex's name.
func expectations(t *testing.T) map[string]map[string]expectation {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(tapes, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]struct {
		Vertices map[string]expectation `json:"vertices"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]map[string]expectation, len(file))
	for name, tape := range file {
		all[name] = tape.Vertices
	}
	return all
}

// TestTapes holds the verdict after the last poll of every recording of a real
// cluster against what the recording was made to show.
func TestTapes(t *testing.T) {
	expected := expectations(t)
	files, _ := filepath.Glob(filepath.Join(tapes, "*.jsonl.gz"))
	if len(files) == 0 || len(files) != len(expected) {
		t.Fatalf("%d tapes, %d expectations", len(files), len(expected))
	}
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results := replay(t, name, analysis.Defaults())
			last := results[len(results)-1]
			if len(last.Jobs) != 1 || len(last.Jobs[0].Vertices) == 0 {
				t.Fatalf("jobs: %+v", last.Jobs)
			}
			found := 0
			for i := range last.Jobs[0].Vertices {
				v := &last.Jobs[0].Vertices[i]
				e, named := expectation{MaxSeverity: "info"}, false
				for part, x := range want {
					if strings.Contains(v.Name, part) {
						e, named = x, true
					}
				}
				if named {
					found++
				}
				check(t, v, e)
			}
			if found != len(want) {
				t.Errorf("found %d of %d named vertices", found, len(want))
			}
			for i, r := range results[1:] {
				for _, v := range r.Jobs {
					for k := range v.Vertices {
						if v.Vertices[k].Severity() > analysis.SeverityInfo && !suspected(v.Vertices[k].Name, want) {
							t.Errorf("poll %d: %s is %s (%s)", i+1, v.Vertices[k].Name, v.Vertices[k].Verdict.ID, v.Vertices[k].Severity())
						}
					}
				}
			}
		})
	}
}

// suspected reports whether a tape allows more than info of the vertex.
func suspected(name string, want map[string]expectation) bool {
	for part, x := range want {
		if strings.Contains(name, part) {
			return x.MaxSeverity != "info" && x.MaxSeverity != "none"
		}
	}
	return false
}

func check(t *testing.T, v *analysis.VertexResult, e expectation) {
	t.Helper()
	d := v.Verdict
	if e.Verdict != nil && !slices.Contains(e.Verdict, string(d.ID)) {
		t.Errorf("%s: verdict %s, want %v; evidence %+v; missing %q", v.Name, d.ID, e.Verdict, d.Evidence, d.Advice.Missing)
	}
	if e.Subtasks != nil && !slices.Equal(d.Subtasks, e.Subtasks) {
		t.Errorf("%s: subtasks %v, want %v", v.Name, d.Subtasks, e.Subtasks)
	}
	if e.MinSeverity != "" && v.Severity() < severity(t, e.MinSeverity) {
		t.Errorf("%s: severity %s, want at least %s", v.Name, v.Severity(), e.MinSeverity)
	}
	if e.MaxSeverity != "" && v.Severity() > severity(t, e.MaxSeverity) {
		t.Errorf("%s: severity %s, want at most %s (verdict %s)", v.Name, v.Severity(), e.MaxSeverity, d.ID)
	}
	if e.ScalingHelps != nil && !slices.Contains(e.ScalingHelps, string(d.ScalingHelps)) {
		t.Errorf("%s: scaling helps %s, want %v", v.Name, d.ScalingHelps, e.ScalingHelps)
	}
	for _, f := range e.Findings {
		if v.Finding(analysis.FindingID(f)) == nil {
			t.Errorf("%s: finding %s is missing (verdict %s)", v.Name, f, d.ID)
		}
	}
	for _, f := range e.NotFindings {
		if v.Finding(analysis.FindingID(f)) != nil {
			t.Errorf("%s: finding %s stands", v.Name, f)
		}
	}
}
