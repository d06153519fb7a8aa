package grafana

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Board is a dashboard.
type Board struct {
	UID           string  `json:"uid"`
	ID            *int64  `json:"id"`
	Title         string  `json:"title"`
	SchemaVersion int     `json:"schemaVersion"`
	Panels        []Panel `json:"panels"`
	Links         []Link  `json:"links"`
	Templating    struct {
		List []Variable `json:"list"`
	} `json:"templating"`
	Annotations struct {
		List []Annotation `json:"list"`
	} `json:"annotations"`
}

// Source refers to a data source.
type Source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// Variable is a variable of a dashboard.
type Variable struct {
	Type       string  `json:"type"`
	Name       string  `json:"name"`
	Query      string  `json:"query"`
	IncludeAll bool    `json:"includeAll"`
	AllValue   string  `json:"allValue"`
	Datasource *Source `json:"datasource"`
}

// Annotation is a query that marks points in time.
type Annotation struct {
	Name        string  `json:"name"`
	Expr        string  `json:"expr"`
	Datasource  *Source `json:"datasource"`
	IconColor   string  `json:"iconColor"`
	ValueIsTime bool    `json:"useValueForTime"`
}

// Link leads somewhere else.
type Link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Panel is a panel, or the line of a row.
type Panel struct {
	ID              int              `json:"id"`
	Type            string           `json:"type"`
	Title           string           `json:"title"`
	Description     string           `json:"description"`
	Datasource      *Source          `json:"datasource"`
	Grid            Grid             `json:"gridPos"`
	Targets         []Target         `json:"targets"`
	Links           []Link           `json:"links"`
	MaxPoints       float64          `json:"maxDataPoints"`
	Options         Options          `json:"options"`
	Transformations []Transformation `json:"transformations"`
	FieldConfig     struct {
		Defaults  Field      `json:"defaults"`
		Overrides []Override `json:"overrides"`
	} `json:"fieldConfig"`
}

// Grid is a place in the grid of 24 columns.
type Grid struct {
	X, Y, W, H int
}

// Target is a query of a panel.
type Target struct {
	Ref        string  `json:"refId"`
	Expr       string  `json:"expr"`
	Legend     string  `json:"legendFormat"`
	Instant    bool    `json:"instant"`
	Format     string  `json:"format"`
	Datasource *Source `json:"datasource"`
}

// Options are those of all kinds of panels that a picture needs.
type Options struct {
	Content  string `json:"content"`
	TextMode string `json:"textMode"`
	SortBy   []struct {
		Name string `json:"displayName"`
		Desc bool   `json:"desc"`
	} `json:"sortBy"`
	FilterValues struct {
		LE *float64 `json:"le"`
	} `json:"filterValues"`
	Color struct {
		Scheme string   `json:"scheme"`
		Max    *float64 `json:"max"`
	} `json:"color"`
}

// Transformation changes the rows and columns of a panel.
type Transformation struct {
	ID      string `json:"id"`
	Options struct {
		Exclude map[string]bool   `json:"excludeByName"`
		Rename  map[string]string `json:"renameByName"`
		Index   map[string]int    `json:"indexByName"`
	} `json:"options"`
}

// Field is how values are shown.
type Field struct {
	Unit        string     `json:"unit"`
	Decimals    *float64   `json:"decimals"`
	Min         *float64   `json:"min"`
	Max         *float64   `json:"max"`
	Mappings    []Mapping  `json:"mappings"`
	Thresholds  Thresholds `json:"thresholds"`
	NoValue     string     `json:"noValue"`
	DisplayName string     `json:"displayName"`
	Links       []Link     `json:"links"`
	Color       struct {
		Mode  string `json:"mode"`
		Fixed string `json:"fixedColor"`
	} `json:"color"`
	Custom Custom `json:"custom"`
}

// Custom are the options of a field that depend on the kind of panel.
type Custom struct {
	Hidden      bool    `json:"hidden"`
	Width       float64 `json:"width"`
	FillOpacity float64 `json:"fillOpacity"`
	CellOptions struct {
		Type string `json:"type"`
	} `json:"cellOptions"`
	LineStyle struct {
		Fill string `json:"fill"`
	} `json:"lineStyle"`
	LineWidth float64  `json:"lineWidth"`
	SoftMax   *float64 `json:"axisSoftMax"`
	Stacking  struct {
		Mode string `json:"mode"`
	} `json:"stacking"`
	ThresholdsStyle struct {
		Mode string `json:"mode"`
	} `json:"thresholdsStyle"`
}

// Mapping turns values into words and colours.
type Mapping struct {
	Type    string          `json:"type"`
	Options map[string]Word `json:"options"`
}

// Word is what a value is shown as.
type Word struct {
	Text  string `json:"text"`
	Color string `json:"color"`
}

// Thresholds colour a value by the steps it has passed; the first has no value.
type Thresholds struct {
	Steps []struct {
		Value *float64 `json:"value"`
		Color string   `json:"color"`
	} `json:"steps"`
}

// Override changes how some fields are shown.
type Override struct {
	Matcher struct {
		ID      string `json:"id"`
		Options string `json:"options"`
	} `json:"matcher"`
	Properties []struct {
		ID    string          `json:"id"`
		Value json.RawMessage `json:"value"`
	} `json:"properties"`
}

// Read decodes a dashboard.
func Read(raw []byte) (Board, error) {
	var b Board
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, fmt.Errorf("decode a dashboard: %w", err)
	}
	return b, nil
}

// FieldFor returns how the field of the given name is shown: the defaults of
// the panel with the overrides that match. A field that cannot be decoded is
// an error of the dashboard.
func (p Panel) FieldFor(name string) (Field, error) {
	f := p.FieldConfig.Defaults
	for _, o := range p.FieldConfig.Overrides {
		matched, err := o.matches(name)
		if err != nil {
			return f, fmt.Errorf("panel %q: %w", p.Title, err)
		}
		if !matched {
			continue
		}
		for _, property := range o.Properties {
			f.forget(property.ID)
			raw, err := nest(property.ID, property.Value)
			if err == nil {
				err = json.Unmarshal(raw, &f)
			}
			if err != nil {
				return f, fmt.Errorf("panel %q: override %s of %s: %w", p.Title, property.ID, name, err)
			}
		}
	}
	return f, nil
}

// forget empties what a property replaces: decoding into a list or a map that
// is there would change the defaults of the panel.
func (f *Field) forget(property string) {
	switch property {
	case "thresholds":
		f.Thresholds = Thresholds{}
	case "mappings":
		f.Mappings = nil
	case "links":
		f.Links = nil
	}
}

func (o Override) matches(name string) (bool, error) {
	switch o.Matcher.ID {
	case "byName":
		return o.Matcher.Options == name, nil
	case "byRegexp":
		re, err := regexp.Compile("^(?:" + strings.Trim(o.Matcher.Options, "/") + ")$")
		if err != nil {
			return false, fmt.Errorf("override: %w", err)
		}
		return re.MatchString(name), nil
	default:
		return false, fmt.Errorf("override by %q is not known", o.Matcher.ID)
	}
}

// nest turns a.b and a value into {"a":{"b":value}}.
func nest(path string, value json.RawMessage) (json.RawMessage, error) {
	parts := strings.Split(path, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		var err error
		if value, err = json.Marshal(map[string]json.RawMessage{parts[i]: value}); err != nil {
			return nil, err
		}
	}
	return value, nil
}
