package analysis

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
)

// edge is one threshold: what is said just below it and just above it.
type edge struct {
	low, high string
	// show says what comes of a scene in which the value that the threshold is
	// held against is x: in seconds for a duration, else in the threshold's unit.
	show func(c Config, x float64) string
}

// nearby is how far beside a threshold, as a part of it, a value is tried.
const nearby = 0.03

// TestEdges holds every threshold of Config at its edge: a value just below it
// and one just above have different outcomes, and they change places with the
// threshold alone: with that one raised or lowered a little, both values are on
// the same side. A threshold without a case fails.
func TestEdges(t *testing.T) {
	edges := thresholdEdges()
	for f := range reflect.TypeFor[Config]().Fields() {
		key := f.Tag.Get("yaml")
		if key == "-" {
			continue
		}
		e, ok := edges[key]
		if !ok {
			t.Errorf("threshold %s has no case", key)
			continue
		}
		delete(edges, key)
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			at := threshold(Defaults(), f.Name)
			below, above := at*(1-nearby), at*(1+nearby)
			lowered, raised := at*(1-2*nearby), at*(1+2*nearby)
			switch f.Type.Kind() {
			case reflect.Int: // Counts are reached or not.
				below, above, lowered, raised = at-1, at, at-1, at+1
			case reflect.Bool:
				below, above, lowered, raised = 0, 0, 1, 0
				if got := e.show(Defaults(), 0); got != e.low {
					t.Errorf("off: %s, want %s", got, e.low)
				}
			default:
				if got := e.show(Defaults(), above); got != e.high {
					t.Errorf("%g, above %g: %s, want %s", above, at, got, e.high)
				}
			}
			for _, try := range []struct {
				value, threshold float64
				want             string
			}{{below, at, e.low}, {below, lowered, e.high}, {above, raised, e.low}} {
				if got := e.show(withThreshold(Defaults(), f.Name, try.threshold), try.value); got != try.want {
					t.Errorf("%g at a threshold of %g: %s, want %s", try.value, try.threshold, got, try.want)
				}
			}
		})
	}
	for key := range edges {
		t.Errorf("%s is no threshold", key)
	}
}

// threshold returns a field of a Config as a number, durations in seconds.
func threshold(c Config, field string) float64 {
	switch v := reflect.ValueOf(c).FieldByName(field).Interface().(type) {
	case float64:
		return v
	case time.Duration:
		return v.Seconds()
	case int:
		return float64(v)
	case bool:
		return 0
	default:
		panic(fmt.Sprintf("%s is a %T", field, v))
	}
}

// withThreshold returns the Config with another value in a field.
func withThreshold(c Config, field string, x float64) Config {
	switch f := reflect.ValueOf(&c).Elem().FieldByName(field); f.Interface().(type) {
	case float64:
		f.SetFloat(x)
	case time.Duration:
		f.SetInt(int64(x * float64(time.Second)))
	case int:
		f.SetInt(int64(x))
	case bool:
		f.SetBool(x > 0)
	}
	return c
}

// phase is a load that stays the same for some polls.
type phase struct {
	polls  int
	scenes []scene
}

// film analyses polls, so many seconds apart, of loads that follow each other.
func film(c Config, seconds float64, phases ...phase) Result {
	var state State
	var r Result
	past := map[string]Counters{}
	n := 0
	for _, p := range phases {
		before := snapshotAt(float64(n-1)*seconds, p.scenes...)
		for range p.polls {
			s := snapshotAt(float64(n)*seconds, p.scenes...)
			for i := range s.Jobs[0].Vertices {
				v := &s.Jobs[0].Vertices[i]
				for k := range v.Subtasks {
					key := fmt.Sprint(v.ID, k)
					counters := &v.Subtasks[k].Counters
					if n > 0 {
						*counters = grow(past[key], before.Jobs[0].Vertices[i].Subtasks[k].Counters, *counters)
					}
				}
			}
			for i := range s.Jobs[0].Vertices {
				v := &s.Jobs[0].Vertices[i]
				for k := range v.Subtasks {
					past[fmt.Sprint(v.ID, k)] = v.Subtasks[k].Counters
				}
			}
			before = snapshotAt(float64(n)*seconds, p.scenes...)
			state, r = Analyze(state, s, c)
			n++
		}
	}
	return r
}

// grow adds to counters what they grow by between two answers.
func grow(past, before, now Counters) Counters {
	add := func(p, b, n Num) Num { return Of(p.Or(math.NaN()) + n.Or(math.NaN()) - b.Or(math.NaN())) }
	return Counters{
		BusyMs: add(past.BusyMs, before.BusyMs, now.BusyMs), BackPressuredMs: add(past.BackPressuredMs, before.BackPressuredMs, now.BackPressuredMs),
		IdleMs: add(past.IdleMs, before.IdleMs, now.IdleMs), RecordsIn: add(past.RecordsIn, before.RecordsIn, now.RecordsIn),
		RecordsOut: add(past.RecordsOut, before.RecordsOut, now.RecordsOut), BytesIn: add(past.BytesIn, before.BytesIn, now.BytesIn),
	}
}

// still is the verdict on the keyed vertex after four polls of one load.
func still(c Config, scenes ...scene) string { return said(film(c, 15, phase{4, scenes})) }

// then is the verdict after one load that stands and another that follows. The
// windows speak for themselves, without the past.
func then(c Config, first, second []scene) string {
	c.Window = time.Second
	return said(film(c, 15, phase{6, first}, phase{6, second}))
}

// said is the verdict on the vertex that the scenes are about.
func said(r Result) string {
	for _, v := range r.Jobs[0].Vertices {
		if v.ID == "keyed" {
			return string(v.Verdict.ID)
		}
	}
	return "no such vertex"
}

// stands says whether a finding on the keyed vertex stands after polls that are
// changed by f.
func stands(c Config, id FindingID, f func(*Snapshot), scenes ...scene) string {
	_, r := after(c, 4, f, scenes...)
	for _, v := range r.Jobs[0].Vertices {
		if v.ID == "keyed" && v.Finding(id) != nil {
			return string(id)
		}
	}
	return "none"
}

// outlier is n values of which one is x times their mean.
func outlier(n int, v, x float64) []float64 {
	rest := float64(n)
	return with(even(n, v), 1, v*(rest-1)*x/(rest-x))
}

// times is the values, each times f.
func times(vs []float64, f float64) []float64 {
	out := slices.Clone(vs)
	for i := range out {
		out[i] *= f
	}
	return out
}
