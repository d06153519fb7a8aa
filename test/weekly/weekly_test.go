package weekly

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// document is what is looked at of report --format=json.
type document struct {
	Basis  string `json:"basis"`
	Totals struct {
		Clusters  int      `json:"clusters"`
		Jobs      int      `json:"jobs"`
		WillReach int      `json:"jobs_that_will_reach_their_ceiling"`
		AtPeak    int      `json:"jobs_at_their_ceiling_at_peak"`
		Wasted    *float64 `json:"wasted_subtasks"`
	} `json:"totals"`
	Clusters []struct {
		Cluster   string   `json:"cluster"`
		SeenHours *float64 `json:"seen_hours"`
		Gaps      []gap    `json:"gaps"`
	} `json:"clusters"`
	Vertices []line   `json:"vertices"`
	Changes  []change `json:"changes"`
}

type gap struct {
	Kind string    `json:"kind"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

type change struct {
	Job     string   `json:"job_name"`
	Kind    string   `json:"kind"`
	Subject string   `json:"subject"`
	From    *float64 `json:"from"`
	To      *float64 `json:"to"`
}

type line struct {
	Job      string   `json:"job_name"`
	Peak     *float64 `json:"peak_required_parallelism"`
	Ceiling  *float64 `json:"ceiling"`
	Binding  string   `json:"binding"`
	Headroom *float64 `json:"headroom_ratio"`
	Trend    struct {
		Kind    string   `json:"kind"`
		PerWeek *float64 `json:"per_week"`
		Days    int      `json:"days"`
		Before  *float64 `json:"step_before"`
		After   *float64 `json:"step_after"`
	} `json:"trend"`
	Reached struct {
		Kind     string     `json:"kind"`
		Earliest *time.Time `json:"earliest"`
		Latest   *time.Time `json:"latest"`
	} `json:"reached"`
	SeenHours      *float64           `json:"seen_hours"`
	SaturatedHours *float64           `json:"saturated_hours"`
	OverHours      *float64           `json:"hours_over_ceiling"`
	VerdictHours   map[string]float64 `json:"verdict_hours"`
	Derived        bool               `json:"derived_ceiling"`
	Advice         struct {
		Action string   `json:"action"`
		Target *float64 `json:"target"`
	} `json:"advice"`
}

// show writes a number, or null.
func show(v *float64) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprintf("%.4g", *v)
}

// reportOf runs the command to its end and returns what it printed.
func reportOf(t *testing.T, b product.Binary, name string, code int, args ...string) *proc.Process {
	t.Helper()
	p := b.Start(t, name, append([]string{"report", "--at=" + end().Format(time.RFC3339)}, args...)...)
	if got := p.Wait(t, time.Minute); got != code {
		t.Fatalf("exit code %d, want %d: %s", got, code, p.Stderr())
	}
	return p
}

// TestWeeklyReport: every answer about the known history is the known one.
func TestWeeklyReport(t *testing.T) {
	vertices, outages := scenes()
	url := "--prometheus.url=" + prometheus(t, vertices, outages)
	b := product.Build(t, "../..")
	raw := reportOf(t, b, "json", 0, url, "--format=json").Stdout()
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, raw)
	}
	lines := map[string]*line{}
	for i := range d.Vertices {
		lines[d.Vertices[i].Job] = &d.Vertices[i]
	}
	t.Run("vertices", func(t *testing.T) { testLines(t, lines) })
	t.Run("dates", func(t *testing.T) { testDates(t, lines) })
	t.Run("order", func(t *testing.T) {
		if d.Vertices[0].Job != "ingest" || d.Vertices[len(d.Vertices)-1].Job != "abroad" {
			t.Errorf("worst is %s and best %s, want ingest and abroad", d.Vertices[0].Job, d.Vertices[len(d.Vertices)-1].Job)
		}
		if lines["gone"] != nil {
			t.Error("a job that has ended has a line")
		}
	})
	t.Run("totals", func(t *testing.T) {
		got := fmt.Sprint(d.Basis, d.Totals.Clusters, d.Totals.Jobs, d.Totals.WillReach, d.Totals.AtPeak, show(d.Totals.Wasted))
		if want := fmt.Sprint("prometheus", 2, 12, 3, 1, "36"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("changes", func(t *testing.T) { testChanges(t, d.Changes) })
	t.Run("coverage", func(t *testing.T) { testCoverage(t, &d) })
	t.Run("formats", func(t *testing.T) { testFormats(t, b, url, raw) })
	t.Run("no data", func(t *testing.T) {
		p := b.Start(t, "early", "report", url, "--at=2024-01-01T00:00:00Z")
		if code := p.Wait(t, time.Minute); code != 1 || !bytes.Contains(p.Stderr(), []byte("there is no series flink_skew_up")) {
			t.Errorf("exit code %d, %s", code, p.Stderr())
		}
	})
}

// testLines holds trend, what is needed at peak, ceiling and advice of each
// vertex against what its history was made of.
func testLines(t *testing.T, lines map[string]*line) {
	for job, want := range map[string]string{
		"orders":     "101 of 128 max_parallelism, rising dates, 28 days, raise_max_parallelism 512",
		"gappy":      "101 of 128 max_parallelism, rising dates, 25 days, raise_max_parallelism 512",
		"redeployed": "101 of 128 max_parallelism, rising dates, 28 days, raise_max_parallelism 512",
		"billing":    "40 of 128 max_parallelism, flat none, 28 days, choose_max_parallelism 256",
		"legacy":     "65 of 128 max_parallelism, falling none, 28 days, choose_max_parallelism 512",
		"clicks":     "80 of 128 max_parallelism, step none, 28 days, rescale 128",
		"rescaled":   "30 of 128 max_parallelism, flat none, 28 days, none null",
		"ingest":     "31 of 24 source_partitions, flat now, 28 days, add_partitions 31",
		"fresh":      "48 of 128 max_parallelism, not_enough_data unknown, 5 days, choose_max_parallelism 256",
		"payments":   "20 of 128 max_parallelism, flat none, 28 days, none null",
		"wasteful":   "40 of 128 max_parallelism, flat none, 28 days, give_subtasks_back 64",
	} {
		l := lines[job]
		if l == nil {
			t.Errorf("%s has no line", job)
			continue
		}
		got := fmt.Sprintf("%s of %s %s, %s %s, %d days, %s %s", show(l.Peak), show(l.Ceiling), l.Binding, l.Trend.Kind, l.Reached.Kind, l.Trend.Days, l.Advice.Action, show(l.Advice.Target))
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", job, got, want)
		}
	}
	hot := lines["payments"]
	if h := hot.VerdictHours["hot_key"]; h < 29.5 || h > 30.5 {
		t.Errorf("hot_key stood for %v h, want 30", h)
	}
	// A point of five minutes at either end may fall on the other side.
	if s := hot.SaturatedHours; s == nil || math.Abs(*s-30) > 0.2 {
		t.Errorf("saturated for %s h, want 30", show(s))
	}
	if s := show(hot.SeenHours); s != "168" {
		t.Errorf("seen for %s h, want 168", s)
	}
	if s := show(lines["ingest"].OverHours); s == "null" || s == "0" {
		t.Errorf("hours over the ceiling: %s", s)
	}
	if l := lines["clicks"]; show(l.Trend.Before) != "50" || show(l.Trend.After) != "80" {
		t.Errorf("the step is from %s to %s, want 50 to 80", show(l.Trend.Before), show(l.Trend.After))
	}
}

// testDates: growth of 1.5 a day from 60 on reaches 128 on day 45.3 of the history.
func testDates(t *testing.T, lines map[string]*line) {
	truth := end().Add(-historyDays * 24 * time.Hour).Add(time.Duration((128.0 - 60) / 1.5 * 24 * float64(time.Hour)))
	const most = 7 * 24 * time.Hour
	for _, job := range []string{"orders", "gappy", "redeployed"} {
		r := lines[job].Reached
		if r.Earliest == nil || r.Latest == nil {
			t.Errorf("%s has no dates", job)
			continue
		}
		if r.Earliest.After(truth) || r.Latest.Before(truth.Add(-24*time.Hour)) || r.Latest.Sub(*r.Earliest) > most {
			t.Errorf("%s reaches its ceiling from %s to %s, want a week at most around %s", job, r.Earliest, r.Latest, truth)
		}
		if w := lines[job].Trend.PerWeek; w == nil || *w < 10 || *w > 11 {
			t.Errorf("%s grows by %s a week, want 10.5", job, show(w))
		}
	}
}

// testChanges: what happened in the last week, and nothing else.
func testChanges(t *testing.T, changes []change) {
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %s %s %s→%s", c.Job, c.Kind, c.Subject, show(c.From), show(c.To)))
	}
	want := []string{
		"fresh job_new  null→null",
		"gone job_gone  null→null",
		"payments verdict_hours_changed hot_key 0→30",
		"redeployed job_redeployed  null→1",
		"rescaled job_restarted  null→1",
		"rescaled rescaled  32→64",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// testCoverage: three hours unreachable and five without data, by their hours.
// The lookback of Prometheus may add a point to either.
func testCoverage(t *testing.T, d *document) {
	eu, us := &d.Clusters[0], &d.Clusters[1]
	if show(eu.SeenHours) != "168" || len(eu.Gaps) != 0 || us.SeenHours == nil || math.Abs(*us.SeenHours-160) > 0.2 || len(us.Gaps) != 2 {
		t.Fatalf("seen %s and %s h, gaps %v and %v; want 168 and 160, none and two", show(eu.SeenHours), show(us.SeenHours), eu.Gaps, us.Gaps)
	}
	begin := end().Add(-historyDays * 24 * time.Hour)
	for i, want := range []gap{
		{"unreachable", begin.AddDate(0, 0, 22), begin.AddDate(0, 0, 22).Add(3 * time.Hour)},
		{"no_data", begin.AddDate(0, 0, 24), begin.AddDate(0, 0, 24).Add(5 * time.Hour)},
	} {
		if g := us.Gaps[i]; g.Kind != want.Kind || !g.From.Equal(want.From) || !g.To.Equal(want.To) {
			t.Errorf("gap %d is %v, want %v", i, g, want)
		}
	}
}

// testFormats: the same history gives the same bytes, --out the same as
// standard output, and every format names the worst line. The pages stay in
// $FLINK_SKEW_REPORTS, if it is set.
func testFormats(t *testing.T, b product.Binary, url string, before []byte) {
	for _, format := range []string{"json", "markdown", "html", "csv", "text"} {
		path := filepath.Join(t.TempDir(), "report."+format)
		if dir := os.Getenv("FLINK_SKEW_REPORTS"); dir != "" {
			path = filepath.Join(dir, "report."+format)
		}
		reportOf(t, b, "out-"+format, 0, url, "--format="+format, "--out="+path)
		written, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if format == "json" && !bytes.Equal(written, before) {
			t.Error("the same history gives other bytes at the second time")
		}
		if !bytes.Contains(written, []byte("Source: clicks")) {
			t.Errorf("%s does not name the worst vertex:\n%.500s", format, written)
		}
	}
}
