package analysis

import "slices"

// findWatermarkHeld: some subtasks have no input watermark, or one far behind
// the others', and hold back all that reads from the vertex. A vertex none of
// whose subtasks has a watermark uses no event time, and an ended input holds
// nobody back: neither is lag.
func findWatermarkHeld(x *findingContext) (Finding, bool) {
	if x.q.v.Watermarks == nil {
		return Finding{}, false
	}
	var set []float64
	unset := 0
	for _, w := range x.q.v.Watermarks.Subtasks {
		switch ms, ok := w.Ms.Get(); {
		case ok:
			set = append(set, ms)
		case w.State == WatermarkNone:
			unset++
		}
	}
	if len(set) == 0 || unset >= len(set) {
		return Finding{}, false
	}
	slices.Sort(set)
	usual := median(set)
	var held []int
	behind := 0.0
	for _, w := range x.q.v.Watermarks.Subtasks {
		ms, ok := w.Ms.Get()
		late := (usual - ms) / 1000
		if ok && late >= x.q.c.WatermarkHeld.Seconds() {
			held = append(held, int(w.Index))
			behind = max(behind, late)
		}
		if !ok && w.State == WatermarkNone {
			held = append(held, int(w.Index))
		}
	}
	if len(held) == 0 {
		return Finding{}, false
	}
	f := finding(WatermarkHeld, SeverityInfo, ScalingNo,
		against("watermark_behind", behind, UnitSeconds, x.q.c.WatermarkHeld.Seconds()),
		measureOf("subtasks_without_watermark", float64(unset), UnitSubtasks),
		measureOf("subtasks_with_watermark", float64(len(set)), UnitSubtasks),
	)
	f.Subtasks = held
	return f, true
}
