package savepoint

import (
	"cmp"
	"slices"
)

// Reason says why there are no bytes per key group; empty when there are.
type Reason string

// The reasons, in words that end a sentence which begins with "bytes per key group:".
const (
	// Recorded is no reason.
	Recorded Reason = ""
	// NoKeyedState is that of operators without keyed state.
	NoKeyedState Reason = "none: the operator has no keyed state"
	// AllFinished is that of operators whose subtasks have all ended.
	AllFinished Reason = "none: the operator had finished and has no state left"
	// NativeFiles is that of RocksDB's and ForSt's files.
	NativeFiles Reason = "not recorded: the state is in RocksDB's or ForSt's own files, which are not cut by key group; take a canonical savepoint"
	// ChangesSince is that of the changelog.
	ChangesSince Reason = "not recorded: the state is a changelog, whose changes are not cut by key group; take a canonical savepoint"
)

// KeyGroupState is an operator's keyed state by key group.
type KeyGroupState struct {
	// Groups are the bytes of each key group with data, ascending by group,
	// managed and raw together; nil when Reason says why they are not known. With
	// snapshot compression the bytes are compressed ones.
	Groups []GroupBytes
	// Header is the sum of the streams' headers, which belong to no key group.
	Header int64
	// Raw are those of raw keyed state alone, where they are all that is known: the
	// timers of RocksDB with heap timers.
	Raw    []GroupBytes
	Reason Reason
}

// Total returns the sum of the groups' bytes.
func Total(groups []GroupBytes) int64 {
	var n int64
	for _, g := range groups {
		n = add(n, g.Bytes)
	}
	return n
}

// KeyGroups returns the operator's bytes per key group, or why there are none.
func (o *Operator) KeyGroups() KeyGroupState {
	var out KeyGroupState
	handles, raw := 0, []GroupBytes(nil)
	for _, s := range o.Subtasks {
		if s.State == nil {
			continue
		}
		if k := s.State.ManagedKeyed; k != nil {
			handles++
			switch {
			case k.Recorded():
				out.Groups, out.Header = k.appendGroups(out.Groups), add(out.Header, k.Header)
			case k.Kind == IncrementalRemote:
				out.Reason = NativeFiles
			default:
				out.Reason = ChangesSince
			}
		}
		if k := s.State.RawKeyed; k != nil {
			handles++
			if k.Recorded() {
				raw, out.Header = k.appendGroups(raw), add(out.Header, k.Header)
			} else if out.Reason == Recorded {
				out.Reason = NativeFiles
			}
		}
	}
	switch {
	case handles == 0 && o.finished():
		return KeyGroupState{Reason: AllFinished}
	case handles == 0:
		return KeyGroupState{Reason: NoKeyedState}
	case out.Reason != Recorded:
		return KeyGroupState{Raw: merge(raw), Reason: out.Reason}
	}
	out.Groups = merge(append(out.Groups, raw...))
	if out.Groups == nil {
		out.Groups = []GroupBytes{}
	}
	return out
}

func (o *Operator) finished() bool {
	for _, s := range o.Subtasks {
		if !s.Finished {
			return false
		}
	}
	return o.FullyFinished || len(o.Subtasks) > 0
}

// merge sorts by group and adds up what belongs to the same one.
func merge(all []GroupBytes) []GroupBytes {
	less := func(a, b GroupBytes) int { return cmp.Compare(a.Group, b.Group) }
	if !slices.IsSortedFunc(all, less) {
		slices.SortStableFunc(all, less)
	}
	out := all[:0]
	for _, g := range all {
		if n := len(out); n > 0 && out[n-1].Group == g.Group {
			out[n-1].Bytes = add(out[n-1].Bytes, g.Bytes)
			continue
		}
		out = append(out, g)
	}
	return out
}
