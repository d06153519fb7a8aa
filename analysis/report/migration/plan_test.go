package migration

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

var update = flag.Bool("update", false, "write the golden files anew")

// job is one of a source and a keyed vertex, which asks for so much.
func job(p, m int, required float64, verdict analysis.VerdictID) *analysis.JobResult {
	keyed := analysis.VertexResult{
		ID: "b", Name: "enrich | count", Parallelism: p, MaxParallelism: analysis.OfInt(m), Keyed: true,
		Inputs:  []analysis.Input{{From: "a", Ship: analysis.ShipHash}},
		Ceiling: analysis.Ceiling{Effective: analysis.OfInt(m), Binding: analysis.BindMaxParallelism},
		Sizing:  analysis.Sizing{Required: analysis.Of(required)}, Verdict: analysis.Verdict{ID: verdict},
	}
	keyed.Signals.State.Sum = analysis.Of(4e12)
	source := analysis.VertexResult{
		ID: "a", Name: "orders topic", Parallelism: 24, MaxParallelism: analysis.Of(128), RecordsOutPerSecond: analysis.Of(48_000),
		Ceiling: analysis.Ceiling{Effective: analysis.Of(24), Binding: analysis.BindSourcePartitions},
		Sizing:  analysis.Sizing{Required: analysis.Of(12)}, Verdict: analysis.Verdict{ID: analysis.Balanced},
	}
	return &analysis.JobResult{ID: "8f3c", Name: "orders", Vertices: []analysis.VertexResult{source, keyed}}
}

func TestNeed(t *testing.T) {
	stateless := job(4, 128, 4, analysis.Balanced)
	stateless.Vertices[1].Keyed = false
	bySource := job(20, 128, 100, analysis.UniformSaturation)
	bySource.Vertices[1].Sizing.Required = analysis.Of(20)
	bySource.Vertices[0].Sizing.Required = analysis.Of(31)
	bySlots := job(20, 128, 100, analysis.UniformSaturation)
	bySlots.Vertices[1].Ceiling = analysis.Ceiling{Effective: analysis.Of(40), Binding: analysis.BindTaskSlots}
	for _, c := range []struct {
		what string
		in   Input
		want Need
		says string
	}{
		{"just tight", Input{Job: job(33, 128, 20, analysis.Balanced)}, Needed, "3.88 × the 33 that it runs at"},
		{"just roomy", Input{Job: job(32, 128, 20, analysis.Balanced)}, Roomy, "at least 4 ×"},
		{"by demand", Input{Job: job(20, 128, 140, analysis.UniformSaturation)}, Needed, "the 140 that the present demand asks for"},
		{"by foresight", Input{Job: job(20, 128, 20, analysis.Balanced), Foreseen: 60}, Needed, "the 60 that are foreseen"},
		{"hot key", Input{Job: job(100, 128, 100, analysis.HotKey)}, SkewFirst, "docs/verdicts/hot_key.md"},
		{"a layout is mended by parallelism", Input{Job: job(100, 128, 100, analysis.KeyGroupLayout)}, Needed, ""},
		{"nothing keyed", Input{Job: stateless}, NotKeyed, "at the next start"},
		{"an hour's state", Input{Job: job(100, 128, 100, analysis.Balanced), StateTTL: time.Hour}, ShortLived, "1h0m0s"},
		{"more than an hour's", Input{Job: job(100, 128, 100, analysis.Balanced), StateTTL: time.Hour + 1}, Needed, ""},
		{"partitions", Input{Job: bySource}, PartitionsBind, "asks for parallelism 31, and its source has 24 partitions"},
		{"slots", Input{Job: bySlots}, SlotsBind, "task slots allow 40"},
		{"Flink's bound", Input{Job: job(20_000, 32_768, 20_000, analysis.Balanced)}, Largest, "32,768"},
		{"a savepoint alone", Input{Savepoint: saved(6)}, Needed, "1.28 × the 100"},
	} {
		p := New(c.in)
		if p.Need != c.want || !strings.Contains(strings.Join(p.Why, "\n"), c.says) {
			t.Errorf("%s: %s %q, want %s with %q", c.what, p.Need, p.Why, c.want, c.says)
		}
	}
}

func TestChoice(t *testing.T) {
	for _, c := range []struct{ largest, target, composite int }{
		{1, 4, 4}, {16, 64, 120}, {17, 128, 120}, {32, 128, 180}, {33, 256, 180}, {100, 512, 720}, {128, 512, 720}, {129, 1024, 720}, {20_000, 32_768, 0},
	} {
		got := New(Input{Job: job(c.largest, 32_768, 0, analysis.Balanced)}).Choice
		if got.Target != c.target || got.Composite != c.composite {
			t.Errorf("for %d: %d or %d, want %d or %d", c.largest, got.Target, got.Composite, c.target, c.composite)
		}
		for _, d := range got.Divisors {
			if got.Target%d != 0 {
				t.Errorf("%d does not divide %d", d, got.Target)
			}
		}
	}
}

// saved is a savepoint of an operator with a uid, one without, and a source.
func saved(format int) *Savepoint {
	return &Savepoint{Path: "/savepoints/savepoint-8f3c-0", Format: format, Operators: []Operator{
		{ID: "11", Name: "enrich | count", UID: "enrich", Parallelism: 100, MaxParallelism: 128, KeyedBytes: 3e12},
		{ID: "22", Name: "dedup", Parallelism: 100, MaxParallelism: 128, KeyedBytes: 1e12},
		{ID: "33", Name: "orders topic", UID: "orders", Parallelism: 24, MaxParallelism: 128, OperatorBytes: 512},
		{ID: "44", Name: "sink", Parallelism: 24, MaxParallelism: 128},
	}}
}

func TestBlockers(t *testing.T) {
	if got := New(Input{Savepoint: saved(6)}).Blockers; len(got) != 1 || !strings.Contains(got[0], `*dedup* has state and no uid`) || !strings.Contains(got[0], `setUidHash("22")`) {
		t.Errorf("%q", got)
	}
	old := saved(4)
	for i := range old.Operators {
		old.Operators[i].Name, old.Operators[i].UID = "", ""
	}
	if got := New(Input{Savepoint: old}).Blockers; len(got) != 3 || !strings.Contains(got[0], "format 4") {
		t.Errorf("where no uid is recorded: %q", got)
	}
	other := saved(6)
	other.Operators[1].MaxParallelism = 64
	if got := New(Input{Savepoint: other, Job: job(100, 128, 100, analysis.Balanced)}).Blockers; !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "max parallelism 64") }) {
		t.Errorf("two ceilings: %q", got)
	}
}

// TestTime: 4 TB at 300 MB/s are 3.7 hours, in which 48,000 records a second arrive.
func TestTime(t *testing.T) {
	p := New(Input{Job: job(100, 128, 100, analysis.Balanced), Savepoint: saved(6), Throughput: 300e6})
	if p.StateBytes.Or(0) != 4e12 || p.RewriteSeconds.Or(0) != 4e12/300e6 || p.Backlog.Or(0) != 48_000*4e12/300e6 {
		t.Errorf("%v in %v, %v behind", p.StateBytes, p.RewriteSeconds, p.Backlog)
	}
	unknown := job(100, 128, 100, analysis.Balanced)
	unknown.Vertices[1].Signals.State.Sum, unknown.Vertices[0].RecordsOutPerSecond = analysis.Num{}, analysis.Num{}
	if p := New(Input{Job: unknown, Throughput: 300e6}); p.StateBytes.Known() || p.RewriteSeconds.Known() || p.Backlog.Known() {
		t.Errorf("what nobody knows: %v %v %v", p.StateBytes, p.RewriteSeconds, p.Backlog)
	}
}

func TestGolden(t *testing.T) {
	for name, in := range map[string]Input{
		"needed": {
			Cluster: "prod", FlinkVersion: "2.3.0", Job: job(100, 128, 119, analysis.UniformSaturation), Savepoint: saved(6), Throughput: 300e6,
		},
		"live-1.20": {Cluster: "prod", FlinkVersion: "1.20.3", Job: job(100, 128, 119, analysis.UniformSaturation), Throughput: 300e6},
		"savepoint": {Savepoint: saved(4), Throughput: 300e6, Target: 720},
		"hot-key":   {Cluster: "prod", FlinkVersion: "2.3.0", Job: job(100, 128, 100, analysis.HotKey), Throughput: 300e6},
	} {
		p := New(in)
		var b bytes.Buffer
		if err := p.Markdown(&b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".golden.md")
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s: differs from %s; go test ./analysis/report/migration -args -update writes it anew", name, file)
		}
	}
}

// TestHostileNames: what users call things stays text, in Markdown and in Java.
func TestHostileNames(t *testing.T) {
	s := saved(6)
	s.Operators[0].Name = "a | <b>\n## `c` */ \\u000a System.exit(1); \x1b[31m" + strings.Repeat("x", 5000)
	s.Operators[0].UID = "\"); System.exit(1); (\"\n"
	p := New(Input{Savepoint: s, Throughput: 300e6})
	var b bytes.Buffer
	if err := p.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\n## `c`", "// a | <b> ## `c` */ \\u", "\x1b", "forUid(\"\"); System", strings.Repeat("x", 200)} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q gets through", bad)
		}
	}
}

func TestCheck(t *testing.T) {
	p := New(Input{Savepoint: saved(6), Target: 64})
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "64") {
		t.Errorf("a target below what runs: %v", err)
	}
	p = New(Input{Savepoint: saved(6), Target: 100})
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}
