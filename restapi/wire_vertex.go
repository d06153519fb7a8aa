package restapi

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// maxKeyGroups is the upper bound of Flink's maximal parallelism
// (KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM), and so of parallelism.
const maxKeyGroups = 1 << 15

// unassigned is what Flink writes for the host and the TaskManager of a
// subtask that has no slot.
const unassigned = "(unassigned)"

// bytesPerSubtask is less than Flink ever writes for one, so that room reserved
// by the parallelism a body claims stays in proportion to the body.
const bytesPerSubtask = 64

// vertexNames remembers what the answers of one poll have in common, so that a
// thousand vertices on the same TaskManagers cost one string for each of them.
// It serves one answer at a time.
type vertexNames struct {
	// texts holds each state and TaskManager id once.
	texts map[string]string
	// hosts are the machines of the TaskManagers that have been told.
	hosts map[string]string
}

func newVertexNames() *vertexNames {
	return &vertexNames{texts: map[string]string{}, hosts: map[string]string{}}
}

// vertexReader reads one answer of /jobs/:id/vertices/:vid.
type vertexReader struct {
	scanner
	*vertexNames
	out vertexDetail
}

// decodeVertex reads /jobs/:id/vertices/:vid, every subtask of a vertex in one
// answer. This is the hot path, about 600 bytes a subtask.
//
// Subtasks whose index is negative, missing or not below the parallelism are
// dropped; of several with the same index the one with the highest attempt
// stays. A body that is cut off, is not JSON, or is no vertex is an error.
func decodeVertex(b []byte) (vertexDetail, error) { return newVertexNames().decode(b) }

// decode is decodeVertex for one of many answers; the hosts it returns are
// those that no earlier answer has told.
func (n *vertexNames) decode(b []byte) (vertexDetail, error) {
	r := vertexReader{scanner: scanner{buf: b}, vertexNames: n}
	r.vertex()
	if err := r.done("vertex details"); err != nil {
		return vertexDetail{}, err
	}
	if r.out.id == "" || r.out.subtasks == nil || r.out.parallelism < 1 {
		return vertexDetail{}, errors.New("vertex details: no id, parallelism or list of subtasks in the answer")
	}
	r.out.subtasks = tidySubtasks(r.out.subtasks, r.out.parallelism)
	r.out.cold = isCold(r.out.subtasks)
	return r.out, nil
}

func (r *vertexReader) vertex() {
	for ok := r.top('{'); ok; ok = r.more('}') {
		switch string(r.name()) {
		case "id":
			r.out.id = r.text()
		case "parallelism":
			r.out.parallelism = parallelismOf(r.num())
		case "maxParallelism":
			r.out.maxParallelism = keyGroups(r.num())
		case "now":
			r.out.nowMs = aboveZero(r.num())
		case "subtasks":
			r.subtasks()
		default:
			r.skip()
		}
	}
}

func (r *vertexReader) subtasks() {
	if r.peek() != '[' {
		r.skip()
		return
	}
	room := min(r.out.parallelism, len(r.buf)/bytesPerSubtask)
	r.out.subtasks = make([]analysis.Subtask, 0, room)
	for ok := r.array(); ok; ok = r.more(']') {
		st := analysis.Subtask{Index: -1}
		r.subtask(&st)
		if st.Index >= 0 {
			r.out.subtasks = append(r.out.subtasks, st)
		}
	}
}

// subtask reads one element of the list, in the shapes of 1.15 (host only),
// 1.20 (host and endpoint) and 2.x (endpoint only).
func (r *vertexReader) subtask(st *analysis.Subtask) {
	var host, endpoint []byte
	for ok := r.object(); ok; ok = r.more('}') {
		switch string(r.name()) {
		case "subtask":
			st.Index = indexOf(r.num())
		case "status":
			st.State = r.intern(r.bytes())
		case "attempt":
			st.Attempt = max(0, indexOf(r.num()))
		case "host":
			host = r.bytes()
		case "endpoint":
			endpoint = r.bytes()
		case "duration":
			st.AgeMs = notNegative(r.num())
		case "metrics":
			st.Counters = r.counters()
		case "taskmanager-id":
			st.TaskManager = r.intern(r.bytes())
		case "status-duration":
			st.RunningMs = r.runningMs()
		default:
			r.skip()
		}
	}
	if st.TaskManager == unassigned {
		st.TaskManager = ""
	}
	r.host(st.TaskManager, endpoint, host)
}

// host remembers where a TaskManager runs: endpoint first, host else.
func (r *vertexReader) host(taskManager string, endpoint, host []byte) {
	if taskManager == "" {
		return
	}
	if known := r.hosts[taskManager]; known != "" && len(endpoint) > len(known) &&
		string(endpoint[:len(known)]) == known && endpoint[len(known)] == ':' {
		return // The usual case, without a copy.
	}
	h := hostOf(string(endpoint))
	if h == "" {
		h = hostOf(string(host))
	}
	if h == "" || r.hosts[taskManager] == h {
		return
	}
	if r.out.hosts == nil {
		r.out.hosts = map[string]string{}
	}
	if r.out.hosts[taskManager] == "" {
		r.out.hosts[taskManager], r.hosts[taskManager] = h, h
	}
}

// intern returns the string that stands between quotation marks as raw.
func (r *vertexReader) intern(raw []byte) string {
	if string(raw) == analysis.Running {
		return analysis.Running
	}
	if t, ok := r.texts[string(raw)]; ok {
		return t
	}
	t := r.unquote(raw)
	r.texts[string(raw)] = t
	return t
}

// runningMs reads status-duration, which Flink has from 1.17 on, and keeps how
// long the attempt has been RUNNING.
func (r *vertexReader) runningMs() (ms analysis.Num) {
	for ok := r.object(); ok; ok = r.more('}') {
		if string(r.name()) == analysis.Running {
			ms = notNegative(r.num())
		} else {
			r.skip()
		}
	}
	return ms
}

// tidySubtasks sorts by index and drops what is out of range or doubled.
func tidySubtasks(list []analysis.Subtask, parallelism int) []analysis.Subtask {
	list = slices.DeleteFunc(list, func(st analysis.Subtask) bool { return int(st.Index) >= parallelism })
	strictly := true
	for i := 1; i < len(list); i++ {
		strictly = strictly && list[i-1].Index < list[i].Index
	}
	if strictly {
		return list
	}
	slices.SortStableFunc(list, func(a, b analysis.Subtask) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(b.Attempt, a.Attempt))
	})
	return slices.CompactFunc(list, func(a, b analysis.Subtask) bool { return a.Index == b.Index })
}

// isCold reports whether subtasks run and none of them has a counter yet.
func isCold(list []analysis.Subtask) bool {
	running := false
	for i := range list {
		st := &list[i]
		if st.State != analysis.Running {
			continue
		}
		running = true
		if st.RecordsIn.Known() || st.RecordsOut.Known() || st.BytesIn.Known() {
			return false
		}
	}
	return running
}

// indexOf returns a subtask's or attempt's number, -1 when it is absent, no
// whole number, or out of range.
func indexOf(n analysis.Num) int32 {
	v, ok := n.Get()
	if i := int32(v); ok && v >= 0 && v < 1<<31 && float64(i) == v {
		return i
	}
	return -1
}

// parallelismOf returns a parallelism, 0 when it is absent or none that Flink can have.
func parallelismOf(n analysis.Num) int {
	if i := indexOf(n); i <= maxKeyGroups {
		return max(0, int(i))
	}
	return 0
}

// hostOf cuts the port off "host", "host:port" or "[v6]:port" and returns ""
// for a subtask that has no host.
func hostOf(s string) string {
	if s == unassigned {
		return ""
	}
	if strings.HasPrefix(s, "[") {
		host, _, _ := strings.Cut(s[1:], "]")
		return host
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 && strings.IndexByte(s, ':') == i {
		return s[:i]
	}
	return s
}
