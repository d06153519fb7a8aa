// Package grafana reads dashboards as Grafana would: panels with their
// queries, columns and colours, and what variables stand for. It reads the JSON
// that users import, not the code that made it, so that what is proved and
// pictured is what they get.
//
// It must not import the package that generates the dashboards.
package grafana
