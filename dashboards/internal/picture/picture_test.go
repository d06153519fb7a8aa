package picture

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/prom"
)

func one(v float64, labels ...string) prom.Series {
	s := prom.Series{Labels: map[string]string{}, Points: []prom.Point{{T: time.Unix(0, 0), V: v}}}
	for i := 0; i < len(labels); i += 2 {
		s.Labels[labels[i]] = labels[i+1]
	}
	return s
}

// TestMerge: rows join on what all queries have; a label of one query alone is
// a column; a row that another query lacks stays, with an empty cell.
func TestMerge(t *testing.T) {
	panel := grafana.Panel{Targets: []grafana.Target{{Ref: "A"}, {Ref: "B"}, {Ref: "C"}}}
	rows := merge(panel, Answers{
		"A": {one(3, "vertex", "x"), one(1, "vertex", "y")},
		"B": {one(1, "vertex", "x", "verdict", "hot_key")},
		"C": nil,
	})
	if len(rows) != 2 {
		t.Fatalf("%d rows: %v", len(rows), rows)
	}
	if x := rows[0]; x["verdict"].text != "hot_key" || x["Value #A"].number != 3 {
		t.Errorf("x is %v", x)
	}
	if _, found := rows[1]["verdict"]; found {
		t.Errorf("y has a verdict that nobody gave: %v", rows[1])
	}
}

func TestFormat(t *testing.T) {
	two := 2.0
	for _, c := range []struct {
		unit string
		v    float64
		want string
	}{
		{"percentunit", 0.5, "50.00%"}, {"s", 90, "1.50 mins"}, {"s", 0.00077, "770.00 µs"}, {"bytes", 2048, "2.00 KiB"},
		{"si:rec/s", 1297, "1.30 krec/s"}, {"suffix: ×", 1.5, "1.50 ×"}, {"none", -1e-15, "0.00"}, {"none", math.NaN(), "NaN"},
	} {
		if got := format(grafana.Field{Unit: c.unit, Decimals: &two}, c.v); got != c.want {
			t.Errorf("%v in %s is %s, want %s", c.v, c.unit, got, c.want)
		}
	}
}

// TestNamesAreEscaped: names of jobs come from users.
func TestNamesAreEscaped(t *testing.T) {
	panel := grafana.Panel{ID: 1, Type: "stat", Title: "t", Grid: grafana.Grid{W: 6, H: 4}, Targets: []grafana.Target{{Ref: "A", Legend: "{{job}}"}}}
	panel.Options.TextMode = "name"
	p := Page{
		Board: grafana.Board{Panels: []grafana.Panel{panel}}, Titles: map[int]string{1: "<i>"},
		Answers: map[int]Answers{1: {"A": {one(1, "job", "<script>")}}},
	}
	page, err := p.HTML()
	if err != nil || strings.Contains(page, "<script>") || strings.Contains(page, "<i></h2>") || !strings.Contains(page, "&lt;script&gt;") {
		t.Errorf("the page is %s, %v", page, err)
	}
}
