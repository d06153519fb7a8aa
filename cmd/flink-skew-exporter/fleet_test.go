package main

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

func testFleet(t *testing.T) *fleet {
	t.Helper()
	shown, err := collector.New(collector.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(shown, nil, slog.New(slog.DiscardHandler))
	t.Cleanup(f.end)
	return f
}

// configured is a valid configuration of these clusters.
func configured(t *testing.T, clusters ...config.Cluster) *config.Config {
	t.Helper()
	c := config.Default()
	c.SetClusters(clusters)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

func names(f *fleet) []string {
	var all []string
	for _, m := range f.all() {
		all = append(all, m.made.cluster.Name)
	}
	return all
}

// TestFleetKeepsWhatDidNotChange: the same cluster is the same poller.
func TestFleetKeepsWhatDidNotChange(t *testing.T) {
	_, server := simulated(t)
	a, b := config.Cluster{Name: "a", URL: server.URL}, config.Cluster{Name: "b", URL: server.URL, ExcludeJobs: "x"}
	f := testFleet(t)
	if err := f.change(configured(t, a, b), nil); err != nil {
		t.Fatal(err)
	}
	f.begin()
	before := f.all()
	later := config.Cluster{Name: "c", URL: server.URL}
	if err := f.change(configured(t, later, b, a), nil); err != nil {
		t.Fatal(err)
	}
	after := f.all()
	if got := names(f); !slices.Equal(got, []string{"c", "b", "a"}) || after[1] != before[1] || after[2] != before[0] {
		t.Errorf("clusters %v, or a poller was exchanged", got)
	}
	b.ExcludeJobs = "y"
	if err := f.change(configured(t, b), nil); err != nil {
		t.Fatal(err)
	}
	if m := f.all()[0]; len(f.all()) != 1 || m == after[1] || m.observer != after[1].observer || m.since != after[1].since {
		t.Errorf("a changed cluster keeps its poller or loses its history: %v", names(f))
	}
	select {
	case <-before[0].done:
	default:
		t.Error("a cluster that is gone is still polled")
	}
}

// TestFleetIsAllOrNothing: one bad cluster of the configuration changes nothing.
func TestFleetIsAllOrNothing(t *testing.T) {
	f := testFleet(t)
	if err := f.change(configured(t, config.Cluster{Name: "a", URL: "http://127.0.0.1:1"}), nil); err != nil {
		t.Fatal(err)
	}
	before := f.all()
	for name, bad := range map[string]config.Cluster{
		"no certificate": {Name: "b", URL: "https://127.0.0.1:1", TLS: config.TLS{CAFile: "none.pem"}},
		"same label":     {Name: "a ", URL: "http://127.0.0.1:1"},
	} {
		c := configured(t, config.Cluster{Name: "new", URL: "http://127.0.0.1:1"}, config.Cluster{Name: "a\t", URL: "http://127.0.0.1:1"}, bad)
		if err := f.change(c, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after := f.all(); len(after) != 1 || after[0] != before[0] {
			t.Errorf("%s: %v", name, names(f))
		}
	}
	// What was found is left out, one by one.
	found := []config.Cluster{
		{Name: "b", URL: "https://127.0.0.1:1", TLS: config.TLS{CAFile: "none.pem"}},
		{Name: "a", URL: "http://127.0.0.1:2"},
		{Name: "c", URL: "http://127.0.0.1:3"},
	}
	if err := f.change(configured(t, config.Cluster{Name: "a", URL: "http://127.0.0.1:1"}), found); err != nil {
		t.Fatal(err)
	}
	if got := names(f); !slices.Equal(got, []string{"a", "c"}) || f.all()[0] != before[0] {
		t.Errorf("with what was found: %v", got)
	}
}

// TestPhases: polls of any number of clusters are spread evenly, nobody waits
// long for a first poll, and none has two polls close together.
func TestPhases(t *testing.T) {
	const interval = 30 * time.Second
	if delay, gap := phase(0, 0, 0, interval); delay != 0 || gap != interval {
		t.Errorf("a lone cluster: %v and %v, want none and the interval", delay, gap)
	}
	for _, n := range []int{2, 3, 10, 57, 200, 500} {
		var places []time.Duration
		for i := range n {
			elapsed := time.Duration(i) * time.Millisecond
			delay, gap := phase(i, i, elapsed, interval)
			if delay > time.Duration(i)*stagger || delay > interval || gap < interval/2 || gap >= 3*interval/2 {
				t.Errorf("%d of %d: delay %v, gap %v", i, n, delay, gap)
			}
			places = append(places, (elapsed+delay+gap)%interval)
		}
		slices.Sort(places)
		widest := places[0] + interval - places[n-1]
		for i := 1; i < n; i++ {
			widest = max(widest, places[i]-places[i-1])
		}
		// The golden section leaves no gap of more than 1.9 times the even one.
		if limit := time.Duration(1.9 * float64(interval) / float64(n)); widest > limit {
			t.Errorf("%d clusters: a gap of %v, even ones were %v", n, widest, interval/time.Duration(n))
		}
	}
}

func TestStopBeforeStart(t *testing.T) {
	f := testFleet(t)
	if err := f.change(configured(t, config.Cluster{Name: "a", URL: "http://127.0.0.1:1"}), nil); err != nil {
		t.Fatal(err)
	}
	f.end()
	if pub := f.all()[0].poller.Once(context.Background()); pub.Reason != "refused" {
		t.Errorf("a member that never ran is not free: %+v", pub)
	}
}
