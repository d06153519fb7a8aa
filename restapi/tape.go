package restapi

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// maxTapeLine bounds one line, and with it what a file that is no tape can
// make the reader hold: the details of a vertex of Flink's largest
// parallelism, 32768, are about 20 MB.
const maxTapeLine = 256 << 20

// tapeLine is one line of a tape: one answer of the JobManager. Status is 0
// and the body a message where there was no answer.
type tapeLine struct {
	Poll int `json:"poll"`
	// At is when the answer was asked for, in seconds since 1970.
	At     float64 `json:"at"`
	Path   string  `json:"path"`
	Status int     `json:"status"`
	// Body is the JSON, or a JSON string when the answer was not JSON.
	Body json.RawMessage `json:"body"`
}

// Tape is a recording of one cluster's answers over some polls. It is not
// changed once read, so that several sources may replay it at once.
type Tape struct {
	polls []tapePoll
	// answers are those of each request, in the order of their polls.
	answers map[string][]tapeLine
	// damage is what ended the reading early, nil when nothing did.
	damage error
}

// tapePoll is one poll of a tape: its number and when it began.
type tapePoll struct {
	number int
	at     time.Time
}

// OpenTape reads the tape in a file, gzipped or not. The error names the file
// and, where there is one, the line.
func OpenTape(path string) (*Tape, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the tape: %w", err)
	}
	defer func() { _ = f.Close() }()
	t, err := ReadTape(f)
	if err != nil {
		return nil, fmt.Errorf("tape %s: %w", path, err)
	}
	return t, nil
}

// ReadTape reads a tape, gzipped or not, to its end or to the first damage: a
// cut, or a line that is no answer. What was read of the poll at the damage is
// dropped, as half a poll may show another trouble than the whole; whole is
// what a line of a later poll follows. Damage tells of it. When no whole poll
// is left the damage is the error. It names the line.
func ReadTape(r io.Reader) (*Tape, error) {
	t := &Tape{answers: map[string][]tapeLine{}}
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("broken gzip header, record it again: %w", err)
		}
		defer func() { _ = z.Close() }()
		in = bufio.NewReader(z)
	}
	// Editors of Windows put a byte order mark before a text.
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	if err := t.readLines(in); err != nil {
		t.dropLastPoll()
		if len(t.polls) == 0 {
			return nil, err
		}
		t.damage = err
	}
	slices.SortFunc(t.polls, func(a, b tapePoll) int { return cmp.Compare(a.number, b.number) })
	for _, list := range t.answers {
		slices.SortStableFunc(list, func(a, b tapeLine) int { return cmp.Compare(a.Poll, b.Poll) })
	}
	return t, nil
}

// Damage says what ended the reading of the tape before its end, and in which
// line. It is nil for a tape that is whole.
func (t *Tape) Damage() error { return t.damage }

// dropLastPoll takes out what was read of the poll that came last.
func (t *Tape) dropLastPoll() {
	if len(t.polls) == 0 {
		return
	}
	last := t.polls[len(t.polls)-1].number
	t.polls = t.polls[:len(t.polls)-1]
	for key, list := range t.answers {
		t.answers[key] = slices.DeleteFunc(list, func(l tapeLine) bool { return l.Poll == last })
	}
}

// readLines keeps every line up to the end or the first damage.
func (t *Tape) readLines(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTapeLine)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := t.add(lines.Bytes()); err != nil {
			// The scanner hands out what it has of a line before it tells that
			// reading it failed, which then is the better reason.
			if !lines.Scan() && lines.Err() != nil {
				err = errUnreadable(lines.Err())
			}
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, errUnreadable(err))
	}
	if len(t.polls) == 0 {
		return errors.New("line 1: no recorded answer in the tape")
	}
	return nil
}

func errUnreadable(err error) error {
	return fmt.Errorf("cannot be read, the file is cut off or damaged: %w", err)
}

// add keeps one line.
func (t *Tape) add(text []byte) error {
	line := tapeLine{Poll: -1, Status: -1}
	if err := json.Unmarshal(text, &line); err != nil {
		return fmt.Errorf("no recorded answer, the tape is cut off or damaged: %w", err)
	}
	if line.Poll < 0 || line.Status < 0 || line.Status > 999 || !strings.HasPrefix(line.Path, "/") || len(line.Body) == 0 {
		return errors.New(`no recorded answer: "poll", "path", "status" or "body" is missing or out of range`)
	}
	// 1e11 seconds are the year 5138; the bound keeps what time.Time can hold.
	if math.Abs(line.At) >= 1e11 {
		return errors.New(`"at" is no time in seconds since 1970`)
	}
	key, _ := tapeKey(line.Path)
	t.answers[key] = append(t.answers[key], line)
	known := func(p tapePoll) bool { return p.number == line.Poll }
	if n := len(t.polls); n == 0 || !known(t.polls[n-1]) && !slices.ContainsFunc(t.polls, known) {
		ms := int64(math.Round(line.At * 1000))
		t.polls = append(t.polls, tapePoll{number: line.Poll, at: time.UnixMilli(ms).UTC()})
	}
	return nil
}

// Polls returns how many polls the tape holds, at least 1.
func (t *Tape) Polls() int { return len(t.polls) }

// tapeKey reduces a request's path and query to what answers are kept by, so
// that escaping and the order of parameters do not matter. All requests for
// values of the same metrics page have one key, however their names were
// divided among them; names are those asked for, nil for any other request.
func tapeKey(pathAndQuery string) (key string, names []string) {
	u, err := url.Parse(pathAndQuery)
	if err != nil {
		return pathAndQuery, nil
	}
	q := u.Query()
	switch {
	case len(q) == 0:
		return u.Path, nil
	case len(q) == 1 && q.Has("get") && strings.HasSuffix(u.Path, "/metrics"):
		return u.Path + "?get", strings.Split(strings.Join(q["get"], ","), ",")
	}
	return u.Path + "?" + q.Encode(), nil
}

// find returns the lines that answer a request in the poll of the given
// number: those of the poll itself or else of the nearest one before it.
func (t *Tape) find(key string, poll int) []tapeLine {
	list := t.answers[key]
	end, _ := slices.BinarySearchFunc(list, poll+1, func(l tapeLine, p int) int { return cmp.Compare(l.Poll, p) })
	start := end
	for start > 0 && list[start-1].Poll == list[end-1].Poll {
		start--
	}
	return list[start:end]
}
