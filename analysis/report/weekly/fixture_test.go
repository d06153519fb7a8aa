package weekly

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata, or rewrites it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it)\n got:\n%s\nwant:\n%s", path, got, want)
	}
}

// until is the end of the week of all fixtures, a Monday morning.
func until() time.Time { return time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC) }

const fixtureHours, fixtureDays = 168, 28

// repeat makes a series of one value.
func repeat(n int, v float64) Series { return days(n, func(int) float64 { return v }) }

// loaded is a vertex whose load is required(day) on each day's peak.
func loaded(job, name string, p, m float64, required func(day float64) float64) VertexInput {
	v := VertexInput{Job: job, Vertex: name, Keyed: true, Wasted: analysis.Of(0), Alike: analysis.Of(1), BusyPeak: analysis.Of(0.5)}
	v.Hourly = HourlyInput{
		Seen: repeat(fixtureHours, 1), Saturated: repeat(fixtureHours, 0), Parallelism: repeat(fixtureHours, p), MaxParallelism: repeat(fixtureHours, m),
		Required: days(fixtureHours, func(h int) float64 { return required(21 + float64(h)/24) }),
		Ceilings: map[analysis.Binding]Series{analysis.BindMaxParallelism: repeat(fixtureHours, m)},
		Verdicts: map[analysis.VerdictID]Series{analysis.Balanced: repeat(fixtureHours, 60)},
	}
	v.Daily = DailyInput{
		Seen: repeat(fixtureDays, 1), Required: days(fixtureDays, func(d int) float64 { return required(float64(d)) }), Parallelism: repeat(fixtureDays, p),
		MaxParallelism: repeat(fixtureDays, m), Ceiling: repeat(fixtureDays, m),
		Verdicts: map[analysis.VerdictID]Series{analysis.Balanced: repeat(fixtureDays, 1440)},
	}
	return v
}

func level(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// fixture is a fleet with one trouble of each kind.
func fixture() Input {
	orders := loaded("orders", "enrich & count: by(customer), v2.1", 100, 128, func(d float64) float64 { return 100 + 0.7*d })
	orders.StateBytes = analysis.Of(4e12)
	clicks := loaded("clicks", "Source: clicks | raw", 24, 128, level(31))
	clicks.Keyed = false
	clicks.Hourly.Ceilings = map[analysis.Binding]Series{analysis.BindSourcePartitions: repeat(fixtureHours, 24)}
	clicks.Daily.Ceiling = repeat(fixtureDays, 24)
	clicks.BusyPeak = analysis.Of(0.99)
	layout := loaded("sessions", "sessionize", 100, 128, level(60))
	layout.Wasted = analysis.Of(36)
	layout.Hourly.Verdicts = map[analysis.VerdictID]Series{analysis.KeyGroupLayout: repeat(fixtureHours, 30), analysis.Balanced: repeat(fixtureHours, 30)}
	hot := loaded("payments", "by customer <b>", 5, 1024, level(4))
	hot.Hourly.Verdicts = map[analysis.VerdictID]Series{analysis.HotKey: repeat(fixtureHours, 60)}
	hot.Hourly.Saturated = repeat(fixtureHours, 0.5)
	calm := loaded("calm", "map", 4, 720, level(3))
	unknown := loaded("unknown", "legacy source", 4, 128, level(1))
	unknown.Keyed, unknown.Hourly.Required, unknown.Daily.Required = false, make(Series, fixtureHours), make(Series, fixtureDays)
	unknown.Hourly.Ceilings = nil
	us := ClusterInput{Name: "prod-us", Scraped: repeat(fixtureHours, 1), Up: repeat(fixtureHours, 1), Vertices: []VertexInput{calm, unknown}}
	for h := 30; h < 33; h++ {
		us.Up[h], us.Scraped[h+10], us.Up[h+10] = analysis.Of(0), analysis.Num{}, analysis.Num{}
	}
	return Input{
		Basis: BasisPrometheus, Until: until(), Hours: fixtureHours, Days: fixtureDays,
		Clusters: []ClusterInput{
			us,
			{
				Name: "prod-eu", FlinkVersion: "2.3.0", Slots: analysis.Of(200), SlotsFree: analysis.Of(12), Scraped: repeat(fixtureHours, 1), Up: repeat(fixtureHours, 1),
				Vertices: []VertexInput{orders, clicks, layout, hot},
				Runs:     []Run{{Job: "orders", ID: "a", Since: repeat(fixtureHours, 1)}},
			},
			{Name: "prod-ap", Failed: "its history could not be read: a query took longer than 1m0s; raise --prometheus.timeout"},
		},
	}
}
