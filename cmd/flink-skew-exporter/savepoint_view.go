package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/savepoint"
)

// savepointView is the object that savepoint --format=json prints. In it and in
// all below an absent number or text is null, and an array is null only where
// its comment says so.
type savepointView struct {
	FormatVersion int    `json:"format_version"`
	FlinkVersions string `json:"flink_versions"`
	CheckpointID  int64  `json:"checkpoint_id"`
	Kind          string `json:"kind"`
	// StateBytes is the sum of the operators', whichever are shown.
	StateBytes int64 `json:"state_bytes"`
	// Operators are ascending by id.
	Operators []operatorView `json:"operators"`
	Warnings  []string       `json:"warnings"`
	// all is how many operators the file has.
	all int
}

// operatorView is one operator.
type operatorView struct {
	OperatorID     string  `json:"operator_id"`
	Name           *string `json:"name"`
	UID            *string `json:"uid"`
	Parallelism    int     `json:"parallelism"`
	MaxParallelism int     `json:"max_parallelism"`
	FullyFinished  bool    `json:"fully_finished"`
	// StateBytes is Flink's own state size: all subtasks and the coordinator.
	StateBytes       int64 `json:"state_bytes"`
	CoordinatorBytes int64 `json:"coordinator_bytes"`
	KeyedBytes       int64 `json:"keyed_bytes"`
	// KeyedState are the kinds of handles, after Flink's classes.
	KeyedState []string `json:"keyed_state"`
	// KeyedSkewRatio is the largest subtask's keyed bytes over the mean of those
	// that had not finished; null without any.
	KeyedSkewRatio *float64        `json:"keyed_skew_ratio"`
	Subtasks       []subtaskView   `json:"subtasks"`
	OperatorStates []namedState    `json:"operator_states"`
	KeyGroups      []keyGroupView  `json:"key_groups"` // null when the reason says why
	KeyGroupReason *string         `json:"key_groups_reason"`
	HeaderBytes    *int64          `json:"key_groups_header_bytes"`
	RawKeyGroups   []keyGroupView  `json:"raw_key_groups,omitempty"`
	Predictions    []predictedView `json:"predictions,omitempty"`
}

type subtaskView struct {
	Index         int   `json:"index"`
	Finished      bool  `json:"finished"`
	StateBytes    int64 `json:"state_bytes"`
	KeyedBytes    int64 `json:"keyed_bytes"`
	OperatorBytes int64 `json:"operator_bytes"`
	InFlightBytes int64 `json:"in_flight_bytes"`
	// SSTBytes are those of RocksDB's tables alone, which follow the data more
	// closely than all files do; null for other state.
	SSTBytes *int64 `json:"sst_bytes"`
	// KeyGroupFirst and KeyGroupLast are null without keyed state.
	KeyGroupFirst *int       `json:"key_group_first"`
	KeyGroupLast  *int       `json:"key_group_last"`
	Files         []fileView `json:"files,omitempty"`
}

type keyGroupView struct {
	Group int   `json:"group"`
	Bytes int64 `json:"bytes"`
}

// namedState is an operator state over all subtasks.
type namedState struct {
	Name string `json:"name"`
	Mode string `json:"mode"`
	// Elements are the list elements of all subtasks, MaxElements those of the
	// subtask with the most, Subtasks how many subtasks have the state.
	Elements    int `json:"elements"`
	MaxElements int `json:"max_elements"`
	Subtasks    int `json:"subtasks"`
}

// predictedView is the keyed state at another parallelism.
type predictedView struct {
	Parallelism int `json:"parallelism"`
	// Basis is key_groups, subtasks, or null when Reason says why there is none.
	Basis  *string `json:"basis"`
	Reason *string `json:"reason"`
	// SubtaskBytes are by index; null without a basis, as are all below.
	SubtaskBytes   []int64  `json:"subtask_bytes"`
	LargestSubtask *int     `json:"largest_subtask"`
	MaxBytes       *int64   `json:"max_bytes"`
	MeanBytes      *float64 `json:"mean_bytes"`
	SkewRatio      *float64 `json:"skew_ratio"`
	// max is the maxParallelism, for the ranges.
	max int
}

// orNil is a pointer to v, or nil for the zero value.
func orNil[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// view turns the metadata into what is printed. A failure that left the metadata
// usable becomes a warning.
func (s *savepointCommand) view(m *savepoint.Metadata, failure error) *savepointView {
	v := &savepointView{
		FormatVersion: m.Format, FlinkVersions: flinkVersions(m.Format), CheckpointID: m.CheckpointID, Kind: string(m.Kind()),
		Operators: []operatorView{}, Warnings: append([]string{}, m.Warnings...), all: len(m.Operators),
	}
	var broken *savepoint.Error
	if errors.As(failure, &broken) {
		v.Warnings = append(v.Warnings, fmt.Sprintf("The kind of snapshot is not known: %v.", broken))
	}
	for _, o := range m.Operators {
		if v.StateBytes += o.Bytes(); v.StateBytes < 0 {
			v.StateBytes = 1<<63 - 1
		}
		if s.wanted(o) {
			v.Operators = append(v.Operators, s.operatorView(o))
		}
	}
	slices.SortStableFunc(v.Operators, func(a, b operatorView) int { return cmp.Compare(a.OperatorID, b.OperatorID) })
	return v
}

// flinkVersions names the releases that write a format.
func flinkVersions(format int) string {
	return map[int]string{2: "1.3–1.10", 3: "1.11–1.15", 4: "1.16–1.20", 5: "2.0", 6: "2.1–2.3", 7: "after 2.3"}[format]
}

func (s *savepointCommand) operatorView(o *savepoint.Operator) operatorView {
	groups := o.KeyGroups()
	v := operatorView{
		OperatorID: o.ID.String(), Name: orNil(o.Name), UID: orNil(o.UID),
		Parallelism: o.Parallelism, MaxParallelism: o.MaxParallelism, FullyFinished: o.FullyFinished,
		StateBytes: o.Bytes(), KeyedState: []string{}, Subtasks: []subtaskView{}, OperatorStates: namedStates(o),
		KeyGroups: groupViews(groups.Groups), RawKeyGroups: groupViews(groups.Raw), KeyGroupReason: orNil(string(groups.Reason)),
	}
	if o.Coordinator != nil {
		v.CoordinatorBytes = o.Coordinator.Size
	}
	if groups.Reason == savepoint.Recorded {
		v.HeaderBytes = &groups.Header
	}
	var keyed savepoint.Prediction
	for _, sub := range o.Subtasks {
		if !sub.Finished {
			keyed.Bytes = append(keyed.Bytes, sub.KeyedBytes())
		}
		v.KeyedBytes += sub.KeyedBytes()
		v.Subtasks = append(v.Subtasks, s.subtaskView(sub))
		for _, kind := range keyedKinds(sub) {
			if !slices.Contains(v.KeyedState, kind) {
				v.KeyedState = append(v.KeyedState, kind)
			}
		}
	}
	if skew, ok := keyed.Skew(); ok {
		v.KeyedSkewRatio = &skew
	}
	for _, p := range o.Predict(*s.at) {
		v.Predictions = append(v.Predictions, predicted(p, o.MaxParallelism))
	}
	return v
}

func groupViews(all []savepoint.GroupBytes) []keyGroupView {
	if all == nil {
		return nil
	}
	out := make([]keyGroupView, 0, len(all))
	for _, g := range all {
		out = append(out, keyGroupView(g))
	}
	return out
}

// keyedKinds names the kinds of a subtask's keyed state.
func keyedKinds(s savepoint.Subtask) []string {
	var kinds []string
	if s.State != nil && s.State.ManagedKeyed != nil {
		kinds = append(kinds, s.State.ManagedKeyed.Kind.String())
	}
	if s.State != nil && s.State.RawKeyed != nil {
		kinds = append(kinds, "raw "+s.State.RawKeyed.Kind.String())
	}
	return kinds
}

func (s *savepointCommand) subtaskView(sub savepoint.Subtask) subtaskView {
	v := subtaskView{
		Index: sub.Index, Finished: sub.Finished, StateBytes: sub.Bytes(), KeyedBytes: sub.KeyedBytes(),
		OperatorBytes: sub.OperatorBytes(), InFlightBytes: sub.InFlightBytes(),
	}
	if sub.State == nil {
		return v
	}
	for _, k := range []*savepoint.Keyed{sub.State.RawKeyed, sub.State.ManagedKeyed} {
		if k != nil && k.Last >= k.First {
			v.KeyGroupFirst, v.KeyGroupLast = &k.First, &k.Last
		}
	}
	if k := sub.State.ManagedKeyed; k != nil && k.Kind == savepoint.IncrementalRemote {
		v.SSTBytes = &k.Tables.Bytes
	}
	if *s.files || *s.paths {
		v.Files = filesOf(sub.State, *s.paths)
	}
	return v
}

// namedStates adds up the operator states of all subtasks by name, raw ones apart.
func namedStates(o *savepoint.Operator) []namedState {
	out := []namedState{}
	at := map[string]int{}
	for _, s := range o.Subtasks {
		if s.State == nil {
			continue
		}
		for i, part := range []*savepoint.OperatorState{s.State.ManagedOperator, s.State.RawOperator} {
			if part == nil {
				continue
			}
			for _, n := range part.States {
				name := strings.Repeat("raw ", i) + n.Name
				k, ok := at[name]
				if !ok {
					k, at[name] = len(out), len(out)
					out = append(out, namedState{Name: name, Mode: n.Mode.String()})
				}
				out[k].Elements += n.Elements
				out[k].MaxElements = max(out[k].MaxElements, n.Elements)
				out[k].Subtasks++
			}
		}
	}
	slices.SortStableFunc(out, func(a, b namedState) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func predicted(p savepoint.Prediction, ceiling int) predictedView {
	v := predictedView{Parallelism: p.Parallelism, Basis: orNil(string(p.Basis)), Reason: orNil(p.Reason), SubtaskBytes: p.Bytes, max: ceiling}
	if p.Basis == savepoint.NoBasis {
		return v
	}
	index, most := p.Largest()
	mean := p.Mean()
	v.LargestSubtask, v.MaxBytes, v.MeanBytes = &index, &most, &mean
	if skew, ok := p.Skew(); ok {
		v.SkewRatio = &skew
	}
	return v
}
