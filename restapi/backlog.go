package restapi

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// defaultBacklogBudget is how many sources' backlogs are read in a poll.
	defaultBacklogBudget = 50
	// maxBacklogMetrics is how many values may make up one source's backlog,
	// one for each subtask; they are asked for by name.
	maxBacklogMetrics = 256
	// maxBacklogRequests bounds the requests for one source's backlog. Eight
	// hold 256 names of 125 characters.
	maxBacklogRequests = 8
	// maxBacklogAge is how long a backlog is shown when sources take turns:
	// less than a watermark, as it does not tell when it was read.
	maxBacklogAge = 2 * time.Minute
	// pendingRecords is the gauge of FLIP-33 (SourceReaderMetricGroup).
	pendingRecords = "pendingRecords"
)

// backlogBudget returns of how many of n sources the backlog is read in a poll.
func backlogBudget(option, n int) int {
	switch {
	case option < 0:
		return 0
	case option > 0:
		return min(option, n)
	}
	return min(n, defaultBacklogBudget)
}

// pendingMetric is one subtask's pendingRecords of one operator; operator
// includes the metric's own name.
type pendingMetric struct {
	subtask  int32
	operator string
}

func (m pendingMetric) name() string {
	return strconv.Itoa(int(m.subtask)) + "." + m.operator
}

// pendingOf recognises the part of a metric's name after the subtask's number.
func pendingOf(rest string) bool {
	return len(rest) > len(pendingRecords)+1 && strings.HasSuffix(rest, "."+pendingRecords)
}

// wholeBacklog returns the metrics that together are the source's backlog, nil
// when they cannot be: an operator that publishes it for some subtasks must do
// so for all, except for those known to own no partition. Such a reader has
// nothing to read, and Kafka's registers the gauge with its first records.
func (o *ownership) wholeBacklog(found []pendingMetric, parallelism int) []pendingMetric {
	has := make(map[pendingMetric]bool, len(found))
	operators := map[string]string{}
	var all []pendingMetric
	for _, m := range found {
		// One copy of each operator's name is kept, not one for each subtask.
		if known, ok := operators[m.operator]; ok {
			m.operator = known
		} else {
			m.operator = strings.Clone(m.operator)
			operators[m.operator] = m.operator
		}
		if int(m.subtask) < parallelism && !has[m] {
			has[m] = true
			all = append(all, m)
		}
		if len(all) > maxBacklogMetrics {
			return all // the excess is what tells that they are too many
		}
	}
	for operator := range operators {
		for i := range int32(min(parallelism, maxKeyGroups)) {
			owned, known := o.counts[i]
			if !has[pendingMetric{i, operator}] && (!known || owned != 0 || !o.total.Known()) {
				return nil
			}
		}
	}
	return all
}

// hasBacklog reports whether the source's names say that it publishes its
// backlog; they were read when its partitions were counted.
func (p *poll) hasBacklog(r *vertexRead) bool {
	o, ok := p.c.partitions.Get(r.partitionKey())
	return ok && len(o.pending) > 0
}

// readBacklog adds up what the subtasks say they have yet to read. One value
// that is missing makes the sum unknown, as it may be the largest.
func (p *poll) readBacklog(r *vertexRead) {
	m := r.memory
	m.backlog = analysis.Num{}
	o, ok := p.c.partitions.Get(r.partitionKey())
	if !ok {
		return
	}
	if len(o.pending) > maxBacklogMetrics {
		r.gap(whatBacklog, analysis.GapLimit)
		return
	}
	names := make([]string, len(o.pending))
	for i, metric := range o.pending {
		names[i] = metric.name()
	}
	values, err := p.metricValues(r.call(epVertexMetrics, "/metrics"), names, maxBacklogRequests)
	switch {
	case errors.Is(err, errManyMetrics):
		r.gap(whatBacklog, analysis.GapLimit)
		return
	case err != nil:
		if Reason(err) != ReasonNotFound {
			r.failed(whatBacklog, err)
		}
		return
	}
	sum := 0.0
	for _, name := range names {
		v, ok := values[name].Get()
		if !ok || v < 0 {
			return
		}
		sum += v
	}
	m.backlog, m.backlogAt = analysis.Of(sum), p.c.opts.Now()
}
