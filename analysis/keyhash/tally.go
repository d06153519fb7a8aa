package keyhash

import (
	"errors"
	"hash/maphash"
	"math"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// Tally counts a stream of keys by key group in bounded memory, some 30 MiB and
// 8 bytes for each key group of each ceiling. It serves one goroutine at a time.
type Tally struct {
	ceilings []ceiling
	// wanted are the key groups of the first ceiling whose keys are followed; nil
	// for all.
	wanted   func(group int) bool
	lines    int64
	total    int64
	distinct *distinct
	heavy    *heavy
	seed     maphash.Seed
	sum      maphash.Hash
}

// ceiling holds the counts of the key groups under one maxParallelism.
type ceiling struct {
	max    int
	counts []int64
	// keys is filled at the end, from the distinct keys.
	keys []int64
}

// errOverflow says that counts cannot be added any more.
var errOverflow = errors.New("the counts add up to more than 2⁶³")

// errNegative refuses counts below 0.
var errNegative = errors.New("the count is below 0")

// NewTally returns a Tally under the given maxParallelisms, of which there must be
// one at least. Heavy keys are told of the key groups of the first for which
// wanted is true, or of all when it is nil.
func NewTally(ceilings []int, wanted func(group int) bool) *Tally {
	t := &Tally{wanted: wanted, distinct: newDistinct(distinctSlots), heavy: newHeavy(heavyKeys), seed: maphash.MakeSeed()}
	for _, m := range ceilings {
		t.ceilings = append(t.ceilings, ceiling{max: m, counts: make([]int64, m)})
	}
	t.sum.SetSeed(t.seed)
	return t
}

// Add counts a key n times. The hash is Hasher.Hash's of the fields. It fails on
// an n below 0, and when the counts add up to more than 63 bits hold; the key is
// not counted then.
func (t *Tally) Add(hash int32, fields []Field, n int64) error {
	if n < 0 {
		return errNegative
	}
	if n > math.MaxInt64-t.total {
		return errOverflow
	}
	t.lines++
	t.total += n
	print := t.fingerprint(fields)
	for i := range t.ceilings {
		c := &t.ceilings[i]
		group := keygroup.Group(hash, c.max)
		c.counts[group] += n
		if i == 0 && (t.wanted == nil || t.wanted(group)) {
			t.heavy.add(print, hash, fields, n)
		}
	}
	t.distinct.add(print, hash)
	return nil
}

// fingerprint tells keys apart: two of a million share one with a probability of
// 1 in 37 million, of which the counts would not suffer much.
func (t *Tally) fingerprint(fields []Field) uint64 {
	if len(fields) == 1 && !fields[0].Null {
		return maphash.String(t.seed, fields[0].Text)
	}
	t.sum.Reset()
	for _, f := range fields {
		// A length before the text keeps ("a","b") from being ("ab","").
		length := uint32(len(f.Text)) + 1
		if f.Null {
			length = 0
		}
		for shift := 0; shift < 32; shift += 8 {
			_ = t.sum.WriteByte(byte(length >> shift)) // never fails
		}
		if !f.Null {
			_, _ = t.sum.WriteString(f.Text) // never fails
		}
	}
	return t.sum.Sum64()
}

// Lines is how many keys were added, repeated ones included, and Total the sum of
// their counts.
func (t *Tally) Lines() int64 { return t.lines }

// Total is the sum of the counts.
func (t *Tally) Total() int64 { return t.total }

// Distinct is how many different keys there were; exact is false when there were
// too many to be told apart, a million and a half: the number is then an estimate
// from a sample of some million keys, good to about 0.2 % for all of them, and
// to 1/√n of a part with n keys in the sample.
func (t *Tally) Distinct() (keys int64, exact bool) {
	w := t.distinct.weight()
	return int64(t.distinct.used) * w, w == 1
}

// Heaviest returns the keys with the highest counts, the highest first: all keys
// that were asked for, and true, while they are no more than 16,384; else only
// those that are certain to count more than any other.
func (t *Tally) Heaviest() (keys []HeavyKey, all bool) { return t.heavy.list() }

// Ceilings returns the maxParallelisms of the tally, in their order.
func (t *Tally) Ceilings() []int {
	var all []int
	for _, c := range t.ceilings {
		all = append(all, c.max)
	}
	return all
}

// finish counts the different keys of each key group.
func (t *Tally) finish() {
	w := t.distinct.weight()
	for i := range t.ceilings {
		c := &t.ceilings[i]
		if c.keys != nil {
			clear(c.keys)
		} else {
			c.keys = make([]int64, c.max)
		}
		t.distinct.each(func(hash int32) { c.keys[keygroup.Group(hash, c.max)] += w })
	}
}

// Share is what one subtask gets.
type Share struct {
	// First and Last are its key groups, both inclusive.
	First, Last int
	Count, Keys int64
}

// Load is how evenly something is spread over the subtasks.
type Load struct {
	// Max is the most that one subtask gets, Subtask the first that does.
	Max     int64
	Subtask int
	Mean    float64
	// Ratio is Max over Mean, from 1 to the parallelism; NaN when there is nothing.
	Ratio float64
}

// Skew is what keys make of one parallelism under one maxParallelism.
type Skew struct {
	MaxParallelism, Parallelism int
	// Count is by the counts of the keys, Keys by how many different keys.
	Count, Keys Load
	// LayoutRatio is the skew by the key groups alone (keygroup.LayoutRatio).
	LayoutRatio float64
	// Idle is how many subtasks get no count.
	Idle   int
	Shares []Share
}

// Equivalent is how many evenly loaded subtasks would be as fast: the parallelism
// over the skew of counts.
func (s *Skew) Equivalent() float64 { return float64(s.Parallelism) / s.Count.Ratio }

// Skews returns the skew at every parallelism given that a ceiling allows, and,
// when none is given, at every useful one of it (keygroup.Useful).
func (t *Tally) Skews(parallelisms []int) []Skew {
	t.finish()
	var all []Skew
	for i := range t.ceilings {
		c := &t.ceilings[i]
		ps := parallelisms
		if len(ps) == 0 {
			ps = keygroup.Useful(c.max)
		}
		for _, p := range ps {
			if keygroup.Valid(p, c.max) {
				all = append(all, c.skew(p))
			}
		}
	}
	return all
}

func (c *ceiling) skew(p int) Skew {
	s := Skew{MaxParallelism: c.max, Parallelism: p, LayoutRatio: keygroup.LayoutRatio(p, c.max), Shares: make([]Share, p)}
	counts, keys := make([]int64, p), make([]int64, p)
	for i := range s.Shares {
		first, last := keygroup.Range(i, p, c.max)
		for g := first; g <= last; g++ {
			counts[i] += c.counts[g]
			keys[i] += c.keys[g]
		}
		s.Shares[i] = Share{First: first, Last: last, Count: counts[i], Keys: keys[i]}
		if counts[i] == 0 {
			s.Idle++
		}
	}
	s.Count, s.Keys = load(counts), load(keys)
	return s
}

func load(parts []int64) Load {
	var sum float64
	for _, n := range parts {
		sum += float64(n)
	}
	l := Load{Max: slices.Max(parts), Mean: sum / float64(len(parts))}
	l.Subtask = slices.Index(parts, l.Max)
	l.Ratio = float64(l.Max) / l.Mean
	return l
}

// closeEnough is how much more than the least a busiest subtask may get at the
// parallelism that is called the best: a subtask more must be worth its slot.
const closeEnough = 1.05

// Best returns the index of the best choice: the lowest parallelism whose busiest
// subtask gets no more than 1.05 times the least that any choice leaves on one,
// and of its ceilings that with the least skew. It is -1 when there is no choice
// or no count.
func Best(skews []Skew) int {
	least := int64(math.MaxInt64)
	for i := range skews {
		least = min(least, skews[i].Count.Max)
	}
	best := -1
	for i := range skews {
		s := &skews[i]
		if s.Count.Max == 0 || float64(s.Count.Max) > closeEnough*float64(least) {
			continue
		}
		if best < 0 || s.Parallelism < skews[best].Parallelism ||
			s.Parallelism == skews[best].Parallelism && s.Count.Max < skews[best].Count.Max {
			best = i
		}
	}
	return best
}
