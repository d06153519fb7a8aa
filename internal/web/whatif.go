package web

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// mostLoad bounds the load that a curve may be asked for.
const mostLoad = 1000

// whatIf answers with the curve of the vertex of the query, an id, at load times
// its present demand (1 unless given). format=svg gives the picture of it.
func (a api) whatIf(w http.ResponseWriter, r *http.Request) {
	in := a.view()
	i := find(in, r.PathValue("cluster"))
	if i < 0 {
		fail(w, http.StatusNotFound, "no such cluster; /api/v1/clusters lists them")
		return
	}
	j := jobOf(in.Clusters[i].Result, r.PathValue("job_id"))
	if j == nil {
		fail(w, http.StatusNotFound, "no such job in this cluster's last good poll; /api/v1/jobs lists them")
		return
	}
	q := r.URL.Query()
	k := slices.IndexFunc(j.Vertices, func(v analysis.VertexResult) bool { return v.ID == q.Get("vertex") })
	if k < 0 {
		fail(w, http.StatusNotFound, "no such vertex of this job; give the vertex_id of one as ?vertex=")
		return
	}
	load := 1.0
	if text := q.Get("load"); text != "" {
		var err error
		if load, err = strconv.ParseFloat(text, 64); err != nil || !(load > 0 && load <= mostLoad) {
			fail(w, http.StatusBadRequest, "load must be a number above 0, such as 1.5 for half as much again")
			return
		}
	}
	out := report.NewWhatIf(in.Clusters[i].Name, j, &j.Vertices[k], load)
	out.GeneratedAt = in.GeneratedAt.UTC()
	switch q.Get("format") {
	case "", "json":
		answer(w, out)
	case "svg":
		w.Header().Set("Content-Type", "image/svg+xml; charset=utf-8")
		w.Header().Set("Content-Security-Policy", inlineStyle) // As the picture brings its colours along.
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte(out.SVG()))
	default:
		fail(w, http.StatusBadRequest, "format must be json or svg")
	}
}

// jobOf returns the job of an id, nil when the result has none.
func jobOf(r *analysis.Result, id string) *analysis.JobResult {
	if r == nil {
		return nil
	}
	for i := range r.Jobs {
		if r.Jobs[i].ID == id {
			return &r.Jobs[i]
		}
	}
	return nil
}
