package picture

import (
	"html"
	"regexp"
	"strings"
)

// markdown draws the little that the text panels use: paragraphs, strong,
// emphasis and code.
func markdown(text string) string {
	var b strings.Builder
	b.WriteString("<div class=md>")
	for _, line := range strings.Split(text, "\n") {
		line = html.EscapeString(line)
		line = regexp.MustCompile("`([^`]+)`").ReplaceAllString(line, "<code>$1</code>")
		line = regexp.MustCompile(`\*\*(.+?)\*\*`).ReplaceAllStringFunc(line, func(s string) string { return "<b>" + s[2:len(s)-2] + "</b>" })
		line = regexp.MustCompile(`\*([^*]+)\*`).ReplaceAllString(line, "<em>$1</em>")
		b.WriteString("<p>" + line + "</p>")
	}
	b.WriteString("</div>")
	return b.String()
}
