package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestServeProbes serves nothing but probes: no cluster is configured.
func TestServeProbes(t *testing.T) {
	sim, server := simulated(t)
	password := "s3cr3t-Pa55word"
	guarded := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if _, got, _ := r.BasicAuth(); got != password {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.StripPrefix("/flink", sim).ServeHTTP(w, r)
	})
	file := writeFile(t, "password", password)
	s := serveFile(t, "probe: {allow_targets: ['127.0.0.1:*']}\nmodules: [{name: guarded, basic_auth: {username: u, password_file: '"+file+"'}}]\n")
	s.await(t, "/-/ready", ready)
	for query, want := range map[string]string{
		"target=" + url.QueryEscape(server.URL):                                               `flink_skew_up{cluster="` + strings.TrimPrefix(server.URL, "http://") + `"} 1`,
		"target=" + url.QueryEscape(guarded+"/flink") + "&module=guarded&cluster=yarn":        `flink_skew_up{cluster="yarn"} 1`,
		"target=" + url.QueryEscape(guarded+"/flink") + "&cluster=locked":                     `flink_skew_down_info{cluster="locked",reason="unauthorized"} 1`,
		"target=127.0.0.1:1&cluster=none":                                                     `flink_skew_down_info{cluster="none",reason="refused"} 1`,
		"debug=true&cluster=words&module=guarded&target=" + url.QueryEscape(guarded+"/flink"): "with basic auth",
	} {
		status, body := s.fetch(t, "/probe?"+query)
		if status != http.StatusOK || !strings.Contains(body, want) || strings.Contains(body, password) {
			t.Errorf("%s: %d, no %s in %.2000s", query, status, want, body)
		}
	}
	if status, body := s.fetch(t, "/probe?target=localhost:8081"); status != http.StatusForbidden || !strings.Contains(body, "probe.allow_targets") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := s.request(t, http.MethodPost, "/probe?target=127.0.0.1:1"); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", status)
	}
	// A reload forbids what was allowed.
	s.write(t, "probe: {allow_targets: ['127.0.0.1']}\n")
	if status, body := s.request(t, http.MethodPost, "/-/reload"); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if status, _ := s.fetch(t, "/probe?target=127.0.0.1:1"); status != http.StatusForbidden {
		t.Errorf("what a reload forbids: %d", status)
	}
}
