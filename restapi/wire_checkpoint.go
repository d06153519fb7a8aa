package restapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// decodeCheckpoints reads /jobs/:id/checkpoints: the counts and the newest
// completed checkpoint. The history and the summary are skipped.
func decodeCheckpoints(b []byte) (checkpointList, error) {
	s := scanner{buf: b}
	var out checkpointList
	for ok := s.top('{'); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "counts":
			out.completed, out.failed = s.checkpointCounts()
		case "latest":
			for ok := s.object(); ok; ok = s.more('}') {
				if string(s.name()) == "completed" {
					out.latest = s.checkpoint()
				} else {
					s.skip()
				}
			}
		default:
			s.skip()
		}
	}
	if err := s.done("checkpoints"); err != nil {
		return checkpointList{}, err
	}
	if !out.completed.Known() {
		return checkpointList{}, errors.New("checkpoints: no counts in the answer")
	}
	if out.latest != nil {
		out.latest.Completed, out.latest.Failed = out.completed, out.failed
	}
	return out, nil
}

func (s *scanner) checkpointCounts() (completed, failed analysis.Num) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "completed":
			completed = notNegative(s.num())
		case "failed":
			failed = notNegative(s.num())
		default:
			s.skip()
		}
	}
	return completed, failed
}

// checkpoint reads one completed checkpoint, nil when there is none or it has no id.
func (s *scanner) checkpoint() *analysis.Checkpoint {
	var id analysis.Num
	var c analysis.Checkpoint
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			id = notNegative(s.num())
		case "trigger_timestamp":
			c.TriggeredAt = millis(s.num())
		case "external_path":
			c.ExternalPath = s.text()
		default:
			s.skip()
		}
	}
	if !id.Known() {
		return nil
	}
	c.ID = int64(id.Or(0))
	return &c
}

// decodeCheckpointSubtasks reads /jobs/:id/checkpoints/details/:cid/subtasks/:vid.
// Subtasks that had finished before the checkpoint, and so have no figures, are
// left out. A checkpoint that is not COMPLETED is an error: its figures still
// change, and the caller keeps the answer for good.
func decodeCheckpointSubtasks(b []byte) (*analysis.VertexCheckpoint, error) {
	s := scanner{buf: b}
	var out analysis.VertexCheckpoint
	var id analysis.Num
	status, listed := "", false
	for ok := s.top('{'); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			id = notNegative(s.num())
		case "status":
			status = s.text()
		case "subtasks":
			listed = s.peek() == '['
			for ok := s.array(); ok; ok = s.more(']') {
				if st, complete := s.subtaskCheckpoint(); complete {
					out.Subtasks = append(out.Subtasks, st)
				}
			}
		default:
			s.skip()
		}
	}
	if err := s.done("checkpoint details"); err != nil {
		return nil, err
	}
	if !id.Known() || !listed {
		return nil, errors.New("checkpoint details: no id or list of subtasks in the answer")
	}
	if status != "COMPLETED" {
		return nil, fmt.Errorf("checkpoint details: checkpoint %s is %.20q, not COMPLETED", id, status)
	}
	out.ID = int64(id.Or(0))
	slices.SortStableFunc(out.Subtasks, func(a, b analysis.SubtaskCheckpoint) int { return cmp.Compare(a.Index, b.Index) })
	out.Subtasks = slices.CompactFunc(out.Subtasks, func(a, b analysis.SubtaskCheckpoint) bool { return a.Index == b.Index })
	return &out, nil
}

// subtaskCheckpoint reads one subtask's part; complete is false for one that
// has not acknowledged or that has no valid index.
func (s *scanner) subtaskCheckpoint() (st analysis.SubtaskCheckpoint, complete bool) {
	st.Index = -1
	status := ""
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "index":
			st.Index = indexOf(s.num())
		case "status":
			status = string(s.bytes())
		case "state_size":
			st.StateBytes = notNegative(s.num())
		case "checkpointed_size":
			st.DeltaBytes = notNegative(s.num())
		case "end_to_end_duration":
			st.EndToEndMs = notNegative(s.num())
		case "checkpoint":
			st.SyncMs, st.AsyncMs = s.pair("sync", "async")
		case "alignment":
			st.AlignmentMs, _ = s.pair("duration", "")
		case "start_delay":
			st.StartDelayMs = notNegative(s.num())
		default:
			s.skip()
		}
	}
	return st, st.Index >= 0 && st.Index < maxKeyGroups && status == "completed"
}

// pair reads two members of an object of durations or sizes.
func (s *scanner) pair(first, second string) (a, b analysis.Num) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case first:
			a = notNegative(s.num())
		case second:
			b = notNegative(s.num())
		default:
			s.skip()
		}
	}
	return a, b
}
