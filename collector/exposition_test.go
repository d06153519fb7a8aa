package collector

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// text is a whole exposition by way of the frame.
func text(t testing.TB, c *Collector) string {
	t.Helper()
	var b bytes.Buffer
	frame := c.Frame()
	if err := frame.WriteData(&b); err != nil {
		t.Fatal(err)
	}
	if err := frame.WriteSelf(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parsed is the same, read back.
func parsed(t testing.TB, c *Collector) []*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	byName, err := parser.TextToMetricFamilies(strings.NewReader(text(t, c)))
	if err != nil {
		t.Fatalf("the exposition does not parse: %v", err)
	}
	var all []*dto.MetricFamily
	for _, f := range byName {
		all = append(all, f)
	}
	return all
}

// gathered is a whole exposition by way of a pedantic registry.
func gathered(t testing.TB, c *Collector) []*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatalf("the pedantic registry complains: %v", err)
	}
	return families
}

// series flattens families into sorted lines of name, labels and value.
func series(families []*dto.MetricFamily) []string {
	var lines []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var pairs []string
			for _, l := range m.GetLabel() {
				pairs = append(pairs, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			slices.Sort(pairs)
			subject := fmt.Sprintf("%s %s{%s}", f.GetType(), f.GetName(), strings.Join(pairs, ","))
			if h := m.GetHistogram(); h != nil {
				for _, b := range h.GetBucket() {
					// The text has the +Inf bucket spelled out, messages need not.
					if b.GetCumulativeCount() != h.GetSampleCount() {
						lines = append(lines, fmt.Sprintf("%s le %v = %d", subject, b.GetUpperBound(), b.GetCumulativeCount()))
					}
				}
				lines = append(lines, fmt.Sprintf("%s sum %v count %d", subject, h.GetSampleSum(), h.GetSampleCount()))
				continue
			}
			lines = append(lines, fmt.Sprintf("%s = %v", subject, m.GetGauge().GetValue()+m.GetCounter().GetValue()))
		}
	}
	slices.Sort(lines)
	return lines
}

// full shows one cluster with every feature, one that fails and one never reached.
func full(t testing.TB) *Collector {
	prod, down, pending := newFed(t, "prod"), newFed(t, "down"), newFed(t, "pending")
	feed(prod, fullResult())
	fail(down, reasoned("refused"))
	fail(down, reasoned("refused"))
	prod.cfg.Observer.Response("job", 200, 1000)
	prod.cfg.Observer.Response("job", 404, 24)
	prod.cfg.Observer.Response("overview", 0, -1)
	c := newShown(t, Options{}, prod, down, pending)
	c.SetReload(Reload{OK: true, At: at()})
	c.SetDiscovery([]Discovery{
		{Source: "targets/*.json", Targets: 2, Failures: 1, At: at()}, {Source: "http://sd/targets", Failures: 3},
		{Source: "targets/*.json", Targets: 7},
	})
	return c
}

// reasoned is an error with a reason.
type reasoned string

func (r reasoned) Error() string  { return "poll: " + string(r) }
func (r reasoned) Reason() string { return string(r) }

func TestExpositionIsTheGoldenOne(t *testing.T) {
	var b strings.Builder
	for line := range strings.Lines(text(t, full(t))) {
		// The build's labels differ with the toolchain.
		if !strings.HasPrefix(line, "flink_skew_exporter_build_info{") {
			b.WriteString(line)
		}
	}
	checkGolden(t, filepath.Join("testdata", "full.prom"), b.String())
}

// checkGolden holds got to a file, which UPDATE_GOLDEN=1 in the environment rewrites.
func checkGolden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 rewrites it); now:\n%s", path, got)
	}
}

func TestTextAndRegistryAgree(t *testing.T) {
	for name, c := range map[string]*Collector{"full": full(t), "hostile": hostile(t), "none": newShown(t, Options{})} {
		t.Run(name, func(t *testing.T) {
			want, got := series(gathered(t, c)), series(parsed(t, c))
			if !slices.Equal(want, got) {
				t.Errorf("the registry has\n%s\nthe text has\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
			if len(slices.Compact(got)) != len(want) {
				t.Error("a series is there twice")
			}
		})
	}
}

func TestEveryFamilyOccursInTheFullExposition(t *testing.T) {
	seen := map[string]*dto.MetricFamily{}
	for _, f := range gathered(t, full(t)) {
		seen[f.GetName()] = f
	}
	for _, f := range Families() {
		got := seen[f.Name]
		if got == nil {
			t.Errorf("%s does not occur", f.Name)
			continue
		}
		if !strings.EqualFold(got.GetType().String(), string(f.Type)) || got.GetHelp() != f.Help {
			t.Errorf("%s has type %s and help %q", f.Name, got.GetType(), got.GetHelp())
		}
		for _, m := range got.GetMetric() {
			var names []string
			for _, l := range m.GetLabel() {
				names = append(names, l.GetName())
			}
			if want := slices.Sorted(slices.Values(f.Labels)); !slices.Equal(names, want) {
				t.Errorf("%s has labels %v, want %v", f.Name, names, want)
			}
		}
		delete(seen, f.Name)
	}
	for name := range seen {
		t.Errorf("%s is exposed but not in Families()", name)
	}
}

func TestLintIsSilent(t *testing.T) {
	problems, err := promlint.NewWithMetricFamilies(gathered(t, full(t))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestAbsentNumbersAreNotExposed(t *testing.T) {
	p := newFed(t, "bare")
	feed(p, analysis.Result{Jobs: []analysis.JobResult{{ID: "a", Vertices: []analysis.VertexResult{{ID: "v", Parallelism: 3, Subtasks: []analysis.SubtaskResult{{}}}}}}})
	var got []string
	for _, line := range series(gathered(t, newShown(t, Options{Subtasks: ModeAll}, p))) {
		if strings.Contains(line, "vertex") || strings.Contains(line, "subtask_") || strings.Contains(line, "job_") {
			got = append(got, line)
		}
	}
	vertex := `{cluster="bare",job_id="a",job_name="",vertex="",vertex_id="v"} = `
	want := []string{
		`GAUGE flink_skew_exporter_subtask_mode{mode="all"} = 1`,
		`GAUGE flink_skew_job_info{cluster="bare",job_id="a",job_name="",scheduler="",state=""} = 1`,
		"GAUGE flink_skew_vertex_ceiling_known" + vertex + "0",
		"GAUGE flink_skew_vertex_parallelism" + vertex + "3",
		"GAUGE flink_skew_vertex_severity" + vertex + "0",
		`GAUGE flink_skew_vertex_verdict{cluster="bare",job_id="a",job_name="",verdict="not_enough_data",vertex="",vertex_id="v"} = 1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
