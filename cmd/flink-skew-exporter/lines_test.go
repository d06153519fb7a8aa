package main

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"testing"
)

// lines are those that a process writes.
type lines struct {
	all  chan string
	seen strings.Builder
}

func newLines(r io.Reader) *lines {
	l := &lines{all: make(chan string, 4096)}
	go func() {
		defer close(l.all)
		for s := bufio.NewScanner(r); s.Scan(); {
			l.all <- s.Text()
		}
	}()
	return l
}

// await returns the first group of the next line that matches. The process
// under test ends with its test, and so does the wait.
func (l *lines) await(t *testing.T, pattern string) string {
	t.Helper()
	for line := range l.all {
		l.seen.WriteString(line + "\n")
		if m := regexp.MustCompile(pattern).FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	t.Fatalf("no line with %q in\n%s", pattern, l.seen.String())
	return ""
}
