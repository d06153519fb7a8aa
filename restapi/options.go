package restapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Defaults of Options. Timeouts suit a JobManager in the same network that is
// polled every ten to sixty seconds.
const (
	DefaultConnectTimeout   = 5 * time.Second
	DefaultHeaderTimeout    = 10 * time.Second
	DefaultRequestTimeout   = 15 * time.Second
	DefaultPollTimeout      = 30 * time.Second
	DefaultConcurrency      = 8
	DefaultMaxResponseBytes = 64 << 20
	DefaultRetries          = 2
	DefaultActivityFloor    = 0.05
	DefaultMaxTaskManagers  = 64
	DefaultCheckpointCache  = 16384
	DefaultPartitionCache   = 4096
	defaultUserAgent        = "flink-skew-exporter"
)

// Options say which cluster is read and how. DefaultOptions gives usual values.
// Where a zero makes no sense (timeouts, sizes, concurrency) it takes the
// default; where it does (Retries, ActivityFloor) it is taken as written.
type Options struct {
	// Name is the cluster's configured name; it becomes Snapshot.Cluster.
	Name string
	// URL is the JobManager's REST address, http or https, with a path prefix
	// if an ingress adds one. A user and password in it are moved into Auth
	// and never printed.
	URL string
	// Others are the addresses of further JobManagers of the same cluster, of
	// which one leads. Credentials are the same for all, and sent to all.
	Others []string

	// ConnectTimeout bounds the TCP connection and, apart, the TLS handshake.
	ConnectTimeout time.Duration
	// HeaderTimeout bounds the wait from the request to the answer's headers.
	HeaderTimeout time.Duration
	// RequestTimeout bounds one request with its whole body.
	RequestTimeout time.Duration
	// PollTimeout bounds a whole Snapshot, retries and waits included.
	PollTimeout time.Duration
	// Concurrency is how many requests may be under way at once.
	Concurrency int
	// MaxResponseBytes is the largest answer that is read.
	MaxResponseBytes int64
	// Retries is how often a request is repeated after a connection error or
	// a 502, 503 or 504; 0 never repeats.
	Retries int

	// ActivityFloor is in busy or back-pressured seconds per second, summed
	// over a vertex. Below it the vertex's details are skipped, but for every
	// tenth poll. 0 reads every vertex in every poll.
	ActivityFloor float64
	// MaxTaskManagers is up to how many TaskManagers their CPU metrics are
	// read, at one request each; a negative number never reads them.
	MaxTaskManagers int
	// WatermarkBudget is of how many vertices the watermarks are read in one
	// poll, at one request each, in turn; an answer is kept for up to ten
	// minutes. 0 is the larger of 4 and a 25th of the vertices that have
	// inputs; a negative number reads none, Unlimited all.
	WatermarkBudget int
	// BacklogBudget is of how many sources the backlog is read in one poll, at
	// one request for about 60 subtasks; where sources take turns a value is
	// kept for up to two minutes. 0 is 50; a negative number reads none,
	// Unlimited all.
	BacklogBudget int
	// CheckpointCache is how many vertices' checkpoint details are kept; it
	// should not be below the number of vertices with a HASH input.
	CheckpointCache int
	// PartitionCache is of how many source vertices the owned partitions are kept.
	PartitionCache int
	// Include and Exclude choose jobs by name; nil includes all and excludes none.
	Include, Exclude *regexp.Regexp

	Auth Auth
	TLS  TLS
	// UserAgent is sent with each request.
	UserAgent string

	// Transport replaces the network: tapes and tests. TLS and the connect
	// and header timeouts are then the transport's own affair.
	Transport http.RoundTripper
	// WrapTransport, if set, is called once with the transport in use and
	// returns the one to use instead: a Recorder.
	WrapTransport func(http.RoundTripper) http.RoundTripper
	// NoPrime does not wait for a cold metric cache: a tape has no later answer.
	NoPrime bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Observer is told of every answer; nil is told nothing.
	Observer Observer
	// Logger takes warnings about files that cannot be re-read; nil discards.
	Logger *slog.Logger
}

// Auth is how the client proves itself. At most one of the two schemes may be
// set; files are read again at each poll, so that rotation needs no restart.
type Auth struct {
	// User and Password (or the content of PasswordFile) are HTTP basic auth.
	User, Password, PasswordFile string
	// TokenFile holds a bearer token.
	TokenFile string
}

// TLS says whom to trust on https and which certificate to show. The files
// are PEM, and read again at each poll.
type TLS struct {
	// CAFile replaces the system's certificate authorities.
	CAFile string
	// CertFile and KeyFile are the client certificate; both or neither.
	CertFile, KeyFile string
	// ServerName is expected in the server's certificate instead of the URL's host.
	ServerName string
	// InsecureSkipVerify trusts any certificate.
	InsecureSkipVerify bool
}

// Observer is told of every answer, for the exporter's own metrics. It must be
// safe for concurrent use.
type Observer interface {
	// Response reports one attempt. endpoint is one of Endpoints; code is the
	// HTTP status, 0 when there was no answer; bytes is the size of the body read.
	Response(endpoint string, code int, bytes int64)
}

// DefaultOptions returns the usual settings for a cluster.
func DefaultOptions(name, address string) Options {
	return Options{
		Name:            name,
		URL:             address,
		Retries:         DefaultRetries,
		ActivityFloor:   DefaultActivityFloor,
		MaxTaskManagers: DefaultMaxTaskManagers,
	}.withDefaults()
}

func (o Options) withDefaults() Options {
	positive(&o.ConnectTimeout, DefaultConnectTimeout)
	positive(&o.HeaderTimeout, DefaultHeaderTimeout)
	positive(&o.RequestTimeout, DefaultRequestTimeout)
	positive(&o.PollTimeout, DefaultPollTimeout)
	positive(&o.Concurrency, DefaultConcurrency)
	positive(&o.MaxResponseBytes, DefaultMaxResponseBytes)
	positive(&o.CheckpointCache, DefaultCheckpointCache)
	positive(&o.PartitionCache, DefaultPartitionCache)
	if o.MaxTaskManagers == 0 {
		o.MaxTaskManagers = DefaultMaxTaskManagers
	}
	if o.UserAgent == "" {
		o.UserAgent = defaultUserAgent
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func positive[T int | int64 | time.Duration](v *T, fallback T) {
	if *v <= 0 {
		*v = fallback
	}
}

// check returns the base URL without user, password and trailing slash, and
// the options with the URL's credentials moved into Auth. Its errors never
// quote the URL, since a mistyped one may hold the password anywhere.
func (o Options) check() (*url.URL, Options, error) {
	u, err := parseBase(o.URL)
	if err != nil {
		return nil, o, err
	}
	if u.User != nil {
		if o.Auth.User != "" {
			return nil, o, errors.New("credentials are given both in the Flink URL and apart; keep one of them")
		}
		o.Auth.User = u.User.Username()
		if p, ok := u.User.Password(); ok {
			o.Auth.Password = p
		}
		u.User = nil
	}
	o.URL = u.String()
	return u, o, o.checkFiles()
}

// parseBase reads an address and takes off its trailing slash. Its errors never
// quote the text.
func parseBase(text string) (*url.URL, error) {
	const form = "give http(s)://host:port[/prefix], special characters in a password percent-encoded"
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, errors.New("the Flink URL cannot be parsed; " + form)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the Flink URL must begin with http:// or https://; " + form)
	case u.Hostname() == "":
		return nil, errors.New("the Flink URL has no host; " + form)
	case u.Port() != "" && !isPort(u.Port()):
		return nil, errors.New("the Flink URL has a port that is not 1 to 65535; " + form)
	case u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Path, "@"):
		return nil, errors.New("the Flink URL must have no query, fragment or @ in its path; " + form)
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 65535
}

func (o Options) checkFiles() error {
	a, t := o.Auth, o.TLS
	switch {
	case a.User != "" && a.TokenFile != "":
		return errors.New("basic auth and a bearer token are both set; keep one of them")
	case a.User == "" && (a.Password != "" || a.PasswordFile != ""):
		return errors.New("a password without a user is set; set the user too")
	case a.Password != "" && a.PasswordFile != "":
		return errors.New("a password and a password file are both set; keep one of them")
	case (t.CertFile == "") != (t.KeyFile == ""):
		return errors.New("a client certificate needs both its certificate file and its key file")
	case o.ActivityFloor < 0 || o.Retries < 0:
		return fmt.Errorf("activity floor %g and retries %d must not be negative", o.ActivityFloor, o.Retries)
	}
	return nil
}
