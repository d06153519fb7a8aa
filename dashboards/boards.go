package dashboards

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const (
	// schemaVersion is that of Grafana 10.0; newer ones migrate it on import.
	schemaVersion = 38
	// gridWidth is how many columns a dashboard of Grafana has.
	gridWidth = 24
	// tag is on every dashboard, so that the list of dashboards can be filtered.
	tag = "flink-skew"
)

// UIDs are part of every link between dashboards and in alerts: they never change.
const (
	FleetUID    = "flink-skew-fleet"
	JobUID      = "flink-skew-job"
	VertexUID   = "flink-skew-vertex"
	CeilingUID  = "flink-skew-ceiling"
	ExporterUID = "flink-skew-exporter"
)

// board is one dashboard before its panels have ids and places.
type board struct {
	uid, title, about string
	// from is the beginning of the time range, as Grafana writes it.
	from        string
	variables   []dashboard.VariableModel
	annotations []dashboard.AnnotationQuery
	rows        []row
}

// row is a titled line across the dashboard and the panels below it.
type row struct {
	title  string
	panels []panel
}

// boards lists the dashboards from the widest view to the narrowest.
func boards() []board {
	return []board{fleet(), job(), vertex(), ceiling(), exporter()}
}

// File is a generated dashboard.
type File struct {
	// Name is the file's name, the UID with its extension.
	Name string
	JSON []byte
}

// Generate returns all dashboards. The same code gives the same bytes.
func Generate() ([]File, error) {
	var files []File
	for _, b := range boards() {
		var buf bytes.Buffer
		e := json.NewEncoder(&buf)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(b.build()); err != nil {
			return nil, fmt.Errorf("encode dashboard %s: %w", b.uid, err)
		}
		files = append(files, File{Name: b.uid + ".json", JSON: buf.Bytes()})
	}
	return files, nil
}

// build gives every panel an id, counted from 1, and a place.
//
// The SDK prefers a newer schema, which only Grafana 12 and later import.
//
//nolint:staticcheck // Grafana 10 and 11 need the schema that is deprecated here.
func (b board) build() dashboard.Dashboard {
	d := *dashboard.NewDashboard()
	d.Uid, d.Title, d.Description = &b.uid, &b.title, &b.about
	d.Tags = []string{tag}
	d.SchemaVersion = schemaVersion
	d.GraphTooltip = ptr(dashboard.DashboardCursorSyncCrosshair)
	d.Time = &dashboard.DashboardDashboardTime{From: b.from, To: "now"}
	d.Refresh = ptr("1m")
	d.Version = ptr(uint32(1))
	d.Templating.List = b.variables
	d.Annotations.List = b.annotations
	d.Links = boardLinks(b.uid)
	place := placer{}
	for _, r := range b.rows {
		if r.title != "" {
			pos := place.next(gridWidth, 1)
			d.Panels = append(d.Panels, dashboard.PanelOrRowPanel{RowPanel: &dashboard.RowPanel{
				Type: "row", Title: &r.title, Id: place.id(), GridPos: &pos, Panels: []dashboard.Panel{},
			}})
		}
		for _, p := range r.panels {
			built := p.build()
			pos := place.next(p.w, p.h)
			built.Id, built.GridPos = ptr(place.id()), &pos
			d.Panels = append(d.Panels, dashboard.PanelOrRowPanel{Panel: &built})
		}
		place.line()
	}
	return d
}

// placer puts panels from left to right and begins a new line when one is full.
type placer struct {
	x, y, height uint32
	last         uint32
}

func (p *placer) id() uint32 {
	p.last++
	return p.last
}

// next returns the place of a panel w columns wide and h rows high.
func (p *placer) next(w, h uint32) dashboard.GridPos {
	if p.x+w > gridWidth {
		p.line()
	}
	pos := dashboard.GridPos{X: p.x, Y: p.y, W: w, H: h}
	p.x += w
	p.height = max(p.height, h)
	return pos
}

// line begins a new line below the highest panel of this one.
func (p *placer) line() {
	p.x, p.y, p.height = 0, p.y+p.height, 0
}

// source is the data source that the reader has chosen.
func source() *common.DataSourceRef {
	return &common.DataSourceRef{Type: ptr("prometheus"), Uid: ptr("${datasource}")}
}

func ptr[T any](v T) *T { return &v }
