package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// TestRecordKeepsWhatIsThere: a recording may be the only evidence of an incident.
func TestRecordKeepsWhatIsThere(t *testing.T) {
	_, server := simulated(t)
	out := writeFile(t, "x.jsonl", "evidence")
	args := []string{"record", "--flink.url", server.URL, "--out", out, "--polls=2", "--interval=1ms"}
	want := "flink-skew-exporter: error: --out " + out + " exists already; give another name, or --force to overwrite it\n"
	if got := execute(t, args...); got != (outcome{exitUsage, "", want}) {
		t.Errorf("got %+v, want %s", got, want)
	}
	if b, err := os.ReadFile(out); err != nil || string(b) != "evidence" {
		t.Errorf("the file holds %.100q now, %v", b, err)
	}
	if got := execute(t, append(args, "--force")...); got.code != exitOK {
		t.Errorf("got %+v", got)
	}
	if tape, err := restapi.OpenTape(out); err != nil || tape.Polls() != 2 {
		t.Errorf("not overwritten: %v", err)
	}
}

// TestRecordReplacesPlainFilesOnly: renaming a tape to a device would end it.
func TestRecordReplacesPlainFilesOnly(t *testing.T) {
	for _, out := range []string{os.DevNull, t.TempDir()} {
		want := "flink-skew-exporter: error: --out " + out + " is no plain file; give the name of one, or - for the standard output\n"
		if got := execute(t, "record", "--flink.url=http://127.0.0.1:1", "--out", out, "--force"); got != (outcome{exitUsage, "", want}) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// TestRecordToStandardOutput: there is nothing but the tape on it.
func TestRecordToStandardOutput(t *testing.T) {
	_, server := simulated(t)
	t.Chdir(t.TempDir())
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	got := execute(t, "record", "--flink.url", server.URL, "--out=-", "--polls=2", "--interval=1ms", "--redact")
	if got.code != exitOK || !strings.HasPrefix(got.stderr, "standard output: 2 polls\nlook at it before you send it: ") {
		t.Errorf("got %d, %s", got.code, got.stderr)
	}
	tape, err := restapi.ReadTape(strings.NewReader(got.stdout))
	if err != nil || tape.Polls() != 2 || tape.Damage() != nil {
		t.Errorf("the output is no tape of 2 polls: %v", err)
	}
	for _, dir := range []string{".", temporary} {
		if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}
