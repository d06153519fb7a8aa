package main

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// fault is a way in which one cluster misbehaves for a while.
type fault struct {
	answer http.HandlerFunc
	reason string
}

// hang answers nothing until the request is given up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// cut ends the connection: after the beginning of an answer if there is one.
func cut(beginning string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		if beginning == "" {
			_ = conn.(*net.TCPConn).SetLinger(0) // A reset instead of an end.
		}
		_, _ = io.WriteString(conn, beginning)
		_ = conn.Close()
	}
}

func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func leads(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// bomb is 64 MiB in 64 kB, for whoever unpacks it.
func bomb(t *testing.T) http.HandlerFunc {
	t.Helper()
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	block := []byte(strings.Repeat("[", 1<<20))
	for range 64 {
		if _, err := packed.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(b.Bytes())
	}
}

// small serves a cluster of one job, always up to date.
func small(t *testing.T) (*flinksim.Sim, *httptest.Server) {
	t.Helper()
	c := flinksim.Load(1, 2, 2)
	c.MetricInterval, c.TaskManagers, c.SlotsPerTM = -1, 1, 8
	sim, err := flinksim.New(c, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(sim)
	t.Cleanup(s.Close)
	return sim, s
}

func faults(t *testing.T) map[string]fault {
	const isJSON = "application/json"
	return map[string]fault{
		"slow headers": {hang, "timeout"},
		"slow body": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"jobs":[`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "timeout"},
		"reset":              {cut(""), "closed"},
		"half an answer":     {cut("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"jobs\":"), "truncated"},
		"half JSON":          {says(200, isJSON, `{"jobs":[{"jid":"a`), "truncated"},
		"wrong content type": {says(200, "text/html", "<html>sign in</html>"), "not_json"},
		"giant body": {func(w http.ResponseWriter, _ *http.Request) {
			for block := []byte(strings.Repeat("[", 1<<16)); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, "too_large"},
		"giant header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Giant", strings.Repeat("x", 1<<20))
			_, _ = io.WriteString(w, "{}")
		}, "too_large"},
		"redirect loop":         {leads("/again"), "redirect"},
		"redirect to elsewhere": {leads("http://127.0.0.1:1/jobs/overview"), "redirect"},
		"gzip bomb":             {bomb(t), "not_json"},
		"401":                   {says(401, isJSON, ""), "unauthorized"},
		"403":                   {says(403, isJSON, ""), "forbidden"},
		"404":                   {says(404, isJSON, `{"errors":["Not found: /jobs/overview"]}`), "not_found"},
		"429":                   {says(429, isJSON, ""), "http_4xx"},
		"500":                   {says(500, isJSON, `{"errors":["Internal server error."]}`), "http_5xx"},
		"503":                   {says(503, isJSON, `{"errors":["Service temporarily unavailable due to an ongoing leader election. Please refresh."]}`), "no_leader"},
	}
}

// TestFaultMatrix has one cluster misbehave in one way beside one that works:
// the reason is the right one, nothing is lost of the other, and when the fault
// is over the cluster is back without a restart.
func TestFaultMatrix(t *testing.T) {
	for name, f := range faults(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, working := small(t)
			var wrong atomic.Bool
			sometimes := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if wrong.Load() && r.URL.Path != "/overview" && r.URL.Path != "/taskmanagers" {
					f.answer(w, r)
					return
				}
				sim.ServeHTTP(w, r)
			})
			wrong.Store(true)
			r := startWith(t, func(c *config.Config) { c.Poll.MaxResponseBytes = 1 << 20 }, working.URL, sometimes)
			r.await(t, "/metrics", holds(`flink_skew_down_info{cluster="c1",reason="`+f.reason+`"} 1`))
			r.await(t, "/metrics", func(_ int, body string) bool {
				return strings.Contains(body, "flink_skew_up{cluster=\"c1\"} 0\n") && strings.Contains(body, "flink_skew_up{cluster=\"c0\"} 1\n") &&
					strings.Count(body, `flink_skew_vertex_verdict{cluster="c0"`) == 2
			})
			wrong.Store(false)
			r.await(t, "/metrics", holds(`flink_skew_up{cluster="c1"} 1`))
		})
	}
}

// TestTLSFaults: certificates that must not be accepted.
func TestTLSFaults(t *testing.T) {
	sim, working := small(t)
	for name, change := range map[string]func(*tls.Config){
		"unknown authority": func(*tls.Config) {},
		"old protocol":      func(c *tls.Config) { c.MaxVersion = tls.VersionTLS10 },
	} {
		t.Run(name, func(t *testing.T) {
			secure := httptest.NewUnstartedServer(sim)
			secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			secure.TLS = &tls.Config{}
			change(secure.TLS)
			secure.StartTLS()
			defer secure.Close()
			r := start(t, working.URL, secure.URL)
			r.await(t, "/metrics", holds(`flink_skew_down_info{cluster="c1",reason="tls"} 1`))
			r.await(t, "/metrics", holds(`flink_skew_up{cluster="c0"} 1`))
		})
	}
}

func TestUnknownHostFault(t *testing.T) {
	_, working := small(t)
	r := start(t, working.URL, "http://no-such-host.invalid:8081")
	r.await(t, "/metrics", holds(`flink_skew_down_info{cluster="c1",reason="dns"} 1`))
	r.await(t, "/metrics", holds(`flink_skew_up{cluster="c0"} 1`))
}

// TestHostileContent: answers that are Flink's in form and wrong in content
// keep the scrape whole.
func TestHostileContent(t *testing.T) {
	long := strings.Repeat("ä", 10_000)
	id := strings.Repeat("a", 32)
	vertex := fmt.Sprintf(`{"id":%q,"name":%q,"parallelism":-4,"maxParallelism":-1,"status":"RUNNING","metrics":{"read-records":-5,"read-records-complete":true}}`, id, long)
	answers := map[string]string{
		"/jobs/overview": fmt.Sprintf(`{"jobs":[{"jid":%q,"name":%q,"state":"RUNNING","start-time":-1},{"jid":%q,"name":"twin","state":"RUNNING"}]}`, id, long, id),
		"/jobs/" + id:    fmt.Sprintf(`{"jid":%q,"name":%q,"state":"RUNNING","now":-7,"timestamps":{"RUNNING":-1},"vertices":[%s,%s],"plan":{"nodes":[]}}`, id, long, vertex, vertex),
		"/jobs/" + id + "/vertices/" + id: fmt.Sprintf(`{"id":%q,"name":%q,"parallelism":-4,"maxParallelism":-1,"now":-7,"subtasks":[`+
			`{"subtask":-1,"status":"RUNNING","attempt":-3,"duration":-1,"metrics":{"read-records":-9,"accumulated-busy-time":-1}},`+
			`{"subtask":0,"status":"RUNNING"},{"subtask":0,"status":"RUNNING"}]}`, id, long),
	}
	hostile := answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, body)
	})
	_, working := small(t)
	r := start(t, working.URL, hostile)
	r.await(t, "/metrics", holds(`flink_skew_up{cluster="c1"} 1`))
	r.await(t, "/metrics", holds(`flink_skew_up{cluster="c0"} 1`))
	_, body := r.fetch(t, "/metrics")
	if strings.Contains(body, strings.Repeat("ä", 101)) || strings.Count(body, `flink_skew_job_info{cluster="c1"`) != 1 {
		t.Errorf("a name is not cut, or a twin is shown:\n%.3000s", body)
	}
	for line := range strings.Lines(body) {
		if strings.Contains(line, `cluster="c1"`) && strings.Contains(line, "} -") {
			t.Errorf("a negative number: %s", line)
		}
	}
}
