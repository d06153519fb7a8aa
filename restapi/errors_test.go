package restapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const secret = "s3cr3t-Pa55word"

// badServer is an address at which something is wrong.
type badServer func(t *testing.T) (address string)

func handler(h http.HandlerFunc) badServer {
	return func(t *testing.T) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
}

// raw answers each connection with fixed bytes and closes it.
func raw(answer string) badServer {
	return func(t *testing.T) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				conn.Read(make([]byte, 4096))
				io.WriteString(conn, answer)
				conn.Close()
			}
		}()
		return "http://" + l.Addr().String()
	}
}

func refused(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func tlsServer(t *testing.T) string {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// silentServer accepts and never answers; stalling sends the headers and half of
// the body. Both end with the request.
func silentServer(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func stalling(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, `{"jobs":[`)
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// endless sends a body until the other side has enough.
func endless(w http.ResponseWriter, _ *http.Request) {
	block := []byte(strings.Repeat("[", 1<<16))
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// echo puts the request's credentials into its error, as a bad proxy might.
func echo(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	w.WriteHeader(http.StatusInternalServerError)
	fmt.Fprintf(w, `{"errors":["%s of %s:%s failed"]}`, r.Header.Get("Authorization"), user, password)
}

func challenge(scheme string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if scheme != "" {
			w.Header().Set("WWW-Authenticate", scheme)
		}
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, "<html>"+secret)
	}
}

func location(target string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) }
}

func TestBadInput(t *testing.T) {
	for name, tc := range map[string]struct {
		server badServer
		reason string
		says   string
	}{
		"refused":       {refused, ReasonRefused, "refused"},
		"http to TLS":   {func(t *testing.T) string { return strings.Replace(tlsServer(t), "https", "http", 1) }, ReasonTLS, "speaks https"},
		"http to alert": {raw("\x15\x03\x03\x00\x02\x02\x46"), ReasonTLS, "speaks TLS"},
		"https to http": {func(t *testing.T) string { return strings.Replace(handler(endless)(t), "http", "https", 1) }, ReasonTLS, "plain http"},
		"unknown CA":    {tlsServer, ReasonTLS, "certificate"},
		"not HTTP":      {raw("SSH-2.0-OpenSSH_9.7\r\n"), ReasonNotHTTP, "not HTTP"},
		"closed":        {raw(""), ReasonClosed, "or whether the URL should be https"},
		"401 Basic":     {handler(challenge(`Basic realm="` + secret + `"`)), ReasonUnauthorized, "asks for Basic; check user"},
		"401 Kerberos":  {handler(challenge("Negotiate")), ReasonUnauthorized, "asks for Negotiate; only Basic and Bearer"},
		"401 nothing":   {handler(challenge("")), ReasonUnauthorized, "no scheme"},
		"403":           {handler(respond(403, "no")), ReasonForbidden, "403"},
		"404 page":      {handler(respond(404, "<html>"+secret)), ReasonNotFound, "path prefix"},
		"400":           {handler(respond(400, `{"errors":["bad\nid"]}`)), ReasonBadRequest, "bad"},
		"request line":  {handler(respond(404, `{"errors":["Unable to load requested file /bad-request."]}`)), ReasonBadRequest, "bad-request"},
		"418":           {handler(respond(418, "")), ReasonClientError, "418"},
		"500 trace":     {handler(respond(500, `{"errors":["Internal server error.","<Exception\n\tat java"]}`)), ReasonServerError, "Internal server error."},
		"502":           {handler(respond(502, "<html>")), ReasonServerError, "502 with an HTML page"},
		"503":           {handler(respond(503, "")), ReasonServerError, "503"},
		"election":      {handler(respond(503, `{"errors":["Service temporarily unavailable due to an ongoing leader election. Please refresh."]}`)), ReasonNoLeader, "leader"},
		"HTML":          {handler(respond(200, "\n<!DOCTYPE html>"+secret)), ReasonNotJSON, "HTML page"},
		"text":          {handler(respond(200, "hello "+secret)), ReasonNotJSON, "instead of JSON"},
		"null":          {handler(respond(200, "null\n")), ReasonNotJSON, "answered JSON, but null where Flink has an object or a list"},
		"true":          {handler(respond(200, "true")), ReasonNotJSON, "a truth value where"},
		"JSON text":     {handler(respond(200, `"hello"`)), ReasonNotJSON, "a text where"},
		"number":        {handler(respond(200, "-7")), ReasonNotJSON, "a number where"},
		"called JSON": {handler(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			_, _ = io.WriteString(w, "nul")
		}), ReasonNotJSON, `answered what is no JSON, though it is called "application/json"`},
		"other JSON":     {handler(respond(200, `{"status":"up"}`)), ReasonNotJSON, "no list of jobs"},
		"nothing":        {handler(respond(200, "")), ReasonEmpty, "nothing"},
		"blanks":         {handler(respond(200, " \n")), ReasonEmpty, "nothing"},
		"cut JSON":       {handler(respond(200, `{"jobs":[{"jid":"a`)), ReasonTruncated, "cut off after 18 bytes"},
		"cut connection": {raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"jobs\":"), ReasonTruncated, "after 8 bytes"},
		"10 GB announced": {handler(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10000000000")
			endless(w, r)
		}), ReasonTooLarge, "limit of 1000000 bytes"},
		"10 GB":          {handler(endless), ReasonTooLarge, "limit of 1000000 bytes"},
		"silent":         {handler(silentServer), ReasonTimeout, "no answer in time"},
		"stalled":        {handler(stalling), ReasonTimeout, "stopped after 9 bytes"},
		"secret echoed":  {handler(echo), ReasonServerError, "failed"},
		"other host":     {handler(location("http://other.invalid/" + secret + "?" + secret)), ReasonRedirect, "http://other.invalid not followed"},
		"redirect loop":  {handler(location("/again")), ReasonRedirect, "too many"},
		"other port":     {handler(location("http://127.0.0.1:1/")), ReasonRedirect, "another host"},
		"empty redirect": {handler(respond(302, "")), ReasonRedirect, "302"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := tc.server(t)
			scheme, host, _ := strings.Cut(address, "://")
			o := Options{URL: scheme + "://user:" + secret + "@" + host + "/flink/", MaxResponseBytes: 1_000_000}
			switch name {
			case "silent":
				o.HeaderTimeout = 200 * time.Millisecond
			case "stalled":
				o.RequestTimeout = 2 * time.Second
			}
			c, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = c.Snapshot(t.Context())
			if err == nil {
				t.Fatal("no error")
			}
			if Reason(err) != tc.reason || !slices.Contains(Reasons(), Reason(err)) {
				t.Errorf("reason %q, want %q: %v", Reason(err), tc.reason, err)
			}
			text := err.Error()
			for _, want := range []string{"GET " + scheme + "://" + host + "/flink/jobs/overview: ", tc.says} {
				if !strings.Contains(text, want) {
					t.Errorf("%q does not say %q", text, want)
				}
			}
			if strings.Contains(text, secret) || strings.Contains(text, "dXNlcjpz") || strings.ContainsAny(text, "\n\r\t") || len(text) > 700 {
				t.Errorf("%q is no clean line", text)
			}
		})
	}
}

// These are errors of the network that a test cannot bring about for real.
func TestNetworkErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		reason string
		retry  bool
	}{
		"dns":     {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}}, ReasonDNS, false},
		"route":   {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, ReasonUnreachable, true},
		"reset":   {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, ReasonClosed, true},
		"alert":   {&net.OpError{Op: "remote error", Err: tls.AlertError(42)}, ReasonTLS, false},
		"connect": {&net.OpError{Op: "dial", Err: context.DeadlineExceeded}, ReasonTimeout, false},
		"other":   {errors.New("odd\nthing " + secret), ReasonOther, false},
	} {
		c := fakeClient(t, http.NotFoundHandler(), func(o *Options) { o.Auth = Auth{User: "u", Password: secret} })
		e := c.networkError(t.Context(), call{epJobs, epJobs}, tc.err, -1)
		if e.Reason() != tc.reason || retryable(fmt.Errorf("wrapped: %w", e)) != tc.retry {
			t.Errorf("%s: %q, retry %v", name, e.Reason(), e.retry)
		}
		if text := e.Error(); strings.Contains(text, secret) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestReasonOfForeignErrors(t *testing.T) {
	for want, err := range map[string]error{
		"":              nil,
		ReasonOther:     errors.New("x"),
		ReasonCanceled:  fmt.Errorf("x: %w", context.Canceled),
		ReasonTimeout:   context.DeadlineExceeded,
		ReasonForbidden: fmt.Errorf("x: %w", &Error{reason: ReasonForbidden}),
	} {
		if got := Reason(err); got != want {
			t.Errorf("reason of %v is %q, want %q", err, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for given, want := range map[string]string{
		"a\r\nb\tc":  "a  b c",
		"\x1b[31m":   " [31m",
		"ab\xffc":    "ab?c",
		"äöüäöüäöü":  "äöüä…",
		"a\u2028b":   "a b",
		"12345678":   "12345678",
		"123456789x": "12345678…",
	} {
		if got := oneLine(given, 8); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", given, got, want)
		}
	}
}
