package json

import (
	"github.com/buger/jsonparser"
)

func readJSONParser(body []byte) (v Vertex, err error) {
	err = jsonparser.ObjectEach(body, func(key, value []byte, _ jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "id":
			v.ID = string(value)
		case "parallelism":
			v.Parallelism = int(integer(value))
		case "maxParallelism":
			v.MaxParallelism = int(integer(value))
		case "now":
			v.Now = integer(value)
		case "subtasks":
			_, err := jsonparser.ArrayEach(value, func(e []byte, _ jsonparser.ValueType, _ int, _ error) {
				v.Subtasks = append(v.Subtasks, jsonParserSubtask(e))
			})
			return err
		}
		return nil
	})
	return v, err
}

func integer(b []byte) int64 { n, _ := jsonparser.ParseInt(b); return n }

func jsonParserSubtask(e []byte) (s Subtask) {
	_ = jsonparser.ObjectEach(e, func(key, value []byte, _ jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "subtask":
			s.Index = int32(integer(value))
		case "status":
			s.Status = string(value)
		case "attempt":
			s.Attempt = int32(integer(value))
		case "endpoint":
			s.Endpoint = string(value)
		case "duration":
			s.Duration = integer(value)
		case "taskmanager-id":
			s.TaskManager = string(value)
		case "status-duration":
			s.States.Running, _ = jsonparser.GetInt(value, "RUNNING")
		case "metrics":
			return jsonparser.ObjectEach(value, func(key, value []byte, _ jsonparser.ValueType, _ int) error {
				jsonParserMetric(&s.Metrics, string(key), value)
				return nil
			})
		}
		return nil
	})
	return s
}

func jsonParserMetric(m *Metrics, name string, value []byte) {
	switch name {
	case "read-records":
		m.ReadRecords = integer(value)
	case "read-records-complete":
		m.ReadRecordsComplete = string(value) == "true"
	case "write-records":
		m.WriteRecords = integer(value)
	case "write-records-complete":
		m.WriteRecordsComplete = string(value) == "true"
	case "read-bytes":
		m.ReadBytes = integer(value)
	case "read-bytes-complete":
		m.ReadBytesComplete = string(value) == "true"
	case "write-bytes":
		m.WriteBytes = integer(value)
	case "write-bytes-complete":
		m.WriteBytesComplete = string(value) == "true"
	case "accumulated-busy-time":
		m.Busy, _ = jsonparser.ParseFloat(value)
	case "accumulated-backpressured-time":
		m.BackPressured = integer(value)
	case "accumulated-idle-time":
		m.Idle = integer(value)
	}
}
