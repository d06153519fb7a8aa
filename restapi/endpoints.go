package restapi

import (
	"net/url"
	"slices"
)

// Templates of the endpoints that are asked, as Flink's documentation writes
// them. The set is closed, so that it may be a metric label.
const (
	epOverview           = "/overview"
	epJobs               = "/jobs/overview"
	epJob                = "/jobs/:jobid"
	epCheckpoints        = "/jobs/:jobid/checkpoints"
	epCheckpointSubtasks = "/jobs/:jobid/checkpoints/details/:checkpointid/subtasks/:vertexid"
	epVertex             = "/jobs/:jobid/vertices/:vertexid"
	epBackpressure       = "/jobs/:jobid/vertices/:vertexid/backpressure"
	epWatermarks         = "/jobs/:jobid/vertices/:vertexid/watermarks"
	epVertexMetrics      = "/jobs/:jobid/vertices/:vertexid/metrics"
	epTaskManagers       = "/taskmanagers"
	epTaskManagerMetrics = "/taskmanagers/:taskmanagerid/metrics"
)

// Endpoints returns the templates that an Observer may be told, sorted.
func Endpoints() []string {
	all := []string{
		epOverview, epJobs, epJob, epCheckpoints, epCheckpointSubtasks, epVertex, epBackpressure,
		epWatermarks, epVertexMetrics, epTaskManagers, epTaskManagerMetrics,
	}
	slices.Sort(all)
	return all
}

func jobCall(endpoint, job, rest string) call {
	return call{endpoint, "/jobs/" + url.PathEscape(job) + rest}
}

func vertexCall(endpoint, job, vertex, rest string) call {
	return call{endpoint, "/jobs/" + url.PathEscape(job) + "/vertices/" + url.PathEscape(vertex) + rest}
}

// goodID reports whether a job's or vertex's id may be put into a path. Flink's
// are 32 hex digits; anything that could climb out of the path is refused.
func goodID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, r := range []byte(id) {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' {
			return false
		}
	}
	return true
}
