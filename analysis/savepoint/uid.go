package savepoint

import (
	"encoding/binary"
	"math/bits"
)

// IDOfUID returns the id of an operator whose uid the user set: MurmurHash3 (x64,
// 128 bits, seed 0) of its UTF-8 bytes, both halves little-endian, as Guava's
// Hashing.murmur3_128 gives it to StreamGraphHasherV2. Ids of operators without
// a uid are hashes of the job graph and cannot be computed.
func IDOfUID(uid string) ID {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	data := []byte(uid)
	var h1, h2 uint64
	mix1 := func(k uint64) uint64 { return bits.RotateLeft64(k*c1, 31) * c2 }
	mix2 := func(k uint64) uint64 { return bits.RotateLeft64(k*c2, 33) * c1 }
	for ; len(data) >= 16; data = data[16:] {
		h1 ^= mix1(binary.LittleEndian.Uint64(data))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= mix2(binary.LittleEndian.Uint64(data[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte
	copy(tail[:], data)
	h2 ^= mix2(binary.LittleEndian.Uint64(tail[8:]))
	h1 ^= mix1(binary.LittleEndian.Uint64(tail[:]))
	h1 ^= uint64(len(uid))
	h2 ^= uint64(len(uid))
	h1 += h2
	h2 += h1
	h1, h2 = finish(h1), finish(h2)
	h1 += h2
	h2 += h1
	var id ID
	binary.LittleEndian.PutUint64(id[:], h1)
	binary.LittleEndian.PutUint64(id[8:], h2)
	return id
}

// finish spreads every bit over all others.
func finish(k uint64) uint64 {
	k ^= k >> 33
	k *= 0xff51afd7ed558ccd
	k ^= k >> 33
	k *= 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
