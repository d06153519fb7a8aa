package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameColumns is how many terminal columns a name of a job, vertex or worker
// may take inside a sentence. Flink generates names of several kilobytes.
const nameColumns = 60

// clean makes free text of users safe to print on one line: invalid UTF-8 and
// control characters (among them the escape that starts a terminal sequence)
// become the replacement character, as do invisible format characters, which
// could reorder the line; runs of white space become one space.
func clean(s string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			r = utf8.RuneError
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// name returns a cleaned and cut name for use inside a sentence.
func name(s string) string {
	s = cut(clean(s), nameColumns)
	if s == "" {
		return "(unnamed)"
	}
	return s
}

// cut shortens s to at most n terminal columns, the last being an ellipsis when
// something was left out. Marks that take no column are bounded as well, so
// that a name of nothing but combining marks cannot flood a line.
func cut(s string, n int) string {
	if columns(s) <= n && utf8.RuneCountInString(s) <= 2*n {
		return s
	}
	used, runes := 0, 0
	for i, r := range s {
		w := runeColumns(r)
		if used+w > n-1 || runes >= 2*n {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		used += w
		runes++
	}
	return s
}

// columns returns how many terminal columns s takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// runeColumns is 0 for combining marks, 2 for the East Asian wide blocks and
// emoji, else 1.
func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3,
		r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60,
		r >= 0xFFE0 && r <= 0xFFE6, r >= 0x1F300 && r <= 0x1FAFF, r >= 0x20000 && r <= 0x3FFFD:
		return 2
	}
	return 1
}

// pad fills s with spaces on the right to n columns; right does so on the left.
func pad(s string, n int) string   { return s + strings.Repeat(" ", max(0, n-columns(s))) }
func right(s string, n int) string { return strings.Repeat(" ", max(0, n-columns(s))) + s }

// ascii replaces what a terminal without Unicode cannot draw: the signs of our
// own sentences by their usual spelling, anything else by a question mark.
func ascii(s string) string {
	s = strings.NewReplacer("–", "-", "×", "x", "µ", "u", "…", "...", "·", "|", "←", "<-", "≥", ">=", "→", "->").Replace(s)
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return '?'
	}, s)
}

// wrap breaks s into lines of at most n columns at spaces, never between a
// number and its sign or unit nor inside a command line. A single longer word
// keeps a line of its own.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range glue(strings.Fields(s)) {
		switch {
		case line == "":
			line = word
		case columns(line)+1+columns(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// isSign reports whether a word is a sign or unit that belongs to a number,
// punctuation after it or not.
func isSign(w string) bool {
	switch strings.TrimRight(w, ".,;:)") {
	case "%", "×", "x", "ns", "µs", "us", "ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "TiB", "PiB":
		return true
	}
	return false
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// continues reports whether a word goes on with the command line before it: its
// subcommand, flags, and the file it reads.
func continues(command, w string) bool {
	return command == binaryName || strings.HasPrefix(command, binaryName+" ") &&
		(strings.HasPrefix(w, "--") || w == "<" || strings.HasSuffix(command, " <"))
}

// glue joins a sign or unit to the number before it, and a command line into one
// word, so that it can be copied.
func glue(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if len(out) > 0 && (isSign(w) && unicode.IsDigit(lastRune(out[len(out)-1])) || continues(out[len(out)-1], w)) {
			out[len(out)-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}
