package analysis

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shape is a constant of a rule that no configuration changes, because it
// describes how a trouble looks and not how much of it matters.
type shape struct {
	edge
	at float64
}

// TestShapes holds the constants of the rules at their edges, as TestEdges does
// the thresholds. A numeric constant of the package without a case fails, but for
// those of predictions, whose bounds are held against simulated truth.
func TestShapes(t *testing.T) {
	shapes := map[string]shape{}
	maps.Copy(shapes, keyShapes())
	maps.Copy(shapes, otherShapes())
	written := numericConstants(t)
	for name, s := range shapes {
		if at, ok := written[name]; !ok || at != s.at {
			t.Errorf("%s is %g in the rules, %g in its case", name, at, s.at)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for value, want := range map[float64]string{s.at * (1 - nearby): s.low, s.at * (1 + nearby): s.high} {
				if got := s.show(Defaults(), value); got != want {
					t.Errorf("%g beside %g: %s, want %s", value, s.at, got, want)
				}
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if _, ok := shapes[name]; !ok {
			t.Errorf("constant %s has no case", name)
		}
	}
}

// numericConstants are the package's unexported constants that are written as a
// decimal number, with their values.
func numericConstants(t *testing.T) map[string]float64 {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || slices.Contains([]string{"curve.go", "demand.go", "spread.go", "whatif.go"}, file) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				return true
			}
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				for i, name := range v.Names {
					if i >= len(v.Values) {
						continue
					}
					if lit, ok := v.Values[i].(*ast.BasicLit); ok && !strings.HasPrefix(lit.Value, "0x") {
						if x, err := strconv.ParseFloat(lit.Value, 64); err == nil {
							found[name.Name] = x
						}
					}
				}
			}
			return false
		})
	}
	return found
}

// keyShapes are of the rules on keys and key groups.
func keyShapes() map[string]shape {
	balanced, few, hotKey := string(Balanced), string(FewKeys), string(HotKey)
	vertex := func(c Config, p, m int, in []float64) string {
		return still(c, roomySource(), keyed(p, m, times(in, .001), in))
	}
	slope := func(gap float64) []float64 { // 1.2 times from each to the next, but for the first.
		in := even(16, 100)
		for i := range 6 {
			in[i+1] *= math.Pow(1.2, float64(6-i))
		}
		in[0] = gap * in[1]
		return in
	}
	return map[string]shape{
		"hotGap": {edge{balanced, hotKey, func(c Config, x float64) string {
			return vertex(c, 16, 128, slope(x))
		}}, 1.25},
		"busierThan": {edge{balanced, hotKey, func(c Config, x float64) string {
			return still(c, roomySource(), keyed(8, 128, with(even(8, .3), 2, .3*x), with(even(8, 100), 2, 300)))
		}}, 1.3},
		"layoutFit": {edge{string(KeyGroupLayout), balanced, func(c Config, x float64) string {
			in := byGroups(10, 16, 100)
			for i := range in {
				if in[i] > 100 {
					in[i] *= 1 + x
				}
			}
			return vertex(c, 10, 16, in)
		}}, 0.25},
		"fewKeysIdleSome": {edge{balanced, few, func(c Config, x float64) string {
			const p = 200
			in := even(p, 0)
			for i := int(math.Round(p * x)); i < p; i++ {
				in[i] = 100 * (1 + float64(i%17)/12)
			}
			return vertex(c, p, 16*p, in)
		}}, 0.1},
		"fewKeysStep": {edge{few, hotKey, func(c Config, x float64) string {
			return vertex(c, 8, 128, with(with(even(8, 100), 0, 0), 3, 200*(1+x)))
		}}, 0.15},
		"fewKeysMost": {edge{few, hotKey, func(c Config, x float64) string {
			return vertex(c, 8, 128, with(with(even(8, 100), 0, 0), 3, 100*x))
		}}, 8},
		"fewKeysPast": {edge{few, balanced, func(c Config, x float64) string {
			in, had := even(8, 300), even(8, 1e8)
			for i := range 3 {
				in[i], had[i] = 0, x*5*1e8/(8-3*x)
			}
			s := keyed(8, 128, times(in, .001), in)
			s.had = had
			return still(c, roomySource(), s)
		}}, 0.05},
		"recommendedHeadroom": {edge{SeverityInfo.String(), SeverityNone.String(), func(c Config, x float64) string {
			p := int(math.Round(128 / x))
			_, r := history(c, 4, roomySource(), keyed(p, 128, even(p, .3), even(p, 100)))
			return r.Jobs[0].Vertices[1].Finding(DerivedCeiling).Severity.String()
		}}, 4},
	}
}

// otherShapes are of the other rules.
func otherShapes() map[string]shape {
	balanced := string(Balanced)
	return map[string]shape{
		"cacheMs": {edge{"no window", "window", func(_ Config, x float64) string {
			stands := func(age float64) Subtask {
				return Subtask{
					State: Running, AgeMs: Of(age), Counters: Counters{RecordsIn: Of(100), RecordsOut: Of(100)},
					Gauges: &Ratios{Busy: Of(1), BackPressured: Of(0), Idle: Of(0)},
				}
			}
			var tr track
			if _, ok := feed(&tr, stands(600_000), stands(600_000+x)); !ok {
				return "no window"
			}
			return "window"
		}}, 30_000},
		"quietEnter": {edge{string(Quiet), balanced, func(c Config, x float64) string {
			return still(c, roomySource(), keyed(4, 128, even(4, x*c.ActivityBusy), even(4, 100)))
		}}, 0.8},
		"leastRecords": {edge{balanced, string(HotKey), func(c Config, x float64) string {
			all := math.Round(2 * x) // Of one window, whole records.
			s := keyed(2, 128, []float64{.6, .1}, []float64{(all - 4) / 15, 4. / 15})
			return said(film(c, 15, phase{2, []scene{roomySource(), s}}))
		}}, 20},
		"evenInput": {edge{string(SlowTaskManager), balanced, func(c Config, x float64) string {
			s := keyed(6, 126, even(6, .2), even(6, 100))
			for _, i := range []int{0, 3} {
				s.busy[i], s.in[i] = .2*3*x, 100*x
			}
			s.out = s.in
			return still(c, roomySource(), s)
		}}, 1.4},
		"saturationSpread": {edge{string(UniformSaturation), balanced, func(c Config, x float64) string {
			return still(c, roomySource(), keyed(10, 160, with(even(10, .99), 3, c.SaturatedEnter-x), even(10, 500)))
		}}, 0.15},
		"cappedLead": {edge{string(UniformSaturation), string(PartitionLayout), func(c Config, x float64) string {
			return still(c, scene{
				id: "keyed", name: "Source: orders", p: 4, m: 128, partitions: []float64{2, 2, 1, 1},
				busy: []float64{.99, .99, .99 / x, .99 / x}, out: []float64{990, 990, 990 / x, 990 / x},
			})
		}}, 1.1},
		"mostWorkers": {edge{"all are named", "some are left out", func(c Config, x float64) string {
			n := int(math.Round(8 + 30*(x-8)))
			var state State
			var r Result
			for k := range 4 {
				s := keyed(n, 128, even(n, 1), even(n, 300))
				for i := range n {
					s.taskManagers = append(s.taskManagers, fmt.Sprint("tm-", i))
				}
				shot := poll(k, pressedSource(), s)
				for _, id := range s.taskManagers {
					shot.TaskManagers = append(shot.TaskManagers, TaskManager{ID: id, CPUSeconds: Of(10 + .1*float64(k)), CPUAt: shot.At})
				}
				state, r = Analyze(state, shot, c)
			}
			if v := r.Jobs[0].Vertices[1]; len(v.Finding(Waiting).Advice.Workers) < n {
				return "some are left out"
			}
			return "all are named"
		}}, 8},
		"leastBacklog": {edge{"none", string(CatchUpShort), func(c Config, x float64) string {
			return stands(c, CatchUpShort, func(s *Snapshot) { s.Jobs[0].Vertices[0].Backlog = Of(x * 1000) },
				roomySource(), keyed(4, 128, even(4, .985), even(4, 250)))
		}}, 60},
	}
}
