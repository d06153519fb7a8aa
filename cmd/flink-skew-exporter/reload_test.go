package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// served is a daemon under test that reads its configuration from a file.
type served struct {
	running
	d    *daemon
	file string
}

// write replaces the configuration file.
func (s served) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serveFile starts a daemon from a configuration file of that text.
func serveFile(t *testing.T, text string) served {
	t.Helper()
	s := served{file: filepath.Join(t.TempDir(), "config.yml")}
	s.write(t, text)
	load := func() (*config.Config, error) { return config.Load(s.file) }
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	s.d, err = newDaemon(daemonOptions{
		config: cfg, reload: load, lifecycle: true, web: listenOn("127.0.0.1:0", ""), logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.d.Run(ctx) }()
	s.base = "http://" + s.d.Addr(ctx).String()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// request sends a request without a body.
func (r running) request(t *testing.T, method, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	req, err := http.NewRequestWithContext(t.Context(), method, r.base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := w.Body.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, w.Body.String()
}

// polls is the count that a restarted poller would lose.
func polls(t *testing.T, r running, cluster string) string {
	t.Helper()
	_, body := r.fetch(t, "/metrics")
	m := regexp.MustCompile(`flink_skew_exporter_polls_total\{cluster="` + cluster + `"\} (\d+)`).FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	return m[1]
}

// TestReload adds, changes and removes clusters while the daemon runs, and
// gives it a configuration that is wrong.
func TestReload(t *testing.T) {
	_, server := simulated(t)
	one := "clusters:\n- {name: one, url: '" + server.URL + "'}\n"
	two := "- {name: two, url: '" + server.URL + "'}\n"
	s := serveFile(t, one)
	s.await(t, "/-/ready", ready)
	s.await(t, "/metrics", holds("flink_skew_exporter_config_last_reload_successful 1"))
	if polls(t, s.running, "one") != "1" {
		t.Fatal("the first poll is not counted")
	}

	s.write(t, one+two)
	if status, body := s.request(t, http.MethodPost, "/-/reload"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	s.await(t, "/metrics", holds(`flink_skew_up{cluster="two"} 1`))
	if n := polls(t, s.running, "one"); n != "1" {
		t.Errorf("the unchanged cluster has %s polls: it was begun anew", n)
	}

	s.write(t, one+two+"- {name: one, url: 'http://127.0.0.1:1'}\npoll: {timeout: 1h}\n")
	status, body := s.request(t, http.MethodPost, "/-/reload")
	if status != http.StatusInternalServerError || !strings.Contains(body, s.file+":4: ") || !strings.Contains(body, "poll.timeout") {
		t.Errorf("a wrong configuration: %d %s", status, body)
	}
	s.await(t, "/metrics", holds("flink_skew_exporter_config_last_reload_successful 0"))
	s.await(t, "/metrics", holds(`flink_skew_up{cluster="two"} 1`))

	s.write(t, strings.Replace(two, "- {", "clusters:\n- {exclude_jobs: demo-hot-key, ", 1)+"collector: {subtasks: off}\n")
	if status, body := s.request(t, http.MethodPut, "/-/reload"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	_, body = s.fetch(t, "/metrics")
	if strings.Contains(body, `cluster="one"`) || strings.Contains(body, `subtask="`) || !strings.Contains(body, "\nflink_skew_exporter_config_last_reload_successful 1\n") {
		t.Errorf("a cluster that is gone, or what is not wanted any more, is shown:\n%.3000s", body)
	}
	// The changed cluster goes on from what was known of it.
	if !strings.Contains(body, `flink_skew_up{cluster="two"} 1`) || !strings.Contains(body, `job_name="demo-few-keys"`) {
		t.Errorf("the changed cluster has a hole:\n%.3000s", body)
	}
	s.await(t, "/metrics", func(_ int, body string) bool {
		return !strings.Contains(body, "demo-hot-key") && strings.Contains(body, "demo-few-keys")
	})
}

func TestReloadByRequestIsOptional(t *testing.T) {
	s := serveFile(t, "clusters:\n- url: http://127.0.0.1:1\n")
	if status, _ := s.request(t, http.MethodGet, "/-/reload"); status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", status)
	}
	s.d.o.lifecycle = false
	if status, body := s.request(t, http.MethodPost, "/-/reload"); status != http.StatusForbidden || !strings.Contains(body, "--web.enable-lifecycle") {
		t.Errorf("not enabled: %d %s", status, body)
	}
	// A demo has nothing to reload: like any page that is not there.
	if status, _ := start(t, "http://127.0.0.1:1").request(t, http.MethodPost, "/-/reload"); status != http.StatusMethodNotAllowed {
		t.Errorf("a demo: %d", status)
	}
}

// TestSIGHUPReloads starts the program as a process: the signal, which ends
// others, reads the configuration again.
func TestSIGHUPReloads(t *testing.T) {
	_, server := simulated(t)
	file := writeFile(t, "config.yml", "clusters:\n- {name: one, url: '"+server.URL+"'}\n")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "serve", "--web.listen-address=127.0.0.1:0", "--config.file", file)
	cmd.Env = append(os.Environ(), runMain+"=1")
	cmd.Stderr = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	lines := newLines(read)
	address := lines.await(t, `address=(\S+)`)
	r := running{base: "http://" + address}
	r.await(t, "/metrics", holds(`flink_skew_up{cluster="one"} 1`))
	if err := os.WriteFile(file, []byte("clusters:\n- {name: two, url: '"+server.URL+"'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	r.await(t, "/metrics", holds(`flink_skew_up{cluster="two"} 1`))
	if err := os.WriteFile(file, []byte("clusters: x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	r.await(t, "/metrics", holds("flink_skew_exporter_config_last_reload_successful 0"))
	lines.await(t, `configuration not reloaded, the one before stays in use.*(must be a list)`)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
