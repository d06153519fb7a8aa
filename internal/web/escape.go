package web

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// EscapeControls returns a writer for JSON that writes as \uXXXX what
// encoding/json leaves as it is and what yet acts on the terminal or screen
// that shows it: DEL, the C1 controls and the marks that change the direction
// of text. Such characters occur within strings only, so that the meaning stays.
// Characters must not be split between writes, which json.Encoder never does.
func EscapeControls(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ w io.Writer }

// Write implements io.Writer; n counts bytes of b.
func (e escaper) Write(b []byte) (n int, err error) {
	from := 0
	var out []byte
	for i := 0; i < len(b); {
		r, size := rune(b[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(b[i:])
		}
		if acts(r) {
			out = append(out, b[from:i]...)
			out = fmt.Appendf(out, "\\u%04x", r)
			from = i + size
		}
		i += size
	}
	if out == nil {
		return e.w.Write(b)
	}
	if _, err := e.w.Write(append(out, b[from:]...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// acts reports characters that encoding/json does not escape and that do
// something other than being seen.
func acts(r rune) bool {
	switch {
	case r >= 0x7f && r <= 0x9f, r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069',
		r == '\u200e', r == '\u200f', r == '\u061c':
		return true
	}
	return false
}
