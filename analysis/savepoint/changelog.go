package savepoint

const (
	// smallestKeyed is the tag of a null handle.
	smallestKeyed = 1
	// smallestChange is a key group and a length.
	smallestChange = 8
	// smallestStreamAt is an offset and a null stream.
	smallestStreamAt = 9
	// namedDepth is down to which changelog in a changelog an error names the place.
	namedDepth = 2
	// oldStorage is the storage of changes before 1.16, the only one that had files.
	oldStorage = "filesystem"
)

// changelog reads a base and the changes since (FLIP-158).
func (p *parser) changelog(tag byte, c keyedContext) *Keyed {
	k := p.newKeyed(Changelog)
	uploaded := p.checkpointed()
	inner := keyedContext{raw: c.raw, depth: c.depth + 1}
	materialized := p.parts(k, "materialized parts", inner, false)
	changes := p.parts(k, "changes", inner, true)
	materialization := p.i64("the materialization's id")
	id := materialization
	if tag == tagChangelogV2 {
		id = p.i64("the checkpoint's id")
	}
	p.utf("the handle's id")
	k.Checkpointed = uploaded
	if uploaded == noSize {
		k.Checkpointed = k.Bytes
	}
	if d := k.Detail; d != nil {
		d.MaterializationID, d.CheckpointID = materialization, id
		d.Materialized, d.Changes = materialized, changes
	}
	return k
}

// parts reads the handles inside of a changelog, adds up their sizes, and returns
// them if details are wanted. A null handle among the materialized ones is left
// out, as Flink does.
func (p *parser) parts(k *Keyed, what string, c keyedContext, changes bool) []*Keyed {
	var all []*Keyed
	n := p.count(what, smallestKeyed)
	for i := 0; i < n && p.ok(); i++ {
		at := p.offset()
		part := p.keyed(c)
		switch {
		case !p.ok():
		case changes && (part == nil || part.Kind != ChangelogInMemory && part.Kind != ChangelogStream):
			p.fail(at, "the changes hold a handle that is none of changes; the file is damaged")
		}
		if p.err != nil {
			// Naming every level of a nest would only repeat itself.
			if c.depth <= namedDepth {
				p.within(at, "%s, %d of %d", what, i+1, n)
			}
			return nil
		}
		k.Bytes = add(k.Bytes, part.size())
		if p.detail && part != nil {
			all = append(all, part)
		}
	}
	return all
}

// changelogInMemory reads changes that lie in the file. They are user data.
func (p *parser) changelogInMemory() *Keyed {
	k := p.newKeyed(ChangelogInMemory)
	from, to := p.i64("the first sequence number"), p.i64("the last sequence number")
	n := p.count("changes in memory", smallestChange)
	for i := 0; i < n && p.ok(); i++ {
		at := p.offset()
		group := p.i32("the change's key group")
		if p.ok() && (group < -1 || group > 1<<15-1) {
			p.fail(at, "the key group of a change is %d, not -1 to %d; the file is damaged", group, 1<<15-1)
		}
		length := p.length("a change")
		p.skip(length, "a change")
		k.Bytes = add(k.Bytes, length)
		if p.detail {
			k.Detail.InMemory = append(k.Detail.InMemory, Change{int(group), length})
		}
	}
	p.utf("the handle's id")
	k.Checkpointed = k.Bytes
	if k.Detail != nil {
		k.Detail.From, k.Detail.To = from, to
	}
	return k
}

// changelogStream reads changes that lie in files.
func (p *parser) changelogStream(tag byte) *Keyed {
	k := p.newKeyed(ChangelogStream)
	n := p.count("streams of changes", smallestStreamAt)
	for i := 0; i < n && p.ok(); i++ {
		offset := p.bytesize("the offset in a stream of changes")
		s := p.mustStream("a stream of changes")
		if p.detail {
			k.Detail.Streams = append(k.Detail.Streams, StreamAt{offset, s})
		}
	}
	k.Bytes, k.Checkpointed = p.bytesize("the changes' size"), p.checkpointed()
	if k.Checkpointed == noSize {
		k.Checkpointed = k.Bytes
	}
	p.utf("the handle's id")
	storage := oldStorage
	if tag == tagChangelogStreamV2 {
		storage = p.path("the storage's name")
	}
	if k.Detail != nil {
		k.Detail.Storage = storage
	}
	return k
}
