package probe

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// TestProbesMakeWindows probes a simulated cluster as Prometheus would: after a
// few probes the hot key is found, and debug=true explains why.
func TestProbesMakeWindows(t *testing.T) {
	began := time.Now()
	var passed atomic.Int64
	now := func() time.Time { return began.Add(time.Duration(passed.Load())) }
	cluster := flinksim.Demo(8)[0]
	cluster.MetricInterval = -1
	sim, err := flinksim.New(cluster, now)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(sim)
	defer s.Close()
	c := parse(t, "probe: {allow_targets: ['127.0.0.1:*']}\nmodules:\n- {name: default, basic_auth: {username: u, password: "+secret+"}}\n")
	h, err := New(Options{
		Open: func(_ *config.Config, k config.Cluster, seen *collector.Observer) (Source, error) {
			o := restapi.DefaultOptions(k.Name, k.Addresses()[0])
			o.Observer, o.Now, o.NoPrime = seen, now, true
			o.Auth = restapi.Auth{User: k.BasicAuth.Username, Password: k.BasicAuth.Password.Reveal()}
			return restapi.New(o)
		},
		Now:    func() time.Time { return time.Now().Add(time.Duration(passed.Load())) },
		Logger: slog.New(slog.DiscardHandler),
	}, c)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	const verdict = `job_name="demo-hot-key",vertex_id="`
	hot := func(body string) bool {
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, "flink_skew_vertex_verdict{") && strings.Contains(line, verdict) && strings.Contains(line, `verdict="hot_key"} 1`) {
				return true
			}
		}
		return false
	}
	if hot(ask(t.Context(), h, nil, "target", s.URL).Body.String()) {
		t.Error("one probe makes no window")
	}
	var body string
	for range 8 {
		passed.Add(int64(15 * time.Second))
		body = ask(t.Context(), h, nil, "target", s.URL).Body.String()
	}
	if !hot(body) {
		t.Errorf("no verdict after eight windows:\n%.3000s", body)
	}
	passed.Add(int64(15 * time.Second))
	text := ask(t.Context(), h, nil, "target", s.URL, "debug", "true").Body.String()
	for _, want := range []string{
		"target   " + s.URL + " with basic auth\n", "poll     succeeded after ", "number 10 of this target, 0 failed", "requests so far", "/jobs/:jobid/vertices/:vertexid",
		"hot_key", "flink_skew_up{cluster=",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not explained in\n%.6000s", want, text)
		}
	}
	if strings.Contains(text, secret) {
		t.Error("the password is in the explanation")
	}
	s.Close()
	text = ask(t.Context(), h, nil, "target", s.URL, "debug", "true").Body.String()
	if !strings.Contains(text, "failed (refused)") || !strings.Contains(text, "connection refused; check that the JobManager runs") {
		t.Errorf("a failure is not explained in\n%.2000s", text)
	}
}
