package weekly

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

func rendered(t *testing.T, in Input, f Format, o Options) []byte {
	t.Helper()
	doc := New(in)
	var b bytes.Buffer
	if err := Write(&b, &doc, f, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for _, f := range Formats() {
		t.Run(string(f), func(t *testing.T) {
			golden(t, "report."+string(f), rendered(t, fixture(), f, Options{Top: 25}))
		})
	}
}

// TestNothingFromOutside: the page loads nothing and runs nothing, and names
// of users stay text.
func TestNothingFromOutside(t *testing.T) {
	page := string(rendered(t, fixture(), FormatHTML, Options{}))
	for _, bad := range []string{"<script", "http://", "https://", "src=", "@import", "url(", "<b>\"", "customer <b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(page, "customer &lt;b&gt;") || strings.Count(page, "<figure>") == 0 {
		t.Error("a name or the charts are missing")
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Error("a coordinate is no number")
	}
}

// TestMarkdownTablesHold: a name with a bar does not make a column.
func TestMarkdownTablesHold(t *testing.T) {
	bar := regexp.MustCompile(`(^|[^\\])\|`)
	for _, l := range strings.Split(string(rendered(t, fixture(), FormatMarkdown, Options{})), "\n") {
		if strings.HasPrefix(l, "|") && len(bar.FindAllString(l, -1)) != 10 {
			t.Errorf("not nine columns: %s", l)
		}
	}
}

func TestCSV(t *testing.T) {
	all, err := csv.NewReader(bytes.NewReader(rendered(t, fixture(), FormatCSV, Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 7 {
		t.Fatalf("%d records, want a header and six vertices", len(all))
	}
	if got := literal("=1+1"); got != "'=1+1" {
		t.Errorf("a formula stays one: %s", got)
	}
	if got := literal("-3.5"); got != "-3.5" {
		t.Errorf("a number became text: %s", got)
	}
}

// TestTopBoundsTables: what is left out is counted.
func TestTopBoundsTables(t *testing.T) {
	text := string(rendered(t, fixture(), FormatMarkdown, Options{Top: 1}))
	if !strings.Contains(text, "3 vertices more that matter less") || strings.Contains(text, "| prod-eu | sessions") {
		t.Errorf("got:\n%s", text)
	}
}

func TestWorstFirst(t *testing.T) {
	doc := New(fixture())
	var got []string
	for i := range doc.Vertices {
		got = append(got, doc.Vertices[i].Job)
	}
	if want := "clicks orders sessions calm payments unknown"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestAdvice: the first thing to do, for what the lines say.
func TestAdvice(t *testing.T) {
	num := analysis.Of
	line := func(p, peak, ceiling float64, by analysis.Binding, reached ReachKind) Vertex {
		return Vertex{Parallelism: num(p), Peak: num(peak), Ceiling: num(ceiling), MaxParallelism: num(ceiling), Binding: by, PeakHeadroom: num(ceiling / peak), Reached: Reach{Kind: reached}}
	}
	hot := line(100, 120, 128, analysis.BindMaxParallelism, ReachDates)
	hot.SeenHours, hot.VerdictHours = num(160), map[analysis.VerdictID]float64{analysis.HotKey: 50}
	briefly := line(100, 120, 128, analysis.BindMaxParallelism, ReachDates)
	briefly.SeenHours, briefly.VerdictHours = num(160), map[analysis.VerdictID]float64{analysis.HotKey: 5}
	falling := line(64, 90, 128, analysis.BindMaxParallelism, ReachNone)
	falling.Trend.Kind = TrendFalling
	wasteful := line(100, 40, 256, analysis.BindMaxParallelism, ReachNone)
	wasteful.Wasted = num(36)
	derived := line(60, 60, 128, analysis.BindMaxParallelism, ReachNone)
	derived.Derived = true
	for name, c := range map[string]struct {
		v      Vertex
		action Action
		target float64
	}{
		"near its max parallelism":    {line(100, 120, 128, analysis.BindMaxParallelism, ReachDates), ActRewrite, 512},
		"at the largest":              {line(9000, 32768, 32768, analysis.BindMaxParallelism, ReachNow), ActRewrite, 0},
		"partitions":                  {line(24, 31, 24, analysis.BindSourcePartitions, ReachNow), ActPartitions, 31},
		"slots":                       {line(24, 31, 24, analysis.BindTaskSlots, ReachNow), ActSlots, 31},
		"a hot key for hours":         {hot, ActSkew, 0},
		"a hot key for a while":       {briefly, ActRewrite, 512},
		"too few, room above":         {line(20, 40, 1024, analysis.BindMaxParallelism, ReachNone), ActRescale, 40},
		"too few, next useful":        {line(50, 70, 128, analysis.BindMaxParallelism, ReachNone), ActRescale, 128},
		"hardly too few":              {line(64, 65, 1024, analysis.BindMaxParallelism, ReachNone), ActNone, 0},
		"too few of a load that ends": {falling, ActNone, 0},
		"wasteful":                    {wasteful, ActShrink, 64},
		"derived":                     {derived, ActChoose, 256},
		"fine":                        {line(60, 40, 1024, analysis.BindMaxParallelism, ReachNone), ActNone, 0},
	} {
		got := advise(&c.v)
		if got.Action != c.action || got.Target.Or(0) != c.target {
			t.Errorf("%s: %s %v, want %s %v", name, got.Action, got.Target, c.action, c.target)
		}
	}
}

// TestRunsOf: ids one after another are a redeployment, side by side they are not.
func TestRunsOf(t *testing.T) {
	since := func(from, to int, at float64) Series {
		s := make(Series, 24)
		for i := from; i < to; i++ {
			s[i] = analysis.Of(at)
		}
		return s
	}
	restarted := since(0, 24, 1)
	restarted[20], restarted[21], restarted[22], restarted[23] = analysis.Of(2), analysis.Of(2), analysis.Of(2), analysis.Of(2)
	for name, c := range map[string]struct {
		runs []Run
		want string
	}{
		"one":          {[]Run{{"j", "a", since(0, 24, 1)}}, "1 1"},
		"restarted":    {[]Run{{"j", "a", restarted}}, "1 2"},
		"redeployed":   {[]Run{{"j", "a", since(0, 10, 1)}, {"j", "b", since(9, 24, 2)}}, "2 2"},
		"side by side": {[]Run{{"j", "a", since(0, 24, 1)}, {"j", "b", since(0, 24, 2)}}, "1 1"},
		"another job":  {[]Run{{"j", "a", since(0, 24, 1)}, {"k", "b", since(0, 24, 2)}}, "1 1"},
	} {
		ids, starts := (&ClusterInput{Runs: c.runs}).runsOf("j")
		if got := fmt.Sprint(ids, starts); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestPartialDaysDoNotCount: the peak of an hour is none of the day.
func TestPartialDaysDoNotCount(t *testing.T) {
	v := loaded("j", "v", 10, 128, level(50))
	v.Daily.Seen[27], v.Daily.Required[27] = analysis.Of(0.1), analysis.Of(3)
	if n := v.peaks()[27]; n.Known() {
		t.Errorf("the last day's peak is %v", n)
	}
}

// TestPresent: without history nothing is said that only history tells.
func TestPresent(t *testing.T) {
	v := analysis.VertexResult{ID: "v", Name: "enrich", Parallelism: 100, MaxParallelism: analysis.Of(128), Keyed: true}
	v.Ceiling = analysis.Ceiling{Effective: analysis.Of(128), Binding: analysis.BindMaxParallelism, Wasted: analysis.Of(36)}
	v.Sizing.Required = analysis.Of(140)
	v.Verdict.ID = analysis.Balanced
	in := report.Input{GeneratedAt: until(), Clusters: []report.ClusterInput{
		{Name: "eu", Up: true, Result: &analysis.Result{Jobs: []analysis.JobResult{{ID: "j", Name: "orders", Vertices: []analysis.VertexResult{v}}}}},
		{Name: "gone", Reason: "refused"},
	}}
	doc := New(Present(in, BasisLive))
	if len(doc.Vertices) != 1 || doc.From != nil || len(doc.Changes) != 0 {
		t.Fatalf("got %+v", doc)
	}
	got := &doc.Vertices[0]
	if got.Reached.Kind != ReachNow || got.Trend.Kind != TrendShort || got.SeenHours.Known() || got.SaturatedHours.Known() || got.PeakAt != nil || got.Advice.Action != ActRewrite {
		t.Errorf("got %+v", got)
	}
	if doc.Clusters[1].Failed == "" || doc.Totals.SeenHours.Known() {
		t.Errorf("clusters %+v, totals %+v", doc.Clusters, doc.Totals)
	}
	for _, f := range Formats() {
		if err := Write(io.Discard, &doc, f, Options{}); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	golden(t, "present.markdown", rendered(t, Present(in, BasisLive), FormatMarkdown, Options{}))
}

// TestWriteErrors: each renderer hands on what its writer says.
func TestWriteErrors(t *testing.T) {
	doc := New(fixture())
	r, w := io.Pipe()
	_ = r.Close()
	for _, f := range append(Formats(), "xml") {
		if err := Write(w, &doc, f, Options{}); err == nil {
			t.Errorf("%s: no error", f)
		}
	}
}
