package promhistory

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/weekly"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/rulecheck"
)

// TestQueriesNameWhatExists holds every query against the table of families.
func TestQueriesNameWhatExists(t *testing.T) {
	v := rulecheck.NewVocabulary()
	all := []string{clustersQuery(28), sizeQuery(28).expression("c")}
	for _, q := range queries(0.9, 168) {
		all = append(all, q.expression("c"))
	}
	for _, expr := range all {
		for _, problem := range v.Expression(expr) {
			t.Errorf("%s: %s", expr, problem)
		}
		if strings.Contains(expr, "$") {
			t.Errorf("%s: something was not filled in", expr)
		}
	}
}

// TestClusterNamesAreQuoted: a name cannot end the matcher.
func TestClusterNamesAreQuoted(t *testing.T) {
	got := query{expr: `x{$c}`}.expression(`a"} or up{b="`)
	if want := `x{cluster="a\"} or up{b=\""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// until is the end of the week in these tests.
func until() time.Time { return time.Date(2026, 11, 30, 6, 3, 0, 0, time.UTC) }

// fake answers queries by what they contain.
type fake struct {
	mu     sync.Mutex
	asked  []string
	ranges []v1.Range
	// at answers instant queries, over ranges.
	at   func(expr string) (model.Vector, error)
	over func(expr string, r v1.Range) (model.Matrix, error)
}

func (f *fake) Query(_ context.Context, expr string, _ time.Time, _ ...v1.Option) (model.Value, v1.Warnings, v1.Infos, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, expr)
	v, err := f.at(expr)
	return v, nil, nil, err
}

func (f *fake) QueryRange(_ context.Context, expr string, r v1.Range, _ ...v1.Option) (model.Value, v1.Warnings, v1.Infos, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ranges = append(f.ranges, r)
	m, err := f.over(expr, r)
	return m, nil, nil, err
}

// labels makes a metric of one vertex.
func labels(extra ...string) model.Metric {
	m := model.Metric{"cluster": "eu", "job_name": "orders", "vertex": "enrich"}
	for i := 0; i < len(extra); i += 2 {
		m[model.LabelName(extra[i])] = model.LabelValue(extra[i+1])
	}
	return m
}

// one is an instant answer of one series.
func one(m model.Metric, v float64) model.Vector {
	return model.Vector{{Metric: m, Value: model.SampleValue(v)}}
}

// standard answers: one cluster with n vertices, hourly required parallelism
// of which the last but one hour is missing, and a ceiling that moved.
func standard(n int) *fake {
	return &fake{
		at: func(expr string) (model.Vector, error) {
			switch {
			case strings.Contains(expr, "flink_skew_up"):
				return one(model.Metric{"cluster": "eu"}, 1), nil
			case strings.HasPrefix(expr, "count(count by"):
				return one(model.Metric{}, float64(n)), nil
			case strings.Contains(expr, "wasted"):
				return one(labels(), 7), nil
			case strings.Contains(expr, "cluster_info"):
				return one(model.Metric{"cluster": "eu", "flink_version": "2.3.0"}, 1), nil
			}
			return nil, nil
		},
		over: func(expr string, r v1.Range) (model.Matrix, error) {
			var s model.SampleStream
			for at := r.Start; !at.After(r.End); at = at.Add(r.Step) {
				s.Values = append(s.Values, model.SamplePair{Timestamp: model.TimeFromUnixNano(at.UnixNano()), Value: model.SampleValue(at.Unix())})
			}
			switch {
			case strings.Contains(expr, "required_parallelism{cluster=\"eu\"}[1h]"):
				s.Metric = labels()
				if k := len(s.Values) - 2; k >= 0 {
					s.Values = slices.Delete(s.Values, k, k+1)
				}
			case strings.Contains(expr, "vertex_ceiling{"):
				s.Metric = labels("binding", "source_partitions")
			case strings.Contains(expr, "count_over_time(flink_skew_vertex_verdict"):
				s.Metric = labels("verdict", "hot_key")
			default:
				return nil, nil
			}
			return model.Matrix{&s}, nil
		},
	}
}

func options() Options {
	return Options{Until: until(), Hours: 24, Days: 28, Saturated: 0.9, Concurrency: 3, Timeout: time.Minute}
}

func TestReadPutsValuesAtTheirHours(t *testing.T) {
	var mu sync.Mutex
	var progress []string
	o := options()
	o.Progress = func(done, all int) {
		mu.Lock()
		defer mu.Unlock()
		progress = append(progress, fmt.Sprintf("%d/%d", done, all))
	}
	in, err := Read(t.Context(), standard(1), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC); !in.Until.Equal(want) || in.Basis != weekly.BasisPrometheus {
		t.Errorf("until %v from %s, want %v from prometheus", in.Until, in.Basis, want)
	}
	v := in.Clusters[0].Vertices[0]
	if got := len(v.Hourly.Required); got != 24 {
		t.Fatalf("%d hours, want 24", got)
	}
	// The value is the time it was asked for: one second before the end of its hour.
	for i, n := range v.Hourly.Required {
		want := analysis.OfInt(in.Until.Add(-time.Duration(23-i)*time.Hour).Unix() - 1)
		if i == 22 {
			want = analysis.Num{}
		}
		if n != want {
			t.Errorf("hour %d is %v, want %v", i, n, want)
		}
	}
	ceiling := v.Hourly.Ceilings[analysis.BindSourcePartitions]
	if len(ceiling) != 24 || len(v.Daily.Ceiling) != 28 || len(v.Hourly.Verdicts[analysis.HotKey]) != 24 || len(v.Daily.Verdicts[analysis.HotKey]) != 28 {
		t.Errorf("series of %d and %d hours, %d days", len(ceiling), len(v.Hourly.Verdicts[analysis.HotKey]), len(v.Daily.Ceiling))
	}
	if v.Wasted != analysis.Of(7) || v.Keyed || v.StateBytes.Known() || in.Clusters[0].FlinkVersion != "2.3.0" {
		t.Errorf("wasted %v, keyed %v, state %v, version %s", v.Wasted, v.Keyed, v.StateBytes, in.Clusters[0].FlinkVersion)
	}
	if all := len(queries(0.9, 24)); len(progress) != all || progress[all-1] != fmt.Sprintf("%d/%d", all, all) {
		t.Errorf("progress %v", progress)
	}
}

// TestAnswersAreBounded: the same values come in pieces when there are many vertices.
func TestAnswersAreBounded(t *testing.T) {
	whole, err := Read(t.Context(), standard(1), options())
	if err != nil {
		t.Fatal(err)
	}
	large := standard(maxPoints / 10)
	large.over = func(inner func(string, v1.Range) (model.Matrix, error)) func(string, v1.Range) (model.Matrix, error) {
		return func(expr string, r v1.Range) (model.Matrix, error) {
			if n := r.End.Sub(r.Start)/r.Step + 1; n > 10 {
				t.Errorf("%d steps of %d vertices in one answer", n, maxPoints/10)
			}
			if strings.Contains(expr, "required_parallelism") {
				return nil, nil
			}
			return inner(expr, r)
		}
	}(large.over)
	in, err := Read(t.Context(), large, options())
	if err != nil {
		t.Fatal(err)
	}
	got, want := in.Clusters[0].Vertices[0].Daily.Ceiling, whole.Clusters[0].Vertices[0].Daily.Ceiling
	if !slices.Equal(got, want) || len(want) != 28 || !want[0].Known() {
		t.Errorf("in pieces %v, in one %v", got, want)
	}
}

func TestReadErrors(t *testing.T) {
	refused := &url.Error{Op: "Post", URL: "http://user:secret@prometheus/api", Err: errors.New("connection refused")}
	down := standard(1)
	down.at = func(string) (model.Vector, error) { return nil, refused }
	if _, err := Read(t.Context(), down, options()); err == nil || err.Error() != "connection refused" {
		t.Errorf("got %v, want the cause without the address", err)
	}
	empty := standard(1)
	empty.at = func(string) (model.Vector, error) { return nil, nil }
	if _, err := Read(t.Context(), empty, options()); !errors.Is(err, ErrNoData) {
		t.Errorf("got %v, want ErrNoData", err)
	}
	// One query too heavy: the cluster says so and has no numbers at all.
	heavy := standard(1)
	heavy.over = func(string, v1.Range) (model.Matrix, error) {
		return nil, &v1.Error{Type: v1.ErrExec, Msg: "query processing would load too many samples into memory"}
	}
	in, err := Read(t.Context(), heavy, options())
	if err != nil {
		t.Fatal(err)
	}
	want := "its history could not be read: the answer of Prometheus is execution: query processing would load too many samples into memory; see its --query.timeout and --query.max-samples"
	if c := in.Clusters[0]; c.Failed != want || len(c.Vertices) != 0 {
		t.Errorf("got %q with %d vertices, want %q", c.Failed, len(c.Vertices), want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ended, standard(1), options()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}
