package json

import (
	stdjson "encoding/json"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"
)

// Vertex is what the exporter needs of the answer.
type Vertex struct {
	ID             string    `json:"id"`
	Parallelism    int       `json:"parallelism"`
	MaxParallelism int       `json:"maxParallelism"`
	Now            int64     `json:"now"`
	Subtasks       []Subtask `json:"subtasks"`
}

// Subtask is one element of the answer's list.
type Subtask struct {
	Index       int32   `json:"subtask"`
	Status      string  `json:"status"`
	Attempt     int32   `json:"attempt"`
	Endpoint    string  `json:"endpoint"`
	Duration    int64   `json:"duration"`
	TaskManager string  `json:"taskmanager-id"`
	States      States  `json:"status-duration"`
	Metrics     Metrics `json:"metrics"`
}

// States are the milliseconds spent in execution states.
type States struct {
	Running int64 `json:"RUNNING"`
}

// Metrics are the counters of a subtask.
type Metrics struct {
	ReadRecords          int64   `json:"read-records"`
	ReadRecordsComplete  bool    `json:"read-records-complete"`
	WriteRecords         int64   `json:"write-records"`
	WriteRecordsComplete bool    `json:"write-records-complete"`
	ReadBytes            int64   `json:"read-bytes"`
	ReadBytesComplete    bool    `json:"read-bytes-complete"`
	WriteBytes           int64   `json:"write-bytes"`
	WriteBytesComplete   bool    `json:"write-bytes-complete"`
	Busy                 float64 `json:"accumulated-busy-time"`
	BackPressured        int64   `json:"accumulated-backpressured-time"`
	Idle                 int64   `json:"accumulated-idle-time"`
}

// Reader is one library's way to read the answer.
type Reader struct {
	Name string
	Read func(body []byte) (Vertex, error)
}

// Readers returns all that are compared, encoding/json first.
func Readers() []Reader {
	return []Reader{
		{"encoding_json", unmarshal(stdjson.Unmarshal)},
		{"goccy_go-json", unmarshal(goccy.Unmarshal)},
		{"bytedance_sonic", unmarshal(sonic.Unmarshal)},
		{"go-json-experiment_jsontext", readJSONText},
		{"tidwall_gjson", readGJSON},
		{"valyala_fastjson", readFastJSON()},
		{"buger_jsonparser", readJSONParser},
	}
}

func unmarshal(f func([]byte, any) error) func([]byte) (Vertex, error) {
	return func(body []byte) (v Vertex, err error) {
		err = f(body, &v)
		return v, err
	}
}
