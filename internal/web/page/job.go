package page

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// maxJobCells bounds the cells of all strips of a page, maxListed the vertices
// of a job that are listed when they are too many for a graph.
const (
	maxJobCells = 16_000
	leastCells  = 32
	maxListed   = 120
)

// jobPage is what the page of a job shows.
type jobPage struct {
	head
	Name, Cluster string
	State, AsOf   string
	// Down says that the cluster is not reached and what follows is old.
	Down string
	// Unsettled says that nothing could be judged and why.
	Unsettled string
	// Unjudged counts the vertices without a verdict; empty when there are none.
	Unjudged string
	Facts    []fact
	Troubles []trouble
	Graph    *drawing
	// Cards are the vertices in order; Left is how many more there are.
	Cards []card
	Left  string
	// Note says what a cell of the strips is when it is not one subtask.
	Note string
}

type fact struct{ Name, Value string }

// card is one vertex in the graph or the list.
type card struct {
	// Place is its classes in the grid, empty in a list.
	Place      string
	ID         string
	Name, Href string
	Badge      badge
	// Root is whether the slow path starts here, Victim whether it waits for
	// another: Waits names that one.
	Root, Victim bool
	Waits        string
	Parallelism  string
	Busy, Back   bar
	Strip        cells
}

// trouble is one vertex that somebody has to look at.
type trouble struct {
	Badge        badge
	Vertex, Href string
	Sentence     string
	Also         string
	severity     analysis.Severity
	own          analysis.Severity
}

func (p *Pages) serveJob(w http.ResponseWriter, r *http.Request) {
	at, err := p.find(r)
	if err != nil {
		p.missing(w, "../../", err)
		return
	}
	p.write(w, p.job, http.StatusOK, p.jobPage(at))
}

func (p *Pages) jobPage(at place) jobPage {
	const root = "../../"
	j, c := at.job, at.cluster
	name := report.Clean(report.JobName(j), titleColumns)
	out := jobPage{
		head: p.head(name, root, "api/v1/jobs/"+path(c.Name, j.ID), crumb{"Fleet", root}, crumb{Text: report.Clean(name, nameColumns)}),
		Name: name, Cluster: report.Clean(c.Name, nameColumns), State: j.State, AsOf: asOf(c), Down: down(c),
		Unsettled: report.Unsettled(j, c.Result.At), Facts: jobFacts(j), Troubles: troubles(c.Name, j, root), Unjudged: unjudgedOf(j),
	}
	if out.Unsettled != "" {
		out.Troubles = nil
	}
	most := leastCells
	if n := len(j.Vertices); n > 0 {
		most = max(leastCells, maxJobCells/n)
	}
	shown := make([]int, len(j.Vertices))
	for i := range shown {
		shown[i] = i
	}
	if len(shown) > maxListed {
		slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(j.Vertices[b].Severity(), j.Vertices[a].Severity()) })
		out.Left = report.Whole(analysis.OfInt(len(shown) - maxListed))
		shown = shown[:maxListed]
	}
	for _, i := range shown {
		k := newCard(c.Name, j, &j.Vertices[i], root, most)
		out.Note = cmp.Or(out.Note, k.Strip.Note)
		out.Cards = append(out.Cards, k)
	}
	if out.Left == "" {
		out.Graph = draw(j, out.Cards)
	}
	return out
}

// down says that a cluster is not reached, empty while it is.
func down(c report.ClusterInput) string {
	if c.Up {
		return ""
	}
	return "The cluster was not reached by the last poll (" + reason(c) + "). What follows is of the last good one."
}

func jobFacts(j *analysis.JobResult) []fact {
	out := []fact{
		{"State", report.Clean(cmp.Or(j.State, "not known"), nameColumns)},
		{"Restarts", report.Whole(j.Restarts)},
	}
	if !j.RunningSince.IsZero() {
		out = append(out, fact{"Running since", j.RunningSince.UTC().Format("2006-01-02 15:04:05 UTC")})
	}
	if j.Scheduler != "" {
		out = append(out, fact{"Scheduler", report.Clean(j.Scheduler, nameColumns)})
	}
	n := 0
	for i := range j.Vertices {
		n += j.Vertices[i].Parallelism
	}
	return append(out, fact{"Size", verticesOf(len(j.Vertices)) + ", " + report.Count(n, "subtask")})
}

func verticesOf(n int) string {
	if n == 1 {
		return "1 vertex"
	}
	return report.Whole(analysis.OfInt(n)) + " vertices"
}

func newCard(cluster string, j *analysis.JobResult, v *analysis.VertexResult, root string, most int) card {
	p := report.NewPage(j, v)
	k := card{
		ID: v.ID, Name: report.Clean(p.Vertex, titleColumns), Href: root + "jobs/" + path(cluster, j.ID, v.ID), Badge: newBadge(v, p.Label),
		Root: v.Finding(analysis.Bottleneck) != nil, Victim: v.Verdict.ID == analysis.Backpressured,
		Parallelism: report.Count(v.Parallelism, p.Noun),
		Busy:        newBar(&v.Signals.Busy), Back: newBar(&v.Signals.BackPressured), Strip: newStrip(v, most),
	}
	if cause := v.Verdict.Advice.Cause; cause != "" {
		for i := range j.Vertices {
			if j.Vertices[i].ID == cause {
				k.Waits = report.Clean(report.VertexName(&j.Vertices[i]), nameColumns)
			}
		}
	}
	return k
}

// minor is the first vertex whose verdict is worth a look at info.
func minor(cluster string, j *analysis.JobResult) []trouble {
	for i := range j.Vertices {
		v := &j.Vertices[i]
		if v.Verdict.Severity == analysis.SeverityInfo && v.Verdict.ID != analysis.Backpressured && v.Verdict.ID != analysis.NotEnoughData {
			return []trouble{newTrouble(cluster, j, v, "")}
		}
	}
	return nil
}

// troubles are the vertices of a job at warning or above, or with something
// the matter for no known cause, worst first.
func troubles(cluster string, j *analysis.JobResult, root string) []trouble {
	var out []trouble
	for i := range j.Vertices {
		v := &j.Vertices[i]
		if v.Severity() < analysis.SeverityWarning && !puzzling(v) {
			continue
		}
		out = append(out, newTrouble(cluster, j, v, root))
	}
	slices.SortStableFunc(out, func(a, b trouble) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(b.own, a.own))
	})
	return out
}

func newTrouble(cluster string, j *analysis.JobResult, v *analysis.VertexResult, root string) trouble {
	p := report.NewPage(j, v)
	t := trouble{
		Badge: newBadge(v, p.Label), Vertex: report.Clean(p.Vertex, nameColumns), Href: root + "jobs/" + path(cluster, j.ID, v.ID),
		severity: v.Severity(), own: v.Verdict.Severity,
	}
	if len(p.Words.Summary) > 0 {
		t.Sentence = p.Words.Summary[0]
	}
	if v.Verdict.Severity < v.Severity() {
		t.Also = beside(p, v.Severity())
	}
	return t
}

// puzzling cheaply tells vertices that report may label UNKNOWN from the rest.
func puzzling(v *analysis.VertexResult) bool {
	switch v.Verdict.ID {
	case analysis.Backpressured:
		return v.Verdict.Advice.Cause == ""
	case analysis.NotEnoughData:
		switch v.Verdict.Advice.Missing {
		case analysis.MissingAgreement, analysis.MissingSubtasks, analysis.MissingMaxParallelism:
			return true
		}
	}
	return false
}

// beside is the first sentence of the finding of that severity.
func beside(p report.Page, s analysis.Severity) string {
	for _, f := range p.Beside {
		if f.Finding.Severity == s && len(f.Words.Summary) > 0 {
			return f.Words.Summary[0]
		}
	}
	return ""
}
