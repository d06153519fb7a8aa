package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web/history"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// fleet is the set of clusters that are polled now. It changes from one
// configuration to the next: clusters that are asked and judged as before keep
// their poller with all that it knows, new ones begin, gone ones end.
type fleet struct {
	shown   *collector.Collector
	history *history.Store // nil keeps none
	logger  *slog.Logger
	// epoch is when the phases of polls begin.
	epoch time.Time

	// mu is held while the set changes.
	mu      sync.Mutex
	started int // members ever made, which spreads their phases
	running bool
	// refused are the clusters found that cannot be polled, so that each is
	// logged once.
	refused map[string]bool
	// members is replaced, never changed, so that readers need no lock.
	members atomic.Pointer[[]*member]
}

// member is one cluster that is polled.
type member struct {
	made     spec
	client   *restapi.Client
	observer *collector.Observer
	poller   *collector.Poller
	// since is when its first poll was due.
	since  time.Time
	cancel context.CancelFunc
	done   chan struct{}
}

// spec is all that a member is made from. Members of equal specs are the same.
type spec struct {
	cluster           config.Cluster
	poll              config.Poll
	interval, timeout time.Duration
	judging           analysis.Config
	excludeVertices   string
	top               int
}

func specOf(c *config.Config, k config.Cluster) spec {
	s := spec{
		cluster: k, poll: c.Poll, interval: c.PollInterval(k), timeout: c.PollTimeout(k),
		judging: c.Judging(k), top: c.Collector.Top,
	}
	// Expressions are compared by their text.
	s.excludeVertices, s.judging.ExcludeVertices = textOf(s.judging.ExcludeVertices), nil
	return s
}

func textOf(e *regexp.Regexp) string {
	if e == nil {
		return ""
	}
	return e.String()
}

func newFleet(shown *collector.Collector, kept *history.Store, logger *slog.Logger) *fleet {
	f := &fleet{shown: shown, history: kept, logger: logger, epoch: time.Now(), refused: map[string]bool{}}
	f.members.Store(new([]*member))
	return f
}

// all returns the present members. The slice must not be changed.
func (f *fleet) all() []*member { return *f.members.Load() }

// change makes the fleet that of a configuration and of the clusters found
// beside it. When a configured cluster cannot be polled it returns an error
// and nothing has changed; of those found the others are polled all the same.
func (f *fleet) change(c *config.Config, found []config.Cluster) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	plan := f.plan()
	for _, k := range c.Clusters {
		if err := plan.add(c, k); err != nil {
			plan.drop()
			return fmt.Errorf("cluster %s: %w", k.Name, err)
		}
	}
	refused := map[string]bool{}
	for _, k := range found {
		err := plan.add(c, k)
		if err == nil {
			continue
		}
		text := k.Name + ": " + err.Error()
		if refused[text] = true; !f.refused[text] {
			f.logger.Warn("a cluster found is not polled", "cluster", k.Name, "error", err)
		}
	}
	f.refused = refused
	f.enact(plan)
	return nil
}

// plan is the next set of members. Nothing of the present one is touched yet.
type plan struct {
	fleet  *fleet
	old    map[string]*member
	labels map[string]bool
	next   []*member
	fresh  []*member
}

func (f *fleet) plan() *plan {
	p := &plan{fleet: f, old: map[string]*member{}, labels: map[string]bool{}}
	for _, m := range f.all() {
		p.old[m.made.cluster.Name] = m
	}
	return p
}

// add plans for one cluster.
func (p *plan) add(c *config.Config, k config.Cluster) error {
	label := collector.CleanLabel(k.Name)
	if p.labels[label] {
		return usagef("another cluster has the same label %q: give it another name", label)
	}
	made := specOf(c, k)
	m := p.old[k.Name]
	if m == nil || !reflect.DeepEqual(m.made, made) {
		var err error
		if m, err = p.fleet.make(c, made, p.old[k.Name], len(p.fresh)); err != nil {
			return err
		}
		p.fresh = append(p.fresh, m)
	}
	p.labels[label] = true
	p.next = append(p.next, m)
	return nil
}

// drop forgets the plan.
func (p *plan) drop() {
	for _, m := range p.fresh {
		m.client.Close()
	}
}

// make makes a member that does not run yet, the n-th of those that begin
// together. was is the member of the same name, nil if there is none.
func (f *fleet) make(c *config.Config, s spec, was *member, n int) (*member, error) {
	seen := &collector.Observer{}
	if was != nil {
		seen = was.observer
	}
	o := clientOptions(c, s.cluster, f.logger)
	o.Observer = seen
	client, err := restapi.New(o)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	delay, gap := phase(f.started, n, now.Sub(f.epoch), s.interval)
	p, err := collector.NewPoller(collector.Config{
		Source: client, Cluster: s.cluster.Name, Interval: s.interval, Timeout: s.timeout, Delay: delay, FirstGap: gap,
		Thresholds: c.Judging(s.cluster), Top: s.top, Observer: seen, Logger: f.logger,
		Seen: func(r *analysis.Result) { f.history.Record(s.cluster.Name, r) },
	})
	if err != nil {
		client.Close()
		return nil, err
	}
	f.started++
	return &member{made: s, client: client, observer: seen, poller: p, since: now.Add(delay)}, nil
}

// stagger is the time between the first polls of clusters that begin together.
const stagger = 100 * time.Millisecond

// phase spreads polls. The first ones follow each other at short intervals, so
// that nobody waits long for them; the others are spread evenly over the
// interval, however many clusters there are and will be, since each takes the
// place that is the golden section further on. nth counts the members ever
// made, n those that begin together, and elapsed is the time since the epoch.
func phase(nth, n int, elapsed, interval time.Duration) (delay, gap time.Duration) {
	delay = min(time.Duration(n)*stagger, interval)
	golden := (math.Sqrt(5) - 1) / 2
	place := time.Duration(math.Mod(float64(nth)*golden, 1) * float64(interval))
	gap = (place - (elapsed+delay)%interval + interval) % interval
	if gap < interval/2 {
		gap += interval
	}
	return delay, gap
}

// enact makes the plan the present set.
func (f *fleet) enact(p *plan) {
	kept := map[*member]bool{}
	names := map[string]*member{}
	for _, m := range p.next {
		kept[m], names[m.made.cluster.Name] = true, m
	}
	var ended []*member
	for _, m := range f.all() {
		if !kept[m] {
			m.stop()
			ended = append(ended, m)
			f.succeed(m, names[m.made.cluster.Name])
		}
	}
	f.members.Store(&p.next)
	pollers := make([]*collector.Poller, len(p.next))
	for i, m := range p.next {
		pollers[i] = m.poller
	}
	if err := f.shown.SetPollers(pollers); err != nil {
		f.logger.Error("a cluster is not shown", "error", err)
	}
	if f.running {
		for _, m := range p.fresh {
			m.start()
		}
	}
	for _, m := range ended {
		m.client.Close()
	}
	f.history.Keep(slices.Collect(maps.Keys(names)))
	if f.running && len(p.fresh)+len(ended) > 0 {
		f.logger.Info("clusters changed", "clusters", len(p.next), "begun", len(p.fresh), "ended", len(ended))
	}
}

// succeed hands on what is known of a cluster to the member that is to poll it
// from now on, if it has a JobManager in common with the one before.
func (f *fleet) succeed(old, next *member) {
	if next == nil || !slices.ContainsFunc(next.made.cluster.Addresses(), func(a string) bool {
		return slices.Contains(old.made.cluster.Addresses(), a)
	}) {
		return
	}
	next.poller.Adopt(old.poller)
	next.since = old.since
}

// begin starts to poll.
func (f *fleet) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running = true
	for _, m := range f.all() {
		m.start()
	}
}

// end stops all polls and ends all connections.
func (f *fleet) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running = false
	for _, m := range f.all() {
		m.stop()
		m.client.Close()
	}
}

func (m *member) start() {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel, m.done = cancel, make(chan struct{})
	go func() {
		defer close(m.done)
		m.poller.Run(ctx)
	}()
}

// stop ends the polls. A poll under way ends with its context.
func (m *member) stop() {
	if m.cancel == nil {
		return
	}
	m.cancel()
	<-m.done
}
