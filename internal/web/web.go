package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"time"

	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Options is what the surface is made of.
type Options struct {
	// Version is printed on the landing page.
	Version string
	// Metrics answers /metrics.
	Metrics http.Handler
	// View returns what is known of every cluster now. It is called once a
	// request and must not block.
	View func() report.Input
	// Waiting returns the names of clusters whose first poll has not ended,
	// good or bad; empty means ready.
	Waiting func() []string
	// Pprof adds /debug/pprof/, all but the command line.
	Pprof bool
}

// Handler returns the whole surface. An error means that the landing page
// could not be rendered.
func Handler(o Options) (http.Handler, error) {
	landing, err := landingPage(o)
	if err != nil {
		return nil, fmt.Errorf("render the landing page: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/{$}", readOnly(landing))
	mux.Handle("/metrics", readOnly(o.Metrics))
	mux.Handle("/-/healthy", readOnly(http.HandlerFunc(healthy)))
	mux.Handle("/-/ready", readOnly(ready(o.Waiting)))
	mux.Handle("/api/", newAPI(o.View))
	mux.Handle("/report", readOnly(ceilingReport(o.View)))
	if o.Pprof {
		// The command line is not served: a URL in it may hold a password.
		mux.HandleFunc("/debug/pprof/cmdline", http.NotFound)
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return secure(mux), nil
}

// Server returns a server with time limits for everything a client can drag
// out. Writing may take as long as a CPU profile of 60 s and a slow reader need.
func Server(h http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

func landingPage(o Options) (http.Handler, error) {
	c := toolkit.LandingConfig{
		Name:        "flink-skew-exporter",
		Description: "Skew and scaling ceilings of Apache Flink jobs",
		Version:     o.Version,
		Profiling:   strconv.FormatBool(o.Pprof),
		Links: []toolkit.LandingLinks{
			{Address: "/metrics", Text: "Metrics"},
			{Address: "/api/v1/findings", Text: "Findings", Description: "verdicts and findings that matter, worst first (JSON)"},
			{Address: "/api/v1/jobs", Text: "Jobs", Description: "every job and vertex with verdict, evidence and advice (JSON)"},
			{Address: "/api/v1/clusters", Text: "Clusters", Description: "whether each is reached, and why not (JSON)"},
			{Address: "/-/ready", Text: "Ready", Description: "whether every cluster has been polled once"},
		},
	}
	return toolkit.NewLandingPage(c)
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	text(w, http.StatusOK, "flink-skew-exporter is healthy")
}

func ready(waiting func() []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if names := waiting(); len(names) > 0 {
			text(w, http.StatusServiceUnavailable, "not ready: waiting for the first poll of "+strings.Join(names, ", "))
			return
		}
		text(w, http.StatusOK, "flink-skew-exporter is ready")
	})
}

func text(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, message)
}

// readOnly refuses every method but GET and HEAD.
func readOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !reads(r) {
			w.Header().Set("Allow", "GET, HEAD")
			text(w, http.StatusMethodNotAllowed, "only GET and HEAD are answered here")
			return
		}
		h.ServeHTTP(w, r)
	})
}

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// secure adds the headers that keep a browser from doing more with our pages
// than showing them. Style is inline on the landing page and pprof's index.
func secure(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		h.ServeHTTP(w, r)
	})
}
