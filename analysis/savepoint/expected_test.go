package savepoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
)

const samples = "../../testdata/savepoints"

// sampleNames lists the folders that hold a file Flink can read.
func sampleNames(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(samples, "*", "_metadata"))
	if err != nil || len(files) < 60 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(filepath.Dir(f)))
	}
	return names
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(samples, name, "_metadata"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stream hides everything but Read, as a pipe does.
type stream struct{ r io.Reader }

func (s stream) Read(b []byte) (int, error) { return s.r.Read(b) }

// object is a JSON object of the expected files.
type object = map[string]any

// dump is a parsed file in the form of the expected files, inside of which file
// holds the bytes for the hashes of inline state.
type dump struct{ file []byte }

func (d dump) metadata(m *Metadata) object {
	out := object{"fileSize": m.Size, "trailingBytes": m.Trailing, "version": m.Format, "checkpointId": m.CheckpointID, "properties": nil}
	if p := m.Properties; p != nil {
		all := object{"typeClass": p.TypeClass, "typeName": p.TypeName}
		for name, v := range p.Flags {
			all[name] = v
		}
		for name, v := range map[string]string{"formatType": p.FormatType, "postCheckpointAction": p.PostCheckpointAction, "sharingFilesStrategy": p.SharingFilesStrategy} {
			if v != "" {
				all[name] = v
			}
		}
		out["properties"] = all
	}
	out["masterStates"] = list(m.Masters, func(s Master) any {
		return object{"name": s.Name, "version": s.Version, "bytes": s.Bytes}
	})
	out["operators"] = list(m.Operators, d.operator)
	return out
}

func list[T any](all []T, one func(T) any) []any {
	out := []any{}
	for _, x := range all {
		out = append(out, one(x))
	}
	return out
}

// some is a list of one element, or none when it is nil.
func some[T any](x *T, one func(T) any) []any {
	if x == nil {
		return []any{}
	}
	return []any{one(*x)}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (d dump) operator(o *Operator) any {
	out := object{
		"operatorId": o.ID.String(), "name": orNull(o.Name), "uid": orNull(o.UID), "coordinatorState": nil,
		"parallelism": o.Parallelism, "maxParallelism": o.MaxParallelism, "fullyFinished": o.FullyFinished,
		"stateSize": o.Bytes(), "checkpointedSize": o.CheckpointedBytes(), "subtasks": list(o.Subtasks, d.subtask),
	}
	if o.Coordinator != nil {
		out["coordinatorState"] = d.stream(*o.Coordinator)
	}
	return out
}

func (d dump) subtask(s Subtask) any {
	state := s.State
	if state == nil {
		state = &State{}
	}
	out := object{
		"index": s.Index, "finished": s.Finished, "stateSize": s.Bytes(), "checkpointedSize": s.CheckpointedBytes(),
		"managedOperatorState": some(state.ManagedOperator, d.operatorState), "rawOperatorState": some(state.RawOperator, d.operatorState),
		"managedKeyedState": some(state.ManagedKeyed, d.keyed), "rawKeyedState": some(state.RawKeyed, d.keyed),
		"inputChannelState": d.channels(state.Input, "InputChannel"), "resultSubpartitionState": d.channels(state.Output, "ResultSubpartition"),
	}
	if state.RefCheckpoint != nil {
		out["refCheckpointId"] = *state.RefCheckpoint
	}
	return out
}

func (d dump) operatorState(o OperatorState) any {
	kind := "OperatorStream"
	if o.Merged {
		kind = "FileMergingOperatorStream"
	}
	states := object{}
	for _, s := range o.States {
		states[s.Name] = object{"mode": s.Mode.String(), "offsets": s.Offsets}
	}
	return object{"kind": kind, "stateSize": o.Bytes, "states": states, "stream": d.stream(*o.Stream)}
}

func (d dump) keyed(k Keyed) any {
	out := object{
		"kind": k.Kind.String(), "firstKeyGroup": k.First, "lastKeyGroup": k.Last,
		"stateSize": k.Bytes, "checkpointedSize": k.Checkpointed,
	}
	more := k.Detail
	keyed := func(k *Keyed) any { return d.keyed(*k) }
	file := func(f LocalFile) any { return object{"localPath": f.Local, "stream": d.stream(f.Stream)} }
	switch k.Kind {
	case KeyGroups, KeyGroupsSavepoint:
		out["offsets"], out["stream"] = more.Offsets, d.stream(*more.Stream)
	case IncrementalRemote:
		out["checkpointId"], out["backendId"], out["meta"] = more.CheckpointID, more.BackendID, d.stream(*more.Meta)
		out["shared"], out["private"] = list(more.Shared, file), list(more.Private, file)
	case Changelog:
		out["checkpointId"], out["materializationId"] = more.CheckpointID, more.MaterializationID
		out["materialized"], out["nonMaterialized"] = list(more.Materialized, keyed), list(more.Changes, keyed)
	case ChangelogInMemory:
		out["from"], out["to"] = more.From, more.To
		out["changes"] = list(more.InMemory, func(c Change) any { return []any{c.Group, c.Bytes} })
	case ChangelogStream:
		out["storage"] = more.Storage
		out["streams"] = list(more.Streams, func(s StreamAt) any { return object{"offset": s.Offset, "stream": d.stream(s.Stream)} })
	}
	return out
}

func (d dump) channels(c *Channels, kind string) []any {
	if c == nil {
		return []any{}
	}
	return list(c.List, func(c Channel) any {
		out := object{"subtaskIndex": c.Subtask, "stateSize": c.Bytes, "stream": d.stream(c.Stream)}
		if !c.Merged {
			out["kind"], out["info"], out["offsets"] = kind, []any{c.Outer, c.Inner}, c.Offsets
			return out
		}
		out["kind"] = "Merged" + kind
		out["channels"] = list(c.Parts, func(p ChannelPart) any {
			return object{"info": []any{p.Outer, p.Inner}, "stateSize": p.Bytes, "offsets": p.Offsets}
		})
		return out
	})
}

func (d dump) stream(s Stream) any {
	out := object{"kind": s.Kind.String(), "size": s.Size}
	switch s.Kind {
	case EmptySegment:
		return out
	case KeyGroupsInStream:
		out["firstKeyGroup"], out["offsets"], out["stream"] = s.Inner.First, s.Inner.Offsets, d.stream(s.Inner.Stream)
		return out
	case ByteStream:
		sum := sha256.Sum256(d.file[s.Start : s.Start+s.Size])
		out["sha256Prefix"] = hex.EncodeToString(sum[:8])
	case Segment:
		out["start"], out["scope"] = s.Start, "EXCLUSIVE"
		if s.Shared {
			out["scope"] = "SHARED"
		}
	}
	out["fileName"] = s.Name[strings.LastIndexByte(s.Name, '/')+1:]
	out["pathLength"] = len(utf16.Encode([]rune(s.Name)))
	return out
}

// plain turns a value into what decoding its JSON gives, numbers as written.
func plain(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestExpected holds every sample against what Flink's own loader found in it,
// read with and without seeking.
func TestExpected(t *testing.T) {
	for _, name := range sampleNames(t) {
		t.Run(name, func(t *testing.T) {
			file := sample(t, name)
			text, err := os.ReadFile(filepath.Join(samples, "expected", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			want := plain(t, text)
			for how, r := range map[string]io.Reader{"seeking": bytes.NewReader(file), "stream": stream{bytes.NewReader(file)}} {
				m, err := Parse(r, Options{Detail: true})
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				text, err := json.Marshal(dump{file}.metadata(m))
				if err != nil {
					t.Fatal(err)
				}
				if got := plain(t, text); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s", how, difference("", got, want))
				}
				if len(m.Warnings) > 0 {
					t.Errorf("%s: warnings %q", how, m.Warnings)
				}
			}
		})
	}
}

// difference names the first place where two JSON values differ.
func difference(at string, got, want any) string {
	switch w := want.(type) {
	case object:
		g, ok := got.(object)
		if !ok || len(g) != len(w) {
			break
		}
		for k := range w {
			if !reflect.DeepEqual(g[k], w[k]) {
				return difference(at+"."+k, g[k], w[k])
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if !reflect.DeepEqual(g[i], w[i]) {
				return difference(at+"[]", g[i], w[i])
			}
		}
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	return at + ":\n got " + string(g) + "\nwant " + string(w)
}

// TestSumsNeedNoDetail: without details the sums are the same.
func TestSumsNeedNoDetail(t *testing.T) {
	for _, name := range sampleNames(t) {
		file := sample(t, name)
		full, err := Parse(bytes.NewReader(file), Options{Detail: true})
		if err != nil {
			t.Fatal(err)
		}
		brief, err := Parse(stream{bytes.NewReader(file)}, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range full.Operators {
			f, b := full.Operators[i], brief.Operators[i]
			if f.Bytes() != b.Bytes() || f.CheckpointedBytes() != b.CheckpointedBytes() || !reflect.DeepEqual(f.KeyGroups(), b.KeyGroups()) {
				t.Errorf("%s, operator %s: sums differ without details", name, f.ID)
			}
		}
		text, err := json.Marshal(brief)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "-metadata") || strings.Contains(string(text), "file:/") {
			t.Errorf("%s: a path was kept without details", name)
		}
	}
}

// invalid lists the files that must be refused.
func invalid(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(samples, "invalid", "*.bin"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// TestInvalid: each file is refused, with an offset inside of it and a reason.
func TestInvalid(t *testing.T) {
	for _, path := range invalid(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".bin")
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, ok := reasons()[name]
			if !ok {
				t.Fatal("this file has no expected reason")
			}
			for how, r := range map[string]io.Reader{"seeking": bytes.NewReader(file), "stream": stream{bytes.NewReader(file)}} {
				m, err := Parse(r, Options{Detail: how == "seeking"})
				var e *Error
				if !errors.As(err, &e) {
					t.Fatalf("%s: got %v", how, err)
				}
				if e.Offset < 0 || e.Offset > int64(len(file)) {
					t.Errorf("%s: offset %d of %d", how, e.Offset, len(file))
				}
				if how == "seeking" && e.Error() != want {
					t.Errorf("got  %s\nwant %s", e, want)
				}
				if inProperties := strings.Contains(name, "properties"); e.Properties != inProperties || (m != nil) != inProperties {
					t.Errorf("%s: properties %v, metadata %v", how, e.Properties, m != nil)
				}
			}
		})
	}
}
