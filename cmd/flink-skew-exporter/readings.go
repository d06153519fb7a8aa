package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// readings is what a few polls of one cluster have told so far.
type readings struct {
	name       string
	thresholds analysis.Config
	state      analysis.State
	result     *analysis.Result
	// good counts polls that succeeded; first and last are when those began.
	good        int
	first, last time.Time
	// before is the number of the newest good poll.
	before int
	// failed counts polls that did not; err is the error of the newest poll,
	// nil when it succeeded.
	failed int
	err    error
	// ended are jobs that a poll had and the next one had no more.
	ended []endedJob
	// filters is what leaves jobs out by their names, empty when nothing does.
	filters string
	// damage is what ended a recording early, nil when nothing did.
	damage error
}

// endedJob is a job as the last poll that had it left it.
type endedJob struct {
	job analysis.JobResult
	// poll is the number of that poll, from 1 on and failed ones included.
	poll int
}

// take adds the outcome of one poll.
func (r *readings) take(s analysis.Snapshot, err error) {
	r.err = err
	if err != nil {
		r.failed++
		return
	}
	if r.good == 0 {
		r.first = s.At
	}
	r.good++
	r.last = s.At
	state, result := analysis.Analyze(r.state, s, r.thresholds)
	r.keepEnded(result.Jobs)
	r.state, r.result, r.before = state, &result, r.good+r.failed
}

// keepEnded keeps the jobs that the newest good poll before had and this one
// has no more: a job that ends while it is looked at has been looked at.
func (r *readings) keepEnded(now []analysis.JobResult) {
	lists := func(id string) bool {
		return slices.ContainsFunc(now, func(j analysis.JobResult) bool { return j.ID == id })
	}
	r.ended = slices.DeleteFunc(r.ended, func(e endedJob) bool { return lists(e.job.ID) })
	if r.result == nil {
		return
	}
	for i := range r.result.Jobs {
		if j := &r.result.Jobs[i]; !lists(j.ID) {
			r.ended = append(r.ended, endedJob{*j, r.before})
		}
	}
}

// input is the readings as a report wants them. The poll that only warmed
// Flink's cache up is not counted when primed is set.
func (r *readings) input(primed bool) report.ClusterInput {
	polls := r.good
	if primed && polls > 1 {
		polls--
	}
	return report.ClusterInput{
		Name: r.name, Up: r.err == nil && r.good > 0, Reason: restapi.Reason(r.err),
		Polls: polls, Span: r.last.Sub(r.first), Result: r.all(),
	}
}

// all is the newest result and with it the jobs that have ended since they
// were read.
func (r *readings) all() *analysis.Result {
	if len(r.ended) == 0 {
		return r.result
	}
	all := *r.result
	all.Jobs = slices.Clone(all.Jobs)
	for _, e := range r.ended {
		all.Jobs = append(all.Jobs, e.job)
	}
	return &all
}

// replay reads a source that ends, such as a tape.
func (r *readings) replay(ctx context.Context, src collector.Source) error {
	for {
		s, err := src.Snapshot(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		r.take(s, err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// schedule is how a live cluster is read.
type schedule struct {
	// polls are the readings wanted; one more comes before them, as Flink
	// answers the first reader of its lazy metric cache with old values.
	polls int
	// interval is the pause after each poll. Counting from a poll's end keeps
	// polls at least so far apart, and thus beyond the 10 s for which Flink
	// repeats what it has.
	interval time.Duration
	// progress is told before each poll and pause how many polls are done.
	progress func(done, all int)
}

// watch reads a live source. Failed polls do not end it, but for a first one
// that no waiting will mend.
func (r *readings) watch(ctx context.Context, src collector.Source, s schedule) error {
	all := s.polls + 1
	for i := range all {
		s.progress(i, all)
		snapshot, err := src.Snapshot(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.take(snapshot, err)
		if i == 0 && err != nil && hopeless(err) {
			return nil
		}
		if i < all-1 && !pause(ctx, s.interval) {
			return ctx.Err()
		}
	}
	return nil
}

// hopeless reports errors that come from a wrong address, name or right.
func hopeless(err error) bool {
	switch restapi.Reason(err) {
	case restapi.ReasonRefused, restapi.ReasonDNS, restapi.ReasonTLS, restapi.ReasonUnauthorized, restapi.ReasonForbidden,
		restapi.ReasonNotFound, restapi.ReasonRedirect, restapi.ReasonNotHTTP, restapi.ReasonNotJSON, restapi.ReasonEmpty,
		restapi.ReasonTooLarge:
		return true
	}
	return false
}

// pause waits; it reports false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
