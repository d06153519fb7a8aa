package savepoint

import (
	"bytes"
	"cmp"
	"slices"
)

const (
	// smallestFile is an empty name and a null stream.
	smallestFile = 3
	// noSize is what Flink writes for a size that it does not know.
	noSize = -1
)

// keyedContext is where a handle of keyed state stands.
type keyedContext struct {
	// raw is whether it is raw keyed state, whose streams have no header.
	raw bool
	// depth is how many changelogs are around it.
	depth int
}

// keyed reads a handle of keyed state; nil when there is none.
func (p *parser) keyed(c keyedContext) *Keyed {
	at := p.offset()
	tag := p.u8("the tag of a keyed state handle")
	switch {
	case !p.ok():
		return nil
	case c.depth > maxDepth:
		p.fail(at, "changelog handles are nested more than %d deep; the file is damaged", maxDepth)
		return nil
	}
	switch tag {
	case tagNull:
		return nil
	case tagKeyGroups, tagKeyGroupsV2, tagKeyGroupsSavepoint:
		return p.keyGroups(tag, c)
	case tagIncremental, tagIncrementalV2:
		return p.incremental(tag)
	case tagChangelog, tagChangelogV2:
		return p.changelog(tag, c)
	case tagChangelogInMemory:
		return p.changelogInMemory()
	case tagChangelogStream, tagChangelogStreamV2:
		return p.changelogStream(tag)
	}
	p.wrongTag(at, tag, "the keyed state handles")
	return nil
}

// newKeyed reads the range of a handle, and makes room for details if they are wanted.
func (p *parser) newKeyed(kind KeyedKind) *Keyed {
	k := &Keyed{Kind: kind}
	if p.detail {
		k.Detail = &KeyedDetail{}
	}
	k.First, k.Last = p.rangeOf()
	return k
}

// keyGroups reads a handle that gives an offset for every key group.
func (p *parser) keyGroups(tag byte, c keyedContext) *Keyed {
	kind := KeyGroups
	if tag == tagKeyGroupsSavepoint {
		kind = KeyGroupsSavepoint
	}
	k := p.newKeyed(kind)
	at := p.offset()
	n := k.Last - k.First + 1
	if p.ok() && p.size != unknownSize && int64(n) > (p.size-at)/8 {
		p.fail(at, "%d key groups, but only %d bytes follow; the file is damaged or incomplete", n, p.size-at)
	}
	offsets := p.longs(n, "the key groups' offsets")
	s := p.mustStream("the key groups' stream")
	if tag == tagKeyGroupsV2 {
		p.utf("the handle's id")
	}
	p.checkOffsets(at, offsets, s.Size)
	if !p.ok() {
		return nil
	}
	k.Bytes, k.Checkpointed = s.Size, s.Size
	if k.Detail != nil {
		k.Detail.Offsets, k.Detail.Stream = append([]int64{}, offsets...), &s
	}
	p.split(k, at, offsets, c)
	return k
}

// noData stands for a key group without data among the bytes of all.
const noData = -1

// split gives each key group what lies between its offset and the next, in place
// of the offsets.
//
// Offset 0 of managed state means that the group has no data: a stream begins
// with the serializers' snapshots. Raw state has no such header and marks a group
// without data by -1. Two groups of raw state may share an offset: nothing was
// written to the first.
func (p *parser) split(k *Keyed, at int64, offsets []int64, c keyedContext) {
	if !ascending(offsets, c.raw) {
		p.splitUnordered(k, at, offsets, c)
		return
	}
	end, twin := k.Bytes, -1
	for i := len(offsets) - 1; i >= 0; i-- {
		o := offsets[i]
		switch {
		case o < 0 || o == 0 && !c.raw:
			offsets[i] = noData
			continue
		case o == end && twin >= 0 && !c.raw:
			p.twins(k, at, i, twin, o)
			return
		}
		offsets[i], end, twin = end-o, o, i
	}
	k.bytes, k.Header = offsets, end
}

// ascending reports whether the offsets of the groups with data are in order.
func ascending(offsets []int64, raw bool) bool {
	last := int64(0)
	for _, o := range offsets {
		if o < 0 || o == 0 && !raw {
			continue
		}
		if o < last {
			return false
		}
		last = o
	}
	return true
}

// twins refuses two groups of managed state at the same offset.
func (p *parser) twins(k *Keyed, at int64, i, j int, offset int64) {
	i, j = min(i, j), max(i, j)
	p.fail(at+8*int64(j), "key groups %d and %d begin at the same offset, %d; the file is damaged", k.First+i, k.First+j, offset)
}

// groupAt is a key group, counted from the first of its range, and where it begins.
type groupAt struct {
	offset int64
	group  int
}

// splitUnordered is split for groups that were not written in ascending order.
func (p *parser) splitUnordered(k *Keyed, at int64, offsets []int64, c keyedContext) {
	order := p.order[:0]
	for i, o := range offsets {
		if o > 0 || o == 0 && c.raw {
			order = append(order, groupAt{o, i})
		}
		offsets[i] = noData
	}
	p.order = order
	slices.SortStableFunc(order, func(a, b groupAt) int { return cmp.Compare(a.offset, b.offset) })
	k.bytes, k.Header = offsets, k.Bytes
	if len(order) > 0 {
		k.Header = order[0].offset
	}
	for i, g := range order {
		end := k.Bytes
		if i+1 < len(order) {
			end = order[i+1].offset
			if end == g.offset && !c.raw {
				p.twins(k, at, g.group, order[i+1].group, end)
				return
			}
		}
		offsets[g.group] = end - g.offset
	}
}

// incremental reads a set of files of RocksDB or ForSt.
func (p *parser) incremental(tag byte) *Keyed {
	id := p.i64("the backend's checkpoint id")
	backend := p.path("the backend's id")
	k := p.newKeyed(IncrementalRemote)
	uploaded := int64(noSize)
	if tag == tagIncrementalV2 {
		uploaded = p.checkpointed()
	}
	meta := p.mustStream("the backend's meta file")
	shared := p.files(k, "shared files")
	private := p.files(k, "private files")
	if tag == tagIncrementalV2 {
		p.utf("the handle's id")
	}
	k.Bytes = add(meta.Size, k.Files.Bytes)
	k.Checkpointed = uploaded
	if uploaded == noSize {
		k.Checkpointed = k.Bytes
	}
	if d := k.Detail; d != nil {
		d.CheckpointID, d.BackendID, d.Meta, d.Shared, d.Private = id, backend, &meta, shared, private
	}
	return k
}

// checkpointed reads how much was uploaded, which may be unknown.
func (p *parser) checkpointed() int64 {
	at := p.offset()
	n := p.i64("the checkpointed size")
	if p.ok() && n < noSize {
		p.fail(at, "the checkpointed size is %d, which is negative; the file is damaged", n)
	}
	return n
}

// files reads a list of files, adds them up, and returns them if details are wanted.
func (p *parser) files(k *Keyed, what string) []LocalFile {
	var all []LocalFile
	n := p.count(what, smallestFile)
	for i := 0; i < n && p.ok(); i++ {
		at := p.offset()
		local := p.utf("the file's local name")
		table := bytes.HasSuffix(local, []byte(".sst"))
		f := LocalFile{}
		if p.detail {
			f.Local = decodeUTF(local)
		}
		f.Stream = p.mustStream("the file")
		if p.err != nil {
			p.within(at, "%s, %d of %d", what, i+1, n)
			return nil
		}
		k.Files.add(f.Stream.Size)
		if table {
			k.Tables.add(f.Stream.Size)
		}
		if p.detail {
			all = append(all, f)
		}
	}
	return all
}
