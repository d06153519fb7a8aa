package flinksim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

func (q *request) jobConfig() []byte {
	var e enc
	e.obj()
	e.kStr("jid", q.entry.id)
	e.kStr("name", q.entry.name)
	e.keyObj("execution-config")
	if !q.sim.env.feat.two {
		e.kStr("execution-mode", "PIPELINED")
	}
	e.kStr("restart-strategy", "Cluster level default restart strategy")
	e.kInt("job-parallelism", int64(q.state.spec.width()))
	e.kBool("object-reuse-mode", false)
	e.keyObj("user-config")
	for _, k := range slices.Sorted(maps.Keys(q.state.spec.UserConfig)) {
		e.str(k)
		e.b = append(e.b, ':')
		e.str(q.state.spec.UserConfig[k])
	}
	e.end()
	e.end()
	e.end()
	return e.b
}

// exceptions tells of the last failure, if the job has been restarted.
func (q *request) exceptions() []byte {
	const text = "java.lang.RuntimeException: simulated failure\n\tat simulated.Operator.processElement(Operator.java:1)"
	l, feat := &q.life, &q.sim.env.feat
	at, happened := l.stamps[restarting]
	var e enc
	e.obj()
	if !feat.two {
		e.key("root-exception")
		if happened {
			e.str(text)
			e.kInt("timestamp", at.UnixMilli())
		} else {
			e.null()
			e.kNull("timestamp")
		}
		e.keyArr("all-exceptions")
		e.endArr()
		e.kBool("truncated", false)
	}
	e.keyObj("exceptionHistory")
	e.keyArr("entries")
	if happened {
		v := len(l.run.par) - 1
		e.obj()
		e.kStr("exceptionName", "java.lang.RuntimeException")
		e.kStr("stacktrace", text)
		e.kInt("timestamp", at.UnixMilli())
		if feat.savepointFormat {
			e.keyObj("failureLabels")
			e.end()
		}
		e.kStr("taskName", fmt.Sprintf("%s (1/%d) - execution #%d", q.state.spec.Vertices[v].Name, l.run.par[v], max(0, l.run.attempt-1)))
		tm := q.sim.env.tms[l.run.flow.vertices[v].tm[0]]
		if feat.host {
			e.kStr("location", fmt.Sprintf("%s:%d", tm.host, tm.port))
		}
		if feat.endpoint {
			e.kStr("endpoint", fmt.Sprintf("%s:%d", tm.host, tm.port))
		}
		e.kStr("taskManagerId", tm.id)
		e.keyArr("concurrentExceptions")
		e.endArr()
		e.end()
	}
	e.endArr()
	e.kBool("truncated", false)
	e.end()
	e.end()
	return e.b
}

// resources are the adaptive scheduler's bounds.
func (q *request) resources() answer {
	if q.state.spec.scheduler() != "Adaptive" {
		return internal("java.lang.UnsupportedOperationException: The DefaultScheduler does not support changing the parallelism without a job restart. This feature is currently only expected to work with the AdaptiveScheduler.")
	}
	var e enc
	e.obj()
	for v, p := range q.life.run.par {
		e.keyObj(q.state.ids[v])
		e.keyObj("parallelism")
		e.kInt("lowerBound", 1)
		e.kInt("upperBound", int64(p))
		e.end()
		e.end()
	}
	e.end()
	return ok(e.b)
}

// jobMetrics are the few job-level metrics that anyone asks for.
func (q *request) jobMetrics() []byte {
	w := q.view()
	values := map[string]string{}
	if !w.asOf.IsZero() && !w.asOf.Before(w.run.from) {
		values["uptime"] = strconv.FormatInt(max(0, w.asOf.Sub(w.run.from).Milliseconds()), 10)
		if w.env.feat.accumulated {
			values["numRestarts"] = strconv.Itoa(w.restarts)
		}
		if !w.env.feat.two {
			values["fullRestarts"] = strconv.Itoa(w.restarts)
		}
		if done := w.completed(w.asOf, 1); len(done) > 0 {
			state, _ := done[0].sizes()
			values["lastCheckpointSize"] = strconv.FormatInt(state, 10)
		}
	}
	return metricList(values, q.query)
}
