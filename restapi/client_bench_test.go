package restapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// benchSubtasks is how many subtasks one answer of the benchmarks holds.
const benchSubtasks = 100

func benchBody(b *testing.B) string {
	b.Helper()
	f := newFake()
	body, err := json.Marshal(f.detail(&fakeVertex{id: keyed, ship: "HASH", parallelism: benchSubtasks, startMs: startMs}))
	if err != nil {
		b.Fatal(err)
	}
	return string(body)
}

func benchFetch(b *testing.B, o Options, decode func([]byte) (int, error)) {
	c, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	to := vertexCall(epVertex, jobA, keyed, "")
	b.ReportAllocs()
	for b.Loop() {
		if n, err := fetch(b.Context(), c, to, decode); err != nil || n == 0 {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchSubtasks), "ns/subtask")
}

func measure(body []byte) (int, error) { return len(body), nil }

func decodeCount(body []byte) (int, error) {
	d, err := decodeVertex(body)
	return len(d.subtasks), err
}

// BenchmarkRequest is the client's own cost of a request of 100 subtasks,
// without a network and without decoding.
func BenchmarkRequest(b *testing.B) {
	body := benchBody(b)
	benchFetch(b, Options{URL: "http://flink", Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
	})}, measure)
}

// BenchmarkRequestLoopback adds the network and the test's own server.
func BenchmarkRequestLoopback(b *testing.B) {
	body := benchBody(b)
	server := httptest.NewServer(respond(200, body))
	defer server.Close()
	benchFetch(b, Options{URL: server.URL}, measure)
}

// BenchmarkRequestLoopbackDecoded adds decoding.
func BenchmarkRequestLoopbackDecoded(b *testing.B) {
	body := benchBody(b)
	server := httptest.NewServer(respond(200, body))
	defer server.Close()
	benchFetch(b, Options{URL: server.URL}, decodeCount)
}
