package savepoint

// maxDepth bounds the nesting of handles; real files need 2.
const maxDepth = 8

// The tags of handles, which four contexts share (MetadataV2V3SerializerBase).
const (
	tagNull                 = 0
	tagByteStream           = 1
	tagFile                 = 2
	tagKeyGroups            = 3
	tagOperatorStream       = 4
	tagIncremental          = 5
	tagRelativeFile         = 6
	tagKeyGroupsSavepoint   = 7
	tagChangelog            = 8
	tagChangelogInMemory    = 9
	tagChangelogStream      = 10
	tagIncrementalV2        = 11
	tagKeyGroupsV2          = 12
	tagChangelogStreamV2    = 13
	tagChangelogV2          = 14
	tagSegment              = 15
	tagEmptySegment         = 16
	tagMergedOperatorStream = 17
	maxTag                  = 17
)

// wrongTag says that a tag is unknown, or known and not allowed here.
func (p *parser) wrongTag(at int64, tag byte, where string) {
	if tag <= maxTag {
		p.fail(at, "tag %d is none of %s; the file is damaged", tag, where)
		return
	}
	p.fail(at, "unknown tag %d of %s; the file is damaged or newer than what is known (Flink 2.3)", tag, where)
}

// mustStream reads a handle that cannot be null.
func (p *parser) mustStream(what string) Stream {
	at := p.offset()
	s, ok := p.stream(0)
	switch {
	case p.err != nil:
		p.within(at, "%s", what)
	case !ok:
		p.fail(at, "%s: there is no handle; the file is damaged", what)
	}
	return s
}

// stream reads a handle of bytes; ok is false when it is null.
func (p *parser) stream(depth int) (s Stream, ok bool) {
	at := p.offset()
	tag := p.u8("the tag of a stream handle")
	switch {
	case !p.ok():
		return s, false
	case depth > maxDepth:
		p.fail(at, "stream handles are nested more than %d deep; the file is damaged", maxDepth)
		return s, false
	}
	switch tag {
	case tagNull:
		return s, false
	case tagByteStream:
		s = Stream{Kind: ByteStream, Name: p.path("the inline state's name")}
		s.Size = p.length("the inline state")
		s.Start = p.offset()
		p.skip(s.Size, "the inline state")
	case tagFile:
		s = Stream{Kind: File, Size: p.bytesize("the file's size"), Name: p.path("the file's path")}
	case tagRelativeFile:
		s = Stream{Kind: RelativeFile, Name: p.path("the file's path"), Size: p.bytesize("the file's size")}
	case tagKeyGroups:
		s = p.streamOfKeyGroups(depth)
	case tagSegment:
		s = p.segment()
	case tagEmptySegment:
		s.Kind = EmptySegment
	default:
		p.wrongTag(at, tag, "the stream handles")
	}
	return s, p.ok()
}

// path reads a path, and keeps it only if details are wanted.
func (p *parser) path(what string) string {
	b := p.utf(what)
	if !p.detail {
		return ""
	}
	return decodeUTF(b)
}

func (p *parser) segment() Stream {
	s := Stream{Kind: Segment, Start: p.bytesize("the segment's start"), Size: p.bytesize("the segment's size")}
	at := p.offset()
	scope := p.i32("the segment's scope")
	if p.ok() && (scope < 0 || scope > 1) {
		p.fail(at, "the segment's scope is %d, not 0 or 1; the file is damaged", scope)
	}
	s.Shared = scope == 1
	s.Name = p.path("the segment's path")
	p.utf("the segment's logical file")
	return s
}

// streamOfKeyGroups reads keyed state that is used as a stream.
func (p *parser) streamOfKeyGroups(depth int) Stream {
	first, last := p.rangeOf()
	at := p.offset()
	offsets := p.longs(last-first+1, "the key groups' offsets")
	inner := p.offset()
	in, ok := p.stream(depth + 1)
	if p.ok() && !ok {
		p.fail(inner, "the key groups have no stream; the file is damaged")
	}
	p.checkOffsets(at, offsets, in.Size)
	s := Stream{Kind: KeyGroupsInStream, Size: in.Size}
	if p.detail {
		s.Inner = &StreamKeyGroups{First: first, Offsets: offsets, Stream: in}
	}
	return s
}

// checkOffsets refuses offsets outside of a stream of that size; -1 means that
// there is no data. The offsets lie at a position of the file, eight bytes each.
func (p *parser) checkOffsets(at int64, offsets []int64, size int64) {
	for i, o := range offsets {
		if p.ok() && (o < -1 || o > size) {
			p.fail(at+8*int64(i), "the offset of a key group is %d, outside of its stream of %d bytes; the file is damaged", o, size)
		}
	}
}
