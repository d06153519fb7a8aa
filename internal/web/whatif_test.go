package web

import (
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

func TestWhatIf(t *testing.T) {
	h := handler(t, func(o *Options) {
		o.View = func() report.Input {
			in := sample()
			v := &in.Clusters[0].Result.Jobs[0].Vertices[1]
			v.Verdict.ID = analysis.UniformSaturation
			v.Inputs = []analysis.Input{{From: "v1", Ship: analysis.ShipRebalance}}
			v.Signals.Busy = analysis.Distribution{Count: 1, Max: analysis.Of(.5), Mean: analysis.Of(.5)}
			return in
		}
	})
	for _, c := range []struct {
		path   string
		status int
		body   string
	}{
		{"/api/v1/jobs/jm:8081/a1/whatif?vertex=v2", 200, `"target_met"`},
		{"/api/v1/jobs/jm:8081/a1/whatif?vertex=v2&load=2", 200, `"load":2`},
		{"/api/v1/jobs/jm:8081/a1/whatif?vertex=v2&format=svg", 200, "</svg>"},
		{"/api/v1/jobs/jm:8081/a1/whatif?vertex=v1", 200, `"curve":null`},
		{"/api/v1/jobs/jm:8081/a1/whatif", 404, "?vertex="},
		{"/api/v1/jobs/jm:8081/none/whatif?vertex=v2", 404, "no such job"},
		{"/api/v1/jobs/none/a1/whatif?vertex=v2", 404, "no such cluster"},
		{"/api/v1/jobs/gone/a1/whatif?vertex=v2", 404, "no such job"},
		{"/api/v1/jobs/jm:8081/a1/whatif?vertex=v2&load=-1", 400, "load must be"},
		{"/api/v1/jobs/jm:8081/a1/whatif?vertex=v2&load=NaN", 400, "load must be"},
		{"/api/v1/jobs/jm:8081/a1/whatif?vertex=v2&format=png", 400, "format must be"},
	} {
		w := get(h, "GET", c.path)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s: %d %.300s, want %d with %s", c.path, w.Code, w.Body, c.status, c.body)
		}
	}
}
