package restapi

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"
)

// threePolls is a tape of three polls with two lines each.
func threePolls() []string {
	var lines []string
	for poll := range 3 {
		for _, path := range []string{"/overview", "/jobs/overview"} {
			lines = append(lines, fmt.Sprintf(`{"poll":%d,"at":%d,"path":%q,"status":200,"body":{"n":%d}}`+"\n", poll, poll, path, poll))
		}
	}
	return lines
}

// TestDamageLeavesWholePolls: what lies before the damage is worth reading, but
// for the poll in which it lies.
func TestDamageLeavesWholePolls(t *testing.T) {
	lines := threePolls()
	text := func(ls ...string) string { return strings.Join(ls, "") }
	for name, c := range map[string]struct {
		text   string
		polls  int
		damage string
	}{
		"whole":                {text(lines...), 3, ""},
		"byte order mark":      {"\ufeff" + text(lines...), 3, ""},
		"cut in the last line": {text(lines[:5]...) + lines[5][:30], 2, "line 6: no recorded answer, the tape is cut off or damaged"},
		"cut between polls":    {text(lines[:4]...) + lines[4][:9], 1, "line 5: no recorded answer, the tape is cut off or damaged"},
		"cut in the middle":    {text(lines[:2]...) + lines[2] + lines[3][:9], 1, "line 4: no recorded answer, the tape is cut off or damaged"},
		"a line overwritten":   {text(lines[:4]...) + "\x00\x00\n" + lines[5], 1, "line 5: "},
	} {
		tape, err := ReadTape(strings.NewReader(c.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		damage := ""
		if tape.Damage() != nil {
			damage = tape.Damage().Error()
		}
		if tape.Polls() != c.polls || !strings.HasPrefix(damage, c.damage) || (c.damage == "") != (damage == "") {
			t.Errorf("%s: %d polls, damage %s; want %d, %s", name, tape.Polls(), damage, c.polls, c.damage)
		}
		// Nothing of the poll that was cut answers for the others.
		for key, list := range tape.answers {
			if len(list) != c.polls {
				t.Errorf("%s: %d answers to %s", name, len(list), key)
			}
		}
	}
}

// TestDamagedGzipLeavesWholePolls cuts a compressed tape at every tenth byte.
func TestDamagedGzipLeavesWholePolls(t *testing.T) {
	whole, err := os.ReadFile("../testdata/tapes/hot-key-1.15.4.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	full, err := ReadTape(bytes.NewReader(whole))
	if err != nil || full.Damage() != nil {
		t.Fatal(err, full.Damage())
	}
	before := 0
	for at := 20; at < len(whole); at += len(whole) / 10 {
		tape, err := ReadTape(bytes.NewReader(whole[:at]))
		polls := 0
		if err == nil {
			polls = tape.Polls()
			if tape.Damage() == nil || !strings.Contains(tape.Damage().Error(), "the file is cut off or damaged: unexpected EOF") {
				t.Errorf("cut at %d: damage %v", at, tape.Damage())
			}
		}
		if polls < before || polls >= full.Polls() {
			t.Errorf("cut at %d: %d polls after %d, of %d", at, polls, before, full.Polls())
		}
		before = polls
	}
	if before == 0 {
		t.Error("no cut left a poll")
	}
}

func TestCompressedTapeWithByteOrderMark(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte("\ufeff" + strings.Join(threePolls(), ""))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if tape, err := ReadTape(&b); err != nil || tape.Polls() != 3 {
		t.Errorf("got %v, %v", tape, err)
	}
}

// TestErrorsOfATapeAdviseNothing: what a tape shows is past. An error names the
// poll, and neither an address nor what to check there.
func TestErrorsOfATapeAdviseNothing(t *testing.T) {
	for body, want := range map[string]string{
		`0 /jobs/overview "dial tcp 10.0.0.1:8081: connect: connection refused"`: "poll 2 of the tape recorded: connection refused (GET /jobs/overview)",
		`0 /jobs/overview "something else"`:                                      "poll 2 of the tape recorded: no answer: something else (GET /jobs/overview)",
		`401 /jobs/overview {}`:                                                  "poll 2 of the tape recorded: answered 401 (GET /jobs/overview)",
		`503 /jobs/overview {"errors":["leader election"]}`:                      "poll 2 of the tape recorded: answered 503: leader election (GET /jobs/overview)",
		`200 /jobs/overview "<html>"`:                                            "poll 2 of the tape recorded: answered an HTML page instead of JSON (GET /jobs/overview)",
	} {
		source, err := tapeOf(t, `0 200 /jobs/overview {"jobs":[]}`, "3 "+body).Source(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := source.Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := source.Snapshot(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
