package report

import (
	"fmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// watermarkHeld: subtasks without a watermark, or far behind the others, hold
// back event time for all that reads from the vertex.
func watermarkHeld(f facts) Words {
	who, plural := f.who()
	if len(f.j.Subtasks) == 0 {
		who, plural = "Some "+f.noun()+"s", true
	}
	behind := f.measure("watermark_behind")
	unset := int(f.measure("subtasks_without_watermark").Or(0))
	late := behind.Or(0) > 0
	var head string
	switch all := unset >= len(f.j.Subtasks); {
	case unset > 0 && late && !all:
		head = fmt.Sprintf("%s %s event time: %s no input watermark yet, and the furthest of the rest is %s behind the others",
			who, verb(plural, "holds back", "hold back"), fmt.Sprintf("%d %s", unset, verb(unset > 1, "has", "have")), show(behind, seconds))
	case unset > 0:
		head = fmt.Sprintf("%s %s event time: %s no input watermark yet%s", who, verb(plural, "holds back", "hold back"), verb(plural, "it has", "they have"),
			clause(f.measure("subtasks_with_watermark"), ", while %s others do", thousands))
	case late:
		head = fmt.Sprintf("%s %s event time: %s input watermark is %s behind the others'", who, verb(plural, "holds back", "hold back"),
			verb(plural, "its", "the furthest"), show(behind, seconds))
	default:
		head = fmt.Sprintf("%s %s event time: %s watermark is missing or far behind the others'", who, verb(plural, "holds back", "hold back"), verb(plural, "its", "their"))
	}
	w := Words{Summary: []string{head + ".", "What reads from this vertex goes by the smallest watermark, so windows and timers after it do not fire."}}
	if unset > 0 || !late {
		w.Do = append(w.Do, "Look at the inputs of the named subtasks for one that brings no events: an empty or idle partition, a reader without a partition, a quiet topic in a union. Set withIdleness on its watermark strategy (SQL: table.exec.source.idle-timeout).")
	}
	if late || unset == 0 {
		w.Do = append(w.Do, "Look at the inputs of the named subtasks for one that lags: a partition with old records, a source that started late. Watermark alignment (withWatermarkAlignment) keeps the fast ones from running ahead.")
	}
	w.Dont = []string{"Scale for this: the smallest watermark counts at any parallelism.",
		"Set an idle time-out shorter than the real pauses between events: what comes after the pause is late and dropped."}
	return w
}

// leastSpare is the share of the present rate that must be spare at full load
// for a time of catching up to be told; below it the quotient means nothing.
const leastSpare = 0.05

// catchUpShort: the vertex is the tightest on the way of a backlog.
func catchUpShort(f facts) Words {
	backlog, okB := f.measure("backlog").Get()
	now, okN := f.measure("records_now").Get()
	needed, okR := f.measure("records_needed").Get()
	span, okS := f.measure("catch_up").Get()
	busiest, okL := f.measure("busy_at_catch_up").Get()
	head := "The backlog of the source cannot be cleared in time beside what comes in"
	if okB && okN && okR && okS {
		head = fmt.Sprintf("The source is %s records behind: clearing them in %s takes %s records/s where %s/s flow now", thousands(backlog), seconds(span), rate(needed), rate(now))
	}
	head += ". This vertex is the tightest on the way"
	if okL {
		head += fmt.Sprintf(": its busiest %s would have to do %s what it can", f.noun(), times(busiest))
	}
	w := Words{Summary: []string{head + "."}}
	if okB && okN && okR && okL && busiest > 0 && needed > 0 {
		most := needed / busiest // The rate at which its busiest subtask is full.
		if spare := most - now; spare >= leastSpare*now {
			w.Summary = append(w.Summary, fmt.Sprintf("At full load it would take about %s.", seconds(backlog/spare)))
		} else {
			w.Summary = append(w.Summary, "It has no room above the present rate, of which catching up may be a part already.")
		}
	}
	switch f.j.ScalingHelps {
	case analysis.ScalingNo:
		w.Do = append(w.Do, "Mend what its verdict names first: more subtasks do not speed it up.")
	default:
		w.Do = append(w.Do, "Give it more subtasks for as long as the backlog lasts, up to its ceiling, or make a record cheaper; or accept a longer time (catch_up).")
	}
	w.Do = append(w.Do, "Watch the backlog (flink_skew_vertex_backlog_records): if it shrinks, the job catches up, only later.")
	w.Dont = []string{"Restart the job to speed it up: the restore adds to the backlog."}
	return w
}
