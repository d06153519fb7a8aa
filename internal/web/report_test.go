package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// TestReport: the form of the report, by the query and then by what is accepted.
func TestReport(t *testing.T) {
	for name, c := range map[string]struct {
		path, accept string
		status       int
		kind, has    string
	}{
		"default":     {"/report", "", 200, "text/html", "<h1>Ceiling headroom, the present</h1>"},
		"a browser":   {"/report", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 200, "text/html", "orders &lt;b&gt; / enrich"},
		"curl":        {"/report", "*/*", 200, "text/html", "<!doctype html>"},
		"JSON":        {"/report", "application/json", 200, "application/json", `"basis": "live"`},
		"the query":   {"/report?format=csv", "application/json", 200, "text/csv", "cluster,job_name,vertex"},
		"Markdown":    {"/report?format=markdown", "", 200, "text/markdown", "# Ceiling headroom"},
		"a digest":    {"/report?format=text", "", 200, "text/plain", "3 vertices"},
		"what it is":  {"/report?format=text", "", 200, "text/plain", "No history"},
		"not reached": {"/report?format=text", "", 200, "text/plain", "gone: the cluster did not answer the last poll: refused"},
		"no format":   {"/report?format=pdf", "", 400, "text/plain", "format must be html"},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, http.NoBody)
		r.Header.Set("Accept", c.accept)
		w := httptest.NewRecorder()
		handler(t, nil).ServeHTTP(w, r)
		if w.Code != c.status || !strings.HasPrefix(w.Header().Get("Content-Type"), c.kind) || !strings.Contains(w.Body.String(), c.has) {
			t.Errorf("%s: %d %s, want %d %s with %q:\n%s", name, w.Code, w.Header().Get("Content-Type"), c.status, c.kind, c.has, w.Body)
		}
	}
	// What brings its styles along must be allowed to use them.
	styled := get(handler(t, nil), http.MethodGet, "/report")
	if csp := styled.Header().Get("Content-Security-Policy"); !strings.Contains(styled.Body.String(), "<style>") || !strings.Contains(csp, "style-src 'unsafe-inline'") || strings.Contains(csp, "script-src") {
		t.Errorf("the policy of the report is %q", csp)
	}
	r := httptest.NewRequest(http.MethodPost, "/report", http.NoBody)
	w := httptest.NewRecorder()
	handler(t, nil).ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d, want 405", w.Code)
	}
}

// TestReportOfNothing: before the first poll there is a page all the same.
func TestReportOfNothing(t *testing.T) {
	h := handler(t, func(o *Options) { o.View = func() report.Input { return report.Input{GeneratedAt: at()} } })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/report", http.NoBody))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "no job runs") {
		t.Errorf("%d:\n%s", w.Code, w.Body)
	}
}
