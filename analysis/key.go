package analysis

import "strings"

// keyExpression returns the part of a plan node's description that names the
// key, such as groupBy=[c]; empty when it names none, as with DataStream jobs.
// The names are those of Flink SQL's physical nodes (GroupAggregate, Join,
// Rank, OverAggregate).
func keyExpression(description string) string {
	for _, name := range []string{"groupBy=[", "partitionBy=[", "leftJoinKey=[", "joinKey=[", "key=["} {
		start := strings.Index(description, name)
		if start < 0 {
			continue
		}
		depth := 0
		for i, r := range description[start:] {
			switch r {
			case '[':
				depth++
			case ']':
				if depth--; depth == 0 {
					return description[start : start+i+1]
				}
			}
		}
	}
	return ""
}
