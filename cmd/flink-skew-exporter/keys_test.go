package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// runKeys runs the command over a file with the given text.
func runKeys(t *testing.T, text string, args ...string) outcome {
	t.Helper()
	return execute(t, append(append([]string{"keys"}, args...), writeFile(t, "keys", text))...)
}

// TestKeysEach lists every key of real Flink's vectors through the command, in the
// form of each input, and holds key groups and subtasks to Flink's.
func TestKeysEach(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "analysis", "keyhash", "testdata", "vectors.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines, groups := map[string][]string{}, map[string][]int{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		c := strings.Split(line, "\t")
		group, err := strconv.Atoi(c[3])
		if err != nil {
			t.Fatal(err)
		}
		lines[c[0]] = append(lines[c[0]], fmt.Sprintf(`{"count":7,"key":%s}`, c[4]))
		groups[c[0]] = append(groups[c[0]], group)
	}
	for typ, l := range lines {
		got := runKeys(t, strings.Join(l, "\n"), "--type="+typ, "--input=jsonl", "--max-parallelism=720", "--parallelism=100", "--each", "--format=json")
		listed := strings.Split(strings.TrimSpace(got.stdout), "\n")
		if got.code != exitOK || got.stderr != "" || len(listed) != len(l) {
			t.Fatalf("%s: %d %s, %d lines of %d", typ, got.code, got.stderr, len(listed), len(l))
		}
		for i, line := range listed {
			var v listedKey
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			if want := groups[typ][i]; v.Group != want || v.Count != 7 || v.Subtask == nil || *v.Subtask != keygroup.Owner(want, 100, 720) {
				t.Errorf("%s %s: %+v, Flink has group %d", typ, l[i], v, want)
			}
		}
	}
}

// TestKeysForms: the same keys in every form of input make the same list.
func TestKeysForms(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		args []string
	}{
		"lines":       {"a\nb c\n\na\n", nil},
		"line ends":   {"\uFEFFa\r\nb c\r\n\r\na", nil},
		"csv":         {"a\nb c\n\"\"\na\n", []string{"--input=csv"}},
		"csv, counts": {"name,n\na,1\nb c,1\n\"\",1\na,1\n", []string{"--input=csv", "--header"}},
		"tabs":        {"a\t1\nb c\t1\n\"\"\t1\na\t1\n", []string{"--input=csv", `--delimiter=\t`}},
		"jsonl":       {`{"key":"a"}` + "\n" + `{"count":1,"key":"b c"}` + "\n" + `{"key":"","x":[]}` + "\n" + `{"key":["a"]}`, []string{"--input=jsonl"}},
	} {
		got := runKeys(t, c.text, append(c.args, "--type=string", "--max-parallelism=128", "--parallelism=5", "--each", "--format=csv")...)
		rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
		if err != nil || got.code != exitOK || got.stderr != "" {
			t.Fatalf("%s: %v %d %s", name, err, got.code, got.stderr)
		}
		// Java has "a".hashCode() == 97 and "b c".hashCode() == 98*31*31 + 32*31 + 99.
		var keys []string
		for _, r := range rows {
			keys = append(keys, r[3]+"="+r[4]+"×"+r[2])
		}
		if got := strings.Join(keys, " "); got != "hash=key×count 97=a×1 95269=b c×1 0=×1 97=a×1" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestKeysReport holds the numbers of a small report, worked out by hand: of
// Integer 1 to 4 the key groups of 128 are known from the vectors' arithmetic.
func TestKeysReport(t *testing.T) {
	got := runKeys(t, "1,60\n2,20\n3,15\n4,5\n1,40\n", "--type=int", "--input=csv", "--max-parallelism=128", "--parallelism=2,4", "--format=json")
	if got.code != exitOK || got.stderr != "" {
		t.Fatal(got)
	}
	var v keysView
	if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
		t.Fatal(err)
	}
	if v.Type != "int" || v.Lines != 5 || v.Keys != 4 || !v.KeysExact || v.Count != 140 || len(v.Layouts) != 2 || len(v.Heaviest) != 4 || !v.AllKeys {
		t.Errorf("%+v", v)
	}
	counts := [4]int64{100, 20, 15, 5}
	for i, p := range []int{2, 4} {
		load, keys := make([]int64, p), make([]int64, p)
		for k, n := range counts {
			s := keygroup.Owner(keygroup.Group(int32(k+1), 128), p, 128)
			load[s], keys[s] = load[s]+n, keys[s]+1
		}
		l := v.Layouts[i]
		if l.Parallelism != p || l.Count.Max != load[l.Count.Subtask] || l.Count.Max < 100 || l.Count.Mean != 140/float64(p) ||
			*l.Count.Ratio != float64(l.Count.Max)/l.Count.Mean || l.Keys.Max != keys[l.Keys.Subtask] || l.Keys.Mean != 4/float64(p) {
			t.Errorf("at %d: %+v, loads %v %v", p, l, load, keys)
		}
	}
	first := v.Heaviest[0]
	if first.Key != "1" || first.Count != 100 || first.CountMissed != 0 || *first.Share != 100./140 || first.Hash != 1 || first.Places[0].Group != keygroup.Group(1, 128) {
		t.Errorf("%+v", first)
	}
}

// TestKeysGroups: only keys of the wanted groups are listed; the skew is of all.
func TestKeysGroups(t *testing.T) {
	var b strings.Builder
	inside := 0
	for i := range 1000 {
		fmt.Fprintln(&b, i)
		if g := keygroup.Group(int32(i), 128); g >= 26 && g <= 51 || g == 3 {
			inside++
		}
	}
	got := runKeys(t, b.String(), "--type=int", "--max-parallelism=128", "--parallelism=5", "--groups=26-51,3", "--top=0", "--format=csv")
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil || got.code != exitOK || len(rows) != inside+1 {
		t.Fatalf("%d rows of %d: %v %s", len(rows), inside, err, got.stderr)
	}
	for _, r := range rows[1:] {
		n, _ := strconv.Atoi(r[4])
		g := keygroup.Group(int32(n), 128)
		if r[0] != strconv.Itoa(g) || r[1] != strconv.Itoa(keygroup.Owner(g, 5, 128)) || g != 3 && (g < 26 || g > 51) {
			t.Errorf("%v", r)
		}
	}
	text := runKeys(t, b.String(), "--type=int", "--max-parallelism=128", "--parallelism=5", "--groups=26-51,3")
	for _, want := range []string{"1,000 keys of type int in 1,000 lines", "Keys in these key groups with the highest counts", fmt.Sprintf("and %d more keys; --top=0 lists all", inside-20), "subtask of 5"} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("%q is missing in\n%s", want, text.stdout)
		}
	}
}

// TestKeysText draws one hot key.
func TestKeysText(t *testing.T) {
	got := runKeys(t, strings.Repeat("hot\n", 97)+"a\nb\n\x1b[31m\n", "--type=string", "--max-parallelism=128,256", "--parallelism=4")
	want := []string{
		"4 keys of type string in 100 lines, count 100",
		"← best",
		"Best: parallelism 4 under max parallelism ",
		"The heaviest key alone makes 97.0 %: no parallelism leaves its subtask less, which is as fast as 1.0 evenly loaded subtasks.",
		"group of 128  subtask of 4  group of 256  subtask of 4  key",
		`\u001b[31m`,
	}
	for _, w := range want {
		if !strings.Contains(got.stdout, w) {
			t.Errorf("%q is missing in\n%s", w, got.stdout)
		}
	}
	if got.code != exitOK || strings.Contains(got.stdout, "\x1b") {
		t.Errorf("%d, or an escape reached the terminal", got.code)
	}
}

func TestKeysErrors(t *testing.T) {
	long := strings.Repeat("x", maxKeyLine+10)
	for name, c := range map[string]struct {
		text string
		args []string
		code int
		want string
	}{
		"no number":         {"1\nx\n", []string{"--type=int"}, exitFailed, `line 2: "x" is not a whole number of 32 bits; give it another --type, mend it, or leave such keys out with --on-error=skip`},
		"blank":             {"1\n\n", []string{"--type=int"}, exitFailed, `line 2: "" is not`},
		"empty":             {"", []string{"--type=int"}, exitFailed, "no key to report on"},
		"not UTF-8":         {"a\n\xff\n", []string{"--type=string"}, exitFailed, "line 2: the text is not valid UTF-8"},
		"too long":          {"a\n" + long, []string{"--type=string"}, exitFailed, "line 2 is longer than 1 MiB"},
		"heading":           {"key,count\na,1\n", []string{"--type=string", "--input=csv"}, exitFailed, "if line 1 is a heading, add --header"},
		"columns":           {"a,1,2\n", []string{"--type=string", "--input=csv"}, exitFailed, "line 1: there are 3 columns; the key has 1, and a count may follow"},
		"quote":             {"a,1\nb\"c,2\n", []string{"--type=string", "--input=csv"}, exitFailed, "line 2: column 2: bare"},
		"open quote":        {"a,1\n\"" + strings.Repeat("b,1\n", maxKeyLine), []string{"--type=string", "--input=csv"}, exitFailed, "a record is longer than 1 MiB"},
		"negative count":    {"a,-1\n", []string{"--type=string", "--input=csv"}, exitFailed, `line 1: the count "-1" is no whole number`},
		"overflow":          {"a,9223372036854775807\nb,1\n", []string{"--type=string", "--input=csv"}, exitFailed, "line 2: the counts add up to more than 2⁶³"},
		"json":              {"{\"key\":1}\n{\n", []string{"--type=int", "--input=jsonl"}, exitFailed, "line 2: the line is no JSON object such as"},
		"json, no object":   {"[1]\n", []string{"--type=int", "--input=jsonl"}, exitFailed, "line 1: the line is no JSON object such as"},
		"json, no key":      {`{"Count":1}`, []string{"--type=int", "--input=jsonl"}, exitFailed, `line 1: the object has no "key"`},
		"json, object":      {`{"key":{"a":1}}`, []string{"--type=int", "--input=jsonl"}, exitFailed, "give its fields as an array"},
		"json, half a pair": {`{"key":"\ud83d"}`, []string{"--type=string", "--input=jsonl"}, exitFailed, "half of a surrogate pair"},
		"json, null":        {`{"key":null}`, []string{"--type=string", "--input=jsonl"}, exitFailed, "only SQL's keys have nulls"},
		"json, fields":      {`{"key":[1,2]}`, []string{"--type=int", "--input=jsonl"}, exitFailed, "the key has 2 fields"},
		"type":              {"", []string{"--type=text"}, exitUsage, `--type: unknown type "text"`},
		"array":             {"", []string{"--type=byte[]"}, exitUsage, "identity of the object"},
		"tuple in lines":    {"", []string{"--type=tuple(int,int)"}, exitUsage, "give them as --input=csv or --input=jsonl"},
		"parallelism":       {"", []string{"--type=int", "--parallelism=200"}, exitUsage, "parallelism 200 is above max parallelism 128"},
		"groups":            {"", []string{"--type=int", "--groups=26-128"}, exitUsage, "key group 128 of --groups is not below max parallelism 128"},
		"groups, backwards": {"", []string{"--type=int", "--groups=51-26"}, exitUsage, "such as 26-51"},
		"groups of two":     {"", []string{"--type=int", "--max-parallelism=256", "--groups=1"}, exitUsage, "--groups goes with one max parallelism"},
		"each of two":       {"", []string{"--type=int", "--each", "--parallelism=1,2"}, exitUsage, "--each goes with"},
		"delimiter":         {"", []string{"--type=int", "--delimiter=ab"}, exitUsage, "--delimiter must be one character"},
	} {
		got := runKeys(t, c.text, append(c.args, "--max-parallelism=128")...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %d %q, want %d %q", name, got.code, got.stderr, c.code, c.want)
		}
	}
	if got := execute(t, "keys", "--type=int", "--max-parallelism=8", filepath.Join(t.TempDir(), "none")); got.code != exitFailed || !strings.Contains(got.stderr, "the keys cannot be read") {
		t.Errorf("no file: %+v", got)
	}
}

// TestKeysSkip leaves out what is no key and says how much that was.
func TestKeysSkip(t *testing.T) {
	got := runKeys(t, "1,1\nx,2\n2,3\n\"y\"z,4\n3,-4\n", "--type=int", "--input=csv", "--max-parallelism=128", "--on-error=skip", "--format=json")
	var v keysView
	if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
		t.Fatal(err, got)
	}
	if got.code != exitOK || v.Skipped != 3 || v.Lines != 2 || v.Count != 4 || !strings.Contains(got.stderr, `3 keys left out by --on-error=skip; the first is in line 2: "x" is not`) {
		t.Errorf("%+v %s", v, got.stderr)
	}
}

// TestKeysNull: a null and the text that stands for it differ.
func TestKeysNull(t *testing.T) {
	list := func(args ...string) string {
		got := runKeys(t, "NULL\n", append(args, "--type=sql(string)", "--max-parallelism=128", "--each", "--format=json")...)
		return got.stdout + got.stderr
	}
	if a, b := list(), list("--null=NULL"); !strings.Contains(a, `"key":"NULL"`) || !strings.Contains(b, `"key":null`) || strings.Contains(a, "-1748325344") || !strings.Contains(b, `"hash":-1748325344`) {
		t.Errorf("%s %s", a, b)
	}
	// CSV's empty columns are nulls if the empty text is.
	got := runKeys(t, "a,\n,b\n", "--type=sql(string,string)", "--input=csv", "--null=", "--max-parallelism=128")
	if !strings.Contains(got.stdout, "a, NULL") || !strings.Contains(got.stdout, "NULL, b") {
		t.Error(got)
	}
}

// TestKeysPage: the picture of the documentation is what the command prints of
// a thousand customers, of which the n-th has 30,000/n orders.
func TestKeysPage(t *testing.T) {
	var b strings.Builder
	for i := 1; i <= 1000; i++ {
		fmt.Fprintf(&b, "%d,%d\n", i, 30000/i)
	}
	got := runKeys(t, b.String(), "--type=int", "--input=csv", "--max-parallelism=128,720", "--parallelism=5,10,20", "--top=5")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	if got.code != exitOK || !strings.Contains(string(page), "```text\n"+got.stdout+"```\n") {
		t.Errorf("docs/keys.md does not show what the command prints:\n%s%s", got.stdout, got.stderr)
	}
}
