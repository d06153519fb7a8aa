package analysis

import (
	"testing"
	"time"
)

// TestClockJumps: windows are measured by Flink's own times, so that a clock
// that is set back or forward between two polls changes no number and no verdict.
func TestClockJumps(t *testing.T) {
	for name, jump := range map[string]time.Duration{"back": -time.Hour, "forward": time.Hour} {
		var steady, jumping State
		for poll := range 12 {
			s := syntheticSnapshot(1, 8, poll)
			var want, got Result
			steady, want = Analyze(steady, s, Defaults())
			if poll >= 5 {
				s.At = s.At.Add(jump)
			}
			jumping, got = Analyze(jumping, s, Defaults())
			for i := range got.Jobs[0].Vertices {
				w, g := &want.Jobs[0].Vertices[i], &got.Jobs[0].Vertices[i]
				if g.Verdict.ID != w.Verdict.ID || g.WindowSeconds != w.WindowSeconds || g.RecordsInPerSecond != w.RecordsInPerSecond || g.Signals.Busy != w.Signals.Busy {
					t.Fatalf("%s, poll %d, vertex %d: %s of %v s, %v/s; want %s of %v s, %v/s", name, poll, i,
						g.Verdict.ID, g.WindowSeconds, g.RecordsInPerSecond, w.Verdict.ID, w.WindowSeconds, w.RecordsInPerSecond)
				}
			}
		}
	}
}
