package savepoint

const (
	// smallestOperatorState is an empty name, a mode and no offsets.
	smallestOperatorState = 2 + 1 + 4
	// maxOperatorStates bounds what a handle of few bytes can make of the map of
	// states; jobs have a handful.
	maxOperatorStates = 1 << 16
)

// operatorState reads a handle of operator state.
func (p *parser) operatorState() *OperatorState {
	at := p.offset()
	tag := p.u8("the tag of an operator state handle")
	switch {
	case !p.ok():
		return nil
	case tag == tagNull:
		p.fail(at, "operator state is announced and then missing; the file is damaged")
		return nil
	case tag != tagOperatorStream && tag != tagMergedOperatorStream:
		p.wrongTag(at, tag, "the operator state handles")
		return nil
	}
	o := &OperatorState{Merged: tag == tagMergedOperatorStream}
	p.namedStates(o)
	if o.Merged {
		p.utf("the folder of the worker's files")
		p.utf("the folder of shared files")
		flag := p.offset()
		if empty := p.u8("whether the segment is empty"); p.ok() && empty > 1 {
			p.fail(flag, "%d instead of 0 or 1 says whether the segment is empty; the file is damaged", empty)
		}
	}
	at = p.offset()
	s := p.mustStream("the stream of the operator state")
	if p.ok() && o.Merged && s.Kind != Segment && s.Kind != EmptySegment {
		p.fail(at, "merged operator state lies in a %s handle instead of a segment; the file is damaged", s.Kind)
	}
	if p.detail {
		o.Stream = &s
	}
	o.Bytes = s.Size
	return o
}

// namedStates reads the map of states. Of a name that comes twice the last one
// counts, as in Flink.
func (p *parser) namedStates(o *OperatorState) {
	start := p.offset()
	n := p.count("operator states", smallestOperatorState)
	if n > maxOperatorStates {
		p.fail(start, "%d operator states in one subtask, more than the %d that are read; the file is damaged", n, maxOperatorStates)
		return
	}
	var at map[string]int
	for i := 0; i < n && p.ok(); i++ {
		s := NamedState{Name: p.name()}
		mode := p.offset()
		s.Mode = Mode(p.u8("the state's mode"))
		if p.ok() && s.Mode > Broadcast {
			p.fail(mode, "the mode of an operator state is %d, not 0, 1 or 2; the file is damaged", s.Mode)
			return
		}
		s.Elements, s.Offsets = p.elements()
		if at == nil {
			at = map[string]int{}
		}
		if k, ok := at[s.Name]; ok {
			o.States[k] = s
			continue
		}
		at[s.Name] = len(o.States)
		o.States = append(o.States, s)
	}
}

// elements reads the offsets of a state's elements.
func (p *parser) elements() (int, []int64) {
	n := p.count("elements of an operator state", 8)
	if !p.detail {
		p.skip(8*int64(n), "the elements' offsets")
		return n, nil
	}
	return n, p.longs(n, "the elements' offsets")
}

// name reads a state's name; the subtasks share one copy of it.
func (p *parser) name() string {
	b := p.utf("the state's name")
	if s, ok := p.names[string(b)]; ok {
		return s
	}
	s := decodeUTF(b)
	p.names[string(b)] = s
	return s
}
