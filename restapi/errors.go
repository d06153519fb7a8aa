package restapi

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Reasons of errors: a closed set, safe as a metric label.
const (
	// ReasonTimeout: connecting, the headers, the body or the whole poll took too long.
	ReasonTimeout = "timeout"
	// ReasonRefused: nothing listens on the port.
	ReasonRefused = "refused"
	// ReasonDNS: the host name does not resolve.
	ReasonDNS = "dns"
	// ReasonUnreachable: no route to the host or its network.
	ReasonUnreachable = "unreachable"
	// ReasonClosed: the connection was reset or closed before an answer.
	ReasonClosed = "closed"
	// ReasonTLS: the handshake failed, the certificate is not trusted, or one
	// side speaks TLS and the other does not.
	ReasonTLS = "tls"
	// ReasonUnauthorized: 401.
	ReasonUnauthorized = "unauthorized"
	// ReasonForbidden: 403.
	ReasonForbidden = "forbidden"
	// ReasonNotFound: 404.
	ReasonNotFound = "not_found"
	// ReasonBadRequest: 400, 414, or Flink's 404 for a request line that is too long.
	ReasonBadRequest = "bad_request"
	// ReasonNoLeader: 503 while JobManagers elect a leader.
	ReasonNoLeader = "no_leader"
	// ReasonRedirect: a redirect that must not be followed.
	ReasonRedirect = "redirect"
	// ReasonClientError and ReasonServerError: any other 4xx and 5xx.
	ReasonClientError = "http_4xx"
	ReasonServerError = "http_5xx"
	// ReasonNotHTTP: the other side speaks another protocol.
	ReasonNotHTTP = "not_http"
	// ReasonNotJSON: an answer that is not the JSON that Flink gives.
	ReasonNotJSON = "not_json"
	// ReasonEmpty: a successful answer without a body.
	ReasonEmpty = "empty"
	// ReasonTruncated: the body ended early.
	ReasonTruncated = "truncated"
	// ReasonTooLarge: the body is larger than Options.MaxResponseBytes.
	ReasonTooLarge = "too_large"
	// ReasonCanceled: the caller gave up.
	ReasonCanceled = "canceled"
	// ReasonOther: none of these.
	ReasonOther = "other"
)

// Reasons returns the whole set, sorted.
func Reasons() []string {
	all := []string{
		ReasonTimeout, ReasonRefused, ReasonDNS, ReasonUnreachable, ReasonClosed, ReasonTLS,
		ReasonUnauthorized, ReasonForbidden, ReasonNotFound, ReasonBadRequest, ReasonNoLeader,
		ReasonRedirect, ReasonClientError, ReasonServerError, ReasonNotHTTP, ReasonNotJSON,
		ReasonEmpty, ReasonTruncated, ReasonTooLarge, ReasonCanceled, ReasonOther,
	}
	slices.Sort(all)
	return all
}

// Error is a failed request to Flink. Its text is one line and holds no
// credentials, no query and nothing of a page that was not Flink's.
type Error struct {
	reason string
	// where is the request: method and URL without user, password and query;
	// or the poll of a tape.
	where string
	what  string
	// advice says what to do; it may be empty. past errors, those on a tape, show none.
	advice string
	past   bool
	cause  error
	// retry says that the same request may well succeed in a moment.
	retry bool
}

// Error tells where, what and what to do, in one line.
func (e *Error) Error() string {
	if e.advice == "" || e.past {
		return e.where + ": " + e.what
	}
	return e.where + ": " + e.what + "; " + e.advice
}

// Reason returns one of Reasons.
func (e *Error) Reason() string { return e.reason }

// Unwrap returns the error of the network or the decoder, nil when there is none.
func (e *Error) Unwrap() error { return e.cause }

// Reason returns the reason of an error of this package, however wrapped;
// ReasonOther for any other error and "" for nil.
func Reason(err error) string {
	var r interface{ Reason() string }
	switch {
	case err == nil:
		return ""
	case errors.As(err, &r):
		return r.Reason()
	case errors.Is(err, context.Canceled):
		return ReasonCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	}
	return ReasonOther
}

// retryable reports whether the same request may well succeed in a moment.
func retryable(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.retry
}

// advise returns what to do by default about a reason, "" when there is nothing to say.
func advise(reason string) string {
	switch reason {
	case ReasonTimeout:
		return "check the JobManager's load and the network, or raise the timeout"
	case ReasonRefused:
		return "check that the JobManager runs and that the port is that of its REST API (8081 by default)"
	case ReasonDNS:
		return "check the host name in the Flink URL"
	case ReasonUnreachable:
		return "check the address in the Flink URL and the routes and firewalls on the way"
	case ReasonClosed:
		return "check whether the JobManager or a proxy before it restarts"
	case ReasonTLS:
		return "check http or https in the Flink URL, the CA file, the server name and the client certificate"
	case ReasonForbidden:
		return "check the rights of the user or token"
	case ReasonNotFound:
		return "check the path prefix in the Flink URL"
	case ReasonNoLeader:
		return "wait for the JobManagers to elect a leader"
	case ReasonRedirect:
		return "give the address it leads to as the Flink URL, if it is the JobManager's"
	case ReasonNotHTTP, ReasonNotJSON, ReasonEmpty:
		return "check that the Flink URL is the JobManager's REST API and not a proxy, a login page or another service"
	case ReasonTruncated:
		return "check the proxies between here and the JobManager"
	case ReasonTooLarge:
		return "check that the URL is Flink's, or raise the response size limit, poll.max_response_bytes"
	case ReasonServerError:
		return "see the JobManager's log"
	}
	return ""
}

// oneLine makes a server's text safe to print: control characters become
// blanks and at most limit bytes stay.
func oneLine(text string, limit int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, text)
}
