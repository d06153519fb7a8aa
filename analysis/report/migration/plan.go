package migration

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Plan is what there is to do. Its zero value is none.
type Plan struct {
	Input  Input
	Need   Need
	Why    []string
	Choice Choice
	// Rows are the vertices, or the operators of a savepoint alone.
	Rows []Row
	// Operators are those of the savepoint with state.
	Operators []Operator
	// Blockers must be gone before step 4; empty when nothing is known to block.
	Blockers []string
	// StateBytes is the keyed state to rewrite; absent when not known.
	StateBytes analysis.Num
	// RewriteSeconds is how long that takes at Input.Throughput.
	RewriteSeconds analysis.Num
	// Backlog is how many records the sources read in that time; absent when not known.
	Backlog analysis.Num
}

// Row is a vertex and what bounds it.
type Row struct {
	Name                              string
	Parallelism                       int
	MaxParallelism, Required, Ceiling analysis.Num
	Binding, Verdict                  string
	Keyed                             bool
}

// New returns the plan for a job. Input must hold a job or a savepoint.
func New(in Input) Plan {
	all := keyedOf(in)
	p := Plan{Input: in}
	p.Need, p.Why = needOf(in, all)
	p.Choice = choose(in, all)
	p.Rows = rows(in, all)
	if in.Savepoint != nil {
		for _, o := range in.Savepoint.Operators {
			if o.KeyedBytes > 0 || o.OperatorBytes > 0 {
				p.Operators = append(p.Operators, o)
			}
		}
	}
	p.Blockers = p.blockers()
	p.StateBytes = stateBytes(in)
	if b, ok := p.StateBytes.Get(); ok && in.Throughput > 0 {
		p.RewriteSeconds = analysis.Of(b / in.Throughput)
		if rate, ok := sourceRate(in.Job).Get(); ok {
			p.Backlog = analysis.Of(rate * b / in.Throughput)
		}
	}
	return p
}

// Steps reports whether the steps are to be written: when they are needed, or
// were asked for by naming a target.
func (p *Plan) Steps() bool { return p.Need == Needed || p.Input.Target > 0 && p.Need != NotKeyed }

func rows(in Input, all []keyed) []Row {
	var out []Row
	if in.Job == nil {
		for _, k := range all {
			out = append(out, Row{Name: k.Name, Parallelism: k.Parallelism, MaxParallelism: analysis.OfInt(k.MaxParallelism), Keyed: true})
		}
		return out
	}
	for i := range in.Job.Vertices {
		v := &in.Job.Vertices[i]
		out = append(out, Row{
			Name: v.Name, Parallelism: v.Parallelism, MaxParallelism: v.MaxParallelism, Required: v.Sizing.Required,
			Ceiling: v.Ceiling.Effective, Binding: strings.ReplaceAll(string(v.Ceiling.Binding), "_", " "), Verdict: string(v.Verdict.ID), Keyed: v.Keyed,
		})
	}
	return out
}

// blockers are what a rewrite fails for.
func (p *Plan) blockers() []string {
	s := p.Input.Savepoint
	if s == nil {
		return nil
	}
	var out []string
	for _, o := range p.Operators {
		switch {
		case o.UID != "":
		case s.Format >= uidFormat:
			out = append(out, fmt.Sprintf("%s has state and no uid: the rewrite cannot name it for sure. Set setUidHash(%q) on it in the job's code, which keeps its state, deploy that, and take the savepoint anew.", quote(nameOf(o)), o.ID))
		default:
			out = append(out, fmt.Sprintf("Operator %s: this savepoint (format %d) does not record uids. Find the operator with this id in the job's code; it must have a uid there. `flink-skew-exporter savepoint --uid=UID` says whether a uid gives this id.", o.ID, s.Format))
		}
	}
	if in := p.Input; in.Job != nil {
		for _, k := range keyedOf(Input{Savepoint: s}) {
			if k.MaxParallelism != p.Choice.Recorded {
				out = append(out, fmt.Sprintf("%s was recorded with max parallelism %s, another than the job's largest, %s: one rewrite gives all operators the same.", quote(k.Name), report.Thousands(float64(k.MaxParallelism)), report.Thousands(float64(p.Choice.Recorded))))
			}
		}
	}
	return out
}

// stateBytes is the keyed state: that of the savepoint, else the full state of
// the keyed vertices in the newest checkpoint.
func stateBytes(in Input) analysis.Num {
	if in.Savepoint != nil {
		var sum int64
		for _, o := range in.Savepoint.Operators {
			sum += o.KeyedBytes
		}
		return analysis.OfInt(sum)
	}
	sum, known := 0.0, false
	for i := range in.Job.Vertices {
		if v := &in.Job.Vertices[i]; v.Keyed {
			b, ok := v.Signals.State.Sum.Get()
			if !ok {
				return analysis.Num{}
			}
			sum, known = sum+b, true
		}
	}
	if !known {
		return analysis.Num{}
	}
	return analysis.Of(sum)
}

// sourceRate is what the sources put out a second, absent when one of them is
// not known.
func sourceRate(j *analysis.JobResult) analysis.Num {
	if j == nil {
		return analysis.Num{}
	}
	sum, known := 0.0, false
	for i := range j.Vertices {
		v := &j.Vertices[i]
		if len(v.Inputs) > 0 {
			continue
		}
		r, ok := v.RecordsOutPerSecond.Get()
		if !ok {
			return analysis.Num{}
		}
		sum, known = sum+r, true
	}
	if !known {
		return analysis.Num{}
	}
	return analysis.Of(sum)
}

// Check returns an error when the target that was asked for cannot be.
func (p *Plan) Check() error {
	if t := p.Input.Target; t > 0 && t < p.Choice.Largest {
		return fmt.Errorf("a max parallelism of %d is below the parallelism needed, %d", t, p.Choice.Largest)
	}
	return nil
}
