package collector

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// DefaultBudget is how many series of single subtasks one exporter shows.
const DefaultBudget = 200_000

// Options are the Collector's.
type Options struct {
	// Subtasks is how much of single subtasks is wanted; empty means ModeTop.
	Subtasks Mode
	// Budget is the most subtask series over all clusters; 0 means DefaultBudget.
	Budget int
	// Build is shown as build_info.
	Build Build
	// Logger takes changes of degradation; nil drops them.
	Logger *slog.Logger
}

// Collector exposes any number of pollers, as a prometheus.Collector and as
// frames of text. All methods may be called at once.
type Collector struct {
	table *table
	descs map[string]*prometheus.Desc
	build *buildView
	log   *slog.Logger
	// entries are the clusters shown; the slice is never changed, only replaced.
	entries atomic.Pointer[[]*entry]
	// ids names entries, for the keys of frames.
	ids atomic.Uint64
	// mode is the one last used, so that a change is logged once.
	mode   atomic.Pointer[Mode]
	limits atomic.Pointer[limits]
	// reload is nil until it is set, and so is discovery.
	reload    atomic.Pointer[Reload]
	discovery atomic.Pointer[[]Discovery]
}

// limits bound what is shown of single subtasks.
type limits struct {
	subtasks Mode
	budget   int
}

// entry is one poller and what this collector has dropped of it.
type entry struct {
	id     uint64
	poller *Poller
	// counted is the last good poll whose drops are in budget.
	counted atomic.Uint64
	budget  atomic.Uint64
	// twins counts pollers of the same cluster label that were not shown.
	twins atomic.Uint64
}

// New returns a collector without clusters. It fails when an option cannot work.
func New(o Options) (*Collector, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Collector{table: newTable(), build: newBuildView(o.Build), log: o.Logger}
	if err := c.SetLimits(o.Subtasks, o.Budget); err != nil {
		return nil, err
	}
	c.descs = c.table.descs()
	c.mode.Store(&c.limits.Load().subtasks)
	c.entries.Store(new([]*entry))
	return c, nil
}

// SetLimits changes how much of single subtasks is shown, with the meanings
// and defaults of Options. It fails, and changes nothing, when one cannot work.
func (c *Collector) SetLimits(subtasks Mode, budget int) error {
	if subtasks == "" {
		subtasks = ModeTop
	}
	if budget == 0 {
		budget = DefaultBudget
	}
	if _, err := ParseMode(string(subtasks)); err != nil {
		return fmt.Errorf("collector: %w", err)
	}
	if budget < 0 {
		return fmt.Errorf("collector: series budget %d must be above 0", budget)
	}
	c.limits.Store(&limits{subtasks, budget})
	return nil
}

// SetPollers replaces the clusters shown; pollers that stay keep their
// counters. Of pollers whose names are one label value only the first is
// shown, because two would break the whole scrape; the error names the others
// and does not keep the rest from being shown.
func (c *Collector) SetPollers(pollers []*Poller) error {
	old := map[*Poller]*entry{}
	for _, e := range *c.entries.Load() {
		old[e.poller] = e
	}
	var errs []error
	next := make([]*entry, 0, len(pollers))
	byLabel := map[string]*entry{}
	for _, p := range pollers {
		if first, ok := byLabel[p.label]; ok {
			first.twins.Add(1)
			errs = append(errs, fmt.Errorf("cluster %q: another cluster has the same label %q: give it another name", p.cfg.Cluster, p.label))
			continue
		}
		e := old[p]
		if e == nil {
			e = &entry{id: c.ids.Add(1), poller: p}
		}
		byLabel[p.label] = e
		next = append(next, e)
	}
	c.entries.Store(&next)
	return errors.Join(errs...)
}

// descs describes the table to registries.
func (t *table) descs() map[string]*prometheus.Desc {
	m := map[string]*prometheus.Desc{}
	for _, s := range t.sections() {
		for _, f := range s.families {
			m[f.Name] = prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
		}
	}
	return m
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect implements prometheus.Collector. Registries spend about a
// microsecond and half a kilobyte on each series; Frame is the way for large
// clusters.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	c.Frame().render(&metricSink{ch: ch, descs: c.descs})
}
