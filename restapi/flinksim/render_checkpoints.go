package flinksim

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
)

func (q *request) checkpointConfig() answer {
	every := q.state.spec.interval()
	if every == 0 {
		return notFound("Checkpointing is not enabled for this job (" + q.entry.id + ").")
	}
	var e enc
	e.obj()
	e.kStr("mode", "exactly_once")
	e.kInt("interval", every.Milliseconds())
	e.kInts(600000, "timeout")
	e.kInts(0, "min_pause")
	e.kInts(1, "max_concurrent")
	e.keyObj("externalization")
	e.kBool("enabled", false)
	e.kBool("delete_on_cancellation", true)
	e.end()
	e.kStr("state_backend", "HashMapStateBackend")
	e.kStr("checkpoint_storage", "FileSystemCheckpointStorage")
	e.kBool("unaligned_checkpoints", false)
	e.kInts(0, "tolerable_failed_checkpoints", "aligned_checkpoint_timeout")
	e.kBool("checkpoints_after_tasks_finish", true)
	if q.sim.env.feat.savepointFormat {
		e.kBool("state_changelog_enabled", false)
		e.kInts(600000, "changelog_periodic_materialization_interval")
		e.kStr("changelog_storage", "memory")
	}
	e.end()
	return ok(e.b)
}

func (c checkpoint) subtasks() int64 {
	n := 0
	for _, p := range c.x.par {
		n += p
	}
	return int64(n)
}

func (q *request) checkpoints() []byte {
	l := &q.life
	done := l.completed(q.t, historySize)
	open, busy := l.inProgress(q.t)
	total := l.run.triggered(l.until(q.t))
	completed := int64(0)
	if len(done) > 0 {
		completed = done[0].id
	}
	inProgress := int64(0)
	if busy {
		inProgress = 1
	}
	restored := int64(0)
	if l.run.restored > 0 {
		restored = 1
	}
	var e enc
	e.obj()
	e.keyObj("counts")
	e.kInt("restored", restored)
	e.kInt("total", total)
	e.kInt("in_progress", inProgress)
	e.kInt("completed", completed)
	e.kInt("failed", max(0, total-completed-inProgress))
	e.end()
	q.checkpointSummary(&e, done)
	e.keyObj("latest")
	e.key("completed")
	if len(done) > 0 {
		q.checkpointEntry(&e, done[0], false, false)
	} else {
		e.null()
	}
	e.kNull("savepoint")
	e.kNull("failed")
	e.key("restored")
	if restored == 1 {
		e.obj()
		e.kInt("id", l.run.restored)
		e.kInt("restore_timestamp", millis(l.run.restoredAt))
		e.kBool("is_savepoint", false)
		e.kStr("external_path", q.checkpointPath(l.run.restored))
		e.end()
	} else {
		e.null()
	}
	e.end()
	e.keyArr("history")
	if busy {
		q.checkpointEntry(&e, open, true, false)
	}
	for n, c := range done {
		q.checkpointEntry(&e, c, false, n > 0)
	}
	e.endArr()
	e.end()
	return e.b
}

func (q *request) checkpointPath(id int64) string {
	return fmt.Sprintf("file:/checkpoints/%s/chk-%d", q.entry.id, id)
}

// checkpointSummary is over the checkpoints in the history.
func (q *request) checkpointSummary(e *enc, done []checkpoint) {
	var written, state, took, zero []int64
	for _, c := range done {
		s, w := c.sizes()
		state, written = append(state, s), append(written, w)
		took, zero = append(took, c.took.Milliseconds()), append(zero, 0)
	}
	e.keyObj("summary")
	stats(e, "checkpointed_size", written, len(done) > 0)
	stats(e, "state_size", state, len(done) > 0)
	stats(e, "end_to_end_duration", took, len(done) > 0)
	stats(e, "alignment_buffered", zero, len(done) > 0)
	stats(e, "processed_data", zero, len(done) > 0)
	stats(e, "persisted_data", zero, len(done) > 0)
	e.end()
}

// stats writes the summary of a number. Flink keeps quantiles for some only;
// the others have the string NaN.
func stats(e *enc, name string, values []int64, quantiles bool) {
	values = slices.Sorted(slices.Values(values))
	least, most, mean := int64(0), int64(0), int64(0)
	if n := len(values); n > 0 {
		least, most = values[0], values[n-1]
		for _, v := range values {
			mean += v
		}
		mean /= int64(n)
	}
	e.keyObj(name)
	e.kInt("min", least)
	e.kInt("max", most)
	e.kInt("avg", mean)
	for _, p := range []struct {
		name string
		q    float64
	}{{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}} {
		value := math.NaN()
		if n := len(values); quantiles && n > 0 {
			value = float64(values[min(n-1, int(p.q*float64(n)))])
		}
		e.kDbl(p.name, value)
	}
	e.end()
}

// checkpointEntry writes a checkpoint as lists have it, without its tasks.
func (q *request) checkpointEntry(e *enc, c checkpoint, open, discarded bool) {
	q.checkpointHead(e, c, open)
	e.keyObj("tasks")
	e.end()
	q.checkpointTail(e, c, open, discarded)
}

func (q *request) checkpointHead(e *enc, c checkpoint, open bool) {
	state, written := c.sizes()
	class, status, acked, ackedAt := "completed", "COMPLETED", c.subtasks(), c.acked()
	took := c.took
	if open {
		class, status, acked, took = "in_progress", "IN_PROGRESS", acked/2, took/4
		state, written = state/2, written/2
		ackedAt = c.trigger.Add(took)
	}
	e.obj()
	e.kStr("className", class)
	e.kInt("id", c.id)
	e.kStr("status", status)
	e.kBool("is_savepoint", false)
	if q.sim.env.feat.savepointFormat {
		e.kNull("savepointFormat")
	}
	e.kInt("trigger_timestamp", millis(c.trigger))
	e.kInt("latest_ack_timestamp", millis(ackedAt))
	e.kInt("checkpointed_size", written)
	e.kInt("state_size", state)
	e.kInt("end_to_end_duration", took.Milliseconds())
	e.kInts(0, "alignment_buffered", "processed_data", "persisted_data")
	e.kInt("num_subtasks", c.subtasks())
	e.kInt("num_acknowledged_subtasks", acked)
	e.kStr("checkpoint_type", "CHECKPOINT")
}

func (q *request) checkpointTail(e *enc, c checkpoint, open, discarded bool) {
	if !open {
		e.kStr("external_path", q.checkpointPath(c.id))
		e.kBool("discarded", discarded)
	}
	e.end()
}

// checkpointDetails answers …/details/:cid and …/details/:cid/subtasks/:vid. A
// checkpoint that is not completed or has left the history is not known.
func (q *request) checkpointDetails() (answer, bool) {
	id, err := strconv.ParseInt(q.path[4], 10, 64)
	if err != nil {
		return badParameter("path parameter (checkpointid)", q.path[4]), true
	}
	done := q.life.completed(q.t, historySize)
	n := slices.IndexFunc(done, func(c checkpoint) bool { return c.id == id })
	if n < 0 {
		return failure(http.StatusNotFound, "Could not find checkpointing statistics for checkpoint "+q.path[4]+"."), true
	}
	switch {
	case len(q.path) == 5:
		return ok(q.checkpointTasks(done[n], n > 0)), true
	case len(q.path) == 7 && q.path[5] == "subtasks":
		if a, bad := q.resolveVertex(q.path[6]); bad {
			return a, true
		}
		return ok(checkpointSubtasks(done[n], q.vertex)), true
	}
	return answer{}, false
}

func (q *request) checkpointTasks(c checkpoint, discarded bool) []byte {
	var e enc
	q.checkpointHead(&e, c, false)
	e.keyObj("tasks")
	for v := range c.x.par {
		e.keyObj(q.state.ids[v])
		c.taskHead(&e, v)
		e.end()
	}
	e.end()
	q.checkpointTail(&e, c, false, discarded)
	return e.b
}

// taskHead writes a vertex's part of a checkpoint.
func (c checkpoint) taskHead(e *enc, v int) {
	var state, written, longest, processed int64
	for i := range c.x.par[v] {
		s := c.subtask(v, i)
		state, written, processed = state+s.state, written+s.written, processed+s.processed
		longest = max(longest, s.endToEnd)
	}
	e.kInt("id", c.id)
	e.kStr("status", "COMPLETED")
	e.kInt("latest_ack_timestamp", millis(c.trigger.Add(time.Duration(longest)*time.Millisecond)))
	e.kInt("checkpointed_size", written)
	e.kInt("state_size", state)
	e.kInt("end_to_end_duration", longest)
	e.kInts(0, "alignment_buffered")
	e.kInt("processed_data", processed)
	e.kInts(0, "persisted_data")
	e.kInts(int64(c.x.par[v]), "num_subtasks", "num_acknowledged_subtasks")
}

func checkpointSubtasks(c checkpoint, v int) []byte {
	parts := make([]subtaskCheckpoint, c.x.par[v])
	for i := range parts {
		parts[i] = c.subtask(v, i)
	}
	each := func(get func(*subtaskCheckpoint) int64) []int64 {
		out := make([]int64, len(parts))
		for i := range parts {
			out[i] = get(&parts[i])
		}
		return out
	}
	e := enc{b: make([]byte, 0, 2048+380*len(parts))}
	e.obj()
	c.taskHead(&e, v)
	e.keyObj("summary")
	stats(&e, "checkpointed_size", each(func(s *subtaskCheckpoint) int64 { return s.written }), false)
	stats(&e, "state_size", each(func(s *subtaskCheckpoint) int64 { return s.state }), false)
	stats(&e, "end_to_end_duration", each(func(s *subtaskCheckpoint) int64 { return s.endToEnd }), false)
	e.keyObj("checkpoint_duration")
	stats(&e, "sync", each(func(s *subtaskCheckpoint) int64 { return s.sync }), false)
	stats(&e, "async", each(func(s *subtaskCheckpoint) int64 { return s.async }), false)
	e.end()
	e.keyObj("alignment")
	stats(&e, "buffered", make([]int64, len(parts)), true)
	stats(&e, "processed", each(func(s *subtaskCheckpoint) int64 { return s.processed }), false)
	stats(&e, "persisted", make([]int64, len(parts)), false)
	stats(&e, "duration", each(func(s *subtaskCheckpoint) int64 { return s.aligned }), false)
	e.end()
	stats(&e, "start_delay", each(func(s *subtaskCheckpoint) int64 { return s.startDelay }), false)
	e.end()
	e.keyArr("subtasks")
	for i := range parts {
		c.subtaskEntry(&e, i, &parts[i])
	}
	e.endArr()
	e.end()
	return e.b
}

func (c checkpoint) subtaskEntry(e *enc, i int, s *subtaskCheckpoint) {
	e.obj()
	e.kStr("className", "completed")
	e.kInt("index", int64(i))
	e.kStr("status", "completed")
	e.kInt("ack_timestamp", millis(c.trigger.Add(time.Duration(s.endToEnd)*time.Millisecond)))
	e.kInt("end_to_end_duration", s.endToEnd)
	e.kInt("checkpointed_size", s.written)
	e.kInt("state_size", s.state)
	e.keyObj("checkpoint")
	e.kInt("sync", s.sync)
	e.kInt("async", s.async)
	e.end()
	e.keyObj("alignment")
	e.kInts(0, "buffered")
	e.kInt("processed", s.processed)
	e.kInts(0, "persisted")
	e.kInt("duration", s.aligned)
	e.end()
	e.kInt("start_delay", s.startDelay)
	e.kBool("unaligned_checkpoint", false)
	e.kBool("aborted", false)
	e.end()
}
