package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReportUsage(t *testing.T) {
	const prometheus = "--prometheus.url=http://127.0.0.1:1"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing":           {nil, "nothing to report on; give --prometheus.url=http://prometheus:9090 for the history, or --flink.url=http://jobmanager:8081 for the present"},
		"tape and history":  {[]string{prometheus, "--tape=x"}, "--prometheus.url and --tape are both given; keep one of them"},
		"live and history":  {[]string{prometheus, "--flink.url=http://127.0.0.1:1"}, "--prometheus.url and --flink.url are both given; history tells of every cluster that was scraped, so keep one of them"},
		"URL":               {[]string{"--prometheus.url=prometheus:9090"}, "--prometheus.url must begin with http:// or https://; give one such as http://prometheus:9090"},
		"time":              {[]string{prometheus, "--at=yesterday"}, `--at must be a time such as 2026-11-30T06:00:00Z, not "yesterday"`},
		"an hour":           {[]string{prometheus, "--since=1h"}, "--since must be from 1d to 35d, not 1h0m0s"},
		"a long trend":      {[]string{prometheus, "--trend=500d"}, "--trend must be at most 366d, not 12000h0m0s"},
		"two users":         {[]string{"--prometheus.url=http://u:secret@127.0.0.1:1", "--prometheus.username=u"}, "--prometheus.url holds a user while --prometheus.username is set; keep one of them"},
		"password alone":    {[]string{prometheus, "--prometheus.password-file=x"}, "--prometheus.username is needed with --prometheus.password-file"},
		"webhook twice":     {[]string{prometheus, "--webhook=http://x", "--webhook-file=y"}, "--webhook and --webhook-file are both given; keep one of them"},
		"webhook":           {[]string{prometheus, "--webhook=secret"}, "--webhook: the address must begin with http:// or https://"},
		"no webhook file":   {[]string{prometheus, "--webhook-file=none"}, "--webhook-file none cannot be read: no such file or directory"},
		"concurrency":       {[]string{prometheus, "--prometheus.concurrency=0"}, "--prometheus.timeout and --prometheus.concurrency must be above 0"},
		"CA that is absent": {[]string{prometheus, "--prometheus.ca-file=none"}, "flags --prometheus.…: unable to read CA cert: unable to read file none: open none: no such file or directory"},
	} {
		got := execute(t, append([]string{"report"}, c.args...)...)
		if want := "flink-skew-exporter: error: " + c.want + "\n"; got.code != exitUsage || got.stderr != want || got.stdout != "" {
			t.Errorf("%s: %d\n got %swant %s", name, got.code, got.stderr, want)
		}
	}
}

// TestReportOfTape: the present of a recording, in every format, to a file.
func TestReportOfTape(t *testing.T) {
	for format, has := range map[string]string{
		"markdown": "# Ceiling headroom, the present", "html": "<!doctype html>", "json": `"basis": "tape"`, "csv": "cluster,job_name", "text": "The end of a tape alone",
	} {
		out := filepath.Join(t.TempDir(), "report")
		if got := execute(t, "report", "--tape", tape("layout-100-of-128-2.3.0"), "--format="+format, "--out", out); got.code != exitOK || got.stdout != "" {
			t.Fatalf("%s: %d %s", format, got.code, got.stderr)
		}
		text, err := os.ReadFile(out)
		if err != nil || !strings.Contains(string(text), has) {
			t.Errorf("%s: %v, want %q in\n%s", format, err, has, text)
		}
	}
	// At parallelism 100 of 128 key groups, 36 subtasks could go.
	got := execute(t, "report", "--tape", tape("layout-100-of-128-2.3.0"), "--format=text")
	if !strings.Contains(got.stdout, "36 subtasks back") {
		t.Errorf("got:\n%s", got.stdout)
	}
}

// TestReportPrometheusErrors: where, what, and no password.
func TestReportPrometheusErrors(t *testing.T) {
	status := http.StatusUnauthorized
	var user, password string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		if status == http.StatusFound {
			w.Header().Set("Location", "http://127.0.0.1:1/login")
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for code, has := range map[int]string{
		http.StatusUnauthorized: "client error: 401; check the address, its path and the credentials",
		http.StatusFound:        "is this the address of a Prometheus?",
	} {
		status = code
		got := execute(t, "report", "--prometheus.url=http://somebody:s3cret@"+host)
		if got.code != exitFailed || !strings.Contains(got.stderr, has) || !strings.Contains(got.stderr, host) || strings.Contains(got.stderr, "s3cret") {
			t.Errorf("%d: exit %d, %s", code, got.code, got.stderr)
		}
		if user != "somebody" || password != "s3cret" {
			t.Errorf("signed in as %q, %q", user, password)
		}
	}
	got := execute(t, "report", "--prometheus.url=http://127.0.0.1:1")
	if got.code != exitFailed || !strings.Contains(got.stderr, "--prometheus.url http://127.0.0.1:1: dial tcp") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}

// posted is what a webhook got.
type posted struct{ kind, body string }

func TestWebhook(t *testing.T) {
	var got posted
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = posted{r.Header.Get("Content-Type"), string(b)}
		w.WriteHeader(status)
	}))
	defer server.Close()
	address := server.URL + "/services/T0P-S3CRET"
	file := writeFile(t, "webhook", address+"\n")
	args := []string{"report", "--tape", tape("layout-100-of-128-2.3.0"), "--webhook-link=https://reports.example/week"}

	if o := execute(t, append(args, "--webhook-file", file)...); o.code != exitOK {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	var message struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal([]byte(got.body), &message); err != nil || got.kind != "application/json" {
		t.Fatalf("%v: %s %s", err, got.kind, got.body)
	}
	if !strings.Contains(message.Text, "enrich &amp; count") || !strings.HasSuffix(message.Text, "<https://reports.example/week|the whole report>\n") {
		t.Errorf("posted:\n%s", message.Text)
	}
	if o := execute(t, append(args, "--webhook", address, "--webhook-format=plain")...); o.code != exitOK {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	if got.kind != "text/plain; charset=utf-8" || !strings.Contains(got.body, "enrich & count") || !strings.HasSuffix(got.body, "\nhttps://reports.example/week\n") {
		t.Errorf("posted %s:\n%s", got.kind, got.body)
	}

	// What goes wrong is said after the report was written, without the address.
	for _, status = range []int{http.StatusNotFound, http.StatusFound} {
		o := execute(t, append(args, "--webhook-file", file)...)
		if o.code != exitFailed || !strings.Contains(o.stdout, "# Ceiling headroom") || strings.Contains(o.stderr, "S3CRET") || !strings.Contains(o.stderr, "check its address and --webhook-format") {
			t.Errorf("%d: exit %d, %s", status, o.code, o.stderr)
		}
	}
	server.Close()
	if o := execute(t, append(args, "--webhook-file", file)...); o.code != exitFailed || strings.Contains(o.stderr, "S3CRET") || !strings.Contains(o.stderr, "posting to the webhook at 127.0.0.1") {
		t.Errorf("exit %d, %s", o.code, o.stderr)
	}
}

// TestOutIsWhole: what was there stays until the new report is complete.
func TestOutIsWhole(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "report.md")
	if err := os.WriteFile(out, []byte("last week's"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := writeOut(io.Discard, out, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of it")
		return io.ErrShortWrite
	})
	if err == nil {
		t.Error("no error")
	}
	if b, _ := os.ReadFile(out); string(b) != "last week's" {
		t.Errorf("the file holds %q", b)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := writeOut(io.Discard, filepath.Join(dir, "no", "where"), func(io.Writer) error { return nil }); err == nil || !strings.Contains(err.Error(), "cannot write to the folder of --out") {
		t.Errorf("got %v", err)
	}
}

// TestReportTimes: the end of the time is what was asked for.
func TestReportTimes(t *testing.T) {
	text := "2026-11-30T06:00:00+01:00"
	at, err := (&reportCommand{at: &text}).until()
	if err != nil || !at.Equal(time.Date(2026, 11, 30, 5, 0, 0, 0, time.UTC)) {
		t.Errorf("got %v, %v", at, err)
	}
}
