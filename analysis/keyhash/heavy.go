package keyhash

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

const (
	// heavyKeys is how many keys are told apart at a time.
	heavyKeys = 1 << 14
	// heldText is how much of a key's text is kept, in bytes.
	heldText = 256
)

// HeavyKey is one of the keys with the highest counts.
type HeavyKey struct {
	Fields []Field
	// Cut says that the texts were too long to be kept whole.
	Cut  bool
	Hash int32
	// Count is at least so much: exact while Missed is 0. It may be higher by up to
	// Missed, by which the key may have been counted while it was not followed.
	Count, Missed int64
}

// heavy follows the keys with the highest counts by the Space-Saving algorithm
// (Metwally, Agrawal, El Abbadi 2005): a key that is not followed takes the place of
// the one with the lowest count and inherits that as its uncertainty. That lowest
// count is at most the total over most, so that whatever makes more than twice as
// much is among the followed at the end, and certain to be heavier than the others.
type heavy struct {
	most int
	at   map[uint64]*heavyEntry // by fingerprint
	heap []*heavyEntry          // the lowest total first
	// partial says that some keys were let go or never followed.
	partial bool
}

type heavyEntry struct {
	print uint64
	// place is where in the heap it is.
	place int
	// total is the count with what was inherited.
	total int64
	key   HeavyKey
}

func newHeavy(most int) *heavy { return &heavy{most: most, at: map[uint64]*heavyEntry{}} }

func (h *heavy) add(print uint64, hash int32, fields []Field, n int64) {
	e := h.at[print]
	switch {
	case e != nil:
		e.total += n
		e.key.Count += n
		h.down(e.place)
	case len(h.heap) < h.most:
		e = &heavyEntry{print: print, place: len(h.heap), total: n, key: held(fields, hash, n, 0)}
		h.heap = append(h.heap, e)
		h.at[print] = e
		h.up(e.place)
	case n == 0:
		h.partial = true
	default:
		h.partial = true
		e = h.heap[0]
		delete(h.at, e.print)
		missed := e.total
		*e = heavyEntry{print: print, total: missed + n, key: held(fields, hash, n, missed)}
		h.at[print] = e
		h.down(0)
	}
}

// held copies what is kept of a key's texts.
func held(fields []Field, hash int32, n, missed int64) HeavyKey {
	k := HeavyKey{Fields: slices.Clone(fields), Hash: hash, Count: n, Missed: missed}
	for i := range k.Fields {
		f := &k.Fields[i]
		if limit := heldText / len(fields); len(f.Text) > limit {
			for limit > 0 && !utf8.RuneStart(f.Text[limit]) {
				limit--
			}
			f.Text, k.Cut = f.Text[:limit], true
		}
		// The text may be a part of a longer line, which is not to be held.
		f.Text = string([]byte(f.Text))
	}
	return k
}

func (h *heavy) swap(i, j int) {
	h.heap[i], h.heap[j] = h.heap[j], h.heap[i]
	h.heap[i].place, h.heap[j].place = i, j
}

func (h *heavy) up(i int) {
	for i > 0 && h.heap[i].total < h.heap[(i-1)/2].total {
		h.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (h *heavy) down(i int) {
	for {
		low := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h.heap); c++ {
			if h.heap[c].total < h.heap[low].total {
				low = c
			}
		}
		if low == i {
			return
		}
		h.swap(i, low)
		i = low
	}
}

// list returns the keys that are certain to count more than any key left out, the
// highest count first, and whether none is left out.
func (h *heavy) list() (keys []HeavyKey, all bool) {
	for _, e := range h.heap {
		// A key that is not followed counts no more than the lowest total.
		if !h.partial || e.key.Count > h.heap[0].total {
			keys = append(keys, e.key)
		}
	}
	slices.SortFunc(keys, func(a, b HeavyKey) int {
		if c := cmp.Compare(b.Count, a.Count); c != 0 {
			return c
		}
		return slices.CompareFunc(a.Fields, b.Fields, func(x, y Field) int { return cmp.Compare(x.Text, y.Text) })
	})
	return keys, !h.partial
}
