package json

import (
	"github.com/valyala/fastjson"
)

// readFastJSON returns a reader that uses its parsers again, as fastjson means them to be.
func readFastJSON() func([]byte) (Vertex, error) {
	var pool fastjson.ParserPool
	return func(body []byte) (Vertex, error) {
		p := pool.Get()
		defer pool.Put(p)
		return parseFastJSON(p, body)
	}
}

func parseFastJSON(p *fastjson.Parser, body []byte) (v Vertex, err error) {
	root, err := p.ParseBytes(body)
	if err != nil {
		return v, err
	}
	v = Vertex{
		ID: string(root.GetStringBytes("id")), Parallelism: root.GetInt("parallelism"),
		MaxParallelism: root.GetInt("maxParallelism"), Now: root.GetInt64("now"),
	}
	list := root.GetArray("subtasks")
	v.Subtasks = make([]Subtask, 0, len(list))
	for _, e := range list {
		m := e.Get("metrics")
		v.Subtasks = append(v.Subtasks, Subtask{
			Index: int32(e.GetInt("subtask")), Status: string(e.GetStringBytes("status")), Attempt: int32(e.GetInt("attempt")),
			Endpoint: string(e.GetStringBytes("endpoint")), Duration: e.GetInt64("duration"),
			TaskManager: string(e.GetStringBytes("taskmanager-id")), States: States{e.GetInt64("status-duration", "RUNNING")},
			Metrics: Metrics{
				ReadRecords: m.GetInt64("read-records"), ReadRecordsComplete: m.GetBool("read-records-complete"),
				WriteRecords: m.GetInt64("write-records"), WriteRecordsComplete: m.GetBool("write-records-complete"),
				ReadBytes: m.GetInt64("read-bytes"), ReadBytesComplete: m.GetBool("read-bytes-complete"),
				WriteBytes: m.GetInt64("write-bytes"), WriteBytesComplete: m.GetBool("write-bytes-complete"),
				Busy: m.GetFloat64("accumulated-busy-time"), BackPressured: m.GetInt64("accumulated-backpressured-time"),
				Idle: m.GetInt64("accumulated-idle-time"),
			},
		})
	}
	return v, nil
}
