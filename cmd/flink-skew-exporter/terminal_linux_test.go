package main

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWidthOfTheTerminal asks a terminal of 57 columns, whose controlling end
// answers like the other.
func TestWidthOfTheTerminal(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 20, Col: 57}); err != nil {
		t.Fatal(err)
	}
	for columns, want := range map[string]int{"": 57, "120": 120, "40": 40, "0": 57, "-3": 57, "wide": 57} {
		env := func(name string) string {
			if name == "COLUMNS" {
				return columns
			}
			return ""
		}
		if got := look(tty, env); got.width != want || !got.color {
			t.Errorf("COLUMNS=%q: got %+v, want width %d", columns, got, want)
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	if isTerminal(null) {
		t.Error("a device that is no terminal is taken for one")
	}
}
