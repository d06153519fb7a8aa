package savepoint

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func parse(t testing.TB, name string) *Metadata {
	t.Helper()
	m, err := Parse(bytes.NewReader(sample(t, name)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// operator returns the only operator whose name or uid is that.
func operator(t testing.TB, m *Metadata, name string) *Operator {
	t.Helper()
	var found *Operator
	for _, o := range m.Operators {
		if o.Name == name || o.UID == name || o.ID == IDOfUID(name) {
			if found != nil {
				t.Fatalf("two operators %s", name)
			}
			found = o
		}
	}
	if found == nil {
		t.Fatalf("no operator %s", name)
	}
	return found
}

// TestGroupsAddUp: in every sample the key groups and the headers add up to the
// keyed state, every group lies in its handle's range, and the prediction at the
// recorded parallelism is what the subtasks have.
func TestGroupsAddUp(t *testing.T) {
	recorded := 0
	for _, name := range sampleNames(t) {
		m := parse(t, name)
		for _, o := range m.Operators {
			k := o.KeyGroups()
			if k.Reason != Recorded {
				if k.Groups != nil {
					t.Errorf("%s, %s: groups beside a reason", name, o.ID)
				}
				continue
			}
			recorded++
			var keyed int64
			at := o.At(o.Parallelism)
			for _, s := range o.Subtasks {
				keyed += s.KeyedBytes()
				var own int64
				for _, h := range []*Keyed{s.State.keyed(false), s.State.keyed(true)} {
					if h != nil {
						own += h.Bytes - h.Header
					}
				}
				if at.Bytes[s.Index] != own {
					t.Errorf("%s, %s: subtask %d is predicted %d bytes at its own parallelism, has %d", name, o.ID, s.Index, at.Bytes[s.Index], own)
				}
			}
			if got := Total(k.Groups) + k.Header; got != keyed {
				t.Errorf("%s, %s: groups and headers are %d bytes of %d", name, o.ID, got, keyed)
			}
			for p := 1; p <= o.MaxParallelism; p = p*3/2 + 1 {
				var sum int64
				for _, b := range o.At(p).Bytes {
					sum += b
				}
				if sum != Total(k.Groups) {
					t.Errorf("%s, %s: %d bytes at parallelism %d, of %d", name, o.ID, sum, p, Total(k.Groups))
				}
			}
		}
	}
	if recorded < 60 {
		t.Errorf("only %d operators with key groups", recorded)
	}
}

// keyed is for tests: a part of a state that may be nil.
func (s *State) keyed(raw bool) *Keyed {
	switch {
	case s == nil:
		return nil
	case raw:
		return s.RawKeyed
	}
	return s.ManagedKeyed
}

// TestBackendsAgree: a canonical savepoint of the same job has the same bytes per
// key group whatever the backend (interchangeable since FLIP-41).
func TestBackendsAgree(t *testing.T) {
	for _, kind := range []string{"canonical-p5-m128", "canonical-hotkey-p10-m16"} {
		heap, rocks := parse(t, "flink-2.3.0-hashmap-"+kind), parse(t, "flink-2.3.0-rocksdb-"+kind)
		compared := 0
		for _, h := range heap.Operators {
			for _, r := range rocks.Operators {
				if r.ID == h.ID && h.KeyGroups().Reason == Recorded {
					compared++
					if !reflect.DeepEqual(h.KeyGroups(), r.KeyGroups()) {
						t.Errorf("%s, operator %s: %v and %v", kind, h.Name, h.KeyGroups(), r.KeyGroups())
					}
				}
			}
		}
		if compared == 0 {
			t.Errorf("%s: no operator in both", kind)
		}
	}
}

func TestReasons(t *testing.T) {
	for name, want := range map[string]Reason{
		"flink-2.3.0-rocksdb-incremental-checkpoint-p5-m128": NativeFiles,
		"flink-2.3.0-rocksdb-full-checkpoint-p5-m128":        NativeFiles,
		"flink-2.3.0-rocksdb-native-savepoint-p5-m128":       NativeFiles,
		"flink-2.3.0-changelog-memory-p3-m12":                ChangesSince,
		"flink-2.3.0-changelog-materialized-p3-m12":          ChangesSince,
		"flink-2.3.0-hashmap-checkpoint-p5-m128":             Recorded,
		"flink-2.3.0-hashmap-native-savepoint-p5-m128":       Recorded,
		"flink-2.3.0-file-merging-hashmap-p4-m128":           Recorded,
		"flink-1.11.6-legacy-filesystem-savepoint-p4-m24":    Recorded,
	} {
		m := parse(t, name)
		keyed := 0
		for _, o := range m.Operators {
			got := o.KeyGroups().Reason
			if got == NoKeyedState {
				continue
			}
			keyed++
			if got != want {
				t.Errorf("%s, operator %s: %q, want %q", name, o.ID, got, want)
			}
		}
		if keyed == 0 {
			t.Errorf("%s: no operator with keyed state", name)
		}
	}
	finished := parse(t, "flink-2.3.0-finished-checkpoint-p3-m12")
	if o := operator(t, finished, "quickly-done"); o.KeyGroups().Reason != AllFinished || !o.FullyFinished {
		t.Errorf("finished: %q", o.KeyGroups().Reason)
	}
	// RocksDB with heap timers gives the timers' key groups alone.
	timers := parse(t, "flink-2.3.0-rocksdb-full-heap-timers-p5-m128")
	found := false
	for _, o := range timers.Operators {
		if k := o.KeyGroups(); len(k.Raw) > 0 {
			found = true
			if k.Reason != NativeFiles || k.Groups != nil {
				t.Errorf("timers: %+v", k)
			}
		}
	}
	if !found {
		t.Error("no timers")
	}
}

// TestSplit compares both ways of splitting with a plain search for the next
// offset.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, size := rng.IntN(20), int64(1000)
		offsets := make([]int64, 0, n)
		for i := range n {
			offsets = append(offsets, 10+int64(i)*40+rng.Int64N(40))
		}
		if rng.IntN(2) == 0 {
			rng.Shuffle(n, func(i, j int) { offsets[i], offsets[j] = offsets[j], offsets[i] })
		}
		raw := rng.IntN(2) == 0
		for i := range offsets {
			switch r := rng.IntN(4); {
			case r == 0 && raw:
				offsets[i] = -1
			case r == 0:
				offsets[i] = 0
			}
		}
		var want []GroupBytes
		header := size
		for i, o := range offsets {
			if o <= 0 {
				continue
			}
			header = min(header, o)
			end := size
			for _, other := range offsets {
				if other > o && other < end {
					end = other
				}
			}
			want = append(want, GroupBytes{7 + i, end - o})
		}
		k := &Keyed{Kind: KeyGroups, First: 7, Bytes: size}
		p := &parser{input: newInput(bytes.NewReader(nil))}
		p.split(k, 0, slices.Clone(offsets), keyedContext{raw: raw})
		if p.err != nil || !reflect.DeepEqual(k.Groups(), want) || k.Header != header {
			t.Fatalf("%v (raw %v): got %v, header %d, %v\nwant %v, header %d", offsets, raw, k.Groups(), k.Header, p.err, want, header)
		}
	}
}

// TestRawGroups: offset 0 is data in raw state, and two groups may share an offset.
func TestRawGroups(t *testing.T) {
	k := &Keyed{Kind: KeyGroups, Bytes: 9}
	p := &parser{input: newInput(bytes.NewReader(nil))}
	p.split(k, 0, []int64{0, 4, -1, 4}, keyedContext{raw: true})
	if want := []GroupBytes{{0, 4}, {1, 0}, {3, 5}}; p.err != nil || !reflect.DeepEqual(k.Groups(), want) || k.Header != 0 {
		t.Errorf("got %v, header %d, %v", k.Groups(), k.Header, p.err)
	}
}

func TestPredict(t *testing.T) {
	o := &Operator{Parallelism: 2, MaxParallelism: 8}
	for i := range 2 {
		k := &Keyed{Kind: KeyGroupsSavepoint, First: 4 * i, Last: 4*i + 3, Bytes: 110, Header: 10, bytes: []int64{70, 10, noData, 20}}
		o.Subtasks = append(o.Subtasks, Subtask{Index: i, State: &State{ManagedKeyed: k}})
	}
	native := &Operator{Parallelism: 4, MaxParallelism: 8}
	for i := range 4 {
		k := &Keyed{Kind: IncrementalRemote, First: 2 * i, Last: 2*i + 1, Bytes: int64(10 * (i + 1))}
		native.Subtasks = append(native.Subtasks, Subtask{Index: i, State: &State{ManagedKeyed: k}})
	}
	for _, c := range []struct {
		o     *Operator
		p     int
		basis Basis
		bytes []int64
		why   string
	}{
		{o, 1, ByKeyGroup, []int64{200}, ""},
		{o, 3, ByKeyGroup, []int64{80, 100, 20}, ""},
		{o, 8, ByKeyGroup, []int64{70, 10, 0, 20, 70, 10, 0, 20}, ""},
		{o, 9, NoBasis, nil, "above the maxParallelism, 8"},
		{o, 0, NoBasis, nil, "at least 1"},
		{native, 4, BySubtask, []int64{10, 20, 30, 40}, ""},
		{native, 2, BySubtask, []int64{30, 70}, ""},
		{native, 1, BySubtask, []int64{100}, ""},
		{native, 3, NoBasis, nil, "it would split subtask 1 of the recorded 4"},
		{native, 8, NoBasis, nil, "it would split subtask 0 of the recorded 4"},
		{&Operator{Parallelism: 1, MaxParallelism: 8}, 1, NoBasis, nil, "no keyed state"},
	} {
		got := c.o.At(c.p)
		if got.Parallelism != c.p || got.Basis != c.basis || !reflect.DeepEqual(got.Bytes, c.bytes) || !strings.Contains(got.Reason, c.why) || (got.Reason == "") != (c.basis != NoBasis) {
			t.Errorf("at %d: got %+v, want %+v", c.p, got, c)
		}
	}
	at := o.Predict([]int{3})[0]
	index, most := at.Largest()
	skew, ok := at.Skew()
	if index != 1 || most != 100 || !ok || math.Abs(skew-1.5) > 1e-12 {
		t.Errorf("largest %d with %d, skew %v %v", index, most, skew, ok)
	}
	if _, ok := o.At(9).Skew(); ok {
		t.Error("a skew without a basis")
	}
	native.Subtasks[1].State.ManagedKeyed.Last = 5
	if got := native.At(2); got.Basis != NoBasis || !strings.Contains(got.Reason, "subtask 1 is not that of its key groups alone") {
		t.Errorf("got %+v", got)
	}
}

// TestRanges: predictions cut key groups as Flink's own code does.
func TestRanges(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(samples, "expected", "key-group-ranges.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		KeyGroupRanges []struct {
			Parallelism, MaxParallelism int
			Ranges                      [][2]int
		}
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all.KeyGroupRanges) == 0 {
		t.Fatal(err)
	}
	for _, c := range all.KeyGroupRanges {
		k := &Keyed{Kind: KeyGroups, Last: c.MaxParallelism - 1}
		for g := range c.MaxParallelism {
			k.bytes = append(k.bytes, int64(g+1))
		}
		o := &Operator{Parallelism: 1, MaxParallelism: c.MaxParallelism, Subtasks: []Subtask{{State: &State{ManagedKeyed: k}}}}
		var want []int64
		for _, r := range c.Ranges {
			var sum int64
			for g := r[0]; g <= r[1]; g++ {
				sum += int64(g + 1)
			}
			want = append(want, sum)
		}
		if got := o.At(c.Parallelism).Bytes; !reflect.DeepEqual(got, want) {
			t.Errorf("parallelism %d of %d: got %v, want %v", c.Parallelism, c.MaxParallelism, got, want)
		}
	}
}

// TestUIDs: the id of every operator whose uid a sample records is that uid's.
func TestUIDs(t *testing.T) {
	seen := 0
	for _, name := range sampleNames(t) {
		for _, o := range parse(t, name).Operators {
			if o.UID == "" {
				continue
			}
			seen++
			if got := IDOfUID(o.UID); got != o.ID {
				t.Errorf("%s: uid %q gives %s, want %s", name, o.UID, got, o.ID)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d uids", seen)
	}
}

func TestKind(t *testing.T) {
	for name, want := range map[string]Kind{
		"flink-2.3.0-hashmap-canonical-p5-m128":              CanonicalSavepoint,
		"flink-2.3.0-stop-with-savepoint-p2-m8":              CanonicalSavepoint,
		"flink-2.3.0-rocksdb-native-savepoint-p5-m128":       NativeSavepoint,
		"flink-2.3.0-rocksdb-incremental-checkpoint-p5-m128": Checkpoint,
		"flink-1.15.4-legacy-filesystem-savepoint-p4-m24":    CanonicalSavepoint,
		"flink-1.14.6-legacy-rocksdb-checkpoint-p4-m24":      UnknownKind,
	} {
		if got := parse(t, name).Kind(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := (&Metadata{Properties: &Properties{TypeClass: "CheckpointType", TypeName: "Full Checkpoint"}}).Kind(); got != FullCheckpoint {
		t.Errorf("got %s", got)
	}
}

// TestSumsSaturate: sizes past the largest number do not wrap.
func TestSumsSaturate(t *testing.T) {
	b := begin(1).operator(2, 4, 2)
	for i := range int32(2) {
		b.keyedEntry(i).keyGroups(math.MaxInt64-1, 5).endEntry()
	}
	m, err := Parse(bytes.NewReader(b.Bytes()), Options{})
	if err != nil || m.Operators[0].Bytes() != math.MaxInt64 {
		t.Fatalf("got %v", err)
	}
	if got := m.Operators[0].At(1); got.Bytes[0] != math.MaxInt64 {
		t.Errorf("got %+v", got)
	}
}
