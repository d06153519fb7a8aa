package json

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// tokens reads members with jsontext; the first error sticks.
type tokens struct {
	d   *jsontext.Decoder
	err error
}

// next passes over one token, the beginning or end of an object or array.
func (t *tokens) next() {
	if t.err == nil {
		_, t.err = t.d.ReadToken()
	}
}

func (t *tokens) skip() {
	if t.err == nil {
		t.err = t.d.SkipValue()
	}
}

func (t *tokens) value() []byte {
	if t.err != nil {
		return nil
	}
	v, err := t.d.ReadValue()
	t.err = err
	return v
}

func (t *tokens) integer() int64 { n, _ := strconv.ParseInt(string(t.value()), 10, 64); return n }
func (t *tokens) text() string   { return string(bytes.Trim(t.value(), `"`)) }
func (t *tokens) boolean() bool  { return string(t.value()) == "true" }

// members calls f with each member's name; f must consume the value.
func (t *tokens) members(f func(name []byte)) {
	t.next()
	for t.err == nil && t.d.PeekKind() != '}' {
		f(bytes.Trim(t.value(), `"`))
	}
	t.next()
}

func readJSONText(body []byte) (v Vertex, err error) {
	t := tokens{d: jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	t.members(func(name []byte) {
		switch string(name) {
		case "id":
			v.ID = t.text()
		case "parallelism":
			v.Parallelism = int(t.integer())
		case "maxParallelism":
			v.MaxParallelism = int(t.integer())
		case "now":
			v.Now = t.integer()
		case "subtasks":
			t.next()
			for t.err == nil && t.d.PeekKind() != ']' {
				v.Subtasks = append(v.Subtasks, t.subtask())
			}
			t.next()
		default:
			t.skip()
		}
	})
	return v, t.err
}

func (t *tokens) subtask() (s Subtask) {
	t.members(func(name []byte) {
		switch string(name) {
		case "subtask":
			s.Index = int32(t.integer())
		case "status":
			s.Status = t.text()
		case "attempt":
			s.Attempt = int32(t.integer())
		case "endpoint":
			s.Endpoint = t.text()
		case "duration":
			s.Duration = t.integer()
		case "taskmanager-id":
			s.TaskManager = t.text()
		case "status-duration":
			t.members(func(name []byte) {
				if string(name) == "RUNNING" {
					s.States.Running = t.integer()
				} else {
					t.skip()
				}
			})
		case "metrics":
			t.metrics(&s.Metrics)
		default:
			t.skip()
		}
	})
	return s
}

func (t *tokens) metrics(m *Metrics) {
	t.members(func(name []byte) {
		switch string(name) {
		case "read-records":
			m.ReadRecords = t.integer()
		case "read-records-complete":
			m.ReadRecordsComplete = t.boolean()
		case "write-records":
			m.WriteRecords = t.integer()
		case "write-records-complete":
			m.WriteRecordsComplete = t.boolean()
		case "read-bytes":
			m.ReadBytes = t.integer()
		case "read-bytes-complete":
			m.ReadBytesComplete = t.boolean()
		case "write-bytes":
			m.WriteBytes = t.integer()
		case "write-bytes-complete":
			m.WriteBytesComplete = t.boolean()
		case "accumulated-busy-time":
			m.Busy, _ = strconv.ParseFloat(string(t.value()), 64)
		case "accumulated-backpressured-time":
			m.BackPressured = t.integer()
		case "accumulated-idle-time":
			m.Idle = t.integer()
		default:
			t.skip()
		}
	})
}
