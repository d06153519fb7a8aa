package json

import (
	"errors"

	"github.com/tidwall/gjson"
)

func readGJSON(body []byte) (v Vertex, err error) {
	if !gjson.ValidBytes(body) {
		return v, errors.New("gjson: invalid")
	}
	gjson.ParseBytes(body).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			v.ID = value.Str
		case "parallelism":
			v.Parallelism = int(value.Int())
		case "maxParallelism":
			v.MaxParallelism = int(value.Int())
		case "now":
			v.Now = value.Int()
		case "subtasks":
			value.ForEach(func(_, e gjson.Result) bool {
				v.Subtasks = append(v.Subtasks, gjsonSubtask(e))
				return true
			})
		}
		return true
	})
	return v, nil
}

func gjsonSubtask(e gjson.Result) (s Subtask) {
	e.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "subtask":
			s.Index = int32(value.Int())
		case "status":
			s.Status = value.Str
		case "attempt":
			s.Attempt = int32(value.Int())
		case "endpoint":
			s.Endpoint = value.Str
		case "duration":
			s.Duration = value.Int()
		case "taskmanager-id":
			s.TaskManager = value.Str
		case "status-duration":
			s.States.Running = value.Get("RUNNING").Int()
		case "metrics":
			value.ForEach(func(key, value gjson.Result) bool {
				gjsonMetric(&s.Metrics, key.Str, value)
				return true
			})
		}
		return true
	})
	return s
}

func gjsonMetric(m *Metrics, name string, value gjson.Result) {
	switch name {
	case "read-records":
		m.ReadRecords = value.Int()
	case "read-records-complete":
		m.ReadRecordsComplete = value.Bool()
	case "write-records":
		m.WriteRecords = value.Int()
	case "write-records-complete":
		m.WriteRecordsComplete = value.Bool()
	case "read-bytes":
		m.ReadBytes = value.Int()
	case "read-bytes-complete":
		m.ReadBytesComplete = value.Bool()
	case "write-bytes":
		m.WriteBytes = value.Int()
	case "write-bytes-complete":
		m.WriteBytesComplete = value.Bool()
	case "accumulated-busy-time":
		m.Busy = value.Float()
	case "accumulated-backpressured-time":
		m.BackPressured = value.Int()
	case "accumulated-idle-time":
		m.Idle = value.Int()
	}
}
