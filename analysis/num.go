package analysis

import (
	"encoding/json"
	"math"
	"strconv"
)

// Num is a number that may be absent. Its zero value is absent, so a field
// that nobody filled can never be taken for a measured zero: Flink says
// "unknown" as NaN, -1, the smallest long or by leaving the field out, and
// treating any of these as idle has scaled busy jobs down.
//
// Num takes 8 bytes; NaN and the infinities cannot be held and become absent.
type Num struct {
	// bits are those of the float64, with absentBits flipped, so that the
	// zero value stands for NaN.
	bits uint64
}

// absentBits is the bit pattern of the one NaN that stands for "absent".
const absentBits = 0x7FF8000000000001

// Of returns v as a present number, or an absent one when v is NaN or infinite.
func Of(v float64) Num {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Num{}
	}
	return Num{math.Float64bits(v) ^ absentBits}
}

// OfInt returns v as a present number.
func OfInt[T ~int | ~int32 | ~int64 | ~uint32](v T) Num { return Of(float64(v)) }

// Get returns the number and whether it is present.
func (n Num) Get() (v float64, ok bool) {
	if n.bits == 0 {
		return 0, false
	}
	return math.Float64frombits(n.bits ^ absentBits), true
}

// Known reports whether the number is present.
func (n Num) Known() bool { return n.bits != 0 }

// Or returns the number, or fallback when it is absent.
func (n Num) Or(fallback float64) float64 {
	if v, ok := n.Get(); ok {
		return v
	}
	return fallback
}

// Map applies f to a present number; an absent one stays absent.
func (n Num) Map(f func(float64) float64) Num {
	if v, ok := n.Get(); ok {
		return Of(f(v))
	}
	return n
}

// IsZero reports absence; encoding/json's omitzero uses it.
func (n Num) IsZero() bool { return n.bits == 0 }

// String returns the shortest decimal form, or "absent".
func (n Num) String() string {
	v, ok := n.Get()
	if !ok {
		return "absent"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// MarshalJSON writes the number, or null when it is absent.
func (n Num) MarshalJSON() ([]byte, error) {
	v, ok := n.Get()
	if !ok {
		return []byte("null"), nil
	}
	return json.Marshal(v)
}

// UnmarshalJSON reads a JSON number; null is absent.
func (n *Num) UnmarshalJSON(b []byte) error {
	var p *float64
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	if p == nil {
		*n = Num{}
		return nil
	}
	*n = Of(*p)
	return nil
}

// ratio returns a/b, absent when either is absent or b is not positive.
func ratio(a, b Num) Num {
	x, okX := a.Get()
	y, okY := b.Get()
	if !okX || !okY || y <= 0 {
		return Num{}
	}
	return Of(x / y)
}
