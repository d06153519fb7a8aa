package grafana

import (
	"strings"
	"testing"
	"time"
)

func TestSubstitute(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	s := Span{Start: at.Add(-time.Hour), End: at, Step: 12 * time.Second}
	got, err := Substitute(`rate(x{c="$cluster",p="000$1"}[$__rate_interval]) ${__range_s} $__interval`, map[string]string{"cluster": "a"}, s, 15*time.Second)
	// $1 belongs to label_replace; Grafana leaves what is no variable's name.
	if want := `rate(x{c="a",p="000$1"}[60s]) 3600 12s`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if _, err := Substitute("$nobody", nil, s, time.Second); err == nil || !strings.Contains(err.Error(), "$nobody") {
		t.Errorf("an unknown variable gives %v", err)
	}
}

func TestFieldForLeavesTheDefaults(t *testing.T) {
	b, err := Read([]byte(`{"panels":[{"fieldConfig":{
		"defaults":{"unit":"s","thresholds":{"steps":[{"value":null,"color":"green"},{"value":1,"color":"red"}]}},
		"overrides":[
			{"matcher":{"id":"byName","options":"a"},"properties":[
				{"id":"thresholds","value":{"steps":[{"value":null,"color":"blue"}]}},{"id":"custom.hidden","value":true}]},
			{"matcher":{"id":"byRegexp","options":"/b.*/"},"properties":[{"id":"unit","value":"bytes"}]}]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := b.Panels[0]
	a, err := p.FieldFor("a")
	if err != nil || len(a.Thresholds.Steps) != 1 || !a.Custom.Hidden || a.Unit != "s" {
		t.Errorf("a is shown as %+v, %v", a, err)
	}
	if f, err := p.FieldFor("bee"); err != nil || f.Unit != "bytes" {
		t.Errorf("bee is shown as %+v, %v", f, err)
	}
	if f, err := p.FieldFor("other"); err != nil || len(f.Thresholds.Steps) != 2 || f.Thresholds.Steps[0].Color != "green" {
		t.Errorf("an override changed the defaults: %+v, %v", f, err)
	}
}
