package flinksim

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxNameLength is where operator names are cut in metric names
// (TaskMetricGroup.METRICS_OPERATOR_NAME_MAX_LENGTH).
const maxNameLength = 80

// operatorScope is an operator's part of a metric name: cut, then cleaned of
// what separates scopes (QueryScopeInfo).
func operatorScope(name string) string {
	if len(name) > maxNameLength {
		name = name[:maxNameLength]
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .:,", r) {
			return '_'
		}
		return r
	}, name)
}

// requested returns the names of the get parameters; false when there are none.
func requested(query url.Values) ([]string, bool) {
	var names []string
	for _, g := range query["get"] {
		names = append(names, strings.Split(g, ",")...)
	}
	return names, len(query["get"]) > 0
}

// metricList answers a metrics page: all names, or the values of those asked
// for that exist.
func metricList(values map[string]string, query url.Values) []byte {
	names, get := requested(query)
	if !get {
		names = slices.Sorted(maps.Keys(values))
	}
	var e enc
	e.arr()
	for _, name := range names {
		if value, known := values[name]; known {
			e.obj()
			e.kStr("id", name)
			if get {
				e.kStr("value", value)
			}
			e.end()
		}
	}
	e.endArr()
	return e.b
}

// taskNames are the task-level metrics, without those of operators.
func (w view) taskNames(v int) []string {
	names := []string{
		"busyTimeMsPerSecond", "backPressuredTimeMsPerSecond", "idleTimeMsPerSecond",
		"softBackPressuredTimeMsPerSecond", "hardBackPressuredTimeMsPerSecond", "isBackPressured",
		"maxSoftBackPressureTimeMs", "maxHardBackPressureTimeMs", "checkpointStartDelayNanos",
		"numBuffersOut", "numBuffersOutPerSecond",
		"Shuffle.Netty.Input.Buffers.inPoolUsage", "Shuffle.Netty.Input.Buffers.inputQueueLength",
		"Shuffle.Netty.Output.Buffers.outPoolUsage", "Shuffle.Netty.Output.Buffers.outputQueueLength",
	}
	for _, n := range []string{"numRecordsIn", "numRecordsOut", "numBytesIn", "numBytesOut"} {
		names = append(names, n, n+"PerSecond")
	}
	if w.env.feat.accumulated {
		names = append(names, "accumulateBusyTimeMs", "accumulateBackPressuredTimeMs", "accumulateIdleTimeMs", "mailboxLatencyMs_p99", "mailboxQueueSize", "mailboxMailsPerSecond")
	}
	if !w.spec.Vertices[v].source() {
		names = append(names, "currentInputWatermark", "checkpointAlignmentTime")
	}
	return names
}

// operatorNames are the metrics of the chain's operators.
func (w view) operatorNames(v int) []string {
	spec := &w.spec.Vertices[v]
	var names []string
	for n, op := range spec.operators() {
		scope := operatorScope(op)
		for _, m := range []string{"numRecordsIn", "numRecordsOut", "numRecordsInPerSecond", "numRecordsOutPerSecond", "numBytesIn", "numBytesOut", "currentOutputWatermark"} {
			names = append(names, scope+"."+m)
		}
		if n > 0 || !spec.source() {
			names = append(names, scope+".currentInputWatermark")
			continue
		}
		names = append(names, scope+".currentEmitEventTimeLag", scope+".sourceIdleTime", scope+".numRecordsInErrors")
		if spec.kafka() {
			names = append(names, scope+".pendingRecords", scope+".KafkaSourceReader.commitsSucceeded", scope+".KafkaSourceReader.commitsFailed",
				scope+".KafkaSourceReader.KafkaConsumer.assigned-partitions", scope+".KafkaSourceReader.KafkaConsumer.records-lag-max")
		}
	}
	return names
}

// splitNames are the metrics of what reader i reads: partitions, or the one
// split of a generator (splits have metrics since 2.x).
func (w view) splitNames(v, i int) []string {
	spec := &w.spec.Vertices[v]
	if !spec.source() {
		return nil
	}
	scope := operatorScope(spec.operators()[0])
	var names []string
	split := func(id string) {
		for _, m := range []string{"currentWatermark", "activeTimeMsPerSecond", "idleTimeMsPerSecond", "pausedTimeMsPerSecond", "accumulatedActiveTimeMs", "accumulatedIdleTimeMs", "accumulatedPausedTimeMs"} {
			if w.env.feat.two {
				names = append(names, scope+".split."+id+".watermark."+m)
			}
		}
	}
	if !spec.kafka() {
		split(strconv.Itoa(i + 1))
		return names
	}
	for _, n := range w.run.flow.vertices[v].partitions[i] {
		of := fmt.Sprintf("%s.KafkaSourceReader.topic.%s.partition.%d", scope, operatorScope(spec.Topic), n)
		names = append(names, of+".currentOffset", of+".committedOffset")
		split(fmt.Sprintf("%s-%d", operatorScope(spec.Topic), n))
	}
	return names
}

// stored reports whether the store has metrics of the newest execution.
func (w view) stored() bool { return !w.asOf.IsZero() && w.asOf.After(w.run.from) }

func (q *request) vertexMetrics() []byte {
	w, v := q.view(), q.vertex
	names, get := requested(q.query)
	e := enc{}
	e.arr()
	if !w.stored() {
		e.endArr()
		return e.b
	}
	common := append(w.taskNames(v), w.operatorNames(v)...)
	if !get {
		for i := range w.run.par[v] {
			for _, name := range append(slices.Clone(common), w.splitNames(v, i)...) {
				e.obj()
				e.kStr("id", strconv.Itoa(i)+"."+name)
				e.end()
			}
		}
		e.endArr()
		return e.b
	}
	known := map[string]bool{}
	for _, name := range common {
		known[name] = true
	}
	samples := map[int]sample{}
	for _, id := range names {
		index, name, cut := strings.Cut(id, ".")
		i, err := strconv.Atoi(index)
		if !cut || err != nil || i < 0 || i >= w.run.par[v] || !known[name] && !slices.Contains(w.splitNames(v, i), name) {
			continue
		}
		s, done := samples[i]
		if !done {
			s = w.sample(v, i, w.asOf)
			samples[i] = s
		}
		if !s.known {
			continue
		}
		e.obj()
		e.kStr("id", id)
		e.kStr("value", w.value(v, i, name, &s))
		e.end()
	}
	e.endArr()
	return e.b
}

// value is a metric's text. Metrics that nobody reads are 0.
func (w view) value(v, i int, name string, s *sample) string {
	spec := &w.spec.Vertices[v]
	busy := func(ms int64) string {
		if spec.NoBusyTime {
			return "NaN"
		}
		return javaDouble(float64(ms))
	}
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	switch name {
	case "busyTimeMsPerSecond":
		return busy(s.gaugeBusy)
	case "backPressuredTimeMsPerSecond", "softBackPressuredTimeMsPerSecond":
		return whole(s.gaugeBp)
	case "idleTimeMsPerSecond":
		return whole(s.gaugeIdle)
	case "isBackPressured":
		return strconv.FormatBool(s.gaugeBp > 0)
	case "accumulateBusyTimeMs":
		return busy(s.busy)
	case "accumulateBackPressuredTimeMs":
		return whole(s.bp)
	case "accumulateIdleTimeMs":
		return whole(s.idle)
	case "numRecordsIn":
		return whole(s.in)
	case "numRecordsOut":
		return whole(s.out)
	case "numBytesIn":
		return whole(s.bytesIn)
	case "numBytesOut":
		return whole(s.bytesOut)
	case "numRecordsInPerSecond":
		return javaDouble(s.inPerSecond)
	case "numRecordsOutPerSecond":
		return javaDouble(s.outPerSecond)
	case "numBytesInPerSecond":
		return javaDouble(s.bytesInPerSecond)
	case "numBytesOutPerSecond":
		return javaDouble(s.bytesOutPerSecond)
	}
	return w.operatorValue(v, i, name, s)
}

// operatorValue is the text of what is below the task level.
func (w view) operatorValue(v, i int, name string, s *sample) string {
	f := &w.run.flow.vertices[v]
	switch last := name[strings.LastIndexByte(name, '.')+1:]; last {
	case "currentInputWatermark", "currentOutputWatermark", "currentWatermark":
		if ms, known := w.watermark(v, i); known {
			return strconv.FormatInt(ms, 10)
		}
		return strconv.FormatInt(noWatermark, 10)
	case "numRecordsIn", "numRecordsOut":
		if w.spec.Vertices[v].source() {
			return strconv.FormatInt(s.out, 10)
		}
		return strconv.FormatInt(s.in, 10)
	case "numRecordsInPerSecond", "numRecordsOutPerSecond":
		return javaDouble(max(s.inPerSecond, s.outPerSecond))
	case "currentOffset", "committedOffset":
		return strconv.FormatInt(s.out/int64(max(1, len(f.partitions[i]))), 10)
	case "assigned-partitions":
		return javaDouble(float64(len(f.partitions[i])))
	case "currentEmitEventTimeLag", "checkpointStartDelayNanos":
		return "-1"
	}
	return "0"
}

func (q *request) aggregatedMetrics() answer {
	w, v := q.view(), q.vertex
	names, get := requested(q.query)
	aggs := []string{"min", "max", "avg", "sum"}
	if w.env.feat.aggSkew {
		aggs = append(aggs, "skew")
	}
	if given := q.query.Get("agg"); given != "" {
		for _, a := range strings.Split(given, ",") {
			if !slices.Contains(aggs, a) {
				return badParameter("query parameter (agg)", given)
			}
		}
		aggs = strings.Split(given, ",")
	}
	var e enc
	e.arr()
	if w.stored() {
		known := append(w.taskNames(v), w.operatorNames(v)...)
		if !get {
			for _, name := range known {
				e.obj()
				e.kStr("id", name)
				e.end()
			}
		} else if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(known, n) }) {
			for _, name := range names {
				w.aggregate(&e, v, name, aggs)
			}
		}
	}
	e.endArr()
	return ok(e.b)
}

// aggregate writes one metric over the subtasks.
func (w view) aggregate(e *enc, v int, name string, aggs []string) {
	values := make([]float64, 0, w.run.par[v])
	for i := range w.run.par[v] {
		s := w.sample(v, i, w.asOf)
		value, err := strconv.ParseFloat(w.value(v, i, name, &s), 64)
		if err != nil {
			return // not a number, such as isBackPressured
		}
		values = append(values, value)
	}
	total := sum(values)
	mean := total / float64(len(values))
	deviation := 0.0
	for _, x := range values {
		deviation += math.Abs(x-mean) / float64(len(values))
	}
	skew := 0.0
	if mean != 0 {
		skew = min(100, deviation/mean*100)
	}
	of := map[string]float64{"min": slices.Min(values), "max": slices.Max(values), "avg": mean, "sum": total, "skew": skew}
	e.obj()
	e.kStr("id", name)
	for _, a := range aggs {
		e.kDbl(a, of[a])
	}
	e.end()
}
