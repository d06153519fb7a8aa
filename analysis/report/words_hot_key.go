package report

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// smallGain is the gain of a first phase below which keys hardly repeat
// within a batch.
const smallGain = 1.5

// binaryName begins a command line in an advice, which is never wrapped.
const binaryName = "flink-skew-exporter"

// preAggregate is the remedy for a hot key, in SQL's terms where the plan is
// SQL's; what is there already is never advised.
func (f facts) preAggregate() string {
	switch {
	case f.j.Advice.PreAggregation != nil:
		return f.combined(f.j.Advice.PreAggregation)
	case f.sql():
		return "Aggregate locally before the shuffle: set table.exec.mini-batch.enabled, table.exec.mini-batch.allow-latency and table.exec.mini-batch.size, and " +
			"table.optimizer.agg-phase-strategy = TWO_PHASE; EXPLAIN must show a local aggregate. Where the aggregate cannot be split, salt the key and merge, or group by something finer."
	}
	return "Combine before the shuffle (two-phase or local–global aggregation), or salt the key and merge in a second stage, or group by something finer."
}

// combined says what a first phase that is there already gains, and what is
// left to do beside it.
func (f facts) combined(pre *analysis.PreAggregation) string {
	by, window := "", false
	if local := f.vertex(pre.Local); local != nil {
		by, window = " in "+vertexInText(local), strings.Contains(local.Name, "LocalWindowAggregate")
	}
	// A window's first phase hands on what it has when a slice ends or its
	// memory is full (RecordsWindowBuffer); mini-batches are not asked.
	larger := "make its batches larger (table.exec.mini-batch.allow-latency and table.exec.mini-batch.size)"
	if window {
		larger = "give its buffer more managed memory if it flushes before a window's slice ends"
	}
	const otherwise = ", salt the key and merge, or group by something finer."
	gain, ok := pre.Gain.Get()
	switch {
	case !ok:
		return fmt.Sprintf("Its records are combined before the shuffle already%s (two-phase); how much that gains cannot be seen, since Flink does not count the records that a source combines in its own chain. What is left: %s", by, larger) + otherwise
	case gain < smallGain:
		return fmt.Sprintf("Its records are combined before the shuffle already%s (two-phase), but that gains little: %s records in for each partial result out, so keys hardly repeat within a batch. Try to %s", by, significant(gain), larger) + otherwise
	}
	return fmt.Sprintf("Its records are combined before the shuffle already%s (two-phase), %s in for each partial result out. What is left: %s", by, significant(gain), larger) + otherwise
}

// sql tells a vertex of the SQL planner by its key expression or by the name
// that the planner gives to aggregates.
func (f facts) sql() bool {
	return strings.Contains(f.j.Advice.Key, "=[") || strings.Contains(f.v.Name, "GroupAggregate[") || strings.Contains(f.v.Name, "WindowAggregate[")
}

// key quotes the key expression of the plan; empty when it names none.
func (f facts) key() string { return cut(clean(f.j.Advice.Key), nameColumns) }

// findKey says where to look for the key.
func (f facts) findKey() string {
	of := ""
	if k := f.key(); k != "" {
		of = " of " + k
	}
	kg := f.j.Advice.KeyGroups
	if kg == nil && f.v.Hot != nil {
		kg = f.v.Hot.KeyGroups
	}
	m, ok := f.maxParallelism()
	if kg == nil || !ok {
		return fmt.Sprintf("Find the key%s: count records a key on the input of this vertex.", of)
	}
	which := "it falls"
	if len(f.j.Subtasks) > 1 {
		which = "the hottest falls"
	}
	return fmt.Sprintf("Find the key%s: %s in %s of %d%s; of suspects in keys.txt, one a line, %s tells which do.", of, which, groupRange(*kg), m, f.narrowed(*kg, m), f.keysCommand(*kg, m))
}

// suspectKeys says how to tell which keys the busiest subtask processes.
func (f facts) suspectKeys(kg analysis.KeyGroupRange, m int) string {
	return fmt.Sprintf("If one key is to blame, it falls in %s of %d; of suspects in keys.txt, one a line, %s tells which do.", groupRange(kg), m, f.keysCommand(kg, m))
}

// keysCommand is the command that tells which suspects lie in the key groups. The
// type of the key is in no answer of Flink's, so that it is left to the reader.
func (f facts) keysCommand(kg analysis.KeyGroupRange, m int) string {
	typ := "…"
	if f.sql() {
		typ = "'sql(…)'"
	}
	return fmt.Sprintf("%s keys --max-parallelism=%d --parallelism=%d --type=%s --groups=%d-%d < keys.txt", binaryName, m, f.v.Parallelism, typ, kg.First, kg.Last)
}

// narrowed says that the range is smaller than what the hot subtask owns,
// because those of earlier parallelisms were intersected; empty when it is not.
func (f facts) narrowed(kg analysis.KeyGroupRange, m int) string {
	if len(f.j.Subtasks) != 1 || f.j.Subtasks[0] < 0 || f.j.Subtasks[0] >= f.v.Parallelism {
		return ""
	}
	first, last := keygroup.Range(f.j.Subtasks[0], f.v.Parallelism, m)
	if kg.Last-kg.First >= last-first || kg.First < first || kg.Last > last {
		return ""
	}
	return fmt.Sprintf(" (the subtask owns %d–%d; what was hot at earlier parallelisms rules out the rest)", first, last)
}
