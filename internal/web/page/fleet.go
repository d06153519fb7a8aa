package page

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Bounds of the fleet's page; what is left out is said and can be asked for.
const (
	maxJobs      = 100
	maxClusters  = 300
	maxTroubles  = 3
	maxChips     = 24
	maxQueryRune = 100
)

// fleetPage is what the first page shows.
type fleetPage struct {
	head
	// Verdict is the fleet in one sentence, Class its colour and Sign its mark.
	Verdict, Class, Sign string
	Clusters             []clusterRow
	MoreClusters         string
	Jobs                 []jobRow
	// Query is what was searched for; Matches counts the jobs it leaves.
	Query, Matches string
	// Earlier and Later lead to the other jobs; empty where there are none.
	Earlier, Later, Shown string
}

// clusterRow is one cluster.
type clusterRow struct {
	Name               string
	Class, Sign, State string
	Version, Jobs      string
	Slots, Workers     string
	AsOf               string
	Notes              []string
}

// jobRow is one job with what is the matter.
type jobRow struct {
	Class, Sign, Severity string
	Name, Href, Cluster   string
	State                 string
	Chips                 []badge
	MoreChips             string
	// Counts are the vertices by verdict, in words.
	Counts    string
	Unsettled string
	Troubles  []trouble
	More      string
	// Minor is the worst at info when there is nothing graver; Calm says that
	// there is not even that.
	Minor []trouble
	Calm  bool
	// Unjudged counts the vertices without a verdict; empty when there are none.
	Unjudged string
}

func (p *Pages) serveFleet(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	from, _ := strconv.Atoi(query.Get("from"))
	p.write(w, p.fleet, http.StatusOK, p.fleetPage(p.o.View(), query.Get("q"), max(0, from)))
}

func (p *Pages) fleetPage(in report.Input, query string, from int) fleetPage {
	query = report.Clean(query, maxQueryRune)
	out := fleetPage{head: p.head("Fleet", "./", "api/v1/findings", crumb{Text: "Fleet"}), Query: query}
	for i, c := range in.Clusters {
		if i == maxClusters {
			out.MoreClusters = report.Count(len(in.Clusters)-maxClusters, "more cluster")
			break
		}
		out.Clusters = append(out.Clusters, newClusterRow(c))
	}
	found := ranked(in, query)
	if query != "" {
		out.Matches = report.Count(len(found), "job")
	}
	out.Verdict, out.Class = fleetVerdict(in)
	out.Sign = severitySign(out.Class)
	from = min(from, len(found))
	to := min(len(found), from+maxJobs)
	for _, f := range found[from:to] {
		out.Jobs = append(out.Jobs, newJobRow(f))
	}
	if from > 0 {
		out.Earlier = link(query, max(0, from-maxJobs))
	}
	if to < len(found) {
		out.Later = link(query, to)
	}
	if from > 0 || to < len(found) {
		out.Shown = "jobs " + report.Whole(analysis.OfInt(from+1)) + "–" + report.Whole(analysis.OfInt(to)) + " of " + report.Whole(analysis.OfInt(len(found)))
	}
	return out
}

func link(query string, from int) string {
	v := url.Values{}
	if query != "" {
		v.Set("q", query)
	}
	if from > 0 {
		v.Set("from", strconv.Itoa(from))
	}
	return "./?" + v.Encode()
}

func newClusterRow(c report.ClusterInput) clusterRow {
	row := clusterRow{Name: report.Clean(c.Name, nameColumns), Class: "ok", State: "up", AsOf: asOf(c), Notes: report.ClusterNotes(c)}
	none := analysis.Num{}
	row.Version, row.Jobs, row.Slots, row.Workers = "–", report.Whole(none), report.Whole(none), report.Whole(none)
	if !c.Up {
		row.Class, row.State = "critical", "down: "+reason(c)
		if c.Reason == "pending" {
			row.Class, row.State = "unknown", "waiting for the first poll"
		}
	}
	row.Sign = severitySign(row.Class)
	r := c.Result
	if r == nil {
		return row
	}
	row.Version = cmp.Or(report.Clean(r.FlinkVersion, 20), row.Version)
	row.Jobs = report.Whole(analysis.OfInt(len(r.Jobs)))
	row.Workers = report.Whole(r.TaskManagers)
	total, ok := r.Slots.Total.Get()
	if free, known := r.Slots.Free.Get(); ok && known {
		row.Slots = report.Whole(analysis.Of(total-free)) + " of " + report.Whole(r.Slots.Total)
	}
	return row
}

// ranking is a job and how bad it is.
type ranking struct {
	cluster   string
	job       *analysis.JobResult
	severity  analysis.Severity
	unsettled string
	puzzling  bool
	// blind is how many vertices have no verdict.
	blind int
}

// rank orders jobs: those worse first, then what could not be judged.
func (r ranking) rank() int {
	n := 2 * int(r.severity)
	if r.severity < analysis.SeverityWarning && (r.puzzling || r.unsettled != "" || r.blind > 0 && r.blind == len(r.job.Vertices)) {
		n = 2*int(analysis.SeverityInfo) + 1
	}
	return n
}

// ranked returns the jobs that the query names, worst first, then by name.
func ranked(in report.Input, query string) []ranking {
	var out []ranking
	query = strings.ToLower(query)
	for _, c := range in.Clusters {
		if c.Result == nil {
			continue
		}
		for i := range c.Result.Jobs {
			j := &c.Result.Jobs[i]
			if !strings.Contains(strings.ToLower(c.Name+"\n"+j.Name+"\n"+j.ID), query) {
				continue
			}
			r := ranking{cluster: c.Name, job: j, unsettled: report.Unsettled(j, c.Result.At)}
			for k := range j.Vertices {
				r.severity = max(r.severity, j.Vertices[k].Severity())
				if unjudged(&j.Vertices[k]) {
					r.blind++
				}
				r.puzzling = r.puzzling || puzzling(&j.Vertices[k])
			}
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b ranking) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.job.Name, b.job.Name), cmp.Compare(a.job.ID, b.job.ID))
	})
	return out
}

func newJobRow(r ranking) jobRow {
	j := r.job
	row := jobRow{
		Name: report.Clean(report.JobName(j), nameColumns), Href: "jobs/" + path(r.cluster, j.ID), Cluster: report.Clean(r.cluster, nameColumns),
		State: report.Clean(cmp.Or(j.State, "not known"), 20), Unsettled: r.unsettled, Class: severityClass(r.severity),
	}
	if r.rank() == 2*int(analysis.SeverityInfo)+1 {
		row.Class = "unknown"
	}
	row.Sign, row.Severity = severitySign(row.Class), row.Class
	by := map[string]int{}
	for k := range j.Vertices {
		v := &j.Vertices[k]
		by[words(v.Verdict.ID)]++
		if k < maxChips {
			row.Chips = append(row.Chips, chip(v))
		}
	}
	if more := len(j.Vertices) - maxChips; more > 0 {
		row.MoreChips = "+" + report.Whole(analysis.OfInt(more))
	}
	row.Counts = tally(by)
	if r.unsettled == "" {
		row.Troubles = troubles(r.cluster, j, "")
		if len(row.Troubles) == 0 {
			row.Minor = minor(r.cluster, j)
		}
		row.Unjudged = unjudgedOf(j)
		row.Calm = len(row.Troubles)+len(row.Minor) == 0 && row.Unjudged == ""
	}
	if more := len(row.Troubles) - maxTroubles; more > 0 {
		row.Troubles = row.Troubles[:maxTroubles]
		row.More = "and " + report.Count(more, "more vertex")
		if more > 1 {
			row.More = "and " + report.Whole(analysis.OfInt(more)) + " more vertices"
		}
	}
	return row
}

// chip is a vertex in one sign.
func chip(v *analysis.VertexResult) badge {
	class := severityClass(v.Severity())
	if unjudged(v) || v.Severity() < analysis.SeverityWarning && puzzling(v) {
		class = "unknown"
	}
	return badge{Class: class, Sign: sign(v.Verdict.ID), Words: words(v.Verdict.ID)}
}

// tally writes counts as "2 balanced, 1 hot key", the most first.
func tally(by map[string]int) string {
	var names []string
	for n := range by {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	for i, n := range names {
		names[i] = strconv.Itoa(by[n]) + " " + n
	}
	return strings.Join(names, ", ")
}

// fleetVerdict is the fleet in one sentence, and its colour.
func fleetVerdict(in report.Input) (sentence, class string) {
	var down, pending, jobs, unknown, blind int
	var at [analysis.SeverityCritical + 1]int
	for _, c := range in.Clusters {
		switch {
		case c.Reason == "pending":
			pending++
		case !c.Up:
			down++
		}
	}
	for _, r := range ranked(in, "") {
		jobs++
		blind += r.blind
		at[r.severity]++
		if r.rank() == 2*int(analysis.SeverityInfo)+1 {
			unknown++
		}
	}
	if len(in.Clusters) == 0 {
		return "No cluster is configured.", "unknown"
	}
	var parts []string
	add := func(n int, noun, rest string) {
		if n > 0 {
			parts = append(parts, report.Count(n, noun)+rest)
		}
	}
	add(at[analysis.SeverityCritical], "job", " critical")
	add(at[analysis.SeverityWarning], "job", " with a warning")
	add(unknown, "job", " not judged")
	add(down, "cluster", " not reached")
	add(pending, "cluster", " waiting for the first poll")
	switch {
	case at[analysis.SeverityCritical] > 0 || down > 0:
		class = "critical"
	case at[analysis.SeverityWarning] > 0:
		class = "warning"
	case len(parts) > 0 || jobs == 0 || blind > 0:
		class = "unknown"
	default:
		class = "ok"
	}
	switch {
	case len(parts) == 0 && jobs == 0:
		return "No job runs.", class
	case len(parts) == 0 && blind > 0:
		return "Nothing is seen to hold back " + all(jobs) + ", but " + verticesOf(blind) + " could not be judged.", class
	case len(parts) == 0:
		return "Nothing holds back " + all(jobs) + ".", class
	case jobs == 0:
		return strings.Join(parts, ", ") + "; no job is known.", class
	}
	return strings.Join(parts, ", ") + " – of " + report.Count(jobs, "job") + " on " + report.Count(len(in.Clusters), "cluster") + ".", class
}

func all(jobs int) string {
	if jobs == 1 {
		return "the one job"
	}
	return "any of " + report.Count(jobs, "job")
}
