package restapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// RecordOptions say how a Recorder writes its tape.
type RecordOptions struct {
	// URL is the cluster's address; its path prefix is left out of the tape.
	URL string
	// Redact replaces addresses and host names by made-up ones that stay the
	// same throughout the tape, and takes out what looks like a secret. Names
	// of jobs, vertices and operators stay: a diagnosis needs them.
	Redact bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Recorder writes each answer that passes through the transports it wraps as a
// line of a tape. It is safe for concurrent use.
type Recorder struct {
	prefix string
	now    func() time.Time

	mu     sync.Mutex
	out    *json.Encoder
	redact *redactor // nil when nothing is redacted
	poll   int
	err    error
}

// NewRecorder returns a recorder that writes a tape to w, beginning with poll
// 0. The caller compresses and closes w. It fails when o.URL is no URL.
func NewRecorder(w io.Writer, o RecordOptions) (*Recorder, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		// The cause is left out: it quotes the URL with its password.
		return nil, errors.New("recording a tape: the Flink URL cannot be parsed; give http(s)://host:port[/prefix]")
	}
	r := &Recorder{prefix: strings.TrimRight(u.EscapedPath(), "/"), now: o.Now, out: json.NewEncoder(w)}
	r.out.SetEscapeHTML(false)
	if r.now == nil {
		r.now = time.Now
	}
	if o.Redact {
		r.redact = newRedactor()
		r.redact.host(u.Hostname())
	}
	return r, nil
}

// NextPoll makes what follows part of the next poll.
func (r *Recorder) NextPoll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.poll++
}

// Err returns the first error in writing the tape. Polling goes on after one,
// but the tape is not complete.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Wrap returns a transport that does as next does and records it; it fits
// Options.WrapTransport. An answer's line is written when its body is closed.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper {
	return &recording{recorder: r, next: next}
}

// recording is the transport that a Recorder makes of another one.
type recording struct {
	recorder *Recorder
	next     http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	line := tapeLine{
		At:   seconds(t.recorder.now()),
		Path: strings.TrimPrefix(req.URL.RequestURI(), t.recorder.prefix),
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		t.recorder.write(line, []byte(err.Error()))
		return nil, err
	}
	line.Status = resp.StatusCode
	resp.Body = &recordedBody{ReadCloser: resp.Body, line: line, recorder: t.recorder}
	return resp, nil
}

// CloseIdleConnections passes the call on to the wrapped transport.
func (t *recording) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// seconds returns a time as a tape writes it, in seconds to the millisecond.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// recordedBody copies what its reader reads and writes it to the tape when it
// is closed.
type recordedBody struct {
	io.ReadCloser
	line     tapeLine
	recorder *Recorder
	read     bytes.Buffer
	once     sync.Once
}

// Read implements io.Reader.
func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	return n, err
}

// Close implements io.Closer.
func (b *recordedBody) Close() error {
	b.once.Do(func() { b.recorder.write(b.line, b.read.Bytes()) })
	return b.ReadCloser.Close()
}

// write appends a line; body is what was answered, of whatever form.
func (r *Recorder) write(line tapeLine, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line.Poll = r.poll
	isJSON := line.Status != 0 && json.Valid(body)
	if r.redact != nil {
		if isJSON {
			body = r.redact.json(body)
		} else {
			body = []byte(r.redact.body(string(body)))
		}
		line.Path = r.redact.path(line.Path)
	}
	line.Body = body
	if !isJSON {
		text, err := json.Marshal(string(body))
		if err != nil {
			r.fail(err)
			return
		}
		line.Body = text
	}
	if err := r.out.Encode(line); err != nil {
		r.fail(err)
	}
}

// fail keeps the first error.
func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("writing the tape: %w", err)
	}
}
