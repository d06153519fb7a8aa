package web

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

const acting = "a\x00\x1b[31m\x7f\u0085\u009b\u202e\u2066\u2069\u200f\u061cé日\u00a0\U0001F600z"

func TestEscapeControls(t *testing.T) {
	var b strings.Builder
	if err := json.NewEncoder(EscapeControls(&b)).Encode(acting); err != nil {
		t.Fatal(err)
	}
	want := `"a\u0000\u001b[31m\u007f\u0085\u009b\u202e\u2066\u2069\u200f\u061cé日` + "\u00a0\U0001F600" + `z"` + "\n"
	if b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != acting {
		t.Errorf("reads back as %q, %v", back, err)
	}
}

func TestEscapeControlsTellsBytesAndErrors(t *testing.T) {
	for _, text := range []string{"plain", "a\x7fb\x7f", ""} {
		if n, err := EscapeControls(io.Discard).Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	broken, end := io.Pipe()
	gone := errors.New("gone")
	_ = broken.CloseWithError(gone)
	for _, text := range []string{"plain", "a\x7fb"} {
		if n, err := EscapeControls(end).Write([]byte(text)); n != 0 || !errors.Is(err, gone) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}

// TestAnswersHoldNoActingCharacters shows a job whose name would colour and
// turn around what a terminal shows of the answer.
func TestAnswersHoldNoActingCharacters(t *testing.T) {
	h := handler(t, func(o *Options) {
		o.View = func() report.Input {
			in := sample()
			in.Clusters[0].Result.Jobs[0].Name = acting
			return in
		}
	})
	for _, path := range []string{"/api/v1/jobs", "/api/v1/findings", "/api/v1/jobs/jm:8081/a1"} {
		body := get(h, "GET", path).Body.String()
		if !strings.Contains(body, `\u202e`) || strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && (r < ' ' || acts(r)) }) {
			t.Errorf("%s: %q", path, body)
		}
	}
}
