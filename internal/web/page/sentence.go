package page

import "strings"

// sentence is a sentence with the command line in it, which people copy and
// which therefore stands by itself. Command and After may be empty.
type sentence struct {
	Before, After string
	// Command is its words.
	Command []string
}

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
		line := append([]string{strings.TrimSpace(command)}, words[:n]...)
		after := strings.Join(words[n:], " ")
		last := &line[len(line)-1]
		if bare := strings.TrimRight(*last, ".,;"); bare != *last {
			after = (*last)[len(bare):] + " " + after
			*last = bare
		}
		out = append(out, sentence{strings.TrimSpace(before), strings.TrimSpace(after), line})
	}
	return out
}
