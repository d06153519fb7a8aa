package scrape

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkGzip is a scrape that asks for gzip: the first one after a poll
// compresses, those that follow write what was kept.
func BenchmarkGzip(b *testing.B) {
	for name, forget := range map[string]bool{"first": true, "kept": false} {
		b.Run(name, func(b *testing.B) {
			h, p := served(b, nil, io.Discard)
			for range 99 {
				p.Once(b.Context())
			}
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.Header.Set("Accept-Encoding", "gzip")
			b.ReportAllocs()
			for b.Loop() {
				if forget {
					h.packed.last = nil
				}
				h.ServeHTTP(discard{http.Header{}}, r)
			}
		})
	}
}
