// Package picture draws a dashboard from the answers of Prometheus, as one
// HTML page that loads nothing: the panels where Grafana would put them, with
// the columns, words and colours that the dashboard's JSON asks for. It is for
// looking at, not a Grafana: tooltips, sorting by click and links are left out.
//
// It must not ask Prometheus and must not import the package that generates
// the dashboards: what is drawn is what was read and answered.
package picture
