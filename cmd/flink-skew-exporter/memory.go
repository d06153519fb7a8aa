package main

import (
	"os"
	"runtime/debug"
)

// gcPercent is how far the heap of a daemon grows between collections. Below
// Go's default of 100, because two generations of every subtask's values live
// at the end of a poll: at a million subtasks it keeps the process below 1 GiB
// for a few per cent of CPU.
const gcPercent = 50

// boundGarbage sets gcPercent unless the operator has a say of his own.
func boundGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
