package analysis

import (
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// CurveUnit is what a curve counts. The set is closed.
type CurveUnit string

// Units of curves.
const (
	// CurveBusy: 1 is all that one subtask can do; more is not worked off.
	CurveBusy CurveUnit = "busy"
	// CurveBytes are bytes of keyed state.
	CurveBytes CurveUnit = "bytes"
	// CurveRecords are counts of keys.
	CurveRecords CurveUnit = "records"
)

// CurveBasis is what a curve rests on. The set is closed.
type CurveBasis string

// Bases of curves.
const (
	// BasisKeyGroups: the load of every key group is known, and the curve is exact.
	BasisKeyGroups CurveBasis = "key_groups"
	// BasisSubtasks: the load of today's subtasks is known, each of which owns a
	// range of key groups.
	BasisSubtasks CurveBasis = "subtasks"
	// BasisPartitions: the load of today's readers, each of which owns partitions.
	BasisPartitions CurveBasis = "partitions"
	// BasisDealt: records are dealt out without regard to keys.
	BasisDealt CurveBasis = "dealt"
)

// Curve is the load of the busiest subtask over parallelism.
type Curve struct {
	Unit  CurveUnit  `json:"unit"`
	Basis CurveBasis `json:"basis"`
	// Parallelism is the present or recorded one, 0 when there is none, and Now
	// the busiest subtask's load at it as measured.
	Parallelism int `json:"parallelism"`
	Now         Num `json:"now"`
	// Load is how many times the measured load the points are for.
	Load float64 `json:"load"`
	// KeyGroups is the number of key groups, absent where they have no meaning.
	KeyGroups Num    `json:"key_groups"`
	Limits    Limits `json:"limits"`
	// Ceiling is the parallelism beyond which nothing can or need be run, and
	// Binding what limits it; both absent when no limit is known.
	Ceiling Num     `json:"ceiling"`
	Binding Binding `json:"binding"`
	// Target is the utilisation that sizing aims at; absent unless Unit is CurveBusy.
	Target Num `json:"target"`
	// Floor is the load of one hot key, or of the heaviest key group where all are
	// known: no parallelism goes below it. Absent when it is not known.
	Floor Num `json:"floor"`
	// Met says at which parallelisms the busiest subtask is at or below Target.
	Met Met `json:"target_met"`
	// Points are ascending by parallelism, those beyond the ceiling included that
	// the number of key groups allows.
	Points []CurvePoint `json:"points"`
}

// Met is the smallest parallelism up to the ceiling from which on the busiest
// subtask is at or below the target: at best, likely, and for sure. Absent where
// no parallelism is.
type Met struct {
	AtBest Num `json:"at_best"`
	Likely Num `json:"likely"`
	Surely Num `json:"surely"`
}

// CurvePoint is one parallelism.
type CurvePoint struct {
	Parallelism int `json:"parallelism"`
	Band
	// Mean is the load of a subtask if it were even.
	Mean float64 `json:"mean"`
	// Useful says that the next smaller parallelism leaves more key groups, or
	// partitions, on the busiest subtask.
	Useful bool `json:"useful"`
	// Beyond says that the ceiling does not allow it, or that it gains nothing there.
	Beyond bool `json:"beyond_ceiling"`
}

// At returns the point of a parallelism; ok is false when the curve has none.
func (c *Curve) At(parallelism int) (point CurvePoint, ok bool) {
	i, ok := slices.BinarySearchFunc(c.Points, parallelism, func(p CurvePoint, want int) int { return p.Parallelism - want })
	if !ok {
		return CurvePoint{}, false
	}
	return c.Points[i], true
}

// ExactCurve is the curve of loads that are known by key group, such as bytes in
// a savepoint or counts of keys. parallelism is the present one, 0 for none.
func ExactCurve(unit CurveUnit, groups []float64, parallelism int) Curve {
	m := len(groups)
	c := Curve{
		Unit: unit, Basis: BasisKeyGroups, Parallelism: parallelism, Load: 1, KeyGroups: OfInt(m),
		Limits: Limits{MaxParallelism: OfInt(m)}, Floor: Of(slices.Max(groups)),
	}
	c.draw(exact(groups), sumFloats(groups), nil)
	if now, ok := c.At(parallelism); ok {
		c.Now = Of(now.Likely)
	}
	return c
}

// SubtaskCurve is the curve of loads of which only the sums over the subtasks of
// the present parallelism are known, under m key groups.
func SubtaskCurve(unit CurveUnit, loads []float64, m int) Curve {
	c := Curve{
		Unit: unit, Basis: BasisSubtasks, Parallelism: len(loads), Now: Of(slices.Max(loads)), Load: 1,
		KeyGroups: OfInt(m), Limits: Limits{MaxParallelism: OfInt(m)},
	}
	c.draw(newSpread(loads, m), sumFloats(loads), nil)
	return c
}

// exact is loads by key group.
type exact []float64

func (e exact) at(parallelism int) Band {
	most := 0.0
	for j := range parallelism {
		first, last := keygroup.Range(j, parallelism, len(e))
		most = max(most, sumFloats(e[first:last+1]))
	}
	return Band{Low: most, Likely: most, High: most}
}

func sumFloats(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

// model predicts the busiest subtask at a parallelism.
type model interface{ at(parallelism int) Band }

// draw fills the ceiling, the points at the parallelisms worth a look and those
// given beside, and where the target is met.
func (c *Curve) draw(m model, total float64, beside []int) {
	c.Ceiling, c.Binding = c.Limits.ceiling()
	ceiling := c.Ceiling.Or(math.Inf(1))
	useful := c.useful()
	all := slices.Concat(useful, beside, []int{c.Parallelism})
	slices.Sort(all)
	most := int(c.Limits.MaxParallelism.Or(keygroup.UpperBound))
	for _, p := range slices.Compact(all) {
		if p < 1 || p > most {
			continue
		}
		b := m.at(p)
		b.Low, b.Likely, b.High = b.Low*c.Load, max(b.Likely, c.Floor.Or(0))*c.Load, max(b.High, c.Floor.Or(0))*c.Load
		_, worth := slices.BinarySearch(useful, p)
		c.Points = append(c.Points, CurvePoint{
			Parallelism: p, Band: b, Mean: total * c.Load / float64(p), Useful: worth, Beyond: float64(p) > ceiling,
		})
	}
	c.Floor = c.Floor.Map(func(f float64) float64 { return f * c.Load })
	c.Met = c.met()
}

// met looks for the target from the ceiling down, since load need not fall with
// every step.
func (c *Curve) met() Met {
	target, ok := c.Target.Get()
	if !ok {
		return Met{}
	}
	from := func(load func(CurvePoint) float64) Num {
		best := Num{}
		for _, p := range slices.Backward(c.Points) {
			if p.Beyond {
				continue
			}
			if load(p) > target+1e-9 {
				break
			}
			best = OfInt(p.Parallelism)
		}
		return best
	}
	return Met{
		AtBest: from(func(p CurvePoint) float64 { return p.Low }),
		Likely: from(func(p CurvePoint) float64 { return p.Likely }),
		Surely: from(func(p CurvePoint) float64 { return p.High }),
	}
}

// dealtSteps is the ratio between neighbouring parallelisms of a curve on which
// every parallelism differs from the next.
const dealtSteps = 1.09

// useful are the parallelisms worth running, ascending: those of key groups or
// partitions (keygroup.Useful), else a selection of all up to the ceiling.
func (c *Curve) useful() []int {
	if m, ok := c.KeyGroups.Get(); ok {
		return keygroup.Useful(int(m))
	}
	if n, ok := c.Limits.SourcePartitions.Get(); ok && c.Basis == BasisPartitions && n >= 1 && n <= keygroup.UpperBound {
		return keygroup.Useful(int(n))
	}
	most := int(c.Ceiling.Or(float64(8 * c.Parallelism)))
	ps := []int{}
	for p := 1; p < most; p = max(p+1, int(float64(p)*dealtSteps)) {
		ps = append(ps, p)
	}
	return append(ps, most)
}
