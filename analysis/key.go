package analysis

import "strings"

// keyExpression returns the part of a plan node's description that names the
// key, such as groupBy=[c]; empty when it names none, as with DataStream jobs.
// The names are those of Flink SQL's physical nodes (GroupAggregate, Rank,
// OverAggregate, Deduplicate, MultiJoin). Joins name theirs in the condition,
// where=[…]; so do filters, which are no keys. Of several nodes in a chain the
// first is the one that the records are partitioned for.
func keyExpression(description string) string {
	at := -1
	for _, name := range []string{"groupBy=[", "partitionBy=[", "leftJoinKey=[", "commonJoinKey=[", "joinKey=[", "key=["} {
		for from := 0; ; {
			i := strings.Index(description[from:], name)
			if i < 0 {
				break
			}
			if i += from; i == 0 || !isLetter(description[i-1]) { // No uniqueKey=[ and the like.
				at = earlier(at, i)
				break
			}
			from = i + len(name)
		}
	}
	if node := strings.Index(description, "Join("); node >= 0 {
		line, _, _ := strings.Cut(description[node:], "\n")
		if i := strings.Index(line, "where=["); i >= 0 {
			at = earlier(at, node+i)
		}
	}
	if at < 0 {
		return ""
	}
	depth := 0
	for i, r := range description[at:] {
		switch r {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return description[at : at+i+1]
			}
		}
	}
	return ""
}

// earlier returns the smaller of two positions, of which the first may be -1 for none.
func earlier(at, i int) int {
	if at < 0 {
		return i
	}
	return min(at, i)
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
