package analysis

import "testing"

// TestKeyExpression: descriptions as Flink's planner writes them.
func TestKeyExpression(t *testing.T) {
	for _, c := range []struct{ description, want string }{
		{"[4]:GroupAggregate(groupBy=[c], select=[c, slow_sum(amount) AS EXPR$1])\n+- totals[5]: Writer", "groupBy=[c]"},
		{"[4]:GroupAggregate(groupBy=[a, f(b)[1]], select=[a])", "groupBy=[a, f(b)[1]]"},
		{"[9]:Rank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER], rankRange=[rankStart=1, rankEnd=3], partitionBy=[shop], orderBy=[n DESC])\n" +
			"+- [10]:LocalGroupAggregate(groupBy=[day], select=[day, COUNT(*)])", "partitionBy=[shop]"},
		{"[3]:Join(joinType=[InnerJoin], where=[(customer = id)], select=[customer, id], leftInputSpec=[NoUniqueKey], rightInputSpec=[JoinKeyContainsUniqueKey])\n" +
			"+- [4]:Calc(select=[customer], where=[(id > 3)])", "where=[(customer = id)]"},
		{"[7]:IntervalJoin(joinType=[InnerJoin], windowBounds=[isRowTime=true, leftLowerBound=-10], where=[((a = b) AND (t >= s))])", "where=[((a = b) AND (t >= s))]"},
		{"[5]:Calc(select=[a], where=[(a > 1)])", ""},
		{"[5]:Calc(select=[a], where=[(a > 1)])\n+- [6]:Join(joinType=[LeftOuterJoin], select=[a])", ""},
		{"[3]:MultiJoin(commonJoinKey=[user_id], joinTypes=[InnerJoin])", "commonJoinKey=[user_id]"},
		{"[2]:Deduplicate(keep=[LastRow], key=[id], order=[PROCTIME])", "key=[id]"},
		{"[2]:Scan(uniqueKey=[id], table=[[t]])", ""},
		{"[2]:GroupAggregate(groupBy=[c", ""},
		{"enrich & count: by(customer), v2.1", ""},
		{"", ""},
	} {
		if got := keyExpression(c.description); got != c.want {
			t.Errorf("%s: %q, want %q", c.description, got, c.want)
		}
	}
}
