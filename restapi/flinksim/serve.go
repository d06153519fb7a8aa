package flinksim

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxRequestLine is Netty's default limit for the first line of a request.
const maxRequestLine = 4096

// answer is what a handler makes of a request.
type answer struct {
	status int
	body   []byte
}

func ok(b []byte) answer { return answer{http.StatusOK, b} }

// request is one request on its way through the handlers.
type request struct {
	sim *Sim
	t   time.Time
	// path is split at slashes and unescaped.
	path  []string
	query url.Values
	// job is set below /jobs/:id, vertex below /vertices/:vid.
	entry  *entry
	state  *jobState
	life   life
	vertex int
}

// ServeHTTP answers as a JobManager of the cluster's version would at now.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := s.now()
	f, found := s.fault(r.URL.Path, t)
	if found && f.before(w, r) {
		return
	}
	a := s.answer(r, t)
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=UTF-8")
	h.Set("Access-Control-Allow-Origin", "*")
	if found && f.instead(w, r, a) {
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		w.Write(a.body) // a client that has gone is no matter of the simulation's
	}
}

func (s *Sim) answer(r *http.Request, t time.Time) answer {
	if len(r.Method)+1+len(r.RequestURI)+len(" HTTP/1.1") > maxRequestLine {
		return missingFile("/bad-request")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return missingFile(r.URL.Path)
	}
	q := &request{sim: s, t: t, query: r.URL.Query()}
	for _, part := range strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/") {
		p, err := url.PathUnescape(part)
		if err != nil {
			return missingFile(r.URL.Path)
		}
		q.path = append(q.path, p)
	}
	if a, found := q.route(); found {
		return a
	}
	return missingFile(r.URL.Path)
}

// route finds the handler; false means that the version has no such page.
func (q *request) route() (answer, bool) {
	switch q.path[0] {
	case "overview", "config":
		if len(q.path) == 1 {
			return q.cluster()
		}
	case "jobmanager":
		return q.jobManager()
	case "taskmanagers":
		return q.taskManagers()
	case "jobs":
		switch {
		case len(q.path) == 1:
			return ok(q.jobIDs()), true
		case len(q.path) == 2 && q.path[1] == "overview":
			return ok(q.jobsOverview()), true
		}
		return q.jobPages()
	}
	return answer{}, false
}

// jobPages answers everything below /jobs/:id.
func (q *request) jobPages() (answer, bool) {
	if a, bad := q.resolveJob(); bad {
		return a, true
	}
	page := strings.Join(q.path[2:], "/")
	switch page {
	case "":
		return ok(q.jobDetails()), true
	case "plan":
		return ok(q.jobPlan()), true
	case "config":
		return ok(q.jobConfig()), true
	case "exceptions":
		return ok(q.exceptions()), true
	case "metrics":
		return ok(q.jobMetrics()), true
	case "checkpoints":
		return ok(q.checkpoints()), true
	case "checkpoints/config":
		return q.checkpointConfig(), true
	case "jobmanager/config":
		return ok(q.sim.configuration()), q.sim.env.feat.jobConfig
	case "resource-requirements":
		return q.resources(), q.sim.env.feat.resources
	}
	switch {
	case len(q.path) >= 5 && q.path[2] == "checkpoints" && q.path[3] == "details":
		return q.checkpointDetails()
	case len(q.path) >= 4 && q.path[2] == "vertices":
		return q.vertexPages()
	}
	return answer{}, false
}

func (q *request) vertexPages() (answer, bool) {
	if a, bad := q.resolveVertex(q.path[3]); bad {
		return a, true
	}
	switch strings.Join(q.path[4:], "/") {
	case "":
		return ok(q.vertexDetails()), true
	case "backpressure":
		return q.backPressure(), true
	case "watermarks":
		return ok(q.watermarks()), true
	case "subtasktimes":
		return ok(q.subtaskTimes()), true
	case "metrics":
		return ok(q.vertexMetrics()), true
	case "subtasks/metrics":
		return q.aggregatedMetrics(), true
	}
	return answer{}, false
}

// resolveJob finds the job of the path, or the error that stands for it.
func (q *request) resolveJob() (answer, bool) {
	id := q.path[1]
	if !isID(id) {
		return badParameter("path parameter (jobid)", id), true
	}
	en := q.sim.jobs[id]
	if en != nil {
		q.entry = en
		q.state, q.life = en.at(q.t)
	}
	if en == nil || q.life.state == vanished {
		return notFound("org.apache.flink.runtime.messages.FlinkJobNotFoundException: Could not find Flink job (" + id + ")"), true
	}
	return answer{}, false
}

func (q *request) resolveVertex(id string) (answer, bool) {
	if !isID(id) {
		return badParameter("path parameter (vertexid)", id), true
	}
	if v := slices.Index(q.state.ids, id); v >= 0 {
		q.vertex = v
		return answer{}, false
	}
	return notFound("JobVertex " + id + " not found"), true
}

func isID(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) == 32
}
