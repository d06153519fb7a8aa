package analysis

import (
	"encoding/json"
	"math"
	"testing"
)

// TestNumZeroValueIsAbsent: a field that nobody filled is never a measured zero.
func TestNumZeroValueIsAbsent(t *testing.T) {
	var n Num
	if n.Known() || n != (Num{}) || !n.IsZero() {
		t.Error("the zero value is present")
	}
	if Of(0) == n || !Of(0).Known() {
		t.Error("a measured zero is taken for absent")
	}
	if v, ok := Of(0).Get(); v != 0 || !ok {
		t.Errorf("Of(0).Get() = %v, %t", v, ok)
	}
}

func TestNumHoldsFiniteNumbersOnly(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if Of(v).Known() {
			t.Errorf("Of(%v) is present", v)
		}
	}
	for _, v := range []float64{0, -0.5, 1, math.MaxFloat64, math.SmallestNonzeroFloat64, -1e300} {
		if got, ok := Of(v).Get(); got != v || !ok {
			t.Errorf("Of(%v).Get() = %v, %t", v, got, ok)
		}
	}
}

func TestNumJSON(t *testing.T) {
	type pair struct {
		A Num `json:"a"`
		B Num `json:"b"`
	}
	b, err := json.Marshal(pair{A: Of(1.5)})
	if err != nil || string(b) != `{"a":1.5,"b":null}` {
		t.Fatalf("%s, %v", b, err)
	}
	var p pair
	if err := json.Unmarshal(b, &p); err != nil || p != (pair{A: Of(1.5)}) {
		t.Errorf("%+v, %v", p, err)
	}
	if err := json.Unmarshal([]byte(`{"a":"x"}`), &p); err == nil {
		t.Error("a string was read as a number")
	}
}
