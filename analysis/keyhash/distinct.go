package keyhash

import "math/bits"

// distinctSlots is how large the table of a distinct grows, 24 MiB.
const distinctSlots = 1 << 21

// distinct counts different keys in bounded memory: all of them while they fit,
// and from then on a sample of them by their fingerprints. A key is in the sample
// or not, however often it comes, so that each stands for 2^level keys.
//
// It is an open-addressing table, at most three quarters full.
type distinct struct {
	// prints are fingerprints, 0 for a free slot; hashes are the keys' Java hashes.
	prints []uint64
	hashes []int32
	used   int
	// level is how many of a fingerprint's lowest bits must be 0.
	level uint
	most  int
}

func newDistinct(most int) *distinct {
	d := &distinct{most: most}
	d.resize(min(1024, most))
	return d
}

// add notes a key.
func (d *distinct) add(print uint64, hash int32) {
	if print == 0 {
		print = 1 << 63
	}
	if bits.TrailingZeros64(print) < int(d.level) {
		return
	}
	if !d.put(print, hash) || d.used*4 < len(d.prints)*3 {
		return
	}
	if len(d.prints) < d.most {
		d.resize(2 * len(d.prints))
		return
	}
	for d.used*4 >= len(d.prints)*3 {
		d.level++
		d.resize(len(d.prints))
	}
}

// put returns whether the key is new.
func (d *distinct) put(print uint64, hash int32) bool {
	mask := uint64(len(d.prints) - 1)
	// The lowest bits are alike in a sample, so that the slot is told by the highest.
	for i := print >> 32 & mask; ; i = (i + 1) & mask {
		switch d.prints[i] {
		case print:
			return false
		case 0:
			d.prints[i], d.hashes[i] = print, hash
			d.used++
			return true
		}
	}
}

// resize moves what the level lets through to a table of n slots, a power of two.
func (d *distinct) resize(n int) {
	prints, hashes := d.prints, d.hashes
	d.prints, d.hashes, d.used = make([]uint64, n), make([]int32, n), 0
	for i, p := range prints {
		if p != 0 && bits.TrailingZeros64(p) >= int(d.level) {
			d.put(p, hashes[i])
		}
	}
}

// each calls f with the hash of every key of the sample.
func (d *distinct) each(f func(hash int32)) {
	for i, p := range d.prints {
		if p != 0 {
			f(d.hashes[i])
		}
	}
}

// weight is how many keys each of the sample stands for; 1 while it has all.
func (d *distinct) weight() int64 { return 1 << d.level }
