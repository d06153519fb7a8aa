package product

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
)

// Binary is the program under test.
type Binary struct {
	path string
	logs string
}

// Build returns the program at $FLINK_SKEW_EXPORTER, or else builds it from
// the module in root, the directory above this module's.
func Build(t testing.TB, root string) Binary {
	t.Helper()
	dir := t.TempDir()
	if path := os.Getenv("FLINK_SKEW_EXPORTER"); path != "" {
		return Binary{path: path, logs: dir}
	}
	path := filepath.Join(dir, "flink-skew-exporter")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/flink-skew-exporter")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the exporter: %v\n%s", err, out)
	}
	return Binary{path: path, logs: dir}
}

// Start starts a command; name is for messages and must not be used twice.
func (b Binary) Start(t testing.TB, name string, args ...string) *proc.Process {
	t.Helper()
	return proc.Start(t, proc.Spec{Name: name, Path: b.path, Args: args, Logs: b.logs})
}

// Diagnosis is the object that diagnose --format=json prints. Numbers that
// nobody measured are null.
type Diagnosis struct {
	Clusters []struct {
		Cluster string `json:"cluster"`
		Up      bool   `json:"up"`
		Reason  string `json:"reason"`
		Jobs    []Job  `json:"jobs"`
	} `json:"clusters"`
}

// Job is one job of a Diagnosis.
type Job struct {
	JobID    string   `json:"job_id"`
	JobName  string   `json:"job_name"`
	State    string   `json:"state"`
	Vertices []Vertex `json:"vertices"`
}

// Vertex is what is said of one vertex.
type Vertex struct {
	Vertex         string          `json:"vertex"`
	Parallelism    int             `json:"parallelism"`
	MaxParallelism *float64        `json:"max_parallelism"`
	Verdict        string          `json:"verdict"`
	Severity       string          `json:"severity"`
	Confidence     string          `json:"confidence"`
	ScalingHelps   string          `json:"scaling_helps"`
	Subtasks       []int           `json:"subtasks"`
	Summary        string          `json:"summary"`
	Evidence       json.RawMessage `json:"evidence"`
	Advice         json.RawMessage `json:"advice"`
	// Skew holds the distribution of each signal.
	Skew map[string]struct {
		Ratio  *float64 `json:"ratio"`
		Layout *float64 `json:"layout_ratio"`
		Excess *float64 `json:"excess"`
	} `json:"skew"`
	Findings []Finding `json:"findings"`
}

// Finding is what stands beside the verdict of a vertex.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Subtasks []int  `json:"subtasks"`
}

// Diagnosed waits for a diagnose command to end well and returns what it printed.
func Diagnosed(t testing.TB, p *proc.Process, deadline time.Duration) Diagnosis {
	t.Helper()
	if code := p.Wait(t, deadline); code != 0 {
		t.Fatalf("%v", p.Ended())
	}
	var d Diagnosis
	if err := json.Unmarshal(p.Stdout(), &d); err != nil {
		t.Fatalf("diagnose printed no JSON object: %v\n%s", err, p.Stdout())
	}
	return d
}
