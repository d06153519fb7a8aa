package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func savepoints(parts ...string) string {
	return filepath.Join(append([]string{"..", "..", "testdata", "savepoints"}, parts...)...)
}

// expectedSavepoint is the part of the expected files that the command prints.
type expectedSavepoint struct {
	Version      int
	CheckpointID int64
	Operators    []struct {
		OperatorID                  string
		Name, UID                   *string
		Parallelism, MaxParallelism int
		FullyFinished               bool
		StateSize                   int64
		Subtasks                    []struct {
			Index                   int
			Finished                bool
			StateSize               int64
			ManagedKeyedState       []expectedHandle
			RawKeyedState           []expectedHandle
			ManagedOperatorState    []expectedHandle
			RawOperatorState        []expectedHandle
			InputChannelState       []expectedHandle
			ResultSubpartitionState []expectedHandle
		}
	}
}

type expectedHandle struct {
	FirstKeyGroup, LastKeyGroup int
	StateSize                   int64
}

func sizes(lists ...[]expectedHandle) (n int64) {
	for _, l := range lists {
		for _, h := range l {
			n += h.StateSize
		}
	}
	return n
}

// TestSavepointJSON holds the numbers of every sample against Flink's own.
func TestSavepointJSON(t *testing.T) {
	folders, err := filepath.Glob(savepoints("*", "_metadata"))
	if err != nil || len(folders) < 60 {
		t.Fatalf("%d samples, %v", len(folders), err)
	}
	for _, file := range folders {
		name := filepath.Base(filepath.Dir(file))
		text, err := os.ReadFile(savepoints("expected", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var want expectedSavepoint
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := execute(t, "savepoint", "--format=json", filepath.Dir(file))
		if got.code != exitOK || got.stderr != "" {
			t.Fatalf("%s: %d %s", name, got.code, got.stderr)
		}
		var v savepointView
		if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compareSavepoint(t, name, v, want)
	}
}

func compareSavepoint(t *testing.T, name string, v savepointView, want expectedSavepoint) {
	t.Helper()
	if v.FormatVersion != want.Version || v.CheckpointID != want.CheckpointID || len(v.Operators) != len(want.Operators) || v.Warnings == nil {
		t.Errorf("%s: format %d, checkpoint %d, %d operators", name, v.FormatVersion, v.CheckpointID, len(v.Operators))
	}
	byID := map[string]operatorView{}
	for _, o := range v.Operators {
		byID[o.OperatorID] = o
	}
	for _, w := range want.Operators {
		o := byID[w.OperatorID]
		if o.StateBytes != w.StateSize || o.Parallelism != w.Parallelism || o.MaxParallelism != w.MaxParallelism || o.FullyFinished != w.FullyFinished ||
			orEmpty(o.Name) != orEmpty(w.Name) || orEmpty(o.UID) != orEmpty(w.UID) || len(o.Subtasks) != len(w.Subtasks) {
			t.Errorf("%s, %s: got %+v", name, w.OperatorID, o)
			continue
		}
		if (o.KeyGroups == nil) != (o.KeyGroupReason != nil) {
			t.Errorf("%s, %s: key groups %v with reason %v", name, w.OperatorID, o.KeyGroups, o.KeyGroupReason)
		}
		for i, s := range w.Subtasks {
			g := o.Subtasks[i]
			if g.Index != s.Index || g.Finished != s.Finished || g.StateBytes != s.StateSize ||
				g.KeyedBytes != sizes(s.ManagedKeyedState, s.RawKeyedState) || g.OperatorBytes != sizes(s.ManagedOperatorState, s.RawOperatorState) ||
				g.InFlightBytes != sizes(s.InputChannelState, s.ResultSubpartitionState) {
				t.Errorf("%s, %s: got %+v", name, w.OperatorID, g)
			}
			for _, h := range s.ManagedKeyedState {
				if g.KeyGroupFirst == nil || *g.KeyGroupFirst != h.FirstKeyGroup || *g.KeyGroupLast != h.LastKeyGroup {
					t.Errorf("%s, %s: key groups of %+v, want %+v", name, w.OperatorID, g, h)
				}
			}
		}
	}
}

// TestSavepointGolden holds whole reports: UPDATE_GOLDEN=1 writes them anew, to be
// read before they are kept.
func TestSavepointGolden(t *testing.T) {
	t.Setenv("COLUMNS", "")
	for name, args := range map[string][]string{
		"hotkey.txt":      {"--at-parallelism=5,10,16,20", savepoints("flink-2.3.0-hashmap-canonical-hotkey-p10-m16")},
		"docs.txt":        {"--operator=counts", "--at-parallelism=5,16,20", savepoints("flink-2.3.0-hashmap-canonical-hotkey-p10-m16")},
		"rocksdb.txt":     {"--at-parallelism", "1,5,10", savepoints("flink-1.20.3-rocksdb-incremental-checkpoint-p5-m128")},
		"timers.txt":      {"--operator=d", savepoints("flink-2.3.0-rocksdb-full-heap-timers-p5-m128")},
		"changelog.txt":   {savepoints("flink-2.3.0-changelog-files-p3-m12")},
		"finished.txt":    {"--all", savepoints("flink-2.3.0-finished-checkpoint-p3-m12")},
		"unaligned.txt":   {"--files", savepoints("flink-2.3.0-unaligned-p3-m12")},
		"legacy-tags.txt": {savepoints("crafted-v3-legacy-tags", "_metadata")},
		"hotkey.csv":      {"--format=csv", "--at-parallelism=3,20", savepoints("flink-2.3.0-hashmap-canonical-hotkey-p10-m16")},
		"inline.json":     {"--format=json", "--operator=numbers", "--at-parallelism=1", savepoints("flink-2.3.0-hashmap-canonical-inline-p2-m8")},
	} {
		got := execute(t, append([]string{"savepoint"}, args...)...)
		if got.code != exitOK || got.stderr != "" {
			t.Errorf("%s: %d %s", name, got.code, got.stderr)
		}
		file := filepath.Join("testdata", "savepoint", name)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(file, []byte(got.stdout), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got.stdout != string(want) {
			t.Errorf("%s differs; got:\n%s", name, got.stdout)
		}
	}
}

// TestSavepointDocs: the page for users shows what the command prints.
func TestSavepointDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "savepoint.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown, err := os.ReadFile(filepath.Join("testdata", "savepoint", "docs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n```text\n"+string(shown)+"```\n") {
		t.Error("docs/savepoint.md does not show testdata/savepoint/docs.txt")
	}
	var flags []string
	for _, f := range regexp.MustCompile(`(?m)^  --(?:\[no-\])?([a-z-]+)`).FindAllStringSubmatch(execute(t, "savepoint", "--help").stdout, -1) {
		if f[1] != "help" && f[1] != "version" {
			flags = append(flags, f[1])
		}
	}
	if len(flags) < 8 {
		t.Fatalf("only flags %v in the help", flags)
	}
	for _, f := range flags {
		if !strings.Contains(string(page), "`--"+f) {
			t.Errorf("docs/savepoint.md does not mention --%s", f)
		}
	}
}

// TestSavepointRefuses: every invalid file ends the command with 1 and a line that
// names the file, the offset and the reason.
func TestSavepointRefuses(t *testing.T) {
	files, err := filepath.Glob(savepoints("invalid", "*.bin"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		got := execute(t, "savepoint", "--format=json", file)
		line := "flink-skew-exporter: error: " + file + " cannot be read: offset "
		if got.code != exitFailed || !strings.HasPrefix(got.stderr, line) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %d %s", file, got.code, got.stderr)
		}
		// What lacks the properties alone is reported all the same.
		if partial := strings.Contains(file, "properties"); (got.stdout != "") != partial || partial && !strings.Contains(got.stdout, `"The kind of snapshot is not known: offset `) {
			t.Errorf("%s: printed %.200q", file, got.stdout)
		}
	}
}

func TestSavepointUsage(t *testing.T) {
	empty := t.TempDir()
	file := savepoints("flink-2.3.0-hashmap-canonical-inline-p2-m8")
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":      {nil, exitUsage, "no savepoint to read; name its _metadata file or its folder, or - for standard input"},
		"s3":           {[]string{"s3://bucket/sp?secret=x"}, exitUsage, "s3:// cannot be read; a file, a folder, file:// and - for standard input can; pipe it: aws s3 cp URL/_metadata - | flink-skew-exporter savepoint -"},
		"unknown URL":  {[]string{"swift://b/sp"}, exitUsage, "swift:// cannot be read; a file, a folder, file:// and - for standard input can"},
		"other host":   {[]string{"file://host/sp"}, exitUsage, "file:// cannot be read"},
		"missing":      {[]string{"none"}, exitFailed, "none cannot be opened: no such file or directory"},
		"empty folder": {[]string{empty}, exitFailed, empty + " holds no _metadata; name the folder of a completed savepoint or checkpoint"},
		"parent":       {[]string{savepoints()}, exitFailed, "folders in it that do, such as the newest, "},
		"parallelism":  {[]string{"--at-parallelism=5,x", file}, exitUsage, `--at-parallelism: must be parallelisms from 1 to 32768, such as 5,10,20, not "5,x"`},
		"zero":         {[]string{"--at-parallelism=0", file}, exitUsage, "must be parallelisms from 1 to 32768"},
		"operator":     {[]string{"--operator=nobody", file}, exitFailed, `no operator of 5 has an id that begins with "nobody"`},
		"format":       {[]string{"--format=xml", file}, exitUsage, "must be one of text, json, csv"},
		"text file":    {[]string{"savepoint.go"}, exitFailed, "savepoint.go cannot be read: offset 0: the magic number is"},
	} {
		got := execute(t, append([]string{"savepoint"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || got.stdout != "" || strings.Contains(got.stderr, "secret") {
			t.Errorf("%s: %+v, want %d %q", name, got, c.code, c.want)
		}
	}
}

// TestSavepointStandardInput reads a pipe, a redirected file and a file:// URL.
func TestSavepointStandardInput(t *testing.T) {
	path := savepoints("flink-2.3.0-hashmap-canonical-p5-m128", "_metadata")
	want := execute(t, "savepoint", path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pipe := exec.Command(os.Args[0], "savepoint", "-")
	pipe.Stdin = bytes.NewReader(text)
	redirect := exec.Command(os.Args[0], "savepoint", "-")
	redirect.Stdin = file
	for _, c := range []*exec.Cmd{pipe, redirect} {
		c.Env = append(os.Environ(), runMain+"=1")
		out, err := c.Output()
		if err != nil || string(out) != want.stdout {
			t.Errorf("got %.200s, %v", out, err)
		}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := execute(t, "savepoint", "file://"+absolute); got.stdout != want.stdout {
		t.Errorf("got %+v", got)
	}
	cut := exec.Command(os.Args[0], "savepoint", "-")
	cut.Stdin, cut.Env = bytes.NewReader(text[:3000]), pipe.Env
	_, err = cut.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed || !strings.Contains(string(exit.Stderr), "standard input cannot be read: offset 2") {
		t.Errorf("cut: %v", err)
	}
}

// TestSavepointPaths: paths are printed on request only, and inline state never.
func TestSavepointPaths(t *testing.T) {
	folder := savepoints("flink-2.3.0-rocksdb-incremental-checkpoint-p5-m128")
	whole := regexp.MustCompile(`"name": "file:/[^"]+/[^"]+"`)
	brief := execute(t, "savepoint", "--format=json", folder).stdout
	files := execute(t, "savepoint", "--format=json", "--files", folder).stdout
	paths := execute(t, "savepoint", "--format=json", "--paths", folder).stdout
	if strings.Contains(brief, `"files"`) || strings.Contains(files, "file:/") || !strings.Contains(files, `"part": "keyed"`) || !whole.MatchString(paths) {
		t.Errorf("paths: %v %v %v", len(brief), len(files), len(paths))
	}
	inline := savepoints("flink-2.3.0-hashmap-canonical-inline-p2-m8")
	for _, format := range []string{"text", "json", "csv"} {
		got := execute(t, "savepoint", "--paths", "--all", "--format="+format, inline)
		if got.code != exitOK || strings.Contains(got.stdout, "StateDescriptor") || strings.Contains(got.stdout, "\x00") {
			t.Errorf("%s prints state: %.300s", format, got.stdout)
		}
	}
}

// TestSavepointUIDs names operators of files that record no uid.
func TestSavepointUIDs(t *testing.T) {
	old := savepoints("flink-1.20.3-hashmap-canonical-p5-m128")
	got := execute(t, "savepoint", "--format=json", "--uid=counts-uid", "--uid=nobody", old)
	if got.code != exitOK || !strings.Contains(got.stdout, `"uid": "counts-uid"`) || !strings.Contains(got.stdout, `No operator has the uid \"nobody\" of --uid.`) {
		t.Errorf("got %+v", got)
	}
}

// TestSavepointEscapes: names come from users and must not reach the terminal raw.
func TestSavepointEscapes(t *testing.T) {
	name := "a\x1b[31m\u202eb\u009b\U000E0001"
	v := &savepointView{Operators: []operatorView{{OperatorID: "00", Name: &name, UID: &name, Parallelism: 1, MaxParallelism: 1, StateBytes: 1, KeyGroupReason: new("none"),
		OperatorStates: []namedState{{Name: name}}, Subtasks: []subtaskView{{Files: []fileView{{"keyed", name, 1}}}}}}, Warnings: []string{name}}
	var text, object, table bytes.Buffer
	if err := errors.Join(v.text(&text, savepointText{terminal: terminal{unicode: true}, all: true, files: true}), v.json(&object), v.csv(&table)); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), object.String(), table.String()} {
		if i := strings.IndexFunc(strings.ReplaceAll(out, "\n", ""), hidden); i >= 0 || !strings.Contains(out, `\u001b[31m\u202eb\u009b\udb40\udc01`) {
			t.Errorf("hidden rune at %d of %q", i, out)
		}
	}
	var back savepointView
	if err := json.Unmarshal(object.Bytes(), &back); err != nil || *back.Operators[0].Name != name {
		t.Errorf("the JSON holds another name: %v", err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Errorf("CSV: %v, %v", rows, err)
	}
	text.Reset()
	if err := v.text(&text, savepointText{}); err != nil || strings.IndexFunc(text.String(), func(r rune) bool { return r > 126 }) >= 0 {
		t.Errorf("not ASCII: %q", text.String())
	}
}
