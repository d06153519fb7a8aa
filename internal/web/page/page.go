package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
)

//go:embed templates/*.html
var templates embed.FS

// Options is what the pages are made of.
type Options struct {
	// View returns what is known of every cluster now. It is called once a
	// request and must not block.
	View func() report.Input
	// History is where heatmaps come from; nil draws none.
	History *history.Store
	// Version is printed at the foot.
	Version string
}

// Pages answers / and everything under /jobs/ and /assets/.
type Pages struct {
	o      Options
	fleet  *template.Template
	job    *template.Template
	vertex *template.Template
	gone   *template.Template
	assets map[string]asset
	mux    *http.ServeMux
}

// New parses the templates; an error is a fault of ours.
func New(o Options) (*Pages, error) {
	p := &Pages{o: o, assets: assets(), mux: http.NewServeMux()}
	for name, to := range map[string]**template.Template{"fleet": &p.fleet, "job": &p.job, "vertex": &p.vertex, "gone": &p.gone} {
		t, err := template.New("layout.html").ParseFS(templates, "templates/layout.html", "templates/parts.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("parse the template of the %s page: %w", name, err)
		}
		*to = t
	}
	p.mux.HandleFunc("/{$}", p.serveFleet)
	p.mux.HandleFunc("/jobs/{cluster}/{job_id}", p.serveJob)
	p.mux.HandleFunc("/jobs/{cluster}/{job_id}/{vertex_id}", p.serveVertex)
	p.mux.HandleFunc("/assets/{name}", p.serveAsset)
	p.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		p.missing(w, "../", errors.New("there is no such page"))
	})
	return p, nil
}

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// head is what every page has.
type head struct {
	// Title is the window's, Root the way from the page to /, so that pages
	// work behind a proxy that adds a prefix.
	Title, Root string
	// Crumbs lead back, the last being this page.
	Crumbs []crumb
	// JSON is the same as data, from Root.
	JSON    string
	Version string
	// Style and Script name the assets with what identifies their content.
	Style, Script string
}

type crumb struct{ Text, Href string }

func (p *Pages) head(title, root, json string, crumbs ...crumb) head {
	return head{
		Title: title, Root: root, JSON: json, Crumbs: crumbs, Version: p.o.Version,
		Style: p.assets["style.css"].link("style.css"), Script: p.assets["page.js"].link("page.js"),
	}
}

// write renders whole before the first byte is sent, so that an error has a
// status of its own.
func (p *Pages) write(w http.ResponseWriter, t *template.Template, status int, data any) {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "layout.html", data); err != nil {
		http.Error(w, "the page could not be drawn, which is a bug to report: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-cache")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// missing answers 404 with a page that leads on.
func (p *Pages) missing(w http.ResponseWriter, root string, why error) {
	p.write(w, p.gone, http.StatusNotFound, struct {
		head
		Why string
	}{p.head("Not found", root, "api/v1/jobs", crumb{"Fleet", root}, crumb{Text: "Not found"}), why.Error()})
}

// place is where a job or vertex was found.
type place struct {
	cluster report.ClusterInput
	job     *analysis.JobResult
	vertex  *analysis.VertexResult
}

// find returns the job, and the vertex unless its id is empty.
func (p *Pages) find(r *http.Request) (place, error) {
	var at place
	in := p.o.View()
	i := slices.IndexFunc(in.Clusters, func(c report.ClusterInput) bool { return c.Name == r.PathValue("cluster") })
	if i < 0 {
		return at, errors.New("no cluster of this name is watched")
	}
	at.cluster = in.Clusters[i]
	if at.cluster.Result == nil {
		return at, fmt.Errorf("nothing is known of this cluster now (%s)", reason(at.cluster))
	}
	id := r.PathValue("job_id")
	k := slices.IndexFunc(at.cluster.Result.Jobs, func(j analysis.JobResult) bool { return j.ID == id })
	if k < 0 {
		return at, errors.New("the cluster's last good poll has no such job: it has ended, or was started anew under another id")
	}
	at.job = &at.cluster.Result.Jobs[k]
	id = r.PathValue("vertex_id")
	if id == "" {
		return at, nil
	}
	k = slices.IndexFunc(at.job.Vertices, func(v analysis.VertexResult) bool { return v.ID == id })
	if k < 0 {
		return at, errors.New("the job has no such vertex; its plan may have changed")
	}
	at.vertex = &at.job.Vertices[k]
	return at, nil
}

// reason is why a cluster cannot be read, in words.
func reason(c report.ClusterInput) string {
	if c.Reason == "" {
		return "no reason known"
	}
	return strings.ReplaceAll(report.Clean(c.Reason, nameColumns), "_", " ")
}

// path joins segments of a URL, escaping each.
func path(segments ...string) string {
	escaped := make([]string, len(segments))
	for i, s := range segments {
		escaped[i] = url.PathEscape(s)
	}
	return strings.Join(escaped, "/")
}

// asOf is when what is shown was polled.
func asOf(c report.ClusterInput) string {
	if c.Result == nil || c.Result.At.IsZero() {
		return ""
	}
	return c.Result.At.UTC().Format("2006-01-02 15:04:05 UTC")
}
