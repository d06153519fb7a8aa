package collector

import (
	"strings"
	"unicode/utf8"
)

// MaxLabelRunes is the length in runes to which label values are cut. Flink
// itself cuts operator names at 80 characters in metric identifiers, but job
// and vertex names (SQL statements, chained operators) may be thousands long.
const MaxLabelRunes = 100

// CleanLabel returns s as a label value: valid UTF-8 of at most MaxLabelRunes
// runes that a terminal can show. Each run of invalid bytes becomes one U+FFFD,
// white space a blank, and what else acts instead of being seen (control
// characters, marks that turn the direction of text) U+FFFD too. Quotes and
// backslashes are legal in label values and stay; the encoders escape them.
func CleanLabel(s string) string {
	if isPlain(s) {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	runes := 0
	for i := range s {
		if runes == MaxLabelRunes {
			s = s[:i]
			break
		}
		runes++
	}
	return strings.Map(visible, s)
}

// isPlain spares nearly every id and most names the work: no more bytes than
// runes allowed cannot be too long, and printable ASCII is as it should be.
func isPlain(s string) bool {
	if len(s) > MaxLabelRunes {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// visible replaces characters that act instead of being seen.
func visible(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\r', r == '\u2028', r == '\u2029':
		return ' '
	case r < ' ', r >= 0x7f && r <= 0x9f, r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069',
		r == '\u200e', r == '\u200f', r == '\u061c':
		return utf8.RuneError
	}
	return r
}

// head is what all series of one subject have in common: the values of its
// labels, and the same as exposition text.
type head struct {
	// values are in the order of the subject's label names.
	values []string
	// text is `name="value",name="value"` with values escaped.
	text []byte
}

// newHead builds the head for label names and clean values, which must be of
// one length.
func newHead(names, values []string) head {
	size := 0
	for i, n := range names {
		size += len(n) + len(values[i]) + len(`="",`)
	}
	text := make([]byte, 0, size)
	for i, n := range names {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendLabel(text, n, values[i])
	}
	return head{values: values, text: text}
}

// subject lets every type that embeds a head be rendered.
func (h *head) subject() *head { return h }

// appendLabel appends name="value", escaping what the text format reserves.
func appendLabel(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, '=', '"')
	for {
		i := strings.IndexAny(value, "\\\"\n")
		if i < 0 {
			break
		}
		b = append(b, value[:i]...)
		switch value[i] {
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, '\\', value[i])
		}
		value = value[i+1:]
	}
	b = append(b, value...)
	return append(b, '"')
}
