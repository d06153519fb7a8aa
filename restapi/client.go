package restapi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// firstBackoff is the wait before the first retry; it doubles, with up to
	// half of it added at random so that workers do not come back in step.
	firstBackoff = 100 * time.Millisecond
	// pollRetries bounds the retries of one poll over all its requests: a
	// cluster that fails everywhere must not get a multiple of the load.
	pollRetries = 32
	// maxErrorBody is read of an answer that is no data; Flink's stack traces
	// are 5 to 8 KB.
	maxErrorBody = 64 << 10
	// keepBuffer is up to which size a body's buffer is used again. Few answers
	// are larger; what one of them took is better given back.
	keepBuffer = 1 << 20
	// largeBody is from which size on bodies are read one at a time, so that a
	// server that never stops sending costs the memory of one, not of Concurrency.
	// A vertex's details have this size at a parallelism of about 6,000.
	largeBody = 4 << 20
	// firstBuffer is a new buffer's size when the server tells none.
	firstBuffer = 32 << 10
)

var errTooLarge = errors.New("larger than the limit")

// Client reads one cluster. Snapshot may be called by several goroutines but
// does one poll at a time, as it remembers totals from one to the next.
type Client struct {
	opts    Options
	http    *resty.Client
	network *network // nil with Options.Transport
	// managers are the cluster's addresses; which is asked changes between polls.
	managers *managers
	creds    *credentials
	buffers  sync.Pool
	// large has a place for the one body above largeBody.
	large   chan struct{}
	retries atomic.Int32
	// replaying returns the number of the poll, from 1 on, that a tape answers;
	// nil for a live cluster.
	replaying func() int

	mu          sync.Mutex
	polls       int
	jobs        map[string]*jobMemory
	reloadError string
	checkpoints *lru.Cache[checkpointKey, *analysis.VertexCheckpoint]
	partitions  *lru.Cache[partitionKey, *ownership]
}

// New returns a client for the cluster. It opens no connection; it fails when
// the options contradict each other or a file they name cannot be read.
func New(o Options) (*Client, error) {
	base, o, err := o.withDefaults().check()
	if err != nil {
		return nil, err
	}
	all, err := newManagers(base, o.Others)
	if err != nil {
		return nil, err
	}
	c := &Client{opts: o, managers: all, creds: &credentials{auth: o.Auth}, jobs: map[string]*jobMemory{}, large: make(chan struct{}, 1)}
	c.buffers.New = func() any { return new(buffer) }
	if err := c.creds.load(); err != nil {
		return nil, err
	}
	transport := o.Transport
	if transport == nil {
		c.network = &network{opts: o}
		if err := c.network.load(); err != nil {
			return nil, err
		}
		transport = c.network
	}
	if o.WrapTransport != nil {
		transport = o.WrapTransport(transport)
	}
	if c.checkpoints, err = lru.New[checkpointKey, *analysis.VertexCheckpoint](o.CheckpointCache); err != nil {
		return nil, fmt.Errorf("checkpoint cache: %w", err)
	}
	if c.partitions, err = lru.New[partitionKey, *ownership](o.PartitionCache); err != nil {
		return nil, fmt.Errorf("partition cache: %w", err)
	}
	// Resty's own logger, retries and warnings stay off: they would print
	// URLs, and know nothing of the poll's deadline.
	c.http = resty.NewWithClient(&http.Client{Transport: transport}).
		SetDoNotParseResponse(true).
		SetDisableWarn(true).
		SetLogger(silent{}).
		SetRedirectPolicy(followSameHost(all.base)).
		SetHeader("User-Agent", o.UserAgent).
		SetHeader("Accept", "application/json")
	return c, nil
}

// URL returns the address that is asked, without user and password.
func (c *Client) URL() string { return c.managers.url() }

// Close ends idle connections. The client may still be used afterwards.
func (c *Client) Close() { c.http.GetClient().CloseIdleConnections() }

// silent discards what resty would log.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

// call is one GET: its endpoint's template, and its path and query, escaped.
type call struct{ endpoint, path string }

// fetch reads and decodes one answer, with retries. decode must keep no
// reference to the body.
func fetch[T any](ctx context.Context, c *Client, to call, decode func([]byte) (T, error)) (v T, err error) {
	for try := 0; ; try++ {
		if ctx.Err() != nil {
			reason, what := endOf(ctx)
			return v, c.fail(to, reason, what, ctx.Err())
		}
		err = c.once(ctx, to, func(body []byte) (err error) {
			v, err = decode(body)
			return err
		})
		if err == nil || try >= c.opts.Retries || !retryable(err) || c.retries.Add(-1) < 0 {
			return v, err
		}
		wait := firstBackoff << min(try, 6)
		if !pause(ctx, wait+rand.N(wait/2)) {
			return v, err
		}
	}
}

// pause waits, and reports false at once when the context would end before.
func pause(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once does one attempt and tells the observer.
func (c *Client) once(ctx context.Context, to call, use func([]byte) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.RequestTimeout, errRequestTime)
	defer cancel()
	buf := c.buffers.Get().(*buffer)
	buf.b = buf.b[:0]
	code, err := c.attempt(ctx, to, buf, use)
	if c.opts.Observer != nil {
		c.opts.Observer.Response(to.endpoint, code, int64(len(buf.b)))
	}
	if cap(buf.b) > keepBuffer {
		buf.b = nil
	}
	c.buffers.Put(buf)
	return err
}

func (c *Client) attempt(ctx context.Context, to call, buf *buffer, use func([]byte) error) (code int, _ error) {
	req := c.http.R().SetContext(ctx)
	if h := c.creds.header(); h != "" {
		req.SetHeader("Authorization", h)
	}
	resp, err := req.Get(c.managers.url() + to.path)
	if err != nil {
		return 0, c.networkError(ctx, to, err, -1)
	}
	answer := resp.RawResponse
	defer func() { _ = answer.Body.Close() }()
	code = answer.StatusCode
	ok := code >= 200 && code < 300
	limit := c.opts.MaxResponseBytes
	if !ok {
		limit = min(limit, maxErrorBody)
	}
	place := &place{ctx: ctx, of: c.large}
	defer place.leave()
	err = buf.fill(answer.Body, answer.ContentLength, limit, place.take)
	switch {
	case !ok:
		return code, c.statusError(to, code, answer.Header, buf.b)
	case errors.Is(err, errTooLarge):
		return code, c.fail(to, ReasonTooLarge, fmt.Sprintf("answered more than the limit of %d bytes", limit), err)
	case err != nil:
		return code, c.networkError(ctx, to, err, len(buf.b))
	}
	if e := c.bodyError(to, answer.Header, buf.b); e != nil {
		return code, e
	}
	if err := use(buf.b); err != nil {
		return code, c.decodeError(to, buf.b, err)
	}
	return code, nil
}

// each runs work(0…n-1) on at most Concurrency goroutines and waits for all.
func (c *Client) each(n int, work func(i int)) {
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(n, c.opts.Concurrency) {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	done.Wait()
}
