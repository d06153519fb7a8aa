package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// vertexLimit bounds how many vertices the extra answers are asked of.
	vertexLimit = 200
	// extraTime bounds one extra answer.
	extraTime = 10 * time.Second
)

// extras asks, once, for answers that a poll does without but that help to
// understand a tape. It passes the client's requests on, and sends its own the
// same way with the same authorization.
type extras struct {
	base      string
	transport http.RoundTripper
	// limit is how many bytes are read of one answer.
	limit int64
	// config includes configurations, which may hold secrets that only
	// redaction takes out.
	config bool

	// header is that of the client's newest request.
	header atomic.Pointer[http.Header]
}

// RoundTrip implements http.RoundTripper.
func (e *extras) RoundTrip(req *http.Request) (*http.Response, error) {
	h := req.Header.Clone()
	e.header.Store(&h)
	return e.transport.RoundTrip(req)
}

// CloseIdleConnections passes the call on to the wrapped transport.
func (e *extras) CloseIdleConnections() {
	if c, ok := e.transport.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (e *extras) paths(s analysis.Snapshot) []string {
	paths := []string{"/config", "/taskmanagers"}
	if e.config {
		paths = append(paths, "/jobmanager/config")
	}
	vertices := 0
	for _, j := range s.Jobs {
		job := "/jobs/" + url.PathEscape(j.ID)
		paths = append(paths, job+"/plan", job+"/checkpoints", job+"/checkpoints/config", job+"/resource-requirements")
		if e.config {
			paths = append(paths, job+"/config", job+"/jobmanager/config")
		}
		for _, v := range j.Vertices {
			if vertices++; vertices <= vertexLimit {
				at := job + "/vertices/" + url.PathEscape(v.ID)
				paths = append(paths, at+"/backpressure", at+"/watermarks", at+"/metrics")
			}
		}
	}
	return paths
}

// ask sends the requests one after the other; answers go to the recorder, and
// those that fail are recorded as such.
func (e *extras) ask(ctx context.Context, s analysis.Snapshot) {
	for _, path := range e.paths(s) {
		if ctx.Err() != nil {
			return
		}
		e.one(ctx, path)
	}
}

// one asks for one path with the client's own header. It follows no redirect,
// as it calls the transport directly.
func (e *extras) one(ctx context.Context, path string) {
	ctx, cancel := context.WithTimeout(ctx, extraTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(e.base, "/")+path, http.NoBody)
	if err != nil {
		return
	}
	if h := e.header.Load(); h != nil {
		req.Header = h.Clone()
	}
	answer, err := e.transport.RoundTrip(req)
	if err != nil {
		return
	}
	// Whether it was read to its end or not, closing it writes the line.
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, e.limit))
	_ = answer.Body.Close()
}
