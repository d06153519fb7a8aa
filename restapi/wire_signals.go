package restapi

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// decodeBackpressure reads …/vertices/:vid/backpressure.
//
// Flink writes 0 for each share whose metric it does not have, and the three
// of a subtask that is there add up to about 1: a subtask with three zeros is
// therefore left out. A source that cannot measure its busy time writes "NaN"
// for it, beside zeros that are true. Where several attempts of a subtask are
// listed, the one with the highest number counts (JobVertexBackPressureInfo,
// FLIP-168).
func decodeBackpressure(b []byte) (backpressure, error) {
	s := scanner{buf: b}
	out := backpressure{ratios: map[int32]analysis.Ratios{}}
	attempts := map[int32]int32{}
	status := ""
	for ok := s.top('{'); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "status":
			status = s.text()
		case "subtasks":
			for ok := s.array(); ok; ok = s.more(']') {
				index, attempt, r := s.backpressureSubtask()
				if last, seen := attempts[index]; index < 0 || seen && last > attempt {
					continue
				}
				attempts[index] = attempt
				out.ratios[index] = r
			}
		default:
			s.skip()
		}
	}
	if err := s.done("back pressure"); err != nil {
		return backpressure{}, err
	}
	if status == "" {
		return backpressure{}, errors.New("back pressure: no status in the answer")
	}
	out.ok = status == "ok"
	for index, r := range out.ratios {
		if isZero(r.Busy) && isZero(r.BackPressured) && isZero(r.Idle) {
			delete(out.ratios, index)
		}
	}
	return out, nil
}

func (s *scanner) backpressureSubtask() (index, attempt int32, r analysis.Ratios) {
	index = -1
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "subtask":
			index = indexOf(s.num())
		case "attempt-number":
			attempt = max(0, indexOf(s.num()))
		case "ratio":
			r.BackPressured = notNegative(s.num())
		case "idleRatio":
			r.Idle = notNegative(s.num())
		case "busyRatio":
			r.Busy = notNegative(s.num())
		default:
			s.skip()
		}
	}
	return index, attempt, r
}

func isZero(n analysis.Num) bool {
	v, ok := n.Get()
	return ok && v == 0
}

// decodeWatermarks reads …/vertices/:vid/watermarks: the input watermark of
// each subtask, sorted by the subtask's number; nil for the empty list that
// sources answer. A subtask whose value is no number is left out.
func decodeWatermarks(b []byte) ([]analysis.SubtaskWatermark, error) {
	s := scanner{buf: b}
	var all []analysis.SubtaskWatermark
	for ok := s.top('['); ok; ok = s.more(']') {
		id, w := s.watermark()
		number, _, _ := strings.Cut(id, ".")
		if i, err := strconv.ParseInt(number, 10, 32); err == nil && i >= 0 && w.State != "" {
			w.Index = int32(i)
			all = append(all, w)
		}
	}
	if err := s.done("watermarks"); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b analysis.SubtaskWatermark) int { return cmp.Compare(a.Index, b.Index) })
	return slices.CompactFunc(all, func(a, b analysis.SubtaskWatermark) bool { return a.Index == b.Index }), nil
}

// watermark reads one element; its State is empty when it has no value.
func (s *scanner) watermark() (id string, w analysis.SubtaskWatermark) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			id = s.text()
		case "value":
			w.State, w.Ms = s.watermarkValue()
		default:
			s.skip()
		}
	}
	return id, w
}

// watermarkValue tells apart the two ends of the longs, by which Flink says
// that no watermark has come yet (Watermark.UNINITIALIZED) and that the input
// has ended (Watermark.MAX_WATERMARK).
func (s *scanner) watermarkValue() (analysis.WatermarkState, analysis.Num) {
	start := s.pos
	if ms := s.num(); ms.Known() {
		return analysis.WatermarkSet, ms
	}
	switch text := strings.Trim(string(s.buf[start:s.pos]), " \t\r\n\""); text {
	case strconv.FormatInt(math.MinInt64, 10):
		return analysis.WatermarkNone, analysis.Num{}
	case strconv.FormatInt(math.MaxInt64, 10):
		return analysis.WatermarkEnded, analysis.Num{}
	}
	return "", analysis.Num{}
}

// decodeMetricNames reads …/metrics without get=: the names that there are.
func decodeMetricNames(b []byte) ([]string, error) {
	s := scanner{buf: b}
	names := []string{}
	for ok := s.top('['); ok; ok = s.more(']') {
		if id, _ := s.metric(); id != "" {
			names = append(names, id)
		}
	}
	if err := s.done("metric names"); err != nil {
		return nil, err
	}
	return names, nil
}

// decodeMetricValues reads …/metrics?get=…: values by name. A name that Flink
// lists with no number (such as "NaN") is there with an absent value; one that
// it does not know is not there at all.
func decodeMetricValues(b []byte) (map[string]analysis.Num, error) {
	s := scanner{buf: b}
	out := map[string]analysis.Num{}
	for ok := s.top('['); ok; ok = s.more(']') {
		if id, value := s.metric(); id != "" {
			out[id] = value
		}
	}
	if err := s.done("metric values"); err != nil {
		return nil, err
	}
	return out, nil
}

func (s *scanner) metric() (id string, value analysis.Num) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			id = s.text()
		case "value":
			value = s.num()
		default:
			s.skip()
		}
	}
	return id, value
}
