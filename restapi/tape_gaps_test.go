package restapi

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const tapes = "../testdata/tapes"

// gapsOnTapes are what the recorded clusters truly lacked, by tape and poll,
// as "what reason"; or "error reason" of a poll that got no answer at all.
// Where a tape's poll is not named there is no gap. The first reader always
// finds the TaskManagers' metrics cold.
func gapsOnTapes(tape string, poll int) string {
	known := map[string]string{
		"restarting-1.20.3 0":         "taskmanager metrics cold, job not_running",
		"restarting-1.20.3 1":         "vertex cold",
		"restarting-1.20.3 5":         "job not_running",
		"hot-key-unsaturated-2.3.0 2": "error refused",
		"hot-key-unsaturated-2.3.0 3": "error refused",
	}
	if want, ok := known[fmt.Sprint(tape, " ", poll)]; ok {
		return want
	}
	if poll == 0 {
		return "taskmanager metrics cold"
	}
	return ""
}

// TestEveryTapeBecomesSnapshots holds the client against all recorded clusters
// and versions.
func TestEveryTapeBecomesSnapshots(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(tapes, "*.jsonl.gz"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d tapes in %s: %v", len(files), tapes, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		for poll, r := range replay(t, file) {
			var got []string
			if r.err != nil {
				got = append(got, "error "+Reason(r.err))
			}
			for _, g := range r.snapshot.Gaps {
				got = append(got, g.What+" "+string(g.Reason))
			}
			if want := gapsOnTapes(name, poll); strings.Join(got, ", ") != want {
				t.Errorf("%s, poll %d: gaps %q, want %q", name, poll, got, want)
			}
			for _, j := range r.snapshot.Jobs {
				checkJob(t, fmt.Sprintf("%s, poll %d", name, poll), j, r.snapshot.Gaps)
			}
		}
	}
}

// checkJob demands the numbers that every version gives of a running job.
func checkJob(t *testing.T, where string, j analysis.Job, gaps []analysis.Gap) {
	t.Helper()
	for _, v := range j.Vertices {
		if !v.MaxParallelism.Known() || v.Detail != analysis.DetailFresh || len(v.Subtasks) != v.Parallelism {
			t.Errorf("%s: vertex %s of %d: %q, ceiling %v, %d subtasks", where, v.Name, v.Parallelism, v.Detail, v.MaxParallelism, len(v.Subtasks))
		}
		if len(gaps) > 0 && gaps[len(gaps)-1].VertexID == v.ID {
			continue
		}
		for _, s := range v.Subtasks {
			times := s.BackPressuredMs.Known() && s.IdleMs.Known()
			gauges := s.Gauges != nil && s.Gauges.BackPressured.Known() && s.Gauges.Idle.Known()
			if s.State == analysis.Running && (times == gauges || !s.RecordsOut.Known() || s.TaskManager == "") {
				t.Errorf("%s: vertex %s, subtask %d: %+v", where, v.Name, s.Index, s)
			}
		}
	}
}

func TestPartitionsOnTapes(t *testing.T) {
	for tape, want := range map[string][]float64{
		"idle-readers-2.3.0":     {1, 1, 1, 1, 1, 0, 0, 0},
		"partition-layout-2.3.0": {2, 2, 1},
	} {
		for poll, r := range replay(t, filepath.Join(tapes, tape+".jsonl.gz")) {
			v := r.snapshot.Jobs[0].Vertices[0]
			if v.Partitions.Or(0) != 5 || len(v.Subtasks) != len(want) {
				t.Fatalf("%s, poll %d: %v partitions on %d readers", tape, poll, v.Partitions, len(v.Subtasks))
			}
			for i, n := range want {
				if v.Subtasks[i].Partitions.Or(-1) != n {
					t.Errorf("%s, poll %d: reader %d owns %v, want %v", tape, poll, i, v.Subtasks[i].Partitions, n)
				}
			}
		}
	}
}

// replayed is the outcome of one poll of a tape.
type replayed struct {
	snapshot analysis.Snapshot
	err      error
}

func replay(t *testing.T, file string) (all []replayed) {
	t.Helper()
	tape, err := OpenTape(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tape.Source(DefaultOptions("tape", ""))
	if err != nil {
		t.Fatal(err)
	}
	for {
		snapshot, err := s.Snapshot(t.Context())
		if errors.Is(err, io.EOF) {
			return all
		}
		all = append(all, replayed{snapshot, err})
	}
}
