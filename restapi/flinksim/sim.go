package flinksim

import (
	"fmt"
	"sync"
	"time"
)

// Sim is a simulated JobManager. It is an http.Handler, safe for concurrent use.
type Sim struct {
	env  *env
	now  func() time.Time
	jobs map[string]*entry
	// order lists the jobs as the JobManager does.
	order []*entry

	mu     sync.Mutex
	faults []Fault
	store  metricStore
}

// entry is a deployed job: an id and a name over a life that copies may share.
type entry struct {
	id, name string
	mu       sync.Mutex
	state    *jobState
	shared   bool
}

// worker is a TaskManager.
type worker struct {
	id, host string
	port     int
}

// New builds the simulation of c. now is its only clock; it must not go back.
// It returns an error that names the part of c that cannot be simulated.
func New(c Cluster, now func() time.Time) (*Sim, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	for i := range c.Jobs {
		for _, ev := range c.Jobs[i].Events {
			if err := c.Jobs[i].validateEvent(ev); err != nil {
				return nil, fmt.Errorf("flinksim: job %q: %w", c.Jobs[i].Name, err)
			}
		}
	}
	e := &env{cluster: c, feat: featuresOf(c.Version), begin: now()}
	for k := range c.TaskManagers {
		h := mix(c.Seed, uint64(k), 3)
		host := fmt.Sprintf("taskmanager-%d", k+1)
		e.tms = append(e.tms, worker{
			id:   fmt.Sprintf("%s:%d-%06x", host, 30000+h%10000, h>>40),
			host: host,
			port: 40000 + int(h>>8%10000),
		})
	}
	s := &Sim{env: e, now: now, jobs: map[string]*entry{}, faults: c.Faults}
	slot := 0
	for i := range c.Jobs {
		slot = s.deploy(&e.cluster.Jobs[i], slot)
	}
	return s, nil
}

// deploy adds a job in all its copies and returns the next free slot.
func (s *Sim) deploy(j *Job, slot int) int {
	state := newJobState(s.env, j, slot)
	for n := range max(1, j.Copies) {
		en := &entry{name: j.Name, state: state, shared: j.Copies > 1}
		if en.shared {
			en.name = fmt.Sprintf("%s-%d", j.Name, n)
		}
		en.id = hexID(s.env.cluster.Seed, hashString(en.name), uint64(len(s.order)))
		s.jobs[en.id] = en
		s.order = append(s.order, en)
	}
	return slot + j.width()*max(1, j.Copies)
}

// at returns the job's life at t and the state behind it.
func (en *entry) at(t time.Time) (*jobState, life) {
	en.mu.Lock()
	state := en.state
	en.mu.Unlock()
	return state, state.at(t)
}

// JobID returns the id of the first job of that name, or "".
func (s *Sim) JobID(name string) string {
	if en := s.find(name); en != nil {
		return en.id
	}
	return ""
}

func (s *Sim) find(name string) *entry {
	for _, en := range s.order {
		if en.name == name {
			return en
		}
	}
	return nil
}

// Do lets ev befall the first job of that name now; ev.After is ignored. Of
// several copies only this one is touched. It returns an error when there is
// no such job or the event makes no sense for it.
func (s *Sim) Do(job string, ev Event) error {
	en := s.find(job)
	if en == nil {
		return fmt.Errorf("flinksim: there is no job %q", job)
	}
	en.mu.Lock()
	defer en.mu.Unlock()
	if err := en.state.spec.validateEvent(ev); err != nil {
		return fmt.Errorf("flinksim: job %q: %w", job, err)
	}
	if en.shared {
		en.state, en.shared = en.state.clone(), false
	}
	en.state.do(s.now(), ev)
	return nil
}

// Inject adds a fault; its After counts from now.
func (s *Sim) Inject(f Fault) {
	f.After += s.now().Sub(s.env.begin)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults[:len(s.faults):len(s.faults)], f)
}

// Heal removes all faults.
func (s *Sim) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// metricStore is when the metrics that answers are made of were fetched.
type metricStore struct {
	asked   time.Time // the last time that anyone wanted metrics
	started time.Time // the last fetch
	asOf    time.Time // the last fetch that has arrived; zero is empty
}

// metrics notes that someone wants metrics at t, begins a fetch if the last
// one is old enough, and returns the time that the stored values are of. Zero
// means that there are none.
func (s *Sim) metrics(t time.Time) time.Time {
	c := &s.env.cluster
	if c.MetricInterval < 0 {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.store
	if !m.asked.IsZero() && t.Sub(m.asked) > c.MetricForget {
		*m = metricStore{}
	}
	m.asked = t
	if arrived := m.started.Add(c.MetricDelay); !m.started.IsZero() && !t.Before(arrived) {
		m.asOf = arrived
	}
	if m.started.IsZero() || t.Sub(m.started) >= c.MetricInterval {
		m.started = t
	}
	return m.asOf
}

// graphTime is the time whose subtask states are shown at t.
func (s *Sim) graphTime(t time.Time) time.Time {
	if g := s.env.cluster.GraphInterval; g > 0 {
		return s.env.begin.Add(t.Sub(s.env.begin) / g * g)
	}
	return t
}
