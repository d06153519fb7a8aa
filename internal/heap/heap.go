package heap

import (
	"os"
	"runtime/debug"
)

// percent is how far the heap of a daemon grows between collections. Below
// Go's default of 100, because two generations of every subtask's values live
// at the end of a poll: at a million subtasks it keeps the process below 1 GiB
// for a few per cent of CPU.
const percent = 50

// ballastBytes lets the heap grow by half as much before every collection,
// which spares a small one from being collected several times a poll: at
// 10,000 subtasks a fifth of the CPU time. It is never written to and
// therefore takes address space alone.
const ballastBytes = 64 << 20

// Ballast is what New returns. It must be held as long as it is to work.
type Ballast struct{ bytes []byte }

// New sets the policy unless the operator has one of his own (GOGC).
func New() *Ballast {
	if os.Getenv("GOGC") != "" {
		return &Ballast{}
	}
	debug.SetGCPercent(percent)
	return &Ballast{bytes: make([]byte, ballastBytes)}
}
