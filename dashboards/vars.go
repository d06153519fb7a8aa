package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// datasourceVariable chooses the Prometheus that all panels ask.
func datasourceVariable() dashboard.VariableModel {
	return dashboard.VariableModel{
		Type: dashboard.VariableTypeDatasource, Name: "datasource", Label: ptr("Data source"),
		Query: &dashboard.StringOrMap{String: ptr("prometheus")}, Refresh: ptr(dashboard.VariableRefreshOnDashboardLoad),
		Hide: ptr(dashboard.VariableHideDontHide), Multi: ptr(false), IncludeAll: ptr(false), Regex: ptr(""),
	}
}

// queryVariable asks Prometheus for its values whenever the time range
// changes, so that what has ended within the range can still be chosen.
func queryVariable(name, label, query string) dashboard.VariableModel {
	return dashboard.VariableModel{
		Type: dashboard.VariableTypeQuery, Name: name, Label: &label, Datasource: source(),
		Query: &dashboard.StringOrMap{String: &query}, Definition: &query, Regex: ptr(""),
		Refresh: ptr(dashboard.VariableRefreshOnTimeRangeChanged), Sort: ptr(dashboard.VariableSortAlphabeticalCaseInsensitiveAsc),
		Hide: ptr(dashboard.VariableHideDontHide), Multi: ptr(false), IncludeAll: ptr(false),
	}
}

// all lets the reader choose several values or every one.
func all(v dashboard.VariableModel) dashboard.VariableModel {
	v.Multi, v.IncludeAll, v.AllValue = ptr(true), ptr(true), ptr(".*")
	v.Current = &dashboard.VariableOption{
		Text:  dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
		Value: dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
	}
	return v
}

func clusterVariable() dashboard.VariableModel {
	return queryVariable("cluster", "Cluster", "label_values("+collector.Prefix+"up, cluster)")
}

func jobVariable(scope string) dashboard.VariableModel {
	return queryVariable("job", "Job", "label_values("+sel("job_info", scope)+", job_name)")
}

// jobIDVariable tells jobs of one name apart.
func jobIDVariable() dashboard.VariableModel {
	return all(queryVariable("job_id", "Job id", "label_values("+sel("job_info", `cluster="$cluster",job_name="$job"`)+", job_id)"))
}

func vertexVariable(scope string) dashboard.VariableModel {
	return queryVariable("vertex", "Vertex", "label_values("+sel("vertex_parallelism", scope)+", vertex)")
}

// vertexIDVariable tells vertices of one name apart.
func vertexIDVariable() dashboard.VariableModel {
	return all(queryVariable("vertex_id", "Vertex id", "label_values("+sel("vertex_parallelism", inJob+`,vertex="$vertex"`)+", vertex_id)"))
}

// jobVariables are what chooses one job, vertexVariables one of its vertices.
func jobVariables() []dashboard.VariableModel {
	return []dashboard.VariableModel{datasourceVariable(), clusterVariable(), jobVariable(`cluster="$cluster"`), jobIDVariable()}
}

func vertexVariables() []dashboard.VariableModel {
	return append(jobVariables(), vertexVariable(inJob), vertexIDVariable())
}

// annotation is a mark in time that a query makes.
type annotation struct {
	name, colour, expr, title, text string
	// step is how far apart the query looks.
	step string
	// valueIsTime marks the time that the value is, in milliseconds, instead
	// of when the series was there.
	valueIsTime bool
}

func mark(a annotation) dashboard.AnnotationQuery {
	return dashboard.AnnotationQuery{
		Name: a.name, Enable: true, IconColor: a.colour, Datasource: source(), Expr: &a.expr, Step: &a.step,
		TitleFormat: &a.title, TextFormat: &a.text, TagKeys: ptr("cluster"), UseValueForTime: &a.valueIsTime,
		Target: &prometheus.Dataquery{
			RefId: ptr("Anno"), Expr: a.expr, Datasource: source(), Range: ptr(true), Instant: ptr(false), LegendFormat: ptr(""),
		},
	}
}

// annotations marks what happened to the jobs in scope. The start of a job is
// drawn where it was, since the value of its series is the time itself; a
// rescale is seen by the parallelism of its vertices.
func annotations(scope string) []dashboard.AnnotationQuery {
	return []dashboard.AnnotationQuery{
		mark(annotation{
			name: "Starts and restarts", colour: orange, step: "1m", valueIsTime: true,
			expr:  maxBy(byJob, sel("job_running_timestamp_seconds", scope)) + " * 1000",
			title: "{{job_name}} began to run", text: "It started, restarted or was rescaled.",
		}),
		mark(annotation{
			name: "Rescales", colour: purple, step: "1m",
			expr:  maxBy(byJob, "changes("+sel("vertex_parallelism", scope)+"[5m])") + " > 0",
			title: "{{job_name}} was rescaled", text: "The parallelism of a vertex changed.",
		}),
	}
}
