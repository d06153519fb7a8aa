package main

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// answeringAlways is a server that gives every path the same answer.
func answeringAlways(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestCheckHealth(t *testing.T) {
	_, sim := simulated(t)
	up := start(t, sim.URL)
	got := execute(t, "check", "health", "--url="+up.base)
	if got != (outcome{exitOK, "flink-skew-exporter is healthy\n", ""}) {
		t.Errorf("of a daemon: %+v", got)
	}

	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) }))
	t.Cleanup(secure.Close)
	if got := execute(t, "check", "health", "--url="+secure.URL+"/prefix/", "--ready"); got != (outcome{exitOK, "/prefix/-/ready\n", ""}) {
		t.Errorf("over TLS, below a prefix: %+v", got)
	}
	if got := execute(t, "check", "health", "--url="+answeringAlways(t, http.StatusUnauthorized, "Unauthorized")); got.code != exitOK {
		t.Errorf("with a password: %+v", got)
	}
	mutual := httptest.NewUnstartedServer(http.NotFoundHandler())
	mutual.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	mutual.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	mutual.StartTLS()
	t.Cleanup(mutual.Close)
	if got := execute(t, "check", "health", "--url="+mutual.URL); got.code != exitOK || !strings.Contains(got.stdout, "wants a certificate") {
		t.Errorf("with client certificates: %+v", got)
	}
}

func TestCheckHealthOfTheIll(t *testing.T) {
	waiting := answeringAlways(t, http.StatusServiceUnavailable, "not ready: waiting for the first poll of a\nmore")
	oneLine(t, execute(t, "check", "health", "--ready", "--url="+waiting), exitFailed, "503 Service Unavailable: not ready: waiting for the first poll of a")
	moved := httptest.NewServer(http.RedirectHandler(waiting, http.StatusFound))
	t.Cleanup(moved.Close)
	oneLine(t, execute(t, "check", "health", "--url="+moved.URL), exitFailed, "302 Found")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	oneLine(t, execute(t, "check", "health", "--url="+gone.URL), exitFailed, "no answer; is flink-skew-exporter running there?")

	hanging := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hanging }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(hanging) })
	oneLine(t, execute(t, "check", "health", "--timeout=10ms", "--url="+slow.URL), exitFailed, "deadline exceeded")

	for _, u := range []string{"localhost:9923", "ftp://localhost", "http://", "http://me:hunter2@localhost", "http://%zz"} {
		got := execute(t, "check", "health", "--url="+u)
		oneLine(t, got, exitUsage, "--url: must be like http://localhost:9923")
		if strings.Contains(got.stderr, "hunter2") {
			t.Errorf("a password was printed: %s", got.stderr)
		}
	}
}
