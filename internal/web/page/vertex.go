package page

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// vertexPage is what the page of a vertex shows.
type vertexPage struct {
	head
	report.Page
	Name, Cluster, JobName, JobHref string
	AsOf, Down                      string
	Badge                           badge
	// Confidence and Helps are words, empty where there are none.
	Confidence, Helps string
	Waits             *crumb
	// Bottleneck is whether the slow path starts here.
	Bottleneck bool
	Facts      []fact
	// Strip is the newest poll when no history is kept, Heat the last hour.
	Strip     cells
	Heat      *heatmap
	NoHistory string
	Owners    *ownership
	Scatter   *scatter
	Curve     *curve
	Table     subtaskTable
	Signals   []signalRow
	Links     []crumb
	// Do and Dont are the advice.
	Do, Dont []sentence
	// Findings are those beside the verdict.
	Findings []finding
}

// finding is a fact beside the verdict.
type finding struct {
	Badge badge
	Words []string
}

func (p *Pages) serveVertex(w http.ResponseWriter, r *http.Request) {
	at, err := p.find(r)
	if err != nil {
		p.missing(w, "../../../", err)
		return
	}
	p.write(w, p.vertex, http.StatusOK, p.vertexPage(at))
}

func (p *Pages) vertexPage(at place) vertexPage {
	const root = "../../../"
	c, j, v := at.cluster, at.job, at.vertex
	words := report.NewPage(j, v)
	name, job := report.Clean(words.Vertex, titleColumns), report.Clean(report.JobName(j), nameColumns)
	jobHref := root + "jobs/" + path(c.Name, j.ID)
	json := "api/v1/jobs/" + path(c.Name, j.ID)
	out := vertexPage{
		head: p.head(name+" – "+job, root, json, crumb{"Fleet", root}, crumb{job, jobHref}, crumb{Text: report.Clean(words.Vertex, nameColumns)}),
		Page: words, Name: name, Cluster: report.Clean(c.Name, nameColumns), JobName: job, JobHref: jobHref,
		AsOf: asOf(c), Down: down(c), Badge: newBadge(v, words.Label), Bottleneck: v.Finding(analysis.Bottleneck) != nil,
		Facts: vertexFacts(v), Strip: newStrip(v, maxJobCells), Owners: newOwnership(v, words.Rows), Scatter: newScatter(words.Rows),
		Curve: newCurve(v), Table: newSubtaskTable(v, words.Rows), Signals: signalRows(v),
	}
	out.Do, out.Dont = split(words.Words.Do), split(words.Words.Dont)
	if v.Verdict.Severity > analysis.SeverityNone {
		out.Confidence = string(v.Verdict.Confidence)
	}
	out.Helps = helps(v)
	if w := newCard(c.Name, j, v, root, leastCells).Waits; w != "" {
		out.Waits = &crumb{w, root + "jobs/" + path(c.Name, j.ID, v.Verdict.Advice.Cause)}
	}
	if m := p.o.History.Vertex(c.Name, j.ID, v.ID); m != nil {
		out.Heat = newHeatmap(m, v, words.Rows)
	} else {
		out.NoHistory = p.noHistory()
	}
	for _, d := range words.Docs {
		out.Links = append(out.Links, crumb{docsName(d), d})
	}
	for _, b := range words.Beside {
		class := severityClass(b.Finding.Severity)
		out.Findings = append(out.Findings, finding{badge{class, severitySign(class), finds(b.Finding), class}, b.Words.Summary})
		if !slices.Contains(words.Docs, b.Docs) {
			out.Links = append(out.Links, crumb{docsName(b.Docs), b.Docs})
		}
	}
	out.Links = append(out.Links, runbooks(v)...)
	return out
}

// noHistory says why there is no heatmap.
func (p *Pages) noHistory() string {
	if p.o.History.Rows() > 0 {
		return "The last hour appears here after the next poll."
	}
	return "The last hour is not kept: it is turned off, or there are more vertices than its memory is for (--web.history)."
}

// helps says in a few words whether scaling would mend the matter.
func helps(v *analysis.VertexResult) string {
	switch v.Verdict.ScalingHelps {
	case analysis.ScalingYes:
		return "more parallelism helps"
	case analysis.ScalingPartly:
		return "more parallelism helps in part"
	case analysis.ScalingNo:
		return "more parallelism does not help"
	}
	return ""
}

func vertexFacts(v *analysis.VertexResult) []fact {
	out := []fact{{"Parallelism", report.Whole(analysis.OfInt(v.Parallelism))}}
	add := func(name string, n analysis.Num) {
		if n.Known() {
			out = append(out, fact{name, report.Whole(n)})
		}
	}
	out = append(out, fact{"Max parallelism", report.Whole(v.MaxParallelism)})
	ceiling := report.Whole(v.Ceiling.Effective)
	if v.Ceiling.Binding != "" {
		ceiling += " (" + words(v.Ceiling.Binding) + ")"
	}
	out = append(out, fact{"Ceiling", ceiling}, fact{"Required now", report.Whole(v.Sizing.Required)})
	add("Next useful", v.Ceiling.NextUseful)
	add("Subtasks that add nothing", v.Ceiling.Wasted)
	add("Source partitions", v.Partitions)
	add("Records waiting", v.Backlog)
	return append(out,
		fact{"Records in", report.Amount(v.RecordsInPerSecond, analysis.UnitRecordsPerSecond)},
		fact{"Records out", report.Amount(v.RecordsOutPerSecond, analysis.UnitRecordsPerSecond)},
		fact{"Subtasks seen", report.Percent(v.Coverage)})
}

// signalRow is one distribution.
type signalRow struct{ Name, Max, Mean, Median, Min, Skew, Excess, WebUI string }

func signalRows(v *analysis.VertexResult) []signalRow {
	var out []signalRow
	v.Signals.Each(func(s analysis.Signal, d *analysis.Distribution) {
		if d.Count == 0 {
			return
		}
		show := func(n analysis.Num) string { return amount(s, n) }
		out = append(out, signalRow{
			words(s), show(d.Max), show(d.Mean), show(d.Median), show(d.Min),
			report.Times(d.Skew), report.Times(d.Excess), report.Percent(d.WebUISkew),
		})
	})
	return out
}

// amount writes a signal's value.
func amount(s analysis.Signal, n analysis.Num) string {
	switch s {
	case analysis.SignalBusy, analysis.SignalBackPressured:
		return report.Percent(n)
	case analysis.SignalRecordsIn, analysis.SignalRecordsOut:
		return report.Amount(n, analysis.UnitRecordsPerSecond)
	case analysis.SignalState:
		return report.Amount(n, analysis.UnitBytes)
	case analysis.SignalBytesIn:
		if !n.Known() {
			return report.Amount(n, analysis.UnitBytes)
		}
		return report.Amount(n, analysis.UnitBytes) + "/s"
	}
	return report.Amount(n, analysis.UnitSeconds)
}

// docsName is a page of the documentation in words.
func docsName(url string) string {
	name := url
	for i := len(url) - 1; i >= 0; i-- {
		if url[i] == '/' {
			name = url[i+1:]
			break
		}
	}
	if n := len(name) - len(".md"); n > 0 && name[n:] == ".md" {
		name = name[:n]
	}
	return "What " + cmp.Or(words(name), name) + " means"
}

// finds is a finding's name, with its confidence unless that is high.
func finds(f *analysis.Finding) string {
	if f.Confidence == "" || f.Confidence == analysis.ConfidenceHigh {
		return words(f.ID)
	}
	return words(f.ID) + ", " + string(f.Confidence) + " confidence"
}
