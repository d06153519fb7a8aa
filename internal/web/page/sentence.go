package page

import "strings"

// sentence is a sentence with the command line in it, which people copy and
// which therefore stands by itself. Command and After may be empty.
type sentence struct{ Before, Command, After string }

// command is how a command line begins.
const command = "flink-skew-exporter "

// split finds the command line of each sentence: its subcommand, flags, and the
// file it reads.
func split(sentences []string) []sentence {
	out := make([]sentence, 0, len(sentences))
	for _, s := range sentences {
		before, rest, found := strings.Cut(s, command)
		if !found {
			out = append(out, sentence{Before: s})
			continue
		}
		words := strings.Fields(rest)
		n := min(1, len(words))
		for n < len(words) && (strings.HasPrefix(words[n], "--") || words[n] == "<" || words[n-1] == "<") {
			n++
		}
		line := command + strings.Join(words[:n], " ")
		after := strings.Join(words[n:], " ")
		if trimmed := strings.TrimRight(line, ".,;"); trimmed != line {
			line, after = trimmed, line[len(trimmed):]+" "+after
		}
		out = append(out, sentence{strings.TrimSpace(before), line, strings.TrimSpace(after)})
	}
	return out
}
