package savepoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestEveryPrefixIsRefused: a file that is cut anywhere is refused, at an offset
// inside of what is left, however it is read.
func TestEveryPrefixIsRefused(t *testing.T) {
	for _, name := range sampleNames(t) {
		file := sample(t, name)
		// Large files repeat themselves.
		step := max(1, len(file)/300)
		for n := 0; n < len(file); n += step {
			for how, r := range map[string]io.Reader{"seeking": bytes.NewReader(file[:n]), "stream": stream{bytes.NewReader(file[:n])}} {
				_, err := Parse(r, Options{Detail: n%2 == 0})
				var e *Error
				if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(n) {
					t.Fatalf("%s, %s: first %d of %d bytes: %v", name, how, n, len(file), err)
				}
			}
		}
	}
}

// builder writes fields as Flink does.
type builder struct{ bytes.Buffer }

func (b *builder) u8(v byte) *builder   { b.WriteByte(v); return b }
func (b *builder) i32(v int32) *builder { return b.raw(binary.BigEndian.AppendUint32(nil, uint32(v))) }
func (b *builder) i64(v int64) *builder { return b.raw(binary.BigEndian.AppendUint64(nil, uint64(v))) }
func (b *builder) raw(v []byte) *builder {
	b.Write(v)
	return b
}

func (b *builder) utf(s string) *builder {
	return b.raw(binary.BigEndian.AppendUint16(nil, uint16(len(s)))).raw([]byte(s))
}

// begin writes a file of format 3 with some operators.
func begin(operators int32) *builder {
	b := &builder{}
	return b.i32(magic).i32(3).i64(7).i32(0).i32(operators)
}

// operator writes the head of an operator with some entries.
func (b *builder) operator(parallelism, ceiling, entries int32) *builder {
	return b.raw(make([]byte, 16)).i32(parallelism).i32(ceiling).u8(tagNull).i32(entries)
}

// keyedEntry begins an entry and writes what comes before its keyed state.
func (b *builder) keyedEntry(index int32) *builder { return b.i32(index).i32(0).i32(0) }

// endEntry ends an entry after its managed keyed state.
func (b *builder) endEntry() *builder { return b.u8(tagNull).i32(0).i32(0) }

// keyGroups writes a handle with those offsets.
func (b *builder) keyGroups(size int64, offsets ...int64) *builder {
	b.u8(tagKeyGroups).i32(0).i32(int32(len(offsets)))
	for _, o := range offsets {
		b.i64(o)
	}
	return b.u8(tagFile).i64(size).utf("f")
}

// refused parses what must be refused, both ways, and returns the error.
func refused(t *testing.T, file []byte) *Error {
	t.Helper()
	var out *Error
	for how, r := range map[string]io.Reader{"stream": stream{bytes.NewReader(file)}, "seeking": bytes.NewReader(file)} {
		_, err := Parse(r, Options{})
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: got %v", how, err)
		}
		out = e
	}
	return out
}

// TestRefused holds what no sample has.
func TestRefused(t *testing.T) {
	one := func() *builder { return begin(1).operator(2, 4, 1) }
	for name, c := range map[string]struct {
		file *builder
		at   int64
		want string
	}{
		"twin subtasks":     {begin(1).operator(2, 4, 2).keyedEntry(1).u8(0).endEntry().i32(-2), 75, "subtask 1 comes twice"},
		"many subtasks":     {begin(1).operator(2, 4, 3), 49, "3 subtasks at parallelism 2"},
		"ceiling":           {begin(1).operator(2, 32769, 0), 44, "maxParallelism is 32769, not 1 to 32768"},
		"presence":          {one().i32(0).i32(2), 57, "2 instead of 0 or 1"},
		"operator tag":      {one().keyedEntry(0).u8(tagOperatorStream), 65, "tag 4 is none of the keyed state handles"},
		"offset past size":  {one().keyedEntry(0).keyGroups(9, 3, 10).endEntry(), 82, "the offset of a key group is 10, outside of its stream of 9 bytes"},
		"offset -2":         {one().keyedEntry(0).keyGroups(9, 3, -2).endEntry(), 82, "the offset of a key group is -2"},
		"twin offsets":      {one().keyedEntry(0).keyGroups(9, 3, 3).endEntry(), 82, "key groups 0 and 1 begin at the same offset, 3"},
		"negative size":     {one().keyedEntry(0).keyGroups(-1, 3).endEntry(), 83, "the file's size is -1"},
		"negative first":    {one().keyedEntry(0).u8(tagKeyGroups).i32(-1).i32(1), 66, "the first key group is -1"},
		"range too long":    {one().keyedEntry(0).u8(tagKeyGroups).i32(10).i32(32760), 70, "32760 key groups from 10 on reach past"},
		"no stream":         {one().keyedEntry(0).u8(tagKeyGroups).i32(0).i32(0).u8(tagNull), 74, "there is no handle"},
		"nested streams":    {one().keyedEntry(0).u8(tagKeyGroups).i32(0).i32(0).raw(bytes.Repeat([]byte{3, 0, 0, 0, 0, 0, 0, 0, 0}, 50)), 155, "nested more than 8 deep"},
		"segment's scope":   {one().keyedEntry(0).u8(tagKeyGroups).i32(0).i32(0).u8(tagSegment).i64(0).i64(1).i32(2), 91, "scope is 2"},
		"channel's subtask": {one().keyedEntry(0).u8(0).u8(0).i32(1).i32(2).i32(0).raw(make([]byte, 40)), 71, "the channel's subtask is 2"},
		"merged in a file":  {one().i32(0).i32(1).u8(tagMergedOperatorStream).i32(0).utf("a").utf("b").u8(0).u8(tagFile).i64(1).utf("x"), 73, "lies in a File handle"},
		"change's group":    {one().keyedEntry(0).u8(tagChangelogInMemory).i32(0).i32(1).i64(0).i64(1).i32(1).i32(40000).i32(0), 94, "key group of a change is 40000"},
		"checkpointed":      {one().keyedEntry(0).u8(tagIncrementalV2).i64(1).utf("").i32(0).i32(1).i64(-2), 84, "checkpointed size is -2"},
		"trailing garbage":  {begin(0).i32(1).raw(nil), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "" {
				m, err := Parse(bytes.NewReader(c.file.Bytes()), Options{})
				if err != nil || m.Trailing != 4 || len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "4 bytes follow the end of the metadata at offset 24") {
					t.Errorf("got %+v, %v", m, err)
				}
				return
			}
			if e := refused(t, c.file.Bytes()); e.Offset != c.at || !strings.Contains(e.What, c.want) {
				t.Errorf("got %v\nwant %q at %d", e, c.want, c.at)
			}
		})
	}
}

// TestWarningsAreFew: a file of many odd operators does not flood the report.
func TestWarningsAreFew(t *testing.T) {
	b := begin(100)
	for range 100 {
		b.operator(2, 4, 0)
	}
	m, err := Parse(bytes.NewReader(b.Bytes()), Options{})
	if err != nil || len(m.Warnings) != maxWarnings+1 || m.Warnings[0] != "Operator 00000000000000000000000000000000 has entries for 0 of its 2 subtasks." {
		t.Errorf("%d warnings, %v", len(m.Warnings), err)
	}
}

// TestOldFormats: what formats 2 and 7 have of their own.
func TestOldFormats(t *testing.T) {
	v2 := func(legacy int32) []byte {
		b := &builder{}
		b.i32(magic).i32(2).i64(1).i32(0).i32(1)
		b.raw(make([]byte, 16)).i32(1).i32(1).i32(1).i32(1)
		return b.i32(0).i64(9).i32(legacy).i32(0).i32(0).u8(0).u8(0).Bytes()
	}
	if m, err := Parse(bytes.NewReader(v2(0)), Options{}); err != nil || len(m.Operators[0].Subtasks) != 1 {
		t.Errorf("got %+v, %v", m, err)
	}
	if e := refused(t, v2(1)); !strings.Contains(e.What, "1 legacy states of Flink 1.1") {
		t.Errorf("got %v", e)
	}
}

// TestChannelsOf111: the channel state of Flink 1.11, which lacks the subtask, is
// read in a second attempt, and only from what can seek.
func TestChannelsOf111(t *testing.T) {
	b := begin(1).operator(2, 4, 1).keyedEntry(1).u8(0).u8(0).i32(1)
	b.i32(0).i32(1).i32(1).i64(0).i64(55).u8(tagFile).i64(4096).utf("hdfs://nn/x").i32(0)
	file := append([]byte("before"), b.Bytes()...)
	r := bytes.NewReader(file)
	if _, err := r.Seek(6, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	m, err := Parse(r, Options{})
	if err != nil || !m.OldChannels || m.Operators[0].Bytes() != 55 || len(m.Warnings) != 2 {
		t.Fatalf("got %+v, %v", m, err)
	}
	_, err = Parse(stream{bytes.NewReader(file[6:])}, Options{})
	if err == nil || !strings.Contains(err.Error(), "give it as a file") {
		t.Errorf("as a stream: %v", err)
	}
}

// TestMemoryIsBounded: files that state huge numbers, or pack as much as they can
// into few bytes, cost memory in proportion to what they hold.
func TestMemoryIsBounded(t *testing.T) {
	const size = 1 << 20
	many := func(head *builder, entry []byte) []byte {
		return head.raw(bytes.Repeat(entry, size/len(entry))).Bytes()
	}
	files := map[string][]byte{
		"operators": many(begin(1<<31-1), begin(0).operator(1, 1, -1).Bytes()[20:]),
		"finished":  nil,
		"files": many(begin(1).operator(2, 4, 1).keyedEntry(0).u8(tagIncremental).i64(1).utf("").i32(0).i32(1).
			u8(tagByteStream).utf("").i32(0).i32(1<<31-1), []byte{0, 0, tagByteStream, 0, 0, 0, 0, 0, 0}),
		"changes": many(begin(1).operator(2, 4, 1).keyedEntry(0).u8(tagChangelogInMemory).i32(0).i32(1).i64(0).i64(1).
			i32(1<<31-1), make([]byte, 8)),
		"elements":    many(begin(1).operator(2, 4, 1).i32(0).i32(1).u8(tagOperatorStream).i32(1).utf("s").u8(0).i32(1<<31-1), make([]byte, 8)),
		"states":      many(begin(1).operator(2, 4, 1).i32(0).i32(1).u8(tagOperatorStream).i32(1<<31-1), make([]byte, 7)),
		"channels":    many(begin(1).operator(2, 4, 1).keyedEntry(0).u8(0).u8(0).i32(1<<31-1), append(make([]byte, 24), tagByteStream, 0, 0, 0, 0, 0, 0)),
		"key groups":  nil,
		"inline":      many(begin(1).raw(make([]byte, 16)).i32(1).i32(1).u8(tagByteStream).utf("x").i32(1<<31-1), make([]byte, 8)),
		"empty parts": many(begin(1).operator(2, 4, 1).keyedEntry(0).u8(tagChangelogV2).i32(0).i32(1).i64(0).i32(1<<31-1), make([]byte, 8)),
	}
	finished := begin(1).operator(32768, 32768, 32768)
	for i := range int32(32768) {
		finished.i32(-1 - i)
	}
	files["finished"] = finished.Bytes()
	groups := begin(1).operator(32768, 32768, 32768)
	for i := range int32(32768) {
		groups.keyedEntry(i).keyGroups(99, 1, 2, 3, 4).endEntry()
	}
	files["key groups"] = groups.Bytes()
	for name, file := range files {
		got := allocated(func() { _, _ = Parse(stream{bytes.NewReader(file)}, Options{}) })
		// Growing a slice leaves its smaller copies behind, so that what is allocated
		// in sum is several times what is ever held.
		if limit := uint64(4*maxBuffer + 40*len(file)); got > limit {
			t.Errorf("%s: %d bytes allocated for a file of %d", name, got, len(file))
		}
	}
	for _, path := range invalid(t) {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := allocated(func() { _, _ = Parse(bytes.NewReader(file), Options{}) })
		if limit := uint64(16<<10 + 4*len(file)); got > limit {
			t.Errorf("%s: %d bytes allocated for a file of %d", path, got, len(file))
		}
	}
}

// allocated returns how many bytes f allocates, in sum.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// faulty fails after some bytes.
type faulty struct {
	r   io.Reader
	err error
}

func (f faulty) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if errors.Is(err, io.EOF) {
		err = f.err
	}
	return n, err
}

// TestReaderErrors: an error of the source is passed on, with the offset, and a
// source that gives nothing does not hang.
func TestReaderErrors(t *testing.T) {
	file := sample(t, "flink-2.3.0-hashmap-canonical-p5-m128")
	cause := errors.New("connection reset")
	_, err := Parse(faulty{bytes.NewReader(file[:1000]), cause}, Options{})
	if !errors.Is(err, cause) || !strings.HasPrefix(err.Error(), "offset 1000: ") {
		t.Errorf("got %v", err)
	}
	_, err = Parse(faulty{bytes.NewReader(nil), nil}, Options{})
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}
