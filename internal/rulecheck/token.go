package rulecheck

import (
	"fmt"
	"strings"
)

// kind is what a token of PromQL is.
type kind int

const (
	word     kind = iota // An identifier or keyword.
	literal              // A string, without its quotes and with escapes as written.
	number               // A number or duration.
	symbol               // One character of anything else, or a matcher's operator.
	variable             // $name, ${name:format} or [[name]] of Grafana.
)

// token is one word of an expression.
type token struct {
	kind kind
	text string
	// glued says that no space separates it from the token before.
	glued bool
}

// tokens cuts an expression into words. Comments are left out. The only error
// is a string that does not end.
func tokens(expr string) ([]token, error) {
	var all []token
	glued := false
	for rest := expr; rest != ""; {
		size, k := 1, symbol
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			rest, glued = rest[1:], false
			continue
		case c == '#':
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return all, nil
			}
			rest, glued = rest[end:], false
			continue
		case c == '"' || c == '\'' || c == '`':
			end := stringEnd(rest)
			if end < 0 {
				return nil, fmt.Errorf("a string does not end: %.40s", rest)
			}
			all = append(all, token{literal, rest[1 : end-1], glued})
			rest, glued = rest[end:], true
			continue
		case isWordStart(c):
			size, k = span(rest, isWordPart), word
		case c >= '0' && c <= '9':
			size, k = span(rest, isNumberPart), number
		case c == '$' || strings.HasPrefix(rest, "[["):
			if n := variableSize(rest); n > 0 {
				size, k = n, variable
			}
		case strings.HasPrefix(rest, "=~") || strings.HasPrefix(rest, "!~") || strings.HasPrefix(rest, "!="):
			size = 2
		}
		all = append(all, token{k, rest[:size], glued})
		rest, glued = rest[size:], true
	}
	return all, nil
}

// stringEnd returns the position after the closing quote, -1 without one.
func stringEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] != '`':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return -1
}

// variableSize returns the length of a Grafana variable at the start of s, 0 if
// there is none.
func variableSize(s string) int {
	for open, end := range map[string]string{"${": "}", "[[": "]]"} {
		if strings.HasPrefix(s, open) {
			if i := strings.Index(s, end); i > 0 {
				return i + len(end)
			}
			return 0
		}
	}
	if n := span(s[1:], isWordPart); s[0] == '$' && n > 0 {
		return 1 + n
	}
	return 0
}

// span is how many leading bytes of s belong.
func span(s string, belongs func(byte) bool) int {
	for i := range len(s) {
		if !belongs(s[i]) {
			return i
		}
	}
	return len(s)
}

func isWordStart(c byte) bool {
	return c == '_' || c == ':' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isWordPart(c byte) bool { return isWordStart(c) || '0' <= c && c <= '9' }

// isNumberPart holds for numbers (1.5, 0x1f, 1e3) and durations (1h30m).
func isNumberPart(c byte) bool { return isWordPart(c) && c != ':' || c == '.' }
