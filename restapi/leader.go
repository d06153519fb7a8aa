package restapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// managers are the addresses of a cluster's JobManagers. One of them is asked,
// until it fails: every JobManager answers for the cluster as long as it knows
// the leader, but each has a metric cache of its own, which is cold at first.
type managers struct {
	bases   []*url.URL
	texts   []string
	current atomic.Int32
}

// newManagers checks the further addresses; base is the first one, checked.
func newManagers(base *url.URL, others []string) (*managers, error) {
	m := &managers{bases: []*url.URL{base}, texts: []string{base.String()}}
	for _, text := range others {
		u, err := parseBase(text)
		if err != nil {
			return nil, err
		}
		if u.User != nil {
			return nil, errors.New("a further Flink URL holds a user; give the credentials with the first one, or apart")
		}
		m.bases, m.texts = append(m.bases, u), append(m.texts, u.String())
	}
	return m, nil
}

func (m *managers) base() *url.URL { return m.bases[m.current.Load()] }

// url is the address that is asked, without user, password and trailing slash.
func (m *managers) url() string { return m.texts[m.current.Load()] }

// leave turns to another address after a failure: to the one that a redirect
// named, if it is among ours, else to the next. The request is made anew there,
// so that no credentials follow a redirect.
func (m *managers) leave(err error) {
	var redirect *redirectError
	if errors.As(err, &redirect) {
		i := slices.IndexFunc(m.bases, func(u *url.URL) bool { return strings.EqualFold(u.Scheme+"://"+u.Host, redirect.target) })
		if i >= 0 && i != int(m.current.Load()) {
			m.current.Store(int32(i))
			return
		}
	}
	m.current.Store((m.current.Load() + 1) % int32(len(m.bases)))
}

// readLeader reads the cluster from the JobManager that is asked, or else from
// the first other one that answers. Each gets its share of the poll's time, so
// that one which never answers does not use it up. Where all fail, the next
// poll begins with another one.
func (p *poll) readLeader() (entries []jobEntry, err error) {
	m := p.c.managers
	before := m.url()
	var tried []triedManager
	for left := len(m.bases); left > 0; left-- {
		entries, err = p.readShare(left)
		if err == nil {
			if m.url() != before {
				p.moved(before, tried[0].err)
			}
			return entries, nil
		}
		tried = append(tried, triedManager{m.url(), err})
		if len(m.bases) == 1 || !elsewhere(err) {
			break
		}
		m.leave(err)
	}
	return nil, summary(tried)
}

// readShare reads the cluster within the poll's remaining time divided by left.
func (p *poll) readShare(left int) ([]jobEntry, error) {
	whole := p.ctx
	end, bounded := whole.Deadline()
	if left > 1 && bounded {
		share, cancel := context.WithTimeoutCause(whole, time.Until(end)/time.Duration(left), errRequestTime)
		defer cancel()
		p.ctx = share
		defer func() { p.ctx = whole }()
	}
	return p.readCluster()
}

// moved notes that another JobManager answers from now on, whose metric cache
// has to be given its time again.
func (p *poll) moved(from string, why error) {
	for _, m := range p.c.jobs {
		m.primed = false
	}
	p.c.opts.Logger.Info("another JobManager answers", "cluster", p.c.opts.Name, "from", from, "to", p.c.managers.url(), "reason", Reason(why))
}

// elsewhere reports whether another JobManager may answer what this one did
// not. What it refuses to us, the others will refuse as well.
func elsewhere(err error) bool {
	switch Reason(err) {
	case ReasonUnauthorized, ReasonForbidden, ReasonCanceled:
		return false
	}
	return true
}

type triedManager struct {
	url string
	err error
}

// summary is the error that tells most: that no leader is known, if one of the
// JobManagers said so, else the first. It names the others with their reasons.
func summary(tried []triedManager) error {
	best := max(0, slices.IndexFunc(tried, func(t triedManager) bool { return Reason(t.err) == ReasonNoLeader }))
	var e *Error
	if len(tried) == 1 || !errors.As(tried[best].err, &e) {
		return tried[best].err
	}
	var others []string
	for i, t := range tried {
		if i != best {
			others = append(others, fmt.Sprintf("%s: %s", t.url, Reason(t.err)))
		}
	}
	told := *e
	told.what += " (the other JobManagers: " + oneLine(strings.Join(others, ", "), 2*maxQuoted) + ")"
	return &told
}
