package savepoint

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

const (
	magic       = 0x4960672D
	masterMagic = -0x3694E96A // 0xC96B1696 as a signed number

	// minFormat and maxFormat are the formats that are known.
	minFormat = 2
	maxFormat = 7

	// The smallest an entry can be, in bytes, to judge stated numbers by.
	smallestMaster   = 8 + 4 + 2 + 4
	smallestOperator = 28
	smallestSubtask  = 4

	// maxWarnings is how many warnings are kept.
	maxWarnings = 20
	// maxTrailing is how many bytes after the end are counted in a stream.
	maxTrailing = 1 << 20
)

// Options say what to keep.
type Options struct {
	// Detail keeps the names of files, offsets and parts of handles besides the
	// sums. It needs memory in proportion to the file, in a hostile one some 50
	// times its size.
	Detail bool
}

// Parse reads one _metadata file from where r stands. It seeks over state inside
// the file if r can; it reads any other r once, in order.
//
// An error is an *Error and names the offset. When it lies in the properties at
// the file's end, the metadata is returned with it, complete but for them;
// else it is nil.
func Parse(r io.Reader, o Options) (*Metadata, error) {
	start, seeker := int64(0), io.Seeker(nil)
	if s, ok := r.(io.Seeker); ok {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil {
			start, seeker = at, s
		}
	}
	p := &parser{input: newInput(r), detail: o.Detail}
	m := p.file()
	if p.err == nil {
		return m, nil
	}
	if !p.channels || m.Format != 3 {
		return p.outcome(m)
	}
	// Flink 1.11 wrote channel state without the subtask under the same number of
	// format, so that only failing tells.
	if seeker == nil {
		p.err.What += "; if Flink 1.11 wrote it, give it as a file rather than as a stream, which can be read only once"
		return p.outcome(m)
	}
	if _, err := seeker.Seek(start, io.SeekStart); err != nil {
		return p.outcome(m)
	}
	again := &parser{input: newInput(r), detail: o.Detail, oldChannels: true}
	old := again.file()
	if again.err != nil {
		return p.outcome(m)
	}
	old.OldChannels = true
	old.warn("The in-flight data could be read only in the form of Flink 1.11.")
	return old, nil
}

// parser reads the parts of a file. Its input's error sticks.
type parser struct {
	*input
	format int
	detail bool
	// oldChannels reads channel state as 1.11 wrote it; channels is whether there
	// was any.
	oldChannels, channels bool
	// meta takes warnings.
	meta *Metadata
	// op is the operator being read.
	op *Operator
	// names holds one copy of each name of an operator state.
	names map[string]string
	// order is reused between handles.
	order []groupAt
}

// outcome turns the kept error into Parse's result.
func (p *parser) outcome(m *Metadata) (*Metadata, error) {
	if p.err.Properties {
		m.Size = p.offset()
		return m, p.err
	}
	return nil, p.err
}

// warn adds a warning; beyond the first few, which a damaged file could make
// endless, one says that there are more.
func (m *Metadata) warn(format string, args ...any) {
	switch n := len(m.Warnings); {
	case n < maxWarnings:
		m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
	case n == maxWarnings:
		m.Warnings = append(m.Warnings, "There are more warnings like these.")
	}
}

// file reads everything. The metadata is complete if there is no error.
func (p *parser) file() *Metadata {
	m := &Metadata{}
	p.meta, p.names = m, map[string]string{}
	p.head(m)
	p.masters(m)
	n := p.count("operators", smallestOperator)
	for i := 0; i < n && p.ok(); i++ {
		p.op = &Operator{}
		m.Operators = append(m.Operators, p.op)
		at := p.offset()
		p.operator(p.op)
		if p.err != nil {
			p.within(at, "operator %d of %d (%s)", i+1, n, p.op.ID)
		}
	}
	if p.format >= 4 && p.ok() {
		at := p.offset()
		m.Properties = p.properties()
		if p.err != nil {
			m.Properties, p.err.Properties = nil, true
			p.within(at, "properties")
			return m
		}
	}
	at := p.offset()
	m.Trailing = p.rest(maxTrailing)
	m.Size = at + m.Trailing
	if m.Trailing > 0 && p.ok() {
		more := ""
		if p.size == unknownSize && m.Trailing >= maxTrailing {
			more = " or more"
		}
		m.warn("%d bytes%s follow the end of the metadata at offset %d; Flink writes none and ignores them.", m.Trailing, more, at)
	}
	p.check(m)
	return m
}

// head reads up to the master states.
func (p *parser) head(m *Metadata) {
	switch got := uint32(p.i32("the magic number")); {
	case !p.ok():
		return
	case got == 0x2D676049:
		p.fail(0, "the magic number is in the wrong byte order; the file was converted on its way")
	case got != magic:
		p.fail(0, "the magic number is %08x, not %08x: this is no Flink metadata file; give the _metadata of a savepoint or checkpoint", got, uint32(magic))
	}
	format := p.i32("the format")
	switch {
	case !p.ok():
		return
	case format == 1:
		p.fail(4, "format 1 is that of Flink 1.2 and older, which no later Flink reads; formats 2 to 7 are supported")
	case format < minFormat || format > maxFormat:
		p.fail(4, "format %d is not known; formats 2 (Flink 1.3) to 7 are supported", format)
	}
	m.CheckpointID = p.i64("the checkpoint id")
	if p.ok() && m.CheckpointID < 0 {
		p.fail(8, "the checkpoint id is %d, which is negative; the file is damaged", m.CheckpointID)
	}
	p.format, m.Format = int(format), int(format)
}

// masters reads the states of the JobManager's hooks.
func (p *parser) masters(m *Metadata) {
	n := p.count("master states", smallestMaster)
	for i := 0; i < n && p.ok(); i++ {
		entry := p.offset()
		if got := p.i32("the magic number of the master state"); p.ok() && got != masterMagic {
			p.fail(entry, "the magic number of the master state is %08x, not c96b1696; the file is damaged", uint32(got))
		}
		length := p.length("the master state")
		start := p.offset()
		s := Master{Version: p.i32("the master state's version"), Name: p.text("the master state's name")}
		at := p.offset()
		s.Bytes = p.length("the master state's payload")
		p.skip(s.Bytes, "the master state's payload")
		if used := p.offset() - start; p.ok() && used != length {
			p.fail(at, "the master state's payload ends after %d bytes of the %d that were stated; the file is damaged", used, length)
		}
		if p.err != nil {
			p.within(entry, "master state %d of %d", i+1, n)
		}
		m.Masters = append(m.Masters, s)
	}
}

// operator reads one operator.
func (p *parser) operator(o *Operator) {
	if p.format >= 5 {
		o.Name, o.UID = p.text("the operator's name"), p.text("the operator's uid")
	}
	copy(o.ID[:], p.take(len(o.ID), "the operator's id"))
	at := p.offset()
	parallelism, ceiling := p.i32("the parallelism"), p.i32("the maxParallelism")
	switch {
	case !p.ok():
		return
	case ceiling < 1 || ceiling > keygroup.UpperBound:
		p.fail(at+4, "the maxParallelism is %d, not 1 to %d; the file is damaged", ceiling, keygroup.UpperBound)
	case parallelism < 1 || parallelism > ceiling:
		p.fail(at, "the parallelism is %d, not 1 to the maxParallelism, %d; the file is damaged", parallelism, ceiling)
	}
	o.Parallelism, o.MaxParallelism = int(parallelism), int(ceiling)
	if p.format == 2 {
		p.i32("the chain length")
	} else {
		p.coordinator(o)
	}
	p.subtasks(o)
}

// coordinator reads the state of the operator's coordinator.
func (p *parser) coordinator(o *Operator) {
	at := p.offset()
	s, ok := p.stream(0)
	switch {
	case p.err != nil:
		p.within(at, "coordinator state")
	case ok && s.Kind != ByteStream:
		p.fail(at, "the coordinator state is a %s handle, but it must lie in the file; the file is damaged", s.Kind)
	case ok:
		o.Coordinator = &s
	}
}

// subtasks reads the entries of all subtasks and puts them in order.
func (p *parser) subtasks(o *Operator) {
	at := p.offset()
	n := p.i32("the number of subtasks")
	switch {
	case !p.ok():
		return
	case n < 0 && p.format >= 3:
		o.FullyFinished = true
		if o.Coordinator != nil {
			p.fail(at, "the operator is fully finished (%d subtasks) and has coordinator state, which cannot be; the file is damaged", n)
		}
		return
	case n < 0:
		p.fail(at, "%d subtasks: the number is negative; the file is damaged", n)
		return
	case int(n) > o.Parallelism:
		p.fail(at, "%d subtasks at parallelism %d; the file is damaged", n, o.Parallelism)
		return
	case p.size != unknownSize && int64(n) > (p.size-p.offset())/smallestSubtask:
		p.fail(at, "%d subtasks, but only %d bytes follow; the file is damaged or incomplete", n, p.size-p.offset())
		return
	}
	seen := make(bitset, 0, 1)
	sorted := true
	for i := 0; i < int(n) && p.ok(); i++ {
		at := p.offset()
		s := p.subtask()
		if p.ok() && !seen.add(s.Index) {
			p.fail(at, "subtask %d comes twice; the file is damaged", s.Index)
		}
		if p.err != nil {
			p.within(at, "subtask entry %d of %d", i+1, n)
		}
		sorted = sorted && (i == 0 || o.Subtasks[i-1].Index < s.Index)
		o.Subtasks = append(o.Subtasks, s)
	}
	if !sorted {
		slices.SortFunc(o.Subtasks, func(a, b Subtask) int { return cmp.Compare(a.Index, b.Index) })
	}
}

// within puts a part that began at an offset in front of the error's place, if
// there is an error and it lies in the part.
func (in *input) within(from int64, format string, args ...any) {
	if in.err == nil || in.err.Offset < from {
		return
	}
	where := fmt.Sprintf(format, args...)
	if in.err.Where != "" {
		where += ": " + in.err.Where
	}
	in.err.Where = where
}

// bitset holds small indexes, growing with the largest.
type bitset []uint64

// add returns whether i was new.
func (b *bitset) add(i int) bool {
	for len(*b) <= i/64 {
		*b = append(*b, 0)
	}
	bit := uint64(1) << (i % 64)
	had := (*b)[i/64]&bit != 0
	(*b)[i/64] |= bit
	return !had
}

// check adds warnings about what fits together badly.
func (p *parser) check(m *Metadata) {
	if p.err != nil {
		return
	}
	for _, o := range m.Operators {
		if n := len(o.Subtasks); n < o.Parallelism && !o.FullyFinished {
			m.warn("Operator %s has entries for %d of its %d subtasks.", o.ID, n, o.Parallelism)
		}
		if o.rangeTooLarge() {
			m.warn("Operator %s has state of key groups beyond its maxParallelism, %d.", o.ID, o.MaxParallelism)
		}
	}
}

func (o *Operator) rangeTooLarge() bool {
	for _, s := range o.Subtasks {
		if s.State == nil {
			continue
		}
		for _, k := range []*Keyed{s.State.ManagedKeyed, s.State.RawKeyed} {
			if k != nil && k.Last >= o.MaxParallelism {
				return true
			}
		}
	}
	return false
}
