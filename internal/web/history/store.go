package history

import (
	"sync"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// Columns is how many columns a vertex has at most.
	Columns = 120
	// Span is what they cover at least, and less than twice as much at most, once
	// there are enough polls. Until then a column is a poll; when all columns
	// cover less, neighbours are merged.
	Span = time.Hour
	// DefaultBudget is that of serve in bytes: 64 rows of 2,180 vertices, or 8
	// rows of 17,400.
	DefaultBudget = 16 << 20
	// patience is for how many polls in a row a vertex may be missing, as in a
	// torn poll, before it is forgotten.
	patience = 5
)

// ladder is how many rows a vertex has at most, from the best to none.
func ladder() []int { return []int{64, 32, 16, 8, 0} }

// Store remembers clusters within one budget. Its methods may be called at the
// same time.
type Store struct {
	budget int

	mu       sync.Mutex
	level    int // rows a vertex, a step of ladder
	clusters map[string]*cluster
}

// New returns an empty store of at most budget bytes of cells; 0 remembers nothing.
func New(budget int) *Store {
	return &Store{budget: budget, level: ladder()[0], clusters: map[string]*cluster{}}
}

// key names a vertex within its cluster.
type key struct{ job, vertex string }

// cluster is one cluster's columns, which all its vertices share.
type cluster struct {
	columns []time.Time // when each column's newest poll began, oldest first
	stride  int         // polls a column
	filled  int         // polls in the newest column
	series  map[key]*series
}

// Record takes a cluster's newest result. The work is one pass over the
// subtasks; nothing of the result is kept.
func (s *Store) Record(name string, r *analysis.Result) {
	if s == nil || s.budget <= 0 || r == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clusters[name]
	if c == nil {
		c = &cluster{stride: 1, series: map[key]*series{}}
		s.clusters[name] = c
	}
	if n := len(c.columns); n > 0 && !r.At.After(c.columns[n-1]) {
		return // Seen already, or the clock was put back.
	}
	c.advance(r.At)
	if c.admit(r, s.level) {
		s.fit()
	}
	for i := range r.Jobs {
		for k := range r.Jobs[i].Vertices {
			v := &r.Jobs[i].Vertices[k]
			if one := c.series[key{r.Jobs[i].ID, v.ID}]; one != nil {
				one.put(len(c.columns)-1, v.Subtasks)
			}
		}
	}
}

// Keep forgets every cluster but those named.
func (s *Store) Keep(names []string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	for n := range s.clusters {
		if !wanted[n] {
			delete(s.clusters, n)
		}
	}
}

// advance makes room for a poll: in the newest column while that takes more,
// else in a new one.
func (c *cluster) advance(at time.Time) {
	n := len(c.columns)
	if n > 0 && c.filled < c.stride {
		c.columns[n-1] = at
		c.filled++
		return
	}
	if n == Columns {
		if at.Sub(c.columns[0]) < Span {
			c.halve()
		} else {
			c.drop()
		}
	}
	c.columns = append(c.columns, at)
	c.filled = 1
	for _, one := range c.series {
		one.grow(len(c.columns))
	}
}

// halve merges neighbouring columns, so that each has twice the polls.
func (c *cluster) halve() {
	for i := range Columns / 2 {
		c.columns[i] = c.columns[2*i+1]
	}
	c.columns = c.columns[:Columns/2]
	c.stride *= 2
	for _, one := range c.series {
		one.halve()
	}
}

// drop forgets the oldest column.
func (c *cluster) drop() {
	c.columns = append(c.columns[:0], c.columns[1:]...)
	for _, one := range c.series {
		one.drop()
	}
}

// admit begins to remember new and rescaled vertices and forgets those that
// have been missing. It reports whether the set has changed.
func (c *cluster) admit(r *analysis.Result, level int) bool {
	changed := false
	for _, one := range c.series {
		one.missing++
	}
	for i := range r.Jobs {
		for k := range r.Jobs[i].Vertices {
			v := &r.Jobs[i].Vertices[k]
			id := key{r.Jobs[i].ID, v.ID}
			one := c.series[id]
			if one == nil || one.parallelism != v.Parallelism || one.rows == 0 && level > 0 {
				one = newSeries(v.Parallelism, level, len(c.columns))
				c.series[id] = one
				changed = true
			}
			one.missing = 0
		}
	}
	for id, one := range c.series {
		if one.missing > patience {
			delete(c.series, id)
			changed = true
		}
	}
	return changed
}

// fit holds the budget. Rows are merged as soon as they do not fit, and new
// vertices get more again only when half the budget would do for it.
func (s *Store) fit() {
	steps := ladder()
	for i, level := range steps {
		bytes := s.bytesAt(level)
		if level > s.level {
			bytes *= 2
		}
		if bytes > s.budget && i < len(steps)-1 {
			continue
		}
		if level < s.level {
			s.shrink(level)
		}
		s.level = level
		return
	}
}

// bytesAt returns what all vertices would take with that many rows at most.
func (s *Store) bytesAt(level int) int {
	n := 0
	for _, c := range s.clusters {
		for _, one := range c.series {
			n += rowsAt(one.parallelism, level) * Columns
		}
	}
	return n
}

func (s *Store) shrink(level int) {
	for _, c := range s.clusters {
		for _, one := range c.series {
			one.shrink(level)
		}
	}
}
