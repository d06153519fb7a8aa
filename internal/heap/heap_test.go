package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// goal is what the heap may grow to before the next collection.
func goal() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NextGC
}

func TestBallastSparesSmallHeaps(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	b := New()
	if set := debug.SetGCPercent(percent); set != percent {
		t.Errorf("the heap grows by %d %%, want %d", set, percent)
	}
	runtime.GC()
	if got := goal(); got < ballastBytes*(100+percent)/100 {
		t.Errorf("a collection at %d bytes already", got)
	}
	runtime.KeepAlive(b)
	runtime.GC()
	if got := goal(); got > ballastBytes {
		t.Errorf("a collection at %d bytes only, after the ballast is gone", got)
	}
}

// TestOperatorDecides: whoever set GOGC gets what he set.
func TestOperatorDecides(t *testing.T) {
	t.Setenv("GOGC", "80")
	before := debug.SetGCPercent(math.MaxInt32)
	defer debug.SetGCPercent(before)
	if b := New(); b.bytes != nil {
		t.Error("there is a ballast")
	}
	if set := debug.SetGCPercent(100); set != math.MaxInt32 {
		t.Errorf("GOGC became %d", set)
	}
}
