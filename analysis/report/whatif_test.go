package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// hotVertex is a vertex of 5 subtasks of which one is saturated by one key.
func hotVertex() (*analysis.JobResult, *analysis.VertexResult) {
	v := analysis.VertexResult{
		ID: "v", Name: "enrich <&> \x1b[31m", Parallelism: 5, MaxParallelism: analysis.Of(128), Keyed: true,
		Inputs: []analysis.Input{{From: "s", Ship: analysis.ShipHash}}, Layout: &analysis.Layout{Max: 26, Min: 25},
		Limits: analysis.Limits{MaxParallelism: analysis.Of(128), TaskSlots: analysis.Of(24)},
		Sizing: analysis.Sizing{Target: analysis.Of(.75), Required: analysis.Of(3), Autoscaler: analysis.Of(8), DemandRatio: analysis.Of(1), DemandAtLeast: true},
	}
	v.Verdict = analysis.Verdict{ID: analysis.HotKey, Judgement: analysis.Judgement{Advice: analysis.Advice{Floor: analysis.Of(.88)}}}
	for i, b := range []float64{.24, 1, .26, .22, .28} {
		v.Subtasks = append(v.Subtasks, analysis.SubtaskResult{Index: int32(i), Busy: analysis.Of(b)})
	}
	v.Signals.Busy = analysis.Distribution{Count: 5, Max: analysis.Of(1), Mean: analysis.Of(.4), Skew: analysis.Of(2.5)}
	return &analysis.JobResult{ID: "j", Name: "orders"}, &v
}

// TestWhatIfSaysWhatAHotKeyMeans: the target is not met, the floor is named, and
// the autoscaler's other answer is explained.
func TestWhatIfSaysWhatAHotKeyMeans(t *testing.T) {
	j, v := hotVertex()
	wi := NewWhatIf("c", j, v, 1)
	all := strings.Join(wi.Summary, " ")
	for _, want := range []string{"not likely met", "ceiling of 128 (max parallelism)", "hot key alone makes 88 %", "slots that are free now allow 24", "more may come", "would set 8", "one key does not allow"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q", want, all)
		}
	}
	for _, p := range wi.Curve.Points {
		if p.Low > p.Likely || p.Likely > p.High || p.Likely < .88 {
			t.Errorf("%+v under a floor of 0.88", p)
		}
	}
}

// TestWhatIfOfMoreLoad: twice the load is twice the curve.
func TestWhatIfOfMoreLoad(t *testing.T) {
	j, v := hotVertex()
	one, two := NewWhatIf("c", j, v, 1), NewWhatIf("c", j, v, 2)
	for i, p := range one.Curve.Points {
		if q := two.Curve.Points[i]; q.High != 2*p.High || q.Likely != 2*p.Likely || q.Low != 2*p.Low {
			t.Errorf("%+v, want twice %+v", q, p)
		}
	}
	if !strings.Contains(strings.Join(two.Summary, " "), "2 × the load") {
		t.Errorf("%q", two.Summary)
	}
}

// TestWhatIfWithoutData: a curve that cannot be drawn says why.
func TestWhatIfWithoutData(t *testing.T) {
	j, v := hotVertex()
	for want, change := range map[analysis.CurveMissing]func(*analysis.VertexResult){
		analysis.NoCurveData:      func(v *analysis.VertexResult) { v.Subtasks = nil },
		analysis.NoCurveBusy:      func(v *analysis.VertexResult) { v.Signals.Busy = analysis.Distribution{} },
		analysis.NoCurveStalled:   func(v *analysis.VertexResult) { v.Verdict.ID = analysis.Stalled },
		analysis.NoCurveKeyGroups: func(v *analysis.VertexResult) { v.Layout = nil },
	} {
		w := *v
		change(&w)
		wi := NewWhatIf("c", j, &w, 1)
		if wi.Missing != want || wi.Curve != nil || len(wi.Summary) != 1 {
			t.Errorf("%s: %s, %q", want, wi.Missing, wi.Summary)
		}
		if !strings.Contains(wi.SVG(), "</svg>") {
			t.Errorf("%s: no picture that says so", want)
		}
	}
}

// TestWhatIfTextFits: no line is wider than the terminal, none has a control
// character, and without Unicode all is ASCII.
func TestWhatIfTextFits(t *testing.T) {
	j, v := hotVertex()
	wi := NewWhatIf("c", j, v, 1)
	for _, o := range []TextOptions{{Width: 80, Unicode: true}, {Width: 80}, {Width: 60}, {Unicode: true}} {
		var b bytes.Buffer
		if err := wi.Text(&b, o); err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(b.String(), "\n") {
			if columns(l) > max(60, min(80, 80)) || strings.ContainsRune(l, '\x1b') {
				t.Errorf("%+v: %d columns: %q", o, columns(l), l)
			}
			if !o.Unicode && strings.IndexFunc(l, func(r rune) bool { return r > 126 }) >= 0 {
				t.Errorf("%+v: not ASCII: %q", o, l)
			}
		}
		if !strings.Contains(b.String(), "now") || !strings.Contains(b.String(), "ceiling") {
			t.Errorf("%+v: %s", o, b.String())
		}
	}
}

// TestWhatIfPictureStandsAlone: it is well-formed, escaped, loads nothing, and is
// for light and dark.
func TestWhatIfPictureStandsAlone(t *testing.T) {
	j, v := hotVertex()
	wi := NewWhatIf("c", j, v, 1)
	svg := wi.SVG()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
	for _, bad := range []string{"href", "url(", "<script", "NaN", "\x1b"} {
		if strings.Contains(svg, bad) {
			t.Errorf("there is %q in the picture", bad)
		}
	}
	for _, want := range []string{"prefers-color-scheme:dark", "enrich &lt;&amp;&gt;", "target 75 %", "hot key alone 88 %", "max parallelism 128", "now: 5", "<title>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %q in the picture", want)
		}
	}
}

// TestWhatIfMachineForms: JSON has the stable names, CSV a line a parallelism.
func TestWhatIfMachineForms(t *testing.T) {
	groups := make([]float64, 16)
	for i := range groups {
		groups[i] = float64(i)
	}
	c := analysis.ExactCurve(analysis.CurveBytes, groups, 4)
	wi := NewExactWhatIf("savepoint", "counts", &c)
	var b bytes.Buffer
	if err := wi.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Source string
		Curve  struct {
			Unit, Basis string
			Floor       float64
			Points      []struct{ Parallelism, Low, High float64 }
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.Curve.Unit != "bytes" || got.Curve.Floor != 15 {
		t.Fatalf("%v, %+v", err, got)
	}
	for _, p := range got.Curve.Points {
		if p.Parallelism == 4 && (p.Low != 12+13+14+15 || p.High != p.Low) {
			t.Errorf("%+v, want 54: key groups 12 to 15", p)
		}
	}
	b.Reset()
	if err := wi.CSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != len(c.Points)+1 || rows[0][0] != "parallelism" {
		t.Errorf("%v, %v", err, rows)
	}
}
