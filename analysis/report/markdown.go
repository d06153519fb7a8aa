package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// MarkdownOptions say how much is wanted.
type MarkdownOptions struct {
	// All lists the vertices that are fine or not judged one by one.
	All bool
	// Verbose adds what TextOptions.Verbose adds, and lists all vertices.
	Verbose bool
}

// Markdown writes the report for an issue or a chat, in the order of Text:
// names are escaped, tables are code blocks so that they survive narrow
// renderers. An error is that of w.
func Markdown(w io.Writer, in Input, f Filter, o MarkdownOptions) error {
	o.All = o.All || o.Verbose
	m := &markdownWriter{w: bufio.NewWriter(w), o: o}
	for _, c := range in.Clusters {
		m.cluster(newClusterView(c, f))
	}
	if len(in.Clusters) == 0 {
		m.line("No cluster is configured.")
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}

// markdownWriter writes lines; bufio keeps the first error for Flush.
type markdownWriter struct {
	w *bufio.Writer
	o MarkdownOptions
}

func (m *markdownWriter) line(s string) {
	_, _ = m.w.WriteString(s)
	_ = m.w.WriteByte('\n')
}

func (m *markdownWriter) cluster(c clusterView) {
	m.line("## " + escape(strings.ReplaceAll(c.head, "   ", " · ")))
	m.line("")
	for _, b := range c.blocks {
		m.block(b)
	}
	for _, b := range c.open {
		m.block(b)
	}
	if len(c.minor) <= maxMinor || m.o.All {
		for _, b := range c.minor {
			m.block(b)
		}
	} else {
		m.summary("INFO", c.minorBy, c.minor)
	}
	m.summary("OK", c.fine, c.fineBlocks)
	m.summary("UNKNOWN", c.unjudged, c.unjudgedList)
	for _, l := range bounded(c.restarts, maxRestarting) {
		m.line("- **UNKNOWN**: " + escape(l))
	}
	m.list(c.restarting)
	for _, n := range c.notes {
		m.line("- NOTE: " + escape(n))
	}
	if c.none != "" {
		m.line("- " + escape(sentence(c.none)))
	}
	if m.o.Verbose {
		for i, g := range c.gaps {
			if i == maxGaps {
				m.line(fmt.Sprintf("- and %d more gaps", len(c.gaps)-maxGaps))
				break
			}
			m.line("- gap: " + escape(gapLine(g)))
		}
	}
	m.line("")
}

func (m *markdownWriter) summary(label string, by map[string]int, list []block) {
	if len(list) == 0 {
		return
	}
	m.line(fmt.Sprintf("- **%s**: %s", label, escape(counts(by))))
	m.list(list)
}

// list shows vertices that have no block, on request.
func (m *markdownWriter) list(blocks []block) {
	if !m.o.All {
		return
	}
	for _, b := range blocks {
		m.line(fmt.Sprintf("  - %s: `%s`. %s", escape(subject(b)), b.v.Verdict.ID, escape(strings.Join(b.words.Summary, " "))))
		for _, l := range b.notes(m.o.Verbose) {
			m.line("    - " + beside(l))
		}
	}
}

func beside(l besideLine) string {
	return "`" + l.label + "`: " + escape(strings.Join(l.words.Summary, " "))
}

// markdownSubject bounds a heading, which no terminal width does here.
const markdownSubject = 120

func subject(b block) string { return cut(b.job+" / "+b.vertex, markdownSubject) }

func (m *markdownWriter) block(b block) {
	m.line(fmt.Sprintf("### %s: %s", b.label(), escape(subject(b))))
	m.line("")
	m.line("**" + escape(b.verdict) + "** " + escape(strings.Join(b.words.Summary, " ")))
	m.line("")
	if lines := b.facts.loadTable(canvas{unicode: true, bar: barColumns}); len(lines) > 0 {
		if c := b.facts.caption(); c != "" {
			m.line(sentence(c) + ":")
			m.line("")
		}
		m.code(lines)
	}
	if b.skew != "" {
		m.line("- " + escape(b.skew))
	}
	if b.words.Scaling != "" {
		m.line("- scaling: " + escape(b.words.Scaling))
	}
	for _, l := range b.notes(m.o.Verbose) {
		m.line("- " + beside(l))
	}
	if m.o.Verbose {
		m.line("")
		for _, g := range []grid{b.evidenceGrid(), b.signalGrid(), b.factsGrid()} {
			m.code(g.lines())
		}
		m.code(b.checkLines())
	}
	m.line("")
	m.items("Do", b.words.Do)
	m.items("Don't", lowered(b.words.Dont))
	m.line("More: " + strings.Join(b.docs, " · "))
	m.line("")
}

func (m *markdownWriter) items(label string, items []string) {
	if len(items) == 0 {
		return
	}
	m.line("**" + label + "**")
	m.line("")
	for _, i := range items {
		m.line("- " + escape(i))
	}
	m.line("")
}

// code writes lines as a fenced block; a fence inside a name cannot end it,
// since every backtick becomes an apostrophe.
func (m *markdownWriter) code(lines []string) {
	if len(lines) == 0 {
		return
	}
	m.line("```text")
	for _, l := range lines {
		m.line(strings.ReplaceAll(l, "`", "'"))
	}
	m.line("```")
	m.line("")
}

// escape makes text literal in Markdown and keeps it from mentioning people or
// linking by itself (a zero-width joiner would be invisible to readers, so the
// at sign becomes an entity).
func escape(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
		"|", `\|`, "#", `\#`, "~", `\~`, "@", "&#64;", "://", ":&#47;/",
	).Replace(s)
}
