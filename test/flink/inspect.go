package flink

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
)

// vertex returns the id of the job's vertex whose name contains part.
func (c *Cluster) vertex(jobID, part string) (string, error) {
	var job struct {
		Vertices []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"vertices"`
	}
	if err := c.get("/jobs/"+jobID, &job); err != nil {
		return "", err
	}
	for _, v := range job.Vertices {
		if strings.Contains(v.Name, part) {
			return v.ID, nil
		}
	}
	return "", fmt.Errorf("job %s has no vertex %q: %v", jobID, part, job.Vertices)
}

// subtask is one of a vertex, in its details.
type subtask struct {
	Index       int    `json:"subtask"`
	TaskManager string `json:"taskmanager-id"`
	Metrics     struct {
		Written float64 `json:"write-records"`
	} `json:"metrics"`
}

// subtasks returns those of the job's vertex whose name contains part.
func (c *Cluster) subtasks(jobID, part string) ([]subtask, error) {
	id, err := c.vertex(jobID, part)
	if err != nil {
		return nil, err
	}
	var v struct {
		Subtasks []subtask `json:"subtasks"`
	}
	return v.Subtasks, c.get("/jobs/"+jobID+"/vertices/"+id, &v)
}

// Placement returns the subtasks of a vertex, ascending, by the id of the
// TaskManager that runs them.
func (c *Cluster) Placement(t testing.TB, jobID, part string) map[string][]int {
	t.Helper()
	all, err := c.subtasks(jobID, part)
	if err != nil {
		t.Fatalf("asking where %q runs: %v", part, err)
	}
	placed := map[string][]int{}
	for _, s := range all {
		placed[s.TaskManager] = append(placed[s.TaskManager], s.Index)
	}
	return placed
}

// AwaitIdle waits until all but n subtasks of a source have written records,
// and returns those n.
func (c *Cluster) AwaitIdle(t testing.TB, jobID, part string, n int) []int {
	t.Helper()
	var idle []int
	await.Until(t, startDeadline, fmt.Sprintf("all but %d subtasks of %q to read", n, part), func() error {
		all, err := c.subtasks(jobID, part)
		if err != nil {
			return err
		}
		idle = nil
		for _, s := range all {
			if s.Metrics.Written == 0 {
				idle = append(idle, s.Index)
			}
		}
		if len(idle) != n {
			return fmt.Errorf("%v have not", idle)
		}
		return nil
	})
	return idle
}

// AwaitLate waits until one subtask of a vertex is without a watermark, or
// behind the others', and returns which.
func (c *Cluster) AwaitLate(t testing.TB, jobID, part string) int {
	t.Helper()
	late := -1
	await.Until(t, startDeadline, fmt.Sprintf("one subtask of %q to be late", part), func() error {
		id, err := c.vertex(jobID, part)
		if err != nil {
			return err
		}
		var answer []struct {
			ID    string `json:"id"`
			Value string `json:"value"`
		}
		if err := c.get("/jobs/"+jobID+"/vertices/"+id+"/watermarks", &answer); err != nil {
			return err
		}
		late, err = lowest(len(answer), func(i int) (string, string) { return answer[i].ID, answer[i].Value })
		return err
	})
	return late
}

// lowest returns the subtask whose watermark, of those that the n metrics
// "0.currentInputWatermark" and so on give, is a minute below every other.
func lowest(n int, metric func(i int) (id, value string)) (int, error) {
	first, second, which := math.Inf(1), math.Inf(1), -1
	for i := range n {
		id, value := metric(i)
		index, err := strconv.Atoi(strings.TrimSuffix(id, ".currentInputWatermark"))
		if err != nil {
			return 0, fmt.Errorf("metric %q: %w", id, err)
		}
		ms, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("watermark %q: %w", value, err)
		}
		if ms < first {
			first, second, which = ms, first, index
		} else {
			second = min(second, ms)
		}
	}
	if n < 2 || !(second-first >= 60_000) {
		return 0, errors.New("none is a minute below the others")
	}
	return which, nil
}

// Rescale asks the adaptive scheduler for another parallelism of the vertex
// whose name contains part; the others keep theirs.
func (c *Cluster) Rescale(t testing.TB, jobID, part string, parallelism int) {
	t.Helper()
	id, err := c.vertex(jobID, part)
	if err != nil {
		t.Fatalf("looking for the vertex to rescale: %v", err)
	}
	type bounds struct {
		Lower int `json:"lowerBound"`
		Upper int `json:"upperBound"`
	}
	type requirement struct {
		Parallelism bounds `json:"parallelism"`
	}
	all := map[string]requirement{}
	path := "/jobs/" + jobID + "/resource-requirements"
	if err := c.get(path, &all); err != nil {
		t.Fatalf("asking for the resource requirements: %v", err)
	}
	all[id] = requirement{Parallelism: bounds{Lower: 1, Upper: parallelism}}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	r := request{method: http.MethodPut, path: path, contentType: "application/json", body: bytes.NewReader(body)}
	if err := c.do(r, nil); err != nil {
		t.Fatalf("rescaling job %s: %v", jobID, err)
	}
}

// AwaitParallelism waits until a vertex runs with a parallelism.
func (c *Cluster) AwaitParallelism(t testing.TB, jobID, part string, want int) {
	t.Helper()
	await.Until(t, startDeadline, fmt.Sprintf("%q to run with parallelism %d", part, want), func() error {
		all, err := c.subtasks(jobID, part)
		if err == nil && len(all) != want {
			err = fmt.Errorf("it has %d subtasks", len(all))
		}
		return err
	})
}

// CPU reads what the TaskManagers' threads have had of the processors so far.
func (c *Cluster) CPU(t testing.TB) proc.CPU {
	t.Helper()
	var sum proc.CPU
	for _, p := range c.taskManagers {
		sum = sum.Plus(p.CPU(t))
	}
	return sum
}
