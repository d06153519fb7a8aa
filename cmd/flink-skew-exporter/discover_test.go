package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDiscovery finds clusters in a file and at an address, keeps them while
// both are broken, and lets them go when they are gone from a good list.
func TestDiscovery(t *testing.T) {
	_, server := simulated(t)
	host := strings.TrimPrefix(server.URL, "http://")
	var list atomic.Pointer[string]
	put := func(text string) { list.Store(&text) }
	put(`[{"targets": ["` + host + `"], "labels": {"cluster": "by-http"}}, {"targets": ["bad host"]}]`)
	inventory := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, *list.Load()) })
	dir := t.TempDir()
	targets := filepath.Join(dir, "targets.json")
	write := func(text string) {
		if err := os.WriteFile(targets, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`[{"targets": ["` + host + `", "127.0.0.1:1"], "labels": {"cluster": "by-file"}}]`)
	s := serveFile(t, `
file_sd_configs: [{files: ['`+dir+`/*.json'], refresh_interval: 1s}]
http_sd_configs: [{url: '`+inventory+`', refresh_interval: 1s}]
poll: {interval: 1s}
`)
	s.await(t, "/metrics", holds(`flink_skew_up{cluster="by-file"} 1`))
	s.await(t, "/metrics", holds(`flink_skew_up{cluster="by-http"} 1`))
	s.await(t, "/-/ready", ready)
	s.await(t, "/metrics", holds(`flink_skew_exporter_discovery_targets{source="`+inventory+`"} 2`))
	kept := polls(t, s.running, "by-file")

	write(`[{"targets": ["`)
	put("[]")
	failures := func(source string) {
		s.await(t, "/metrics", func(_ int, body string) bool {
			_, rest, found := strings.Cut(body, `flink_skew_exporter_discovery_failures_total{source="`+source+`"} `)
			return found && !strings.HasPrefix(rest, "0")
		})
	}
	failures(dir + "/*.json")
	failures(inventory)
	_, body := s.fetch(t, "/metrics")
	for _, cluster := range []string{"by-file", "by-http"} {
		if !strings.Contains(body, `flink_skew_up{cluster="`+cluster+`"} 1`) {
			t.Errorf("%s is gone with a broken list", cluster)
		}
	}
	// A reload keeps what was found by sources that stay.
	if status, body := s.request(t, http.MethodPost, "/-/reload"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if _, body := s.fetch(t, "/metrics"); !strings.Contains(body, `flink_skew_up{cluster="by-http"} 1`) || kept == "" {
		t.Error("a reload loses what was found")
	}

	write(`[{"targets": ["` + host + `"], "labels": {"cluster": "renamed", "team": "x"}}]`)
	s.await(t, "/metrics", holds(`flink_skew_up{cluster="renamed"} 1`))
	s.await(t, "/metrics", func(_ int, body string) bool { return !strings.Contains(body, `cluster="by-file"`) })
	if _, body := s.fetch(t, "/metrics"); strings.Contains(body, "team=") {
		t.Error("labels of targets are exported")
	}
}
