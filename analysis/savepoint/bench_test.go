package savepoint

import (
	"bytes"
	"fmt"
	"testing"
)

// large are files of about 64 MB, each of another kind.
func large() map[string][]byte {
	const size = 64 << 20
	groups := &builder{}
	offsets := make([]int64, 256)
	for i := range offsets {
		offsets[i] = int64(2000 + 100*i)
	}
	groupOperators := int32(0)
	for ; groups.Len() < size; groupOperators++ {
		groups.operator(128, 32768, 128)
		for i := range int32(128) {
			groups.keyedEntry(i).keyGroups(40000, offsets...).endEntry()
		}
	}
	files := &builder{}
	fileOperators := int32(0)
	for ; files.Len() < size; fileOperators++ {
		files.operator(128, 1024, 128)
		for i := range int32(128) {
			files.keyedEntry(i).u8(tagIncremental).i64(1).utf("0f8fad5b-d9cb-469f-a165-70867728950e").i32(0).i32(8)
			files.u8(tagRelativeFile).utf("4f7f0b3c-5a1c-44a7-9d3e-0d9f0f0b1f11").i64(4000).i32(100)
			for f := range 100 {
				files.utf(fmt.Sprintf("%06d.sst", f)).u8(tagFile).i64(67108864).utf("s3://bucket/checkpoints/0123456789abcdef0123456789abcdef/shared/4f7f0b3c-5a1c-44a7-9d3e-0d9f0f0b1f11")
			}
			files.i32(0).endEntry()
		}
	}
	inline := &builder{}
	inlineOperators := int32(0)
	for state := make([]byte, 15000); inline.Len() < size; inlineOperators++ {
		inline.operator(128, 128, 128)
		for i := range int32(128) {
			inline.i32(i).i32(1).u8(tagOperatorStream).i32(1).utf("SourceReaderState").u8(0).i32(1).i64(9)
			inline.u8(tagByteStream).utf("x").i32(int32(len(state))).raw(state).i32(0).u8(0).endEntry()
		}
	}
	finish := func(n int32, b *builder) []byte { return append(begin(n).Bytes(), b.Bytes()...) }
	return map[string][]byte{
		"key_groups": finish(groupOperators, groups), "files": finish(fileOperators, files), "inline": finish(inlineOperators, inline),
	}
}

// BenchmarkParse reads streams, which cannot seek over anything.
func BenchmarkParse(b *testing.B) {
	for name, file := range large() {
		for _, detail := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/detail=%v", name, detail), func(b *testing.B) {
				b.SetBytes(int64(len(file)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Parse(stream{bytes.NewReader(file)}, Options{Detail: detail}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
