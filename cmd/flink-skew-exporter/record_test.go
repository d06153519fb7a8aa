package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// unpack returns the text of a tape.
func unpack(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(file, ".gz") {
		return string(b)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// paths lists the requests of a tape without their queries.
func paths(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(text) {
		var l struct{ Path string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %.200s", err, line)
		}
		path, _, _ := strings.Cut(l.Path, "?")
		out = append(out, path)
	}
	return out
}

func TestRecordAndReplay(t *testing.T) {
	sim, server := simulated(t)
	for _, name := range []string{"plain.jsonl", "packed.jsonl.gz"} {
		out := filepath.Join(t.TempDir(), name)
		got := execute(t, "record", "--flink.url", server.URL, "--out", out, "--polls=3", "--interval=1ms")
		want := out + ": 3 polls\nlook at it with: flink-skew-exporter diagnose --tape " + out +
			"\nit holds addresses and host names as they are; --redact replaces them\n"
		if got != (outcome{exitOK, want, ""}) {
			t.Fatalf("got %+v, want %s", got, want)
		}
		tape, err := restapi.OpenTape(out)
		if err != nil || tape.Polls() != 3 {
			t.Fatalf("%v, %v", tape, err)
		}
		text := unpack(t, out)
		asked := paths(t, text)
		job := "/jobs/" + sim.JobID("demo-hot-key")
		for _, path := range []string{"/overview", "/config", job, job + "/plan", job + "/checkpoints/config"} {
			if !slices.Contains(asked, path) {
				t.Errorf("%s was not asked", path)
			}
		}
		if slices.Contains(asked, "/jobmanager/config") {
			t.Error("the configuration was recorded without redaction")
		}
		if !strings.Contains(text, "taskmanager-1") {
			t.Error("hosts are replaced unasked")
		}
		if replay := execute(t, "diagnose", "--tape", out, "--all"); replay.code != exitOK || !strings.Contains(replay.stdout, "3 polls") || !strings.Contains(replay.stdout, "demo-hot-key") {
			t.Errorf("replay: %+v", replay)
		}
		if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// TestRecordHoldsEverything: a recording has no budget. Every poll of the tape
// shows its own watermarks of each vertex with inputs, and the backlogs.
func TestRecordHoldsEverything(t *testing.T) {
	_, server := simulated(t)
	out := filepath.Join(t.TempDir(), "x.jsonl.gz")
	got := execute(t, "record", "--flink.url", server.URL, "--out", out, "--polls=3", "--interval=1ms",
		"--poll.watermark-budget=-1", "--poll.backlog-budget=-1")
	if got.code != exitOK {
		t.Fatalf("got %+v", got)
	}
	tape, err := restapi.OpenTape(out)
	if err != nil {
		t.Fatal(err)
	}
	o := restapi.DefaultOptions("x", "")
	o.WatermarkBudget, o.BacklogBudget = restapi.Unlimited, restapi.Unlimited
	src, err := tape.Source(o)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]int{}
	for _, path := range paths(t, unpack(t, out)) {
		recorded[path]++
	}
	for poll := range tape.Polls() {
		s, err := src.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		backlogs := 0
		for _, j := range s.Jobs {
			for _, v := range j.Vertices {
				path := "/jobs/" + j.ID + "/vertices/" + v.ID + "/watermarks"
				if !v.Source() && (v.Watermarks == nil || !v.Watermarks.At.Equal(s.At) || recorded[path] <= tape.Polls()) {
					t.Errorf("poll %d: %s of %s has %+v out of %d answers", poll, v.Name, j.Name, v.Watermarks, recorded[path])
				}
				if v.Backlog.Known() {
					backlogs++
				}
			}
		}
		if backlogs == 0 {
			t.Errorf("poll %d shows no backlog", poll)
		}
	}
}

func TestRecordRedacted(t *testing.T) {
	_, server := simulated(t)
	out := filepath.Join(t.TempDir(), "x.jsonl.gz")
	got := execute(t, "record", "--flink.url", server.URL, "--out", out, "--polls=2", "--interval=1ms", "--redact")
	if got.code != exitOK || strings.Contains(got.stdout, "--redact") || strings.Count(got.stdout, "\nlook at it before you send it: ") != 1 {
		t.Fatalf("got %+v", got)
	}
	text := unpack(t, out)
	if strings.Contains(text, "taskmanager-1") {
		t.Error("a host name is left")
	}
	if !slices.Contains(paths(t, text), "/jobmanager/config") {
		t.Error("the configuration was not recorded")
	}
	if replay := execute(t, "diagnose", "--tape", out); replay.code != exitOK {
		t.Errorf("replay: %+v", replay)
	}
}

// TestRecordInterrupted stops a recording in the middle of its second poll.
func TestRecordInterrupted(t *testing.T) {
	sim, _ := simulated(t)
	ctx, cancel := context.WithCancel(t.Context())
	var lists atomic.Int32
	url := answering(t, func(w http.ResponseWriter, r *http.Request) {
		// The second list of jobs is the second poll's.
		if r.URL.Path == "/jobs/overview" && lists.Add(1) == 2 {
			cancel()
			<-r.Context().Done()
			return
		}
		sim.ServeHTTP(w, r)
	})
	out := filepath.Join(t.TempDir(), "x.jsonl.gz")
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"record", "--flink.url", url, "--out", out, "--polls=3", "--interval=1ms"}, process{stdout: &stdout, stderr: &stderr})
	if want := out + ": 1 polls, interrupted before the others of 3\n"; code != exitOK || !strings.HasPrefix(stdout.String(), want) || stderr.Len() > 0 {
		t.Fatalf("code %d, %s%s", code, stdout.String(), stderr.String())
	}
	tape, err := restapi.OpenTape(out)
	if err != nil || tape.Polls() != 1 {
		t.Fatalf("the tape is not one whole poll: %v", err)
	}
	if strings.Contains(unpack(t, out), "context canceled") {
		t.Error("the poll that was cut is on the tape")
	}
}

// TestRecordSendsCredentialsWithExtras asks with a password throughout.
func TestRecordSendsCredentialsWithExtras(t *testing.T) {
	sim, _ := simulated(t)
	var without atomic.Int32
	url := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "hunter2" {
			without.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		sim.ServeHTTP(w, r)
	})
	secret := writeFile(t, "password", "hunter2\n")
	out := filepath.Join(t.TempDir(), "x.jsonl")
	got := execute(t, "record", "--flink.url", url, "--flink.username=me", "--flink.password-file", secret, "--out", out, "--polls=2", "--interval=1ms")
	if got.code != exitOK || without.Load() > 0 {
		t.Errorf("%d requests without credentials: %+v", without.Load(), got)
	}
	if strings.Contains(unpack(t, out), "hunter2") {
		t.Error("the password is on the tape")
	}
}
