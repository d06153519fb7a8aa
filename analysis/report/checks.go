package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// layoutWithin is how far a measured ratio may be from the expected one for a
// layout to fit it, as the analysis has it; it is told, not judged by.
const layoutWithin = "a quarter"

// kind is how a measure's value is written.
type kind int

const (
	plainNumber kind = iota
	sharePercent
	ratioTimes
)

// measureWord is what a measure is called in a sentence.
type measureWord struct {
	what string
	kind kind
	// near says that the value was held to be near its threshold rather than
	// above or below it.
	near bool
}

// measureWords are those of every measure that a rule names.
func measureWords() map[string]measureWord {
	return map[string]measureWord{
		"backpressured_max":              {what: "back pressure of the most back-pressured subtask", kind: sharePercent},
		"backpressured_mean":             {what: "back pressure, mean", kind: sharePercent},
		"busy_max":                       {what: "busy time of the busiest", kind: sharePercent},
		"busy_max_to_min":                {what: "busy time of the busiest to that of the least busy", kind: ratioTimes},
		"busy_mean":                      {what: "busy time, mean", kind: sharePercent},
		"busy_min":                       {what: "busy time of the least busy", kind: sharePercent},
		"busy_others":                    {what: "busy time of the others, who must have room", kind: sharePercent},
		"busy_ratio":                     {what: "busy time against the others'", kind: ratioTimes},
		"busy_readers":                   {what: "busy time of the readers with a partition", kind: sharePercent},
		"busy_skew":                      {what: "busy time, largest to mean", kind: ratioTimes},
		"busy_without_records":           {what: "subtasks busy without a record"},
		"cost_high":                      {what: "time a record where it is dear"},
		"cost_others":                    {what: "time a record elsewhere"},
		"cost_ratio":                     {what: "time a record against the others'", kind: ratioTimes},
		"input_ratio":                    {what: "records against the others', which must be even", kind: ratioTimes},
		"key_group_share":                {what: "share of the key groups", kind: sharePercent},
		"key_groups_max":                 {what: "most key groups a subtask"},
		"key_groups_min":                 {what: "fewest key groups a subtask"},
		"layout_ratio":                   {what: "key groups, busiest share to mean", kind: ratioTimes},
		"load_ratio":                     {what: "load of those that own more to the rest's", kind: ratioTimes, near: true},
		"parallelism":                    {what: "parallelism"},
		"partitions":                     {what: "partitions"},
		"partitions_max":                 {what: "most partitions a reader"},
		"partitions_min":                 {what: "fewest partitions a reader"},
		"partitions_ratio":               {what: "partitions a reader, most to mean", kind: ratioTimes},
		"readers_without_partition":      {what: "readers without a partition"},
		"records_excess":                 {what: "records a key group, largest to mean", kind: ratioTimes},
		"records_hot":                    {what: "records of the hot"},
		"records_max":                    {what: "records of the fastest"},
		"records_mean":                   {what: "records a subtask, mean"},
		"records_others":                 {what: "records of the others, who must move"},
		"records_per_key_group_gap":      {what: "records a key group, coldest hot subtask to hottest other", kind: ratioTimes},
		"records_per_key_group_ratio":    {what: "records a key group against the others'", kind: ratioTimes},
		"records_per_partition_gap":      {what: "records a partition, coldest hot reader to hottest other", kind: ratioTimes},
		"records_per_partition_ratio":    {what: "records a partition against the others'", kind: ratioTimes},
		"records_seen":                   {what: "records seen, too few to tell chance from skew"},
		"records_share":                  {what: "share of the records", kind: sharePercent},
		"records_skew":                   {what: "records, largest to mean", kind: ratioTimes},
		"records_since_start_share":      {what: "records since the start of subtasks that get none now, against the mean", kind: sharePercent},
		"records_stalled":                {what: "records of the stuck"},
		"subtasks_on_taskmanager":        {what: "subtasks on that TaskManager"},
		"subtasks_unseen":                {what: "subtasks out of sight, and no neighbour to compare with on the same worker"},
		"subtasks_with_costly_records":   {what: "subtasks whose records are dear, who must be few"},
		"subtasks_without_records":       {what: "subtasks without a record"},
		"subtasks_without_records_share": {what: "share of subtasks without a record, no steps of one key seen", kind: sharePercent},
		"upstream_backpressured":         {what: "back pressure of what feeds it", kind: sharePercent},
		"vertices_slow_on_taskmanager":   {what: "vertices that are slow on that TaskManager"},
	}
}

// applicableWords say what a rule is about, for those it was not asked of.
func applicableWords() map[string]string {
	return map[string]string{
		"hash_input":       "only for two subtasks or more behind a HASH exchange",
		"inputs":           "not for a source, which may sleep by design",
		"known_partitions": "only for a source whose readers' partitions are known",
		"other_inputs":     "only where neither HASH nor a source feeds it",
		"source_of_one":    "not for a source of one subtask, which may pace itself",
	}
}

// explainCheck says in one line, without a stop, what a rule was decided by.
func explainCheck(c *analysis.Check) string {
	m := &c.Why
	if m.Name == "" {
		return "no number is told"
	}
	if s, ok := applicableWords()[m.Name]; ok && !m.Value.Known() && !m.Threshold.Known() {
		return "does not apply: " + s
	}
	w, ok := measureWords()[m.Name]
	if !ok {
		w = measureWord{what: strings.ReplaceAll(clean(m.Name), "_", " ")}
	}
	if !m.Value.Known() && !m.Threshold.Known() {
		return w.what + ": not known"
	}
	value := "not known"
	if m.Value.Known() {
		value = w.write(m.Value, m.Unit)
	}
	if !m.Threshold.Known() {
		return fmt.Sprintf("%s: %s", w.what, value)
	}
	return fmt.Sprintf("%s: %s (%s)", w.what, value, w.held(c))
}

// held says what the value was held against. The direction follows from which
// side of the threshold it is on and whether the rule fired.
func (w measureWord) held(c *analysis.Check) string {
	threshold := w.write(c.Why.Threshold, c.Why.Unit)
	value, known := c.Why.Value.Get()
	below := value < c.Why.Threshold.Or(math.NaN())
	switch {
	case w.near:
		return fmt.Sprintf("must be within %s of %s", layoutWithin, threshold)
	case !known:
		return "held against " + threshold
	case below != c.Fired:
		return "at least " + threshold
	}
	return "at most " + threshold
}

func (w measureWord) write(n analysis.Num, u analysis.Unit) string {
	switch w.kind {
	case sharePercent:
		return show(n, percent)
	case ratioTimes:
		return show(n, times)
	}
	out := inUnit(n, u)
	switch u {
	case analysis.UnitSubtasks, analysis.UnitVertices, analysis.UnitKeyGroups, analysis.UnitPartitions, analysis.UnitRecords:
		out = show(n, thousands)
	}
	return out
}

// Check is one rule's answer with its words.
type Check struct {
	Rule  string           `json:"rule"`
	Fired bool             `json:"fired"`
	Why   analysis.Measure `json:"why"`
	// Summary says the same in words, without a stop.
	Summary string `json:"summary"`
}

// checks are the vertex's, in the order of the rules; never nil.
func checks(v *analysis.VertexResult) []Check {
	out := make([]Check, 0, len(v.Checks))
	for i := range v.Checks {
		c := &v.Checks[i]
		out = append(out, Check{Rule: valid(c.Rule), Fired: c.Fired, Why: c.Why, Summary: explainCheck(c)})
	}
	return out
}

// checkLines lists every rule with its answer, aligned; nil without a trace.
func (b block) checkLines() []string {
	if len(b.v.Checks) == 0 {
		return nil
	}
	width, first := 0, ""
	for i := range b.v.Checks {
		c := &b.v.Checks[i]
		width = max(width, columns(clean(c.Rule)))
		if c.Fired && first == "" {
			first = c.Rule
		}
	}
	lines := []string{"rules, in the order they are asked; the first that holds decides"}
	for i := range b.v.Checks {
		c := &b.v.Checks[i]
		answer := "no  "
		switch {
		case c.Fired && c.Rule == first:
			answer = "YES "
		case c.Fired:
			answer = "also"
		}
		lines = append(lines, fmt.Sprintf("%s  %s  %s", pad(clean(c.Rule), width), answer, explainCheck(c)))
	}
	if stands := string(b.v.Verdict.ID); first != stands && first != "" {
		lines = append(lines, fmt.Sprintf("%s stands from earlier windows: the newest one says %s, and windows must agree before the verdict changes", stands, clean(first)))
	} else if first == "" && b.v.Verdict.Severity > analysis.SeverityNone {
		lines = append(lines, stands+" stands from earlier windows: no rule holds in the newest one, and windows must agree before it is left")
	}
	return lines
}
