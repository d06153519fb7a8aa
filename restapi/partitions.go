package restapi

import (
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// partitionsSettled is how long, in milliseconds, every subtask of a
	// source must have run before the names are taken for complete: readers
	// register a partition's metrics when they are given it.
	partitionsSettled = 60_000
	// partitionsRefresh is after how many polls complete names are read
	// again, as sources discover new partitions while they run.
	partitionsRefresh = 100
	// eagerNameReads is how often incomplete names are read in successive
	// polls before the rhythm of every tenth poll.
	eagerNameReads = 3
)

// partitionKey names one run of a source vertex.
type partitionKey struct {
	job, vertex string
	running     analysis.Num
}

// ownership says which subtask of a source owns how many partitions.
type ownership struct {
	// total counts distinct partitions over all subtasks and topics; absent
	// when the source has no per-partition metrics.
	total analysis.Num
	// counts holds every subtask that has any metric, with 0 when none of them
	// is of a partition.
	counts map[int32]int
	// pending are the metrics that make up the source's backlog, nil when it
	// does not publish all of it, and more than maxBacklogMetrics when it is
	// not to be read.
	pending []pendingMetric
	// attempts is the sum of the subtasks' attempts: another sum means other owners.
	attempts int64
}

func (r *vertexRead) partitionKey() partitionKey {
	return partitionKey{r.job.job.ID, r.v.ID, r.job.memory.running}
}

// readPartitions counts the partitions that each subtask of a source owns, by
// the names of its metrics. The list of names is long (about 4 KB a subtask),
// so it is read rarely.
func (p *poll) readPartitions(r *vertexRead) {
	if !r.v.Source() || len(r.v.Subtasks) == 0 {
		return
	}
	var attempts int64
	for _, s := range r.v.Subtasks {
		attempts += int64(s.Attempt)
	}
	key, m := r.partitionKey(), r.memory
	o, ok := p.c.partitions.Get(key)
	if ok && o.attempts != attempts {
		ok, m.nameReads, m.nextNames = false, 0, 0
	}
	if p.c.polls >= m.nextNames {
		names, err := fetch(p.ctx, p.c, r.call(epVertexMetrics, "/metrics"), decodeMetricNames)
		m.nameReads++
		m.nextNames = p.c.polls + every
		switch {
		case err == nil:
			o, ok = countPartitions(names, r.v.Parallelism), true
			o.attempts = attempts
			m.nextNames = p.c.polls + nextNames(r.v.Subtasks, o, m.nameReads)
			p.c.partitions.Add(key, o)
		case Reason(err) != ReasonNotFound:
			r.failed(whatPartitions, err)
		}
	}
	if !ok || !o.total.Known() {
		return
	}
	r.v.Partitions = o.total
	for i := range r.v.Subtasks {
		s := &r.v.Subtasks[i]
		if n, ok := o.counts[s.Index]; ok && s.State == analysis.Running {
			s.Partitions = analysis.OfInt(n)
		}
	}
}

// nextNames returns in how many polls the names are to be read again.
func nextNames(subtasks []analysis.Subtask, o *ownership, reads int) int {
	for _, s := range subtasks {
		if s.State != analysis.Running {
			continue
		}
		age := s.RunningMs.Or(s.AgeMs.Or(partitionsSettled)) // no RunningMs before 1.17
		if _, ok := o.counts[s.Index]; !ok || age < partitionsSettled {
			if reads < eagerNameReads {
				return 1
			}
			return every
		}
	}
	return partitionsRefresh
}

// countPartitions counts distinct partitions in metric names such as
// "3.Source__orders.KafkaSourceReader.topic.orders.partition.4.currentOffset",
// and notes the names that tell the backlog.
func countPartitions(names []string, parallelism int) *ownership {
	type owned struct {
		subtask   int32
		partition string
	}
	o := &ownership{counts: map[int32]int{}}
	seen := map[owned]bool{}
	all := map[string]bool{}
	var pending []pendingMetric
	for _, name := range names {
		index, rest, ok := strings.Cut(name, ".")
		n, err := strconv.ParseInt(index, 10, 32)
		if !ok || err != nil || n < 0 {
			continue
		}
		subtask := int32(n)
		if _, ok := o.counts[subtask]; !ok {
			o.counts[subtask] = 0
		}
		if pendingOf(rest) {
			pending = append(pending, pendingMetric{subtask, rest})
		}
		partition, ok := partitionOf(rest)
		if !ok || seen[owned{subtask, partition}] {
			continue
		}
		seen[owned{subtask, partition}] = true
		all[partition] = true
		o.counts[subtask]++
	}
	if len(all) > 0 {
		o.total = analysis.OfInt(len(all))
	}
	o.pending = o.wholeBacklog(pending, parallelism)
	return o
}

// partitionOf returns the part of a metric's name that identifies a source
// partition: of Kafka (KafkaSourceReader and the older KafkaConsumer, both
// "….topic.T.partition.P.…"), Pulsar ("….PulsarConsumer.T-partition-P.…") and
// Kinesis ("….shardId.S.…").
func partitionOf(name string) (string, bool) {
	if i := strings.Index(name, ".topic."); i >= 0 && strings.Contains(name[:i], "Kafka") {
		rest := name[i+len(".topic."):]
		if j := strings.LastIndex(rest, ".partition."); j >= 0 {
			number, _, ok := strings.Cut(rest[j+len(".partition."):], ".")
			return rest[:j] + "/" + number, ok && isNumber(number)
		}
	}
	if i := strings.Index(name, ".PulsarConsumer."); i >= 0 {
		rest := name[i+len(".PulsarConsumer."):]
		if j := strings.LastIndex(rest, "-partition-"); j >= 0 {
			number, _, ok := strings.Cut(rest[j+len("-partition-"):], ".")
			return rest[:j] + "/" + number, ok && isNumber(number)
		}
	}
	if i := strings.Index(name, ".shardId."); i >= 0 {
		shard, _, ok := strings.Cut(name[i+len(".shardId."):], ".")
		return name[:i] + "/" + shard, ok && shard != ""
	}
	return "", false
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}
