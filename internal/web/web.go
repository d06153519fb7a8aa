package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/page"
)

// Options is what the surface is made of.
type Options struct {
	// Version is printed at the foot of pages.
	Version string
	// Metrics answers /metrics.
	Metrics http.Handler
	// View returns what is known of every cluster now. It is called once a
	// request and must not block.
	View func() report.Input
	// Waiting returns the names of clusters whose first poll has not ended,
	// good or bad; empty means ready.
	Waiting func() []string
	// History is what the pages' heatmaps are drawn from; nil draws none.
	History *history.Store
	// Reload answers /-/reload, Probe /probe; nil leaves the page out.
	Reload, Probe http.Handler
	// Pprof adds /debug/pprof/, all but the command line.
	Pprof bool
}

// Handler returns the whole surface. An error means that something built in,
// a template or the API's description, is broken.
func Handler(o Options) (http.Handler, error) {
	pages, err := page.New(page.Options{View: o.View, History: o.History, Version: o.Version})
	if err != nil {
		return nil, err
	}
	api, err := newAPI(o.View)
	if err != nil {
		return nil, err
	}
	squeeze, err := compressing()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", readOnly(squeeze(tagged(pages))))
	mux.Handle("/metrics", readOnly(o.Metrics))
	mux.Handle("/-/healthy", readOnly(http.HandlerFunc(healthy)))
	mux.Handle("/-/ready", readOnly(ready(o.Waiting)))
	mux.Handle("/api/", squeeze(tagged(api)))
	if o.Reload != nil {
		mux.Handle("/-/reload", o.Reload)
	}
	if o.Probe != nil {
		mux.Handle("/probe", readOnly(o.Probe))
	}
	mux.Handle("/report", readOnly(ceilingReport(o.View)))
	if o.Pprof {
		// The command line is not served: a URL in it may hold a password.
		mux.HandleFunc("/debug/pprof/cmdline", http.NotFound)
		mux.HandleFunc("/debug/pprof/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", inlineStyle)
			pprof.Index(w, r)
		})
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

const (
	// ownFiles lets pages load our own files and nothing else, and run nothing
	// that stands in them.
	ownFiles = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	// inlineStyle is for what is one file with its styles: the report, pictures,
	// and pprof's index, which is not ours to change.
	inlineStyle = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)

// secure adds the headers that keep a browser from doing more with our pages
// than showing them. A handler whose page needs another policy sets its own.
func secure(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", ownFiles)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		h.ServeHTTP(w, r)
	})
}
