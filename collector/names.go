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
// runes. Each run of invalid bytes becomes one U+FFFD. Quotes, backslashes and
// newlines are legal in label values and stay; the encoders escape them.
func CleanLabel(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	// No more bytes than runes allowed cannot be too long, which spares nearly
	// every id and most names the loop.
	if len(s) <= MaxLabelRunes {
		return s
	}
	runes := 0
	for i := range s {
		if runes == MaxLabelRunes {
			return s[:i]
		}
		runes++
	}
	return s
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
