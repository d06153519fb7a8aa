package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// ask makes a request with headers.
func ask(h http.Handler, path string, headers map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	for k, v := range headers {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestTagHoldsBetweenPolls: the time at which an answer is made changes no tag,
// what it says does.
func TestTagHoldsBetweenPolls(t *testing.T) {
	in := sample()
	h := handler(t, func(o *Options) { o.View = func() report.Input { return in } })
	for _, path := range []string{"/", "/jobs/jm:8081/a1", "/api/v1/clusters", "/api/v1/jobs", "/api/v1/jobs/jm:8081/a1", "/api/v1/findings", "/api/v1/openapi.json"} {
		in = sample()
		first := ask(h, path, nil)
		tag := first.Header().Get("ETag")
		if first.Code != http.StatusOK || !strings.HasPrefix(tag, `W/"`) {
			t.Errorf("%s: status %d, tag %q", path, first.Code, tag)
		}
		in.GeneratedAt = in.GeneratedAt.Add(time.Second)
		for _, known := range []string{tag, `"other", ` + tag, "*", strings.TrimPrefix(tag, "W/")} {
			w := ask(h, path, map[string]string{"If-None-Match": known})
			if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != tag {
				t.Errorf("%s with %s: status %d, %d bytes", path, known, w.Code, w.Body.Len())
			}
		}
		if strings.HasSuffix(path, "openapi.json") {
			continue
		}
		in.Clusters[0].Result.Jobs[0].Name = "another"
		in.Clusters[0].Polls++
		if w := ask(h, path, map[string]string{"If-None-Match": tag}); w.Code != http.StatusOK || w.Header().Get("ETag") == tag {
			t.Errorf("%s: status %d although what it says has changed", path, w.Code)
		}
	}
}

func TestErrorsHaveNoTag(t *testing.T) {
	h := handler(t, nil)
	for path, status := range map[string]int{"/api/v1/jobs/none/a1": 404, "/api/v1/findings?severity=x": 400, "/jobs/none/x": 404} {
		w := ask(h, path, map[string]string{"If-None-Match": "*"})
		if w.Code != status || w.Header().Get("ETag") != "" || w.Body.Len() == 0 {
			t.Errorf("%s: status %d, tag %q, %d bytes", path, w.Code, w.Header().Get("ETag"), w.Body.Len())
		}
	}
}

func TestGzipForThoseWhoTakeIt(t *testing.T) {
	h := handler(t, nil)
	for _, path := range []string{"/", "/api/v1/jobs", "/assets/style.css"} {
		plain, packed := ask(h, path, nil), ask(h, path, map[string]string{"Accept-Encoding": "gzip"})
		if plain.Header().Get("Content-Encoding") != "" || packed.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: encodings %q and %q", path, plain.Header().Get("Content-Encoding"), packed.Header().Get("Content-Encoding"))
			continue
		}
		unpacked, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(unpacked)
		if err != nil || string(body) != plain.Body.String() {
			t.Errorf("%s: %v, %d bytes for %d", path, err, len(body), plain.Body.Len())
		}
		if !strings.Contains(packed.Header().Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: Vary is %q", path, packed.Header().Get("Vary"))
		}
	}
	if w := ask(h, "/-/healthy", map[string]string{"Accept-Encoding": "gzip"}); w.Header().Get("Content-Encoding") != "" {
		t.Error("a few bytes were compressed")
	}
}
