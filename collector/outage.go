package collector

import (
	"log/slog"
	"time"
)

// outage remembers a run of failed polls, so that the log has one line when
// it begins, one for each further reason and one when it ends, however long it
// lasts. Its zero value is no outage.
type outage struct {
	since   time.Time
	polls   int
	reasons map[string]bool
}

// add logs a failed poll unless its reason is known already.
func (o *outage) add(log *slog.Logger, pub *Published, stack []byte, now time.Time) {
	if o.polls == 0 {
		*o = outage{since: now, reasons: map[string]bool{}}
	}
	o.polls++
	if o.reasons[pub.Reason] || len(o.reasons) >= maxReasons {
		log.Debug("poll failed again", "reason", pub.Reason, "failed_polls", o.polls)
		return
	}
	o.reasons[pub.Reason] = true
	if stack != nil {
		log.Error("poll panicked", "reason", pub.Reason, "error", pub.Err, "stack", string(stack))
		return
	}
	log.Warn("poll failed", "reason", pub.Reason, "error", pub.Err)
}

// over logs the first good poll of all and the first one after an outage.
func (o *outage) over(log *slog.Logger, before, now *Published, at time.Time) {
	switch {
	case o.polls > 0:
		log.Info("polls succeed again", "failed_polls", o.polls, "outage_seconds", at.Sub(o.since).Seconds())
	case before.Result == nil:
		log.Info("first poll succeeded", "flink_version", now.Result.FlinkVersion, "jobs", len(now.Result.Jobs),
			"duration_seconds", now.Duration.Seconds())
	}
	*o = outage{}
}
