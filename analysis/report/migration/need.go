package migration

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Need says whether max parallelism has to be raised. The set is closed.
type Need string

// The answers.
const (
	// Needed: max parallelism binds, or is less than four times what is needed.
	Needed Need = "needed"
	// NotKeyed: nothing has key groups; a restart with another value does.
	NotKeyed Need = "stateless"
	// ShortLived: the state lives so briefly that it is rebuilt sooner than rewritten.
	ShortLived Need = "short_ttl"
	// SkewFirst: a hot key or the like limits the job, and stays where it is.
	SkewFirst Need = "skew_first"
	// PartitionsBind and SlotsBind: what binds is something else.
	PartitionsBind Need = "source_partitions"
	SlotsBind      Need = "task_slots"
	// Roomy: the ceiling is at least four times what is needed.
	Roomy Need = "roomy"
	// Largest: there is no larger value in Flink.
	Largest Need = "largest"
)

const (
	// roomy is how many times the largest parallelism needed a max parallelism
	// should be at least; twice that is enough.
	roomy = 4
	// briefState is the time to live up to which state is better rebuilt.
	briefState = time.Hour
)

// keyed is one vertex or operator with key groups.
type keyed struct {
	Name                        string
	Parallelism, MaxParallelism int
	// Required is what the present load asks for; absent when not known.
	Required analysis.Num
	Binding  analysis.Binding
	Verdict  analysis.VerdictID
}

// needs is the largest parallelism that the vertex is known to need.
func (k keyed) needs(foreseen int) int {
	return max(k.Parallelism, foreseen, int(math.Ceil(k.Required.Or(0))))
}

func (k keyed) tight(foreseen int) bool { return k.MaxParallelism < roomy*k.needs(foreseen) }

// keyedOf lists what has key groups: the job's vertices, or without a job the
// savepoint's operators with keyed state.
func keyedOf(in Input) []keyed {
	var all []keyed
	if in.Job == nil {
		for _, o := range in.Savepoint.Operators {
			if o.KeyedBytes > 0 {
				all = append(all, keyed{Name: nameOf(o), Parallelism: o.Parallelism, MaxParallelism: o.MaxParallelism})
			}
		}
		return all
	}
	for i := range in.Job.Vertices {
		v := &in.Job.Vertices[i]
		if m, ok := v.MaxParallelism.Get(); ok && v.Keyed {
			all = append(all, keyed{
				Name: v.Name, Parallelism: v.Parallelism, MaxParallelism: int(m),
				Required: v.Sizing.Required, Binding: v.Ceiling.Binding, Verdict: v.Verdict.ID,
			})
		}
	}
	return all
}

func nameOf(o Operator) string {
	for _, s := range []string{o.Name, o.UID} {
		if s != "" {
			return s
		}
	}
	return "operator " + o.ID
}

// unmended are the verdicts that no parallelism mends.
func unmended(id analysis.VerdictID) bool {
	return slices.Contains([]analysis.VerdictID{
		analysis.HotKey, analysis.FewKeys, analysis.SlowTaskManager, analysis.CostlyRecords, analysis.Stalled,
	}, id)
}

// needOf says whether a higher max parallelism is needed, and why, in whole
// sentences.
func needOf(in Input, all []keyed) (Need, []string) {
	if len(all) == 0 {
		return NotKeyed, []string{"Nothing in this job has key groups: without a hash-partitioned input a higher max parallelism takes effect at the next start, and no state stands in its way."}
	}
	if in.StateTTL > 0 && in.StateTTL <= briefState {
		return ShortLived, []string{fmt.Sprintf("Keyed state lives for %s: a job started beside this one from the same log with a higher max parallelism has the same state after that time. A rewrite would gain nothing.", in.StateTTL)}
	}
	if need, why := elsewhere(in); need != "" {
		return need, why
	}
	var tight []keyed
	least := math.Inf(1)
	for _, k := range all {
		least = min(least, float64(k.MaxParallelism)/float64(k.needs(in.Foreseen)))
		if k.tight(in.Foreseen) {
			tight = append(tight, k)
		}
	}
	if len(tight) == 0 {
		return Roomy, []string{fmt.Sprintf("Max parallelism is at least %s × the largest parallelism needed; four is enough.", report.Number(math.Floor(least*10)/10))}
	}
	if i := slices.IndexFunc(tight, func(k keyed) bool { return unmended(k.Verdict) }); i >= 0 {
		return SkewFirst, []string{fmt.Sprintf("%s is judged %s: more parallelism does not mend that, at whatever ceiling. Mend it first (docs/verdicts/%s.md), then ask again.", quote(tight[i].Name), tight[i].Verdict, tight[i].Verdict)}
	}
	if slices.ContainsFunc(tight, func(k keyed) bool { return k.MaxParallelism >= keygroup.UpperBound }) {
		return Largest, []string{fmt.Sprintf("Max parallelism is %s, the largest that Flink knows: split the job, or its keys.", report.Thousands(keygroup.UpperBound))}
	}
	var why []string
	for _, k := range tight {
		why = append(why, k.why(in.Foreseen))
	}
	return Needed, why
}

// why says how tight the ceiling is.
func (k keyed) why(foreseen int) string {
	n := k.needs(foreseen)
	of := "it runs at"
	switch {
	case n == foreseen && foreseen > k.Parallelism:
		of = "are foreseen"
	case float64(n) == math.Ceil(k.Required.Or(0)) && n > k.Parallelism:
		of = "the present demand asks for"
	}
	return fmt.Sprintf("%s: max parallelism %s is %s × the %s that %s.", quote(k.Name), report.Thousands(float64(k.MaxParallelism)),
		report.Number(float64(k.MaxParallelism)/float64(n)), report.Thousands(float64(n)), of)
}

// elsewhere looks at the vertices that want more than they can have: when none
// of them is bound by max parallelism, raising it helps nobody.
func elsewhere(in Input) (Need, []string) {
	if in.Job == nil {
		return "", nil
	}
	var bound []*analysis.VertexResult
	for i := range in.Job.Vertices {
		v := &in.Job.Vertices[i]
		ceiling, known := v.Ceiling.Effective.Get()
		if !known || v.Sizing.Required.Or(0) <= ceiling {
			continue
		}
		if v.Ceiling.Binding == analysis.BindMaxParallelism {
			return "", nil
		}
		bound = append(bound, v)
	}
	if len(bound) == 0 {
		return "", nil
	}
	v := bound[0]
	numbers := fmt.Sprintf("%s asks for parallelism %s", quote(v.Name), report.Whole(v.Sizing.Required))
	if v.Ceiling.Binding == analysis.BindTaskSlots {
		return SlotsBind, []string{fmt.Sprintf("%s, and the cluster's task slots allow %s: add slots. Max parallelism (%s) is not what binds.", numbers, report.Whole(v.Ceiling.Effective), report.Whole(v.MaxParallelism))}
	}
	return PartitionsBind, []string{fmt.Sprintf("%s, and its source has %s partitions: add partitions. Max parallelism (%s) is not what binds.", numbers, report.Whole(v.Ceiling.Effective), report.Whole(v.MaxParallelism))}
}
