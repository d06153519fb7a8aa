package flink

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
)

// Upload hands a jar to the cluster and returns the id it got there.
func (c *Cluster) Upload(t testing.TB, jar string) string {
	t.Helper()
	content, err := os.ReadFile(jar)
	if err != nil {
		t.Fatalf("reading the job: %v", err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("jarfile", filepath.Base(jar))
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatalf("packing the job: %v", err)
	}
	var answer struct {
		Filename string `json:"filename"`
	}
	req := request{method: http.MethodPost, path: "/jars/upload", contentType: form.FormDataContentType(), body: &body}
	if err := c.do(req, &answer); err != nil {
		t.Fatalf("uploading %s: %v", jar, err)
	}
	return path.Base(filepath.ToSlash(answer.Filename))
}

// Run starts a job from an uploaded jar and returns the job's id.
func (c *Cluster) Run(t testing.TB, jarID, class string, args []string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"entryClass": class, "programArgsList": args})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		JobID string `json:"jobid"`
	}
	req := request{
		method: http.MethodPost, path: "/jars/" + jarID + "/run",
		contentType: "application/json", body: bytes.NewReader(body),
	}
	if err := c.do(req, &answer); err != nil {
		t.Fatalf("running %s %q: %v", class, args, err)
	}
	return answer.JobID
}

// AwaitRunning waits until every subtask of the job is RUNNING.
func (c *Cluster) AwaitRunning(t testing.TB, jobID string) {
	t.Helper()
	await.Until(t, startDeadline, "job "+jobID+" to run", func() error {
		if err := c.ended(); err != nil {
			return await.Hopeless(err)
		}
		var job struct {
			State    string `json:"state"`
			Vertices []struct {
				Name        string         `json:"name"`
				Parallelism int            `json:"parallelism"`
				Tasks       map[string]int `json:"tasks"`
			} `json:"vertices"`
		}
		if err := c.get("/jobs/"+jobID, &job); err != nil {
			return err
		}
		if job.State == "FAILED" {
			return await.Hopeless(c.rootCause(jobID))
		}
		for _, v := range job.Vertices {
			if v.Tasks["RUNNING"] != v.Parallelism {
				return fmt.Errorf("job is %s, %q has %v of %d", job.State, v.Name, v.Tasks, v.Parallelism)
			}
		}
		return nil
	})
}

// rootCause returns why a job has failed.
func (c *Cluster) rootCause(jobID string) error {
	var e struct {
		Root string `json:"root-exception"`
	}
	if err := c.get("/jobs/"+jobID+"/exceptions", &e); err != nil {
		return err
	}
	return fmt.Errorf("job %s failed: %s", jobID, e.Root)
}

// Cancel ends a job; its slots are free some time later (AwaitSlots).
func (c *Cluster) Cancel(t testing.TB, jobID string) {
	t.Helper()
	if err := c.do(request{method: http.MethodPatch, path: "/jobs/" + jobID + "?mode=cancel"}, nil); err != nil {
		t.Fatalf("cancelling job %s: %v", jobID, err)
	}
}

// get reads a JSON answer into out.
func (c *Cluster) get(path string, out any) error {
	return c.do(request{method: http.MethodGet, path: path}, out)
}

// request is one call of the REST API.
type request struct {
	method, path, contentType string
	body                      io.Reader
}

// do sends a request and decodes the answer into out unless that is nil.
func (c *Cluster) do(r request, out any) error {
	req, err := http.NewRequest(r.method, c.URL()+r.path, r.body)
	if err != nil {
		return err
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	client := http.Client{Timeout: callDeadline}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s: %s", r.method, r.path, resp.Status, body)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s %s: %w in %.200q", r.method, r.path, err, body)
	}
	return nil
}
