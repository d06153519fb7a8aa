package dashboards

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
)

// committed reads the JSON that users import.
func committed(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[p] = raw
	}
	return files
}

// read decodes every committed dashboard.
func read(t *testing.T) []grafana.Board {
	t.Helper()
	var all []grafana.Board
	for name, raw := range committed(t) {
		b, err := grafana.Read(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b.UID+".json" != name {
			t.Errorf("%s has the uid %s", name, b.UID)
		}
		all = append(all, b)
	}
	return all
}

func TestCommittedIsGenerated(t *testing.T) {
	files, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	have := committed(t)
	if len(files) != 5 || len(have) != 5 {
		t.Errorf("%d dashboards generated, %d committed, want 5", len(files), len(have))
	}
	for _, f := range files {
		if !bytes.Equal(have[f.Name], f.JSON) {
			t.Errorf("%s is not what the code generates: run go generate", f.Name)
		}
	}
	again, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		if !bytes.Equal(files[i].JSON, again[i].JSON) {
			t.Errorf("%s differs when generated again", files[i].Name)
		}
	}
}

// TestSchema decodes strictly: a field or type that the schema does not have
// is an error.
func TestSchema(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	for name, raw := range committed(t) {
		var d dashboard.Dashboard //nolint:staticcheck // What Grafana 10 imports.
		for _, err := range []error{d.UnmarshalJSONStrict(raw), d.Validate()} {
			if failed(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	var d dashboard.Dashboard //nolint:staticcheck // What Grafana 10 imports.
	if raw := []byte(`{"schemaVersion": 38, "templating": {}, "annotations": {}, "nonsense": 1}`); !failed(d.UnmarshalJSONStrict(raw)) {
		t.Error("the strict decoder accepts anything")
	}
}

// failed tells errors from the SDK's empty lists of errors, which are not nil.
func failed(err error) bool {
	var list cog.BuildErrors
	return err != nil && (!errors.As(err, &list) || len(list) > 0)
}

// TestImportsInGrafana10 holds to what Grafana 10.0 knows; later versions
// migrate it.
func TestImportsInGrafana10(t *testing.T) {
	panels := []string{"row", "text", "stat", "table", "timeseries", "heatmap", "state-timeline", "bargauge"}
	transformations := []string{"merge", "organize"}
	cells := []string{"", "color-text", "color-background", "gauge"}
	for _, b := range read(t) {
		if b.SchemaVersion > 38 || b.SchemaVersion < 36 {
			t.Errorf("%s has schema version %d", b.UID, b.SchemaVersion)
		}
		if b.ID != nil {
			t.Errorf("%s has a numeric id, which belongs to one Grafana", b.UID)
		}
		for _, p := range b.Panels {
			if !slices.Contains(panels, p.Type) {
				t.Errorf("%s / %s is a %s", b.UID, p.Title, p.Type)
			}
			for _, tr := range p.Transformations {
				if !slices.Contains(transformations, tr.ID) {
					t.Errorf("%s / %s transforms by %s", b.UID, p.Title, tr.ID)
				}
			}
			for _, o := range p.FieldConfig.Overrides {
				f, err := p.FieldFor(o.Matcher.Options)
				if err != nil && o.Matcher.ID == "byName" {
					t.Error(err)
				}
				if !slices.Contains(cells, f.Custom.CellOptions.Type) {
					t.Errorf("%s / %s has cells of type %s", b.UID, p.Title, f.Custom.CellOptions.Type)
				}
			}
		}
		raw := committed(t)[b.UID+".json"]
		if bytes.Contains(raw, []byte(`"placement": "inControlsMenu"`)) {
			t.Errorf("%s hides links or annotations in a menu that Grafana 10 does not have", b.UID)
		}
	}
}

func TestUIDs(t *testing.T) {
	want := []string{"flink-skew-fleet", "flink-skew-job", "flink-skew-vertex", "flink-skew-ceiling", "flink-skew-exporter"}
	var have []string
	for _, b := range boards() {
		have = append(have, b.uid)
	}
	if !slices.Equal(have, want) {
		t.Errorf("uids are %v: alerts and bookmarks use %v", have, want)
	}
	for _, b := range read(t) {
		ids, places := map[int]bool{}, map[[2]int]string{}
		for _, p := range b.Panels {
			if ids[p.ID] {
				t.Errorf("%s: panel id %d twice", b.UID, p.ID)
			}
			ids[p.ID] = true
			if p.Grid.X+p.Grid.W > 24 {
				t.Errorf("%s / %s leaves the grid", b.UID, p.Title)
			}
			for x := p.Grid.X; x < p.Grid.X+p.Grid.W; x++ {
				for y := p.Grid.Y; y < p.Grid.Y+p.Grid.H; y++ {
					if other, taken := places[[2]int{x, y}]; taken {
						t.Fatalf("%s: %q lies on %q", b.UID, p.Title, other)
					}
					places[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}

// TestDataSource: everything asks the data source that the reader chose.
func TestDataSource(t *testing.T) {
	check := func(where string, s *grafana.Source) {
		if s == nil || s.Type != "prometheus" || s.UID != "${datasource}" {
			t.Errorf("%s asks %v and not the variable", where, s)
		}
	}
	for _, b := range read(t) {
		if v := b.Templating.List[0]; v.Name != "datasource" || v.Type != "datasource" || v.Query != "prometheus" {
			t.Errorf("%s: the first variable is %+v", b.UID, v)
		}
		for _, v := range b.Templating.List[1:] {
			check(b.UID+" variable "+v.Name, v.Datasource)
		}
		for _, a := range b.Annotations.List {
			check(b.UID+" annotation "+a.Name, a.Datasource)
		}
		for _, p := range b.Panels {
			if p.Type == "row" {
				continue
			}
			check(b.UID+" / "+p.Title, p.Datasource)
			for _, q := range p.Targets {
				check(b.UID+" / "+p.Title+" "+q.Ref, q.Datasource)
			}
		}
	}
}

// TestPanelsAreFinished: a title, a description, a unit, thresholds.
func TestPanelsAreFinished(t *testing.T) {
	for _, b := range read(t) {
		texts := 0
		for _, p := range b.Panels {
			switch p.Type {
			case "row":
				continue
			case "text":
				texts++
				continue
			}
			if p.Title == "" || p.Description == "" {
				t.Errorf("%s / panel %d %q has no title or no description", b.UID, p.ID, p.Title)
			}
			if len(p.Targets) == 0 {
				t.Errorf("%s / %s asks nothing", b.UID, p.Title)
			}
			if p.FieldConfig.Defaults.Unit == "" && p.Type != "table" {
				t.Errorf("%s / %s has no unit", b.UID, p.Title)
			}
			if len(p.FieldConfig.Defaults.Thresholds.Steps) == 0 {
				t.Errorf("%s / %s has no thresholds", b.UID, p.Title)
			}
		}
		if texts == 0 {
			t.Errorf("%s explains nothing", b.UID)
		}
		if len(b.Annotations.List) == 0 {
			t.Errorf("%s marks no restarts", b.UID)
		}
	}
}

// TestVerdictsAreColoured: every verdict has a word, a colour and a sign of
// its own, in tables and wherever it is a number.
func TestVerdictsAreColoured(t *testing.T) {
	names, codes := verdictNames()[0].ValueMap.Options, verdictCodes()[0].ValueMap.Options
	if len(names) != len(codes) || len(names) < 15 {
		t.Errorf("%d names, %d codes", len(names), len(codes))
	}
	seen := map[string]string{}
	for name, r := range names {
		if *r.Text == name || *r.Color == "" {
			t.Errorf("verdict %s has no word or no colour", name)
		}
		if other, taken := seen[*r.Text]; taken {
			t.Errorf("%s and %s are both %q", name, other, *r.Text)
		}
		seen[*r.Text] = name
	}
}

// TestMappingsSurviveJSON: the strict decoder accepts maps, so look at one.
func TestMappingsSurviveJSON(t *testing.T) {
	raw, err := json.Marshal(severityCodes())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"3":{"text":"✖ critical","color":"red"}`) {
		t.Errorf("severities are mapped as %s", raw)
	}
}
