package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// CPU is how a process fared with the scheduler: seconds its threads ran, and
// seconds they could have but waited for a processor.
type CPU struct{ Ran, Waited float64 }

// Minus returns what has been added since an earlier reading.
func (c CPU) Minus(earlier CPU) CPU {
	return CPU{Ran: c.Ran - earlier.Ran, Waited: c.Waited - earlier.Waited}
}

// Plus returns the sum of two processes' readings.
func (c CPU) Plus(other CPU) CPU {
	return CPU{Ran: c.Ran + other.Ran, Waited: c.Waited + other.Waited}
}

// Share returns the share of the time asked for that was given, 0–1.
func (c CPU) Share() float64 { return c.Ran / (c.Ran + c.Waited) }

// CPU reads what the threads that live now have had so far, from Linux's
// /proc/PID/task/TID/schedstat: nanoseconds on a processor, nanoseconds on a
// run queue, time slices.
func (p *Process) CPU(t testing.TB) CPU {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("%s has no threads in /proc: %v", p.name, err)
	}
	var sum CPU
	for _, path := range threads {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // The thread has ended since.
		}
		var ran, waited float64
		if _, err := fmt.Sscan(string(b), &ran, &waited); err != nil {
			t.Fatalf("%s: %v in %q", path, err, b)
		}
		sum.Ran += ran / 1e9
		sum.Waited += waited / 1e9
	}
	return sum
}
