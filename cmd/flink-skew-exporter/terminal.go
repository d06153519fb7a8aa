package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal rather than a file or a pipe.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminal is what the terminal behind an output can do.
type terminal struct {
	color, unicode bool
	// width is in columns, 0 when unknown.
	width int
}

// look asks the environment what w can do: colours only on a terminal and
// never with NO_COLOR (of any value) or TERM=dumb; Unicode unless a terminal's
// locale says otherwise, since files and pipes take UTF-8. The width is the
// terminal's own unless COLUMNS says otherwise.
func look(w io.Writer, env func(string) string) terminal {
	tty := isTerminal(w)
	t := terminal{
		color:   tty && env("NO_COLOR") == "" && env("TERM") != "dumb",
		unicode: !tty || utf8Locale(env),
	}
	if tty {
		t.width = widthOf(w, env("COLUMNS"))
	}
	return t
}

// widthOf is what override says if it is a width, or else what the terminal
// says; 0 when neither does.
func widthOf(w io.Writer, override string) int {
	if n, err := strconv.Atoi(override); err == nil && n > 0 {
		return n
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// utf8Locale follows the precedence of POSIX; without any variable the C
// locale holds, which is ASCII.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(env(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}

// progressLine is one line on a terminal that is written over and over.
type progressLine struct {
	w io.Writer
	// on is whether w is a terminal; else nothing is written.
	on bool
}

func newProgress(w io.Writer) *progressLine { return &progressLine{w: w, on: isTerminal(w)} }

func (p *progressLine) show(format string, args ...any) {
	if p.on {
		fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	}
}

// clear removes the line.
func (p *progressLine) clear() { p.show("") }
