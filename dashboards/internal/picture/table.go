package picture

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
)

// cell is a value of a table: a number or a text.
type cell struct {
	number float64
	text   string
	isText bool
}

// record is a row of a table, by the name of the field.
type record map[string]cell

// merge joins the rows of all queries on the fields that every query with an
// answer has, as Grafana's transformation does: rows that agree there and do
// not contradict each other become one.
func merge(panel grafana.Panel, answers Answers) []record {
	var frames [][]record
	for _, t := range panel.Targets {
		var frame []record
		for _, s := range answers[t.Ref] {
			value := "Value"
			if len(panel.Targets) > 1 {
				value = "Value #" + t.Ref
			}
			r := record{}
			for name, text := range s.Labels {
				r[name] = cell{text: text, isText: true}
			}
			if v, found := s.Last(); found {
				r[value] = cell{number: v}
			}
			frame = append(frame, r)
		}
		if frame != nil {
			frames = append(frames, frame)
		}
	}
	keys := shared(frames)
	var rows []record
	byKey := map[string][]record{}
	for _, frame := range frames {
		for _, r := range frame {
			parts := make([]string, len(keys))
			for i, k := range keys {
				parts[i] = r[k].text
			}
			key := strings.Join(parts, "\x00")
			merged := false
			for _, old := range byKey[key] {
				if agrees(old, r) {
					merged = true
					for name, c := range r {
						old[name] = c
					}
				}
			}
			if !merged {
				byKey[key] = append(byKey[key], r)
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// shared lists the fields that every frame has.
func shared(frames [][]record) []string {
	count := map[string]int{}
	for _, frame := range frames {
		seen := map[string]bool{}
		for _, r := range frame {
			for name := range r {
				seen[name] = true
			}
		}
		for name := range seen {
			count[name]++
		}
	}
	var keys []string
	for name, n := range count {
		if n == len(frames) {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	return keys
}

func agrees(old, r record) bool {
	for name, c := range r {
		if o, found := old[name]; found && o != c {
			return false
		}
	}
	return true
}

// tableColumn is a column that is shown.
type tableColumn struct {
	field string
	title string
	look  grafana.Field
}

// columns applies the organize transformation.
func columns(panel grafana.Panel, rows []record) ([]tableColumn, error) {
	present := map[string]bool{}
	for _, r := range rows {
		for name := range r {
			present[name] = true
		}
	}
	var all []tableColumn
	order := map[string]int{}
	for _, t := range panel.Transformations {
		if t.ID != "organize" {
			continue
		}
		order = t.Options.Index
		for name := range present {
			if t.Options.Exclude[name] {
				continue
			}
			title := name
			if renamed := t.Options.Rename[name]; renamed != "" {
				title = renamed
			}
			look, err := panel.FieldFor(title)
			if err != nil {
				return nil, err
			}
			if !look.Custom.Hidden {
				all = append(all, tableColumn{name, title, look})
			}
		}
	}
	slices.SortFunc(all, func(a, b tableColumn) int {
		return cmp.Or(cmp.Compare(order[a.field], order[b.field]), cmp.Compare(a.field, b.field))
	})
	return all, nil
}

func (p Page) table(panel grafana.Panel, a area) (string, error) {
	rows := merge(panel, p.Answers[panel.ID])
	if len(rows) == 0 {
		return empty(panel), nil
	}
	shown, err := columns(panel, rows)
	if err != nil {
		return "", err
	}
	for _, by := range panel.Options.SortBy {
		sortBy(rows, shown, by.Name, by.Desc)
	}
	var b strings.Builder
	b.WriteString("<table><tr>")
	for _, c := range shown {
		width := ""
		if c.look.Custom.Width > 0 {
			width = fmt.Sprintf(" style='width:%.0fpx'", c.look.Custom.Width)
		}
		fmt.Fprintf(&b, "<th class=%s%s>%s</th>", alignment(rows, c), width, html.EscapeString(c.title))
	}
	b.WriteString("</tr>")
	for i, r := range rows {
		if (i+2)*24 > a.h+12 {
			break
		}
		b.WriteString("<tr>")
		for _, c := range shown {
			b.WriteString(drawCell(c.look, r, c.field, alignment(rows, c)))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	return b.String(), nil
}

func sortBy(rows []record, shown []tableColumn, title string, descending bool) {
	for _, c := range shown {
		if c.title != title {
			continue
		}
		slices.SortStableFunc(rows, func(a, b record) int {
			x, y := a[c.field], b[c.field]
			n := cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.text, y.text))
			if descending {
				return -n
			}
			return n
		})
	}
}

// alignment of a column: numbers to the right.
func alignment(rows []record, column tableColumn) string {
	if t := column.look.Custom.CellOptions.Type; t == "color-background" || t == "gauge" {
		return "t"
	}
	for _, r := range rows {
		if c, found := r[column.field]; found && c.isText {
			return "t"
		}
	}
	return "n"
}

func drawCell(look grafana.Field, r record, field, align string) string {
	c, found := r[field]
	if !found {
		return "<td class=" + align + ">" + html.EscapeString(look.NoValue) + "</td>"
	}
	text, paint := c.text, colour("text")
	if c.isText {
		if w, mapped := word(look, c.text); mapped {
			text, paint = w.Text, colour(w.Color)
		}
	} else {
		text, paint = show(look, c.number)
	}
	text = html.EscapeString(text)
	switch look.Custom.CellOptions.Type {
	case "color-background":
		return fmt.Sprintf("<td style='background:%s;color:#fff'>%s</td>", paint, text)
	case "color-text":
		return fmt.Sprintf("<td class=%s style='color:%s'>%s</td>", align, paint, text)
	case "gauge":
		share := c.number
		if look.Max != nil && *look.Max > 0 {
			share /= *look.Max
		}
		return fmt.Sprintf("<td><div class=gauge><div><i style='width:%.0f%%;background:%s'></i></div><span>%s</span></div></td>", 100*min(1, max(0, share)), paint, text)
	default:
		return fmt.Sprintf("<td class=%s>%s</td>", align, text)
	}
}
