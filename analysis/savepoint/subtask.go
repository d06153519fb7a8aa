package savepoint

import (
	"encoding/binary"
	"math"
	"slices"
)

// smallestChannel is what the channel state of an empty list takes at least, in
// bytes: a merged one whose stream is the shortest.
const smallestChannel = 14

// subtask reads one entry.
func (p *parser) subtask() Subtask {
	at := p.offset()
	index := int64(p.i32("the subtask's index"))
	s := Subtask{}
	if index < 0 && p.format >= 3 {
		index, s.Finished = -(index + 1), true
	}
	if p.ok() && (index < 0 || index >= int64(p.op.Parallelism)) {
		p.fail(at, "the subtask's index is %d, not 0 to %d; the file is damaged", index, p.op.Parallelism-1)
	}
	s.Index = int(index)
	if s.Finished || !p.ok() {
		return s
	}
	if p.format == 2 {
		p.i64("the duration")
		at := p.offset()
		if n := p.i32("the number of legacy states"); p.ok() && n > 0 {
			p.fail(at, "%d legacy states of Flink 1.1, which later releases cannot read; restore with Flink 1.2 and take a new savepoint", n)
		}
	}
	state := State{}
	state.ManagedOperator = p.presentOperatorState("managed operator state")
	state.RawOperator = p.presentOperatorState("raw operator state")
	state.ManagedKeyed = p.part("managed keyed state", keyedContext{})
	state.RawKeyed = p.part("raw keyed state", keyedContext{raw: true})
	if p.format >= 3 {
		state.Input = p.channelStates("input channel states", true)
		state.Output = p.channelStates("result subpartition states", false)
	}
	if p.format >= 7 {
		state.RefCheckpoint = p.refCheckpoint()
	}
	if state != (State{}) {
		s.State = &state
	}
	return s
}

// part reads the keyed state of a subtask.
func (p *parser) part(what string, c keyedContext) *Keyed {
	at := p.offset()
	k := p.keyed(c)
	p.within(at, "%s", what)
	return k
}

// presentOperatorState reads a number that says whether a handle follows, and
// the handle.
func (p *parser) presentOperatorState(what string) *OperatorState {
	at := p.offset()
	n := p.i32("whether there is " + what)
	if !p.ok() || n == 0 {
		return nil
	}
	if n != 1 {
		p.fail(at, "%d instead of 0 or 1 says whether there is %s; the file is damaged", n, what)
		return nil
	}
	s := p.operatorState()
	p.within(at, "%s", what)
	return s
}

// refCheckpoint reads the reference checkpoint of format 7.
func (p *parser) refCheckpoint() *int64 {
	at := p.offset()
	switch marker := p.u8("the marker of the reference checkpoint"); {
	case marker == 0 || !p.ok():
		return nil
	case marker != 1:
		p.fail(at, "the marker of the reference checkpoint is %d, not 0 or 1; the file is damaged", marker)
		return nil
	}
	id := p.i64("the reference checkpoint's id")
	return &id
}

// channelStates reads the in-flight data of one direction.
func (p *parser) channelStates(what string, input bool) *Channels {
	n := p.count(what, smallestChannel)
	if n == 0 {
		return nil
	}
	p.channels = true
	all := &Channels{}
	for i := 0; i < n && p.ok(); i++ {
		at := p.offset()
		c, channels := p.channel(input)
		if p.err != nil {
			p.within(at, "%s, %d of %d", what, i+1, n)
			return nil
		}
		all.Bytes = add(all.Bytes, c.Bytes)
		all.Count += channels
		if p.detail {
			all.List = append(all.List, c)
		}
	}
	return all
}

// channel reads the state of one channel or of merged ones, and returns how many
// channels they are.
func (p *parser) channel(input bool) (Channel, int) {
	if p.format >= 6 {
		at := p.offset()
		single, merged := byte(2), byte(4)
		if input {
			single, merged = 1, 3
		}
		switch tag := p.u8("the channel state's tag"); {
		case tag == merged:
			return p.mergedChannel()
		case p.ok() && tag != single:
			p.fail(at, "the channel state's tag is %d, not %d or %d; the file is damaged or newer than what is known", tag, single, merged)
		}
	}
	c := Channel{}
	if !p.oldChannels {
		c.Subtask = p.channelSubtask()
	}
	c.Outer, c.Inner = p.i32("the channel's first number"), p.i32("the channel's second number")
	c.Offsets = p.offsetList("the channel's offsets")
	c.Bytes = p.bytesize("the channel's size")
	c.Stream = p.mustStream("the channel's data")
	return c, 1
}

func (p *parser) channelSubtask() int {
	at := p.offset()
	i := p.i32("the channel's subtask")
	if p.ok() && (i < 0 || int(i) >= p.op.Parallelism) {
		p.fail(at, "the channel's subtask is %d, not 0 to %d; the file is damaged", i, p.op.Parallelism-1)
	}
	return int(i)
}

// mergedChannel reads all channels of one subtask, which share a stream.
func (p *parser) mergedChannel() (Channel, int) {
	c := Channel{Merged: true, Subtask: p.channelSubtask()}
	c.Bytes = p.bytesize("the channels' size")
	c.Stream = p.mustStream("the channels' data")
	length := p.length("the channels' list")
	end := p.offset() + length
	at := p.offset()
	n := p.i32("the number of channels")
	const smallest = 4 + 4 + 8 + 4
	if p.ok() && (n < 0 || int64(n) > length/smallest) {
		p.fail(at, "%d channels in a list of %d bytes; the file is damaged", n, length)
	}
	for i := 0; i < int(n) && p.ok(); i++ {
		part := ChannelPart{Outer: p.i32("the channel's first number"), Inner: p.i32("the channel's second number")}
		part.Bytes = p.bytesize("the channel's size")
		part.Offsets = p.offsetList("the channel's offsets")
		if p.detail {
			c.Parts = append(c.Parts, part)
		}
	}
	if p.ok() && p.offset() != end {
		p.fail(p.offset(), "the channels' list ends at offset %d instead of %d; the file is damaged", p.offset(), end)
	}
	return c, int(n)
}

// offsetList reads a number and that many offsets, which are kept with detail only.
func (p *parser) offsetList(what string) []int64 {
	n := p.count(what, 8)
	if !p.detail {
		p.skip(8*int64(n), what)
		return nil
	}
	return p.longs(n, what)
}

// longs reads n longs, growing as it reads.
func (p *parser) longs(n int, what string) []int64 {
	to := []int64{}
	for n > 0 && p.ok() {
		k := min(n, longsAtOnce)
		b := p.take(8*k, what)
		if b == nil {
			return to
		}
		at := len(to)
		to = slices.Grow(to, k)[:at+k]
		for i := range to[at:] {
			to[at+i] = int64(binary.BigEndian.Uint64(b[8*i:]))
		}
		n -= k
	}
	return to
}

// longsAtOnce is how many longs are taken from the buffer at once: a part of it,
// so that filling it moves few bytes.
const longsAtOnce = firstBuffer / 16

// rangeOf reads a range of key groups, both ends inclusive.
func (p *parser) rangeOf() (first, last int) {
	at := p.offset()
	f, n := int64(p.i32("the first key group")), int64(p.i32("the number of key groups"))
	switch {
	case !p.ok():
		return 0, -1
	case f < 0 || f > math.MaxInt16:
		p.fail(at, "the first key group is %d, not 0 to %d; the file is damaged", f, math.MaxInt16)
	case n < 0:
		p.fail(at+4, "%d key groups: the number is negative; the file is damaged", n)
	case f+n > math.MaxInt16+1:
		p.fail(at+4, "%d key groups from %d on reach past the last possible one, %d; the file is damaged", n, f, math.MaxInt16)
	case n == 0:
		return 0, -1
	}
	return int(f), int(f + n - 1)
}
