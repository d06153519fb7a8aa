package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answering serves one answer for everything.
func answering(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// closedPort is an address where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// badClusters are the ways in which a live cluster can be none, each with the
// part of the message that says what is wrong.
func badClusters(t *testing.T) map[string]struct{ url, want string } {
	plain := func(status int, body string) string {
		return answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	endless := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/jobs/overview" {
			http.NotFound(w, r)
			return
		}
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for range 10 << 10 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	truncated := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"jobs": [`)
	})
	silent := answering(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	stalling := answering(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"jobs": [`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ok := plain(200, `{"jobs": []}`)
	return map[string]struct{ url, want string }{
		"wrong path":   {plain(404, "no"), "404"},
		"wrong host":   {"http://jobmanager.invalid:8081", "jobmanager.invalid"},
		"refused":      {closedPort(t), "refused"},
		"TLS to plain": {strings.Replace(ok, "http:", "https:", 1), "check http or https"},
		"plain to TLS": {strings.Replace(secure.URL, "https:", "http:", 1), "check http or https"},
		"unknown CA":   {secure.URL, "CA file"},
		"unauthorized": {plain(401, "who?"), "401"},
		"forbidden":    {plain(403, "no"), "403"},
		"HTML":         {plain(200, "<html><body>Sign in</body></html>"), "HTML"},
		"not JSON":     {plain(200, "hello"), "JSON"},
		"cut JSON":     {plain(200, `{"jobs": [{"jid": "a`), "JSON"},
		"cut body":     {truncated, "proxies"},
		"empty":        {plain(200, ""), "with nothing"},
		"endless":      {endless, "limit"},
		"silent":       {silent, "timeout"},
		"stalling":     {stalling, "timeout"},
		"server error": {plain(500, `{"errors": ["boom"]}`), "500"},
	}
}

// patience is how long a poll may take: short where it is to run out of time,
// else long enough for a busy machine.
func patience(want string) string {
	if want == "timeout" {
		return "300ms"
	}
	return "12s"
}

// oneLine checks a failed command: its code, nothing on standard output, and
// one line on standard error.
func oneLine(t *testing.T, got outcome, code int, parts ...string) {
	t.Helper()
	if got.code != code || got.stdout != "" {
		t.Errorf("exit code %d, want %d; stdout %q", got.code, code, got.stdout)
	}
	if strings.Count(got.stderr, "\n") != 1 || !strings.HasPrefix(got.stderr, "flink-skew-exporter: error: ") {
		t.Errorf("not one line of error: %q", got.stderr)
	}
	for _, part := range parts {
		if !strings.Contains(got.stderr, part) {
			t.Errorf("%q is not in %q", part, got.stderr)
		}
	}
}

func TestDiagnoseBadCluster(t *testing.T) {
	for name, c := range badClusters(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := execute(t, "diagnose", "--flink.url", c.url, "--polls=2", "--interval=1ms", "--poll.timeout", patience(c.want), "--log.level=error")
			oneLine(t, got, exitFailed, c.want, strings.TrimPrefix(c.url, "http"))
		})
	}
}

func TestRecordBadCluster(t *testing.T) {
	clusters := badClusters(t)
	for _, name := range []string{"refused", "HTML", "cut JSON", "silent"} {
		c := clusters[name]
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			got := execute(t, "record", "--flink.url", c.url, "--out", filepath.Join(dir, "x.jsonl.gz"),
				"--polls=2", "--interval=1ms", "--poll.timeout", patience(c.want), "--log.level=error")
			oneLine(t, got, exitFailed, "nothing was recorded", c.want)
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	url := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		// A server that is as careless as can be.
		fmt.Fprintf(w, `{"errors": ["bad header %s"]}`, r.Header.Get("Authorization"))
	})
	url = strings.Replace(url, "http://", "http://user:hunter2secret@", 1)
	got := execute(t, "diagnose", "--flink.url", url, "--polls=2", "--interval=1ms", "--log.level=debug")
	if got.code != exitFailed || strings.Contains(got.stderr, "hunter2secret") || strings.Contains(got.stderr, "dXNlcjpodW50ZXIyc2VjcmV0") {
		t.Errorf("got %+v", got)
	}
}

func TestDiagnoseBadTape(t *testing.T) {
	whole, err := os.ReadFile(tape("hot-key-2.3.0"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(strings.NewReader(string(whole)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	failed := `{"poll": 0, "at": 1700000000, "path": "/overview", "status": 503, "body": "x"}` + "\n" +
		`{"poll": 0, "at": 1700000000, "path": "/jobs/overview", "status": 401, "body": "x"}` + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"cut in the middle":  {string(whole[:300]), "cut off"},
		"cut when plain":     {string(text[:len(text)/9]), "cut off"},
		"no tape":            {"hello\n", "line 1"},
		"other JSON":         {`{"a": 1}` + "\n", "line 1"},
		"empty":              {"", "line 1"},
		"nothing but errors": {failed, "401"},
	} {
		t.Run(name, func(t *testing.T) {
			file := writeFile(t, "bad.jsonl", c.text)
			oneLine(t, execute(t, "diagnose", "--tape", file), exitFailed, c.want)
		})
	}
	oneLine(t, execute(t, "diagnose", "--tape=none.jsonl"), exitFailed, "none.jsonl", "no such file")
	oneLine(t, execute(t, "diagnose", "--tape", t.TempDir()), exitFailed, "is a directory")
}

func TestRecordCannotWrite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "none", "x.gz")
	oneLine(t, execute(t, "record", "--flink.url", closedPort(t), "--out", out), exitFailed, out, "no such file or directory")
}
