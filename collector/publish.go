package collector

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Published is what is known of one cluster after a poll, good or bad. It is
// immutable: every poll makes a new one.
type Published struct {
	// Cluster is the configured name.
	Cluster string
	// Up is whether the last poll succeeded.
	Up bool
	// Reason is why Up is false, from a closed set that is safe as a label;
	// empty when Up. Before the first poll has ended it is ReasonPending.
	Reason string
	// Err is the last poll's error, nil when Up and before the first poll.
	Err error
	// Result is the newest good poll's, nil before there was one. Poller.Current
	// says whether it is still to be shown.
	Result *analysis.Result
	// At is when the newest good poll was published; zero before there was one.
	At time.Time
	// Ended is when the last poll ended, good or bad; zero before there was one.
	Ended time.Time
	// Duration is how long the last ended poll took, analysis included.
	Duration time.Duration
	// Polls counts ended polls, good and bad; the first one makes a cluster ready.
	Polls uint64
	// Skipped counts ticks at which the poll before was still running.
	Skipped uint64
	// Failures counts failed polls by reason, Gaps what good polls lacked by reason.
	Failures map[string]uint64
	Gaps     map[string]uint64
	// Duplicates counts jobs, vertices and subtasks dropped because their id was taken.
	Duplicates uint64

	// good counts good polls and so names the view.
	good uint64
	view *view
}

// Reasons that the poller itself gives; others come from the Source.
const (
	// ReasonPending: no poll has ended yet. It is never counted as a failure.
	ReasonPending = "pending"
	// ReasonTimeout: the poll did not end before its deadline.
	ReasonTimeout = "timeout"
	// ReasonPanic: the Source or the analysis panicked; it is a bug to report.
	ReasonPanic = "panic"
	// ReasonOther: the Source's error gave no reason.
	ReasonOther = "other"
)

// maxReasons bounds the reasons kept apart, should a Source break its promise
// of a closed set; those beyond are counted as ReasonOther.
const maxReasons = 64

// reasonOf returns the label for a failed poll.
func reasonOf(err error) string {
	var r interface{ Reason() string }
	switch {
	case errors.As(err, &r) && r.Reason() != "":
		return CleanLabel(r.Reason())
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	default:
		return ReasonOther
	}
}

// failed is p after a poll that failed. What was known stays: unknown is not empty.
func (p Published) failed(err error, now time.Time, took time.Duration) *Published {
	p.Ended = now
	p.Up, p.Reason, p.Err, p.Duration = false, reasonOf(err), err, took
	p.Polls++
	p.Failures = increment(p.Failures, p.Reason, 1)
	return &p
}

// succeeded is p after a good poll that ended at now.
func (p Published) succeeded(r *analysis.Result, v *view, now time.Time, took time.Duration) *Published {
	p.Up, p.Reason, p.Err, p.Duration = true, "", nil, took
	p.Result, p.view, p.At, p.Ended = r, v, now, now
	p.Polls++
	p.good++
	p.Duplicates += uint64(v.duplicates)
	for reason, n := range v.cluster.gaps {
		p.Gaps = increment(p.Gaps, reason, uint64(n))
	}
	return &p
}

// skipped is p after a tick that found a poll still running.
func (p Published) skipped() *Published {
	p.Skipped++
	return &p
}

// increment returns a copy of counts with n more under key.
func increment(counts map[string]uint64, key string, n uint64) map[string]uint64 {
	next := make(map[string]uint64, len(counts)+1)
	maps.Copy(next, counts)
	if _, ok := next[key]; !ok && len(next) >= maxReasons {
		key = ReasonOther
	}
	next[key] += n
	return next
}
