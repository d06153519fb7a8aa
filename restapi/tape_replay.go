package restapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// TapeSource replays a tape through a Client. Its snapshots are what the
// client would have made of the cluster when the tape was recorded.
type TapeSource struct {
	client *Client
	polls  []tapePoll
	player *player
}

// Source returns a source that replays the tape from its first poll. Of the
// options, Name and what chooses and bounds the work apply; the address, the
// credentials, the transport, the clock and retries are the tape's affair.
// ActivityFloor is best 0, here and when recording: details cost nothing on a
// tape, and a vertex skipped in a poll is answered from an earlier one.
func (t *Tape) Source(o Options) (*TapeSource, error) {
	p := &player{tape: t}
	p.poll.Store(-1)
	o.URL, o.Others, o.Auth, o.TLS = "http://tape", nil, Auth{}, TLS{}
	o.Transport, o.WrapTransport = p, nil
	o.NoPrime, o.Retries = true, 0
	o.Now = p.now
	c, err := New(o)
	if err != nil {
		return nil, fmt.Errorf("replaying a tape: %w", err)
	}
	c.replaying = func() int { return int(max(0, p.poll.Load())) + 1 }
	return &TapeSource{client: c, polls: t.polls, player: p}, nil
}

// Snapshot replays the next poll and returns what it shows, without waiting.
// Snapshot.At is when the poll was recorded. A poll that had failed fails here
// too, with an error that names the poll by its place on the tape, from 1 on, and the next call goes on with the next poll; after the last one the
// error is io.EOF itself.
func (s *TapeSource) Snapshot(ctx context.Context) (analysis.Snapshot, error) {
	if int(s.player.poll.Add(1)) >= len(s.polls) {
		s.player.poll.Store(int64(len(s.polls)) - 1)
		return analysis.Snapshot{}, io.EOF
	}
	return s.client.Snapshot(ctx)
}

// player is an http.RoundTripper that answers from a tape.
type player struct {
	tape *Tape
	// poll is an index of tape.polls.
	poll atomic.Int64
}

// now is the replayed clock: it stands at the beginning of the poll.
func (p *player) now() time.Time { return p.tape.polls[max(0, p.poll.Load())].at }

// RoundTrip implements http.RoundTripper. What the tape lacks is answered as
// Flink answers for an endpoint that its version does not have.
func (p *player) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	key, names := tapeKey(r.URL.RequestURI())
	lines := p.tape.find(key, p.tape.polls[max(0, p.poll.Load())].number)
	if len(lines) == 0 {
		missing, err := json.Marshal(map[string][]string{"errors": {"Unable to load requested file " + r.URL.Path + "."}})
		if err != nil {
			return nil, err
		}
		return answer(r, http.StatusNotFound, missing), nil
	}
	// Of repeated requests the last one's answer is what the recording client
	// went on with.
	last := lines[len(lines)-1]
	body := []byte(last.Body)
	if text, isText := textBody(body); isText {
		body = []byte(text)
	} else if names != nil && last.Status == http.StatusOK {
		merged, err := mergeMetrics(lines, names)
		if err != nil {
			return nil, err
		}
		body = merged
	}
	if last.Status == 0 {
		return nil, recordedError(string(body))
	}
	return answer(r, last.Status, body), nil
}

// textBody returns the answer of a line that holds one which was not JSON.
func textBody(body json.RawMessage) (text string, isText bool) {
	return text, body[0] == '"' && json.Unmarshal(body, &text) == nil
}

// mergeMetrics answers a request for the named metrics from all the lines of
// one poll that hold values of the same page. As with Flink, names that are
// not known are left out.
func mergeMetrics(lines []tapeLine, names []string) ([]byte, error) {
	values := map[string]json.RawMessage{}
	for _, line := range lines {
		var list []json.RawMessage
		if line.Status != http.StatusOK || json.Unmarshal(line.Body, &list) != nil {
			continue
		}
		for _, metric := range list {
			var id struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(metric, &id) == nil {
				values[id.ID] = metric
			}
		}
	}
	found := []json.RawMessage{}
	for _, name := range names {
		if metric, ok := values[name]; ok {
			found = append(found, metric)
			delete(values, name)
		}
	}
	return json.Marshal(found)
}

func answer(r *http.Request, status int, body []byte) *http.Response {
	contentType := "application/json; charset=UTF-8"
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		contentType = "text/html"
	}
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {contentType}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       r,
	}
}

// recordedError rebuilds, from its text, the error of a request that got no
// answer, so that a replay fails for the same reason as the recording did.
func recordedError(text string) error {
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(strings.ToLower(text), part) {
				return true
			}
		}
		return false
	}
	switch {
	case has("refused"):
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case has("timed out", "timeout", "deadline exceeded"):
		return &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	case has("no such host", "name or service not known"):
		return &net.DNSError{Err: "no such host", Name: "recorded", IsNotFound: true}
	case has("no route to host", "unreachable"):
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.EHOSTUNREACH}
	case has("reset", "eof", "closed", "disconnected", "broken pipe"):
		return &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	return errors.New("no answer: " + oneLine(text, maxQuoted))
}
