package restapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// maxQuoted bounds what is quoted of a server's own words, in bytes.
const maxQuoted = 200

// Causes of ended contexts, to tell whose time was up.
var (
	errRequestTime = errors.New("the request's time was up")
	errPollTime    = errors.New("the poll's time was up")
)

// fail makes an Error about one request. What a tape holds is past: there the
// poll is named instead of an address, and there is nothing to advise.
func (c *Client) fail(to call, reason, what string, cause error) *Error {
	path, _, _ := strings.Cut(to.path, "?")
	e := &Error{
		reason: reason,
		where:  "GET " + oneLine(c.managers.url()+path, 2*maxQuoted),
		what:   c.creds.scrub(oneLine(what, 2*maxQuoted)),
		advice: advise(reason),
		cause:  cause,
	}
	if c.replaying != nil {
		e.past, e.where = true, fmt.Sprintf("poll %d of the tape recorded", c.replaying())
		e.what += " (GET " + oneLine(path, maxQuoted) + ")"
		if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
			e.where = fmt.Sprintf("replaying poll %d of the tape", c.replaying())
		}
	}
	return e
}

// networkError says why there was no answer, or only got bytes of its body.
func (c *Client) networkError(ctx context.Context, to call, err error, got int) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // url.Error repeats the whole URL
	}
	reason, what := reasonOf(ctx, err)
	if got >= 0 {
		switch reason {
		case ReasonTimeout:
			what += fmt.Sprintf(" (the body stopped after %d bytes)", got)
		case ReasonClosed:
			reason, what = ReasonTruncated, fmt.Sprintf("the connection ended in mid-body after %d bytes", got)
		}
	}
	e := c.fail(to, reason, what, err)
	if reason == ReasonClosed && strings.HasPrefix(c.managers.url(), "http://") {
		// Some servers of TLS end a plain request without a word.
		e.advice += ", or whether the URL should be https"
	}
	switch reason {
	case ReasonRefused, ReasonClosed, ReasonTruncated, ReasonUnreachable:
		e.retry = true
	}
	return e
}

func reasonOf(ctx context.Context, err error) (reason, what string) {
	if ctx.Err() != nil {
		return endOf(ctx)
	}
	var dns *net.DNSError
	var redirect *redirectError
	var timeout net.Error
	switch {
	case errors.As(err, &redirect):
		return ReasonRedirect, redirect.Error()
	case errors.As(err, &dns):
		return ReasonDNS, "the host name does not resolve"
	case errors.Is(err, syscall.ECONNREFUSED):
		return ReasonRefused, "connection refused"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return ReasonUnreachable, "no route to the host"
	case errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout, "no answer in time: " + err.Error()
	case errors.Is(err, http.ErrSchemeMismatch):
		return ReasonTLS, "https was asked for but the server speaks plain http"
	case speaksTLS(err):
		return ReasonTLS, "http was asked for but the server speaks TLS"
	case tlsFailed(err):
		return ReasonTLS, "TLS failed: " + err.Error()
	case strings.Contains(err.Error(), "malformed HTTP"):
		return ReasonNotHTTP, "the answer is not HTTP"
	case strings.Contains(err.Error(), "response headers exceeded"):
		return ReasonTooLarge, "the answer's headers are larger than any of Flink's"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed), strings.Contains(err.Error(), "server closed"):
		return ReasonClosed, "the connection was closed before the answer"
	}
	return ReasonOther, err.Error()
}

func endOf(ctx context.Context) (reason, what string) {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errRequestTime):
		return ReasonTimeout, "no complete answer within the request's time limit"
	case errors.Is(cause, errPollTime):
		return ReasonTimeout, "the poll's time limit was used up"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ReasonTimeout, "the caller's time limit was used up"
	}
	return ReasonCanceled, "canceled by the caller"
}

// speaksTLS recognises a TLS alert (record type 21, version 3) as the answer
// to a plain request, as Go's client quotes it.
func speaksTLS(err error) bool {
	return strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`)
}

func tlsFailed(err error) bool {
	var verify *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	if errors.As(err, &verify) || errors.As(err, &alert) || errors.As(err, &record) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "tls: ") || strings.Contains(text, "x509: ")
}

// statusError says why an answer with this status is no data. body is the
// beginning of the answer.
func (c *Client) statusError(to call, status int, header http.Header, body []byte) *Error {
	reason := statusReason(status, body)
	what := fmt.Sprintf("answered %d", status)
	if said := decodeErrors(body); said != "" {
		what += ": " + said
	} else if looksHTML(body) {
		what += " with an HTML page"
	}
	e := c.fail(to, reason, oneLine(what, maxQuoted), nil)
	switch {
	case e.past:
	case status == http.StatusUnauthorized:
		e.what, e.advice = challenged(header.Values("WWW-Authenticate"))
	case reason == ReasonTLS:
		e.what = "http was asked for but the server speaks https"
	}
	e.retry = status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
	return e
}

func statusReason(status int, body []byte) string {
	switch {
	case status == http.StatusUnauthorized:
		return ReasonUnauthorized
	case status == http.StatusForbidden:
		return ReasonForbidden
	case status == http.StatusNotFound && bytes.Contains(body, []byte("/bad-request")):
		return ReasonBadRequest // Flink's answer to a request line above 4096 bytes
	case status == http.StatusNotFound:
		return ReasonNotFound
	case status == http.StatusBadRequest && bytes.Contains(body, []byte("HTTPS")):
		return ReasonTLS // how Go's server and nginx answer http on an https port
	case status == http.StatusBadRequest, status == http.StatusRequestURITooLong:
		return ReasonBadRequest
	case status == http.StatusServiceUnavailable && bytes.Contains(bytes.ToLower(body), []byte("leader")):
		return ReasonNoLeader
	case status >= 500:
		return ReasonServerError
	case status >= 400:
		return ReasonClientError
	case status >= 300:
		return ReasonRedirect
	}
	return ReasonOther
}

// challenged names the scheme that a 401 asks for, which tells a missing
// password from a Kerberos gateway (Negotiate) that cannot be satisfied.
func challenged(challenges []string) (what, advice string) {
	var schemes []string
	for _, ch := range challenges {
		scheme, _, _ := strings.Cut(strings.TrimSpace(ch), " ")
		if scheme != "" && len(scheme) <= 20 && !strings.ContainsFunc(scheme, notScheme) {
			schemes = append(schemes, scheme)
		}
	}
	if len(schemes) == 0 {
		return "answered 401 and names no scheme", "check user and password or the token"
	}
	what = "answered 401 and asks for " + strings.Join(schemes, ", ")
	for _, s := range schemes {
		if strings.EqualFold(s, "Basic") || strings.EqualFold(s, "Bearer") {
			return what, "check user and password or the token"
		}
	}
	return what, "only Basic and Bearer are supported; put a proxy that signs in before Flink"
}

func notScheme(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
}

// bodyError says why a successful answer is not Flink's JSON, nil if it may be.
func (c *Client) bodyError(to call, header http.Header, body []byte) *Error {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return c.fail(to, ReasonEmpty, "answered 200 with nothing", nil)
	case trimmed[0] == '{' || trimmed[0] == '[':
		return nil
	case looksHTML(body):
		return c.fail(to, ReasonNotJSON, "answered an HTML page instead of JSON", nil)
	}
	if kind := jsonKind(trimmed); kind != "" {
		return c.fail(to, ReasonNotJSON, "answered JSON, but "+kind+" where Flink has an object or a list", nil)
	}
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if strings.HasSuffix(kind, "json") {
		return c.fail(to, ReasonNotJSON, fmt.Sprintf("answered what is no JSON, though it is called %q", oneLine(kind, 40)), nil)
	}
	return c.fail(to, ReasonNotJSON, fmt.Sprintf("answered %q instead of JSON", oneLine(kind, 40)), nil)
}

// jsonKind names the kind of a whole JSON value that is neither object nor
// list; it is empty for any other text.
func jsonKind(body []byte) string {
	if !json.Valid(body) {
		return ""
	}
	switch body[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "a truth value"
	case '"':
		return "a text"
	}
	return "a number"
}

// decodeError wraps what a decoder said of a body that began like JSON.
func (c *Client) decodeError(to call, body []byte, err error) *Error {
	trimmed := bytes.TrimSpace(body)
	if last := trimmed[len(trimmed)-1]; last != '}' && last != ']' {
		return c.fail(to, ReasonTruncated, fmt.Sprintf("the JSON is cut off after %d bytes", len(body)), err)
	}
	return c.fail(to, ReasonNotJSON, "the JSON is not what Flink answers here: "+err.Error(), err)
}

func looksHTML(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n\ufeff"), []byte("<"))
}
