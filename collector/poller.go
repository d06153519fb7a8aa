package collector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// StaleAfter is how many intervals after the last good poll a cluster's data
// series are no longer shown. Two polls may fail before a dashboard has a hole.
const StaleAfter = 3

// DefaultTop is how many of the hottest subtasks of a vertex top mode shows.
const DefaultTop = 10

// Config is all that a Poller needs.
type Config struct {
	// Source gives the cluster's snapshots; it is never called twice at once.
	Source Source
	// Cluster is the cluster's name, which becomes the label cluster.
	Cluster string
	// Interval is the time between the beginnings of polls.
	Interval time.Duration
	// Timeout ends a poll; it must be below Interval. 0 means 4/5 of it.
	Timeout time.Duration
	// Delay is the wait before the first poll, and FirstGap the time from its
	// beginning to that of the second, by which pollers keep out of each
	// other's way; 0 means none and Interval.
	Delay, FirstGap time.Duration
	// Thresholds are those of the analysis.
	Thresholds analysis.Config
	// Top is K of the mode top; 0 means DefaultTop.
	Top int
	// Seen is given the result of every good poll in the poll's own goroutine,
	// before it is published; it must be quick and keep nothing of it that it
	// changes. nil is nobody.
	Seen func(*analysis.Result)
	// Observer is the one given to the Source's client, nil if it has none.
	Observer *Observer
	// Logger takes changes of state; nil drops them.
	Logger *slog.Logger
}

// Poller polls one cluster and publishes what each poll means.
type Poller struct {
	cfg   Config
	label string
	table *table
	log   *slog.Logger
	now   atomic.Pointer[Published]
	// owner is held by Run or Once, of which only one may be at work.
	owner chan struct{}
	// busy is whether a call of the Source or its analysis is under way.
	busy atomic.Bool
	// trace is whether results tell of every rule.
	trace atomic.Bool
	// state and outage belong to the owner.
	state  analysis.State
	outage outage
}

// NewPoller returns a poller that has not begun. It fails when the
// configuration cannot work, naming the field.
func NewPoller(c Config) (*Poller, error) {
	if c.Timeout == 0 {
		c.Timeout = c.Interval / 5 * 4
	}
	if c.FirstGap == 0 {
		c.FirstGap = c.Interval
	}
	if c.Top == 0 {
		c.Top = DefaultTop
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.Source == nil:
		return nil, fmt.Errorf("poller of cluster %q: no source", c.Cluster)
	case c.Cluster == "":
		return nil, errors.New("poller: the cluster has no name")
	case c.Interval <= 0:
		return nil, fmt.Errorf("poller of cluster %q: interval %s must be above 0", c.Cluster, c.Interval)
	case c.Timeout <= 0 || c.Timeout >= c.Interval:
		return nil, fmt.Errorf("poller of cluster %q: timeout %s must be above 0 and below the interval %s", c.Cluster, c.Timeout, c.Interval)
	case c.Delay < 0 || c.FirstGap < 0:
		return nil, fmt.Errorf("poller of cluster %q: delay %s and first gap %s must not be negative", c.Cluster, c.Delay, c.FirstGap)
	case c.Top < 0:
		return nil, fmt.Errorf("poller of cluster %q: top %d must be above 0", c.Cluster, c.Top)
	}
	if err := c.Thresholds.Validate(); err != nil {
		return nil, fmt.Errorf("poller of cluster %q: thresholds: %w", c.Cluster, err)
	}
	p := &Poller{
		cfg: c, label: CleanLabel(c.Cluster), table: newTable(), owner: make(chan struct{}, 1),
		log: c.Logger.With("cluster", c.Cluster),
	}
	p.now.Store(&Published{Cluster: c.Cluster, Reason: ReasonPending})
	return p, nil
}

// Cluster returns the configured name.
func (p *Poller) Cluster() string { return p.cfg.Cluster }

// Current returns what is known now and whether its Result is fresh enough to
// be shown. It never blocks and the first value is never nil.
func (p *Poller) Current() (*Published, bool) {
	pub := p.now.Load()
	return pub, pub.Result != nil && time.Since(pub.At) <= StaleAfter*p.cfg.Interval
}

// Trace makes the results of polls from now on tell of every rule that was
// asked, at some cost of memory.
func (p *Poller) Trace() { p.trace.Store(true) }

// Adopt takes over what another poller of the same cluster knows, for a change
// of configuration that does not change the cluster: its state of the analysis,
// its last result and its counts. It must be called before the first poll; it
// waits until the other one's Run or Once has returned.
func (p *Poller) Adopt(old *Poller) {
	old.owner <- struct{}{}
	defer func() { <-old.owner }()
	p.state, p.outage = old.state, old.outage
	p.now.Store(old.now.Load())
}

// Run polls at once, or after the configured delay, and then at every interval
// until ctx ends, and returns then without waiting for a poll under way, whose
// context has ended too. A poll that overruns delays the next to a later tick;
// ticks are never made up for.
func (p *Poller) Run(ctx context.Context) {
	select {
	case p.owner <- struct{}{}:
		defer func() { <-p.owner }()
	case <-ctx.Done():
		return
	}
	if !wait(ctx, p.cfg.Delay) {
		return
	}
	ticker := time.NewTicker(p.cfg.FirstGap)
	defer ticker.Stop()
	steady := p.cfg.FirstGap == p.cfg.Interval
	at := p.begin(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if !steady {
				ticker.Reset(p.cfg.Interval)
				steady = true
			}
			if at == nil {
				at = p.begin(ctx)
			} else {
				p.overrun(at)
			}
		case out := <-at.ended():
			p.end(ctx, at, out)
			at = nil
		}
	}
}

// wait reports false when ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// Once polls once and returns what is known then. It is for clusters polled on
// request: it waits for a poll that another caller has under way, and must not
// be used on a poller that Run drives. When ctx ends first, the poll counts as
// failed by timeout.
func (p *Poller) Once(ctx context.Context) *Published {
	select {
	case p.owner <- struct{}{}:
		defer func() { <-p.owner }()
	case <-ctx.Done():
		return p.now.Load()
	}
	if ctx.Err() != nil {
		return p.now.Load()
	}
	at := p.begin(ctx)
	if at == nil {
		return p.now.Load()
	}
	select {
	case out := <-at.done:
		p.end(context.WithoutCancel(ctx), at, out)
	case <-ctx.Done():
		p.now.Store(p.down(p.now.Load(), outcome{err: context.DeadlineExceeded}, time.Since(at.began)))
	}
	return p.now.Load()
}

// cycle is one poll under way.
type cycle struct {
	began time.Time
	done  chan outcome
	// fetching is whether the Source has not answered yet.
	fetching atomic.Bool
	// late is whether the poll was already counted as failed by timeout.
	late bool
}

// ended is nil, and so never ready, when no poll is under way.
func (c *cycle) ended() <-chan outcome {
	if c == nil {
		return nil
	}
	return c.done
}

// outcome is what a poll came to.
type outcome struct {
	err    error
	stack  []byte
	state  analysis.State
	result *analysis.Result
	view   *view
}

// begin starts a poll. It returns nil and counts a timeout when one that an
// earlier owner left behind has still not returned, because the Source ignores
// its context: the Source is never called twice at once.
func (p *Poller) begin(ctx context.Context) *cycle {
	if !p.busy.CompareAndSwap(false, true) {
		p.now.Store(p.down(p.now.Load().skipped(), outcome{err: context.DeadlineExceeded}, 0))
		return nil
	}
	c := &cycle{began: time.Now(), done: make(chan outcome, 1)}
	c.fetching.Store(true)
	state := p.state
	go func() {
		out := p.work(ctx, c, state)
		p.busy.Store(false)
		c.done <- out
	}()
	return c
}

// work asks the Source and analyses the answer. A panic in either ends this
// poll, not the process: the other clusters of this exporter are not to go
// blind because one of them answers something unforeseen.
func (p *Poller) work(ctx context.Context, c *cycle, state analysis.State) (out outcome) {
	defer func() {
		if cause := recover(); cause != nil {
			out = outcome{err: panicError{cause}, stack: debug.Stack()}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timeout)
	defer cancel()
	snapshot, err := p.cfg.Source.Snapshot(ctx)
	c.fetching.Store(false)
	if err != nil {
		return outcome{err: err}
	}
	thresholds := p.cfg.Thresholds
	thresholds.Trace = thresholds.Trace || p.trace.Load()
	next, result := analysis.Analyze(state, snapshot, thresholds)
	if p.cfg.Seen != nil {
		p.cfg.Seen(&result)
	}
	return outcome{state: next, result: &result, view: newView(p.table, &result, p.label, p.cfg.Top)}
}

// overrun counts a tick that found the poll still running. A Source that has
// not answered by then has missed its deadline: the cluster is down from now.
// An analysis that takes long is our own affair and only skips ticks.
func (p *Poller) overrun(c *cycle) {
	pub := p.now.Load().skipped()
	if c.fetching.Load() && !c.late {
		c.late = true
		pub = p.down(pub, outcome{err: context.DeadlineExceeded}, time.Since(c.began))
	}
	p.now.Store(pub)
}

// end publishes what a poll came to. A poll that our own end has cut short
// says nothing about the cluster.
func (p *Poller) end(ctx context.Context, c *cycle, out outcome) {
	took := time.Since(c.began)
	switch {
	case out.err == nil:
		p.state = out.state
		p.now.Store(p.up(p.now.Load(), out, took))
	case ctx.Err() == nil && !c.late:
		if out.stack != nil {
			// What the analysis remembers may be what it trips over.
			p.state = analysis.State{}
		}
		p.now.Store(p.down(p.now.Load(), out, took))
	}
}

// up and down publish and log. Both are called by the owner alone.
func (p *Poller) up(pub *Published, out outcome, took time.Duration) *Published {
	now := time.Now()
	next := pub.succeeded(out.result, out.view, now, took)
	p.outage.over(p.log, pub, next, now)
	return next
}

func (p *Poller) down(pub *Published, out outcome, took time.Duration) *Published {
	now := time.Now()
	next := pub.failed(out.err, now, took)
	p.outage.add(p.log, next, out.stack, now)
	return next
}

// panicError carries what a poll panicked with.
type panicError struct{ cause any }

func (e panicError) Error() string { return fmt.Sprintf("poll panicked: %v", e.cause) }

// Reason returns the label of the failure.
func (panicError) Reason() string { return ReasonPanic }
