package savepoint

import (
	"fmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// Basis says what a prediction rests on.
type Basis string

// The bases.
const (
	// ByKeyGroup adds up key groups: exact for the state as recorded.
	ByKeyGroup Basis = "key_groups"
	// BySubtask adds up whole recorded subtasks, which is sound where every border
	// between two subtasks was one before.
	BySubtask Basis = "subtasks"
	// NoBasis is that of a prediction that cannot be made; Reason says why.
	NoBasis Basis = ""
)

// Prediction is the keyed state of each subtask at some parallelism.
type Prediction struct {
	// Parallelism is that asked for.
	Parallelism int
	Basis       Basis
	// Bytes are those of each subtask, by index; nil without a basis. By key group
	// they leave the streams' headers out, which every subtask has anew.
	Bytes []int64
	// Reason says why there is no basis; empty when there is one.
	Reason string
}

// Largest returns the index and bytes of the largest subtask, the first of equals.
func (p Prediction) Largest() (index int, bytes int64) {
	for i, b := range p.Bytes {
		if b > bytes {
			index, bytes = i, b
		}
	}
	return index, bytes
}

// Mean returns the mean bytes of a subtask; 0 without a basis.
func (p Prediction) Mean() float64 {
	if len(p.Bytes) == 0 {
		return 0
	}
	var sum float64
	for _, b := range p.Bytes {
		sum += float64(b)
	}
	return sum / float64(len(p.Bytes))
}

// Skew returns the largest subtask's bytes over the mean, at least 1; ok is false
// when there are no bytes.
func (p Prediction) Skew() (ratio float64, ok bool) {
	mean := p.Mean()
	if mean == 0 {
		return 0, false
	}
	_, most := p.Largest()
	return float64(most) / mean, true
}

// At predicts the operator's keyed state at a parallelism from 1 on. It never
// guesses: where the file does not give the numbers, the prediction says why.
// Bytes are not load: a small state can be busy.
func (o *Operator) At(parallelism int) Prediction { return o.at(parallelism, o.KeyGroups()) }

// Predict returns At for several parallelisms.
func (o *Operator) Predict(parallelisms []int) []Prediction {
	state := o.KeyGroups()
	out := make([]Prediction, 0, len(parallelisms))
	for _, p := range parallelisms {
		out = append(out, o.at(p, state))
	}
	return out
}

func (o *Operator) at(p int, state KeyGroupState) Prediction {
	out := Prediction{Parallelism: p}
	switch {
	case p < 1:
		out.Reason = "a parallelism is at least 1"
	case p > o.MaxParallelism:
		out.Reason = fmt.Sprintf("above the maxParallelism, %d: a restore is not possible", o.MaxParallelism)
	case state.Reason == NoKeyedState || state.Reason == AllFinished:
		out.Reason = string(state.Reason)
	case o.rangeTooLarge():
		out.Reason = "the file has key groups beyond the maxParallelism"
	case state.Reason == Recorded:
		out.Basis, out.Bytes = ByKeyGroup, make([]int64, p)
		for _, g := range state.Groups {
			i := keygroup.Owner(g.Group, p, o.MaxParallelism)
			out.Bytes[i] = add(out.Bytes[i], g.Bytes)
		}
	default:
		return o.whole(out)
	}
	return out
}

// whole adds up whole recorded subtasks.
func (o *Operator) whole(out Prediction) Prediction {
	p, m := out.Parallelism, o.MaxParallelism
	if len(o.Subtasks) != o.Parallelism {
		out.Reason = "not known: subtasks are missing from the file"
		return out
	}
	bytes := make([]int64, p)
	for _, s := range o.Subtasks {
		first, last := keygroup.Range(s.Index, o.Parallelism, m)
		if !s.covers(first, last) {
			out.Reason = fmt.Sprintf("not known: the state of subtask %d is not that of its key groups alone", s.Index)
			return out
		}
		a, b := keygroup.Owner(first, p, m), keygroup.Owner(last, p, m)
		if a != b {
			out.Reason = fmt.Sprintf("not known without bytes per key group: it would split subtask %d of the recorded %d", s.Index, o.Parallelism)
			return out
		}
		bytes[a] = add(bytes[a], s.KeyedBytes())
	}
	out.Basis, out.Bytes = BySubtask, bytes
	return out
}

// covers reports whether all keyed state of the subtask lies in a range of key groups.
func (s Subtask) covers(first, last int) bool {
	if s.State == nil {
		return true
	}
	for _, k := range []*Keyed{s.State.ManagedKeyed, s.State.RawKeyed} {
		if k != nil && k.Last >= k.First && (k.First < first || k.Last > last) {
			return false
		}
	}
	return true
}
