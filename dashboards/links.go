package dashboards

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// repository is where documents that panels link to can be read.
const repository = "https://github.com/flink-skew-exporter/flink-skew-exporter/blob/main/"

// runbook is the page of an alert.
func runbook(alert string) dashboard.DashboardLink {
	return outside("Runbook "+alert, repository+"alerts/runbooks/"+alert+".md")
}

// document is a page of the repository.
func document(title, path string) dashboard.DashboardLink {
	return outside(title, repository+path)
}

// outside opens in a tab of its own.
func outside(title, url string) dashboard.DashboardLink {
	return dashboard.DashboardLink{
		Title: title, Type: dashboard.DashboardLinkTypeLink, Icon: "doc", Url: &url, Tags: []string{}, TargetBlank: true,
	}
}

// boardLinks are the links above a dashboard: the others, and what to read.
func boardLinks(self string) []dashboard.DashboardLink {
	others := []struct{ title, uid string }{
		{"Fleet", FleetUID}, {"Job", JobUID}, {"Vertex", VertexUID}, {"Ceiling", CeilingUID}, {"Exporter", ExporterUID},
	}
	var links []dashboard.DashboardLink
	for _, o := range others {
		if o.uid == self {
			continue
		}
		links = append(links, dashboard.DashboardLink{
			Title: o.title, Type: dashboard.DashboardLinkTypeLink, Icon: "dashboard", Url: ptr("/d/" + o.uid),
			Tags: []string{}, IncludeVars: true, KeepTime: true,
		})
	}
	links = append(links, document("About this dashboard", "docs/dashboards.md"), document("Metrics", "METRICS.md"))
	return links
}

// drill leads from a row of a table to another dashboard. Each variable takes
// its value from the column of the row that carries the label.
func drill(title, uid string, variables ...string) dashboard.DashboardLink {
	var b strings.Builder
	fmt.Fprintf(&b, "/d/%s?${__url_time_range}&var-datasource=${datasource}", uid)
	for _, v := range variables {
		fmt.Fprintf(&b, "&var-%s=${__data.fields.%s:percentencode}", v, labelOf(v))
	}
	return dashboard.DashboardLink{
		Title: title, Type: dashboard.DashboardLinkTypeLink, Icon: "dashboard", Url: ptr(b.String()), Tags: []string{},
	}
}

// labelOf is the label whose value a variable holds.
func labelOf(variable string) string {
	if variable == "job" {
		return "job_name"
	}
	return variable
}

// toJob and toVertex are where most rows lead.
func toJob() dashboard.DashboardLink {
	return drill("Job ${__data.fields.job_name}", JobUID, "cluster", "job", "job_id")
}

func toVertex() dashboard.DashboardLink {
	return drill("Vertex ${__data.fields.vertex}", VertexUID, "cluster", "job", "job_id", "vertex", "vertex_id")
}

// toVerdict and toFinding open the page of the word in the row.
func toVerdict() dashboard.DashboardLink {
	return document("What ${__data.fields.verdict} means and what to do", "docs/verdicts/${__data.fields.verdict}.md")
}

func toFinding() dashboard.DashboardLink {
	return document("What ${__data.fields.finding} means and what to do", "docs/findings/${__data.fields.finding}.md")
}

// links is a list, for where several may be given.
func links(l ...dashboard.DashboardLink) []dashboard.DashboardLink { return l }
