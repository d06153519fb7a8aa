package restapi

import (
	"strconv"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// settledNoCheckpoints is after how many answers without any checkpoint a job
// is taken for one that makes none, and asked only every tenth poll.
const settledNoCheckpoints = 3

// checkpointKey names what can never change: one vertex's part of one
// completed checkpoint.
type checkpointKey struct {
	job, vertex string
	checkpoint  int64
}

// readCheckpoints reads a job's newest completed checkpoint.
func (p *poll) readCheckpoints(j *jobRead) {
	m := j.memory
	if m.noCheckpoints < settledNoCheckpoints || p.c.polls%every == 0 {
		list, err := fetch(p.ctx, p.c, jobCall(epCheckpoints, j.job.ID, "/checkpoints"), decodeCheckpoints)
		switch {
		case Reason(err) == ReasonNotFound: // checkpointing is off
			m.checkpoints, m.noCheckpoints = checkpointList{}, settledNoCheckpoints
		case err != nil:
			j.gaps = append(j.gaps, gap(j.job.ID, "", whatCheckpoints, err))
			return
		case list.latest == nil && list.completed.Or(0)+list.failed.Or(0) == 0:
			m.checkpoints = list
			m.noCheckpoints++
		default:
			m.checkpoints, m.noCheckpoints = list, 0
		}
	}
	if latest := m.checkpoints.latest; latest != nil {
		c := *latest
		c.Completed, c.Failed = m.checkpoints.completed, m.checkpoints.failed
		j.job.Checkpoint = &c
	}
}

// checkpointKey returns the key of the vertex's part of the newest checkpoint;
// ok is false when the vertex can have no keyed state, or the checkpoint was
// made before the job's present run, perhaps at another parallelism.
func (r *vertexRead) checkpointKey() (checkpointKey, bool) {
	c := r.job.job.Checkpoint
	if c == nil || !r.v.Keyed() || c.TriggeredAt.Before(r.job.job.RunningSince) {
		return checkpointKey{}, false
	}
	return checkpointKey{r.job.job.ID, r.v.ID, c.ID}, true
}

// readCheckpointPart reads a keyed vertex's part of a checkpoint once.
func (p *poll) readCheckpointPart(r *vertexRead) {
	key, ok := r.checkpointKey()
	if !ok {
		return
	}
	if part, ok := p.c.checkpoints.Get(key); ok {
		r.v.Checkpoint = part
		return
	}
	rest := "/checkpoints/details/" + strconv.FormatInt(key.checkpoint, 10) + "/subtasks/" + key.vertex
	part, err := fetch(p.ctx, p.c, jobCall(epCheckpointSubtasks, key.job, rest), decodeCheckpointSubtasks)
	if err != nil {
		r.failed(whatCheckpointPart, err)
		if Reason(err) != ReasonNotFound {
			return
		}
		part = nil // it has left the history and will not come back
	}
	if part != nil && beyond(part, r.v.Parallelism) {
		part = nil
	}
	p.c.checkpoints.Add(key, part)
	p.c.checkpoints.Remove(checkpointKey{key.job, key.vertex, r.memory.checkpoint})
	r.memory.checkpoint = key.checkpoint
	r.v.Checkpoint = part
}

// beyond reports a checkpoint of another, larger parallelism.
func beyond(part *analysis.VertexCheckpoint, parallelism int) bool {
	for _, s := range part.Subtasks {
		if int(s.Index) >= parallelism {
			return true
		}
	}
	return false
}
