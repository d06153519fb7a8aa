package flinksim

import (
	"math"
	"slices"
	"strconv"
)

// noWatermark is Long.MIN_VALUE: none has come yet.
const noWatermark = math.MinInt64

func (q *request) backPressure() answer {
	w := q.view()
	if w.asOf.IsZero() {
		var e enc
		e.obj()
		e.kStr("status", "deprecated")
		e.end()
		return ok(e.b)
	}
	if w.state == restarting && w.env.feat.resources {
		return internal("java.util.NoSuchElementException: No value present")
	}
	samples := w.samples(q.vertex)
	worst := 0.0
	for i := range samples {
		worst = max(worst, ratio(samples[i].gaugeBp))
	}
	var e enc
	e.obj()
	e.kStr("status", "ok")
	e.kStr("backpressureLevel", level(worst))
	e.kInt("end-timestamp", millis(w.asOf))
	e.keyArr("subtasks")
	for i := range samples {
		s := &samples[i]
		busy := ratio(s.gaugeBusy)
		if w.spec.Vertices[q.vertex].NoBusyTime && s.known {
			busy = math.NaN()
		}
		e.obj()
		e.kInt("subtask", int64(i))
		e.kStr("backpressureLevel", level(ratio(s.gaugeBp)))
		e.kDbl("ratio", ratio(s.gaugeBp))
		e.kDbl("idleRatio", ratio(s.gaugeIdle))
		e.kDbl("busyRatio", busy)
		e.kStr("backpressure-level", level(ratio(s.gaugeBp)))
		e.end()
	}
	e.endArr()
	e.kStr("backpressure-level", level(worst))
	e.end()
	return ok(e.b)
}

func ratio(ms int64) float64 { return float64(ms) / 1000 }

// level is JobVertexBackPressureHandler's word for a ratio.
func level(r float64) string {
	switch {
	case r <= 0.1:
		return "ok"
	case r <= 0.5:
		return "low"
	}
	return "high"
}

func (q *request) watermarks() []byte {
	w := q.view()
	var e enc
	e.arr()
	for i := range w.run.par[q.vertex] {
		if value, known := w.watermark(q.vertex, i); known {
			e.obj()
			e.kStr("id", strconv.Itoa(i)+".currentInputWatermark")
			e.kStr("value", strconv.FormatInt(value, 10))
			e.end()
		}
	}
	e.endArr()
	return e.b
}

// watermark is a subtask's input watermark in epoch milliseconds. Sources have
// none. A reader without partitions never sends one, and so nothing downstream
// of it has one either.
func (w view) watermark(v, i int) (ms int64, known bool) {
	s := w.sample(v, i, w.asOf)
	if w.spec.Vertices[v].source() || !s.known {
		return 0, false
	}
	if w.spec.WatermarkDelay == 0 || w.heldBack() {
		return noWatermark, true
	}
	end := w.asOf
	if !w.ended.IsZero() && w.ended.Before(end) {
		end = w.ended
	}
	behind := float64(end.Sub(w.run.from)) * (1 - w.run.flow.progress)
	return end.Add(-w.spec.WatermarkDelay).UnixMilli() - int64(behind/1e6), true
}

// heldBack reports whether some reader owns no partition.
func (w view) heldBack() bool {
	return slices.ContainsFunc(w.run.flow.vertices, func(f vertexFlow) bool {
		return slices.ContainsFunc(f.partitions, func(own []int) bool { return len(own) == 0 })
	})
}

func (q *request) subtaskTimes() []byte {
	w := q.view()
	var e enc
	e.obj()
	e.kStr("id", w.spec.vertexID(q.vertex))
	e.kStr("name", w.spec.Vertices[q.vertex].Name)
	e.kInt("now", millis(w.at))
	e.keyArr("subtasks")
	for i := range w.run.par[q.vertex] {
		k := w.task(q.vertex, i)
		e.obj()
		e.kInt("subtask", int64(i))
		w.location(&e, q.vertex, i)
		e.kInt("duration", max(0, w.at.Sub(w.run.from).Milliseconds()))
		e.keyObj("timestamps")
		reached := w.run.from.UnixMilli()
		for n, ms := range k.spent {
			if ms < 0 {
				e.kInt(stateNames()[n], 0)
				continue
			}
			e.kInt(stateNames()[n], reached)
			reached += ms
		}
		for _, name := range []string{"CANCELING", "RECONCILING", canceled, failed, finished} {
			at := int64(0)
			if name == k.status {
				at = millis(k.end)
			}
			e.kInt(name, at)
		}
		e.end()
		e.end()
	}
	e.endArr()
	e.end()
	return e.b
}
