package restapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// benchVertex is what encoding/json decodes the same answer into: the fields
// that decodeVertex reads, and no more, as plain values.
type benchVertex struct {
	ID             string         `json:"id"`
	Parallelism    int            `json:"parallelism"`
	MaxParallelism int            `json:"maxParallelism"`
	Now            int64          `json:"now"`
	Subtasks       []benchSubtask `json:"subtasks"`
}

type benchSubtask struct {
	Subtask        int32        `json:"subtask"`
	Status         string       `json:"status"`
	Attempt        int32        `json:"attempt"`
	Host           string       `json:"host"`
	Endpoint       string       `json:"endpoint"`
	Duration       int64        `json:"duration"`
	TaskManager    string       `json:"taskmanager-id"`
	StatusDuration benchStates  `json:"status-duration"`
	Metrics        benchMetrics `json:"metrics"`
}

type benchStates struct {
	Running int64 `json:"RUNNING"`
}

type benchMetrics struct {
	ReadRecords          float64 `json:"read-records"`
	ReadRecordsComplete  bool    `json:"read-records-complete"`
	WriteRecords         float64 `json:"write-records"`
	WriteRecordsComplete bool    `json:"write-records-complete"`
	ReadBytes            float64 `json:"read-bytes"`
	ReadBytesComplete    bool    `json:"read-bytes-complete"`
	WriteBytes           float64 `json:"write-bytes"`
	WriteBytesComplete   bool    `json:"write-bytes-complete"`
	Busy                 float64 `json:"accumulated-busy-time"`
	BackPressured        float64 `json:"accumulated-backpressured-time"`
	Idle                 float64 `json:"accumulated-idle-time"`
}

// vertexBody returns a body of the given parallelism, made from the recorded
// answer of the tape with the most subtasks by repeating them under new numbers.
func vertexBody(tb testing.TB, parallelism int) []byte {
	tb.Helper()
	f, err := os.Open("../testdata/tapes/layout-100-of-128-2.3.0.jsonl.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var body []byte
	for d := json.NewDecoder(z); d.More(); {
		var line struct {
			Path string          `json:"path"`
			Body json.RawMessage `json:"body"`
		}
		if err := d.Decode(&line); err != nil {
			tb.Fatal(err)
		}
		parts := strings.Split(line.Path, "/")
		if len(parts) == 5 && parts[3] == "vertices" && len(line.Body) > len(body) {
			body = line.Body
		}
	}
	var v map[string]json.RawMessage
	var subtasks []map[string]json.RawMessage
	if err := json.Unmarshal(body, &v); err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(v["subtasks"], &subtasks); err != nil {
		tb.Fatal(err)
	}
	start := bytes.Index(body, []byte(`"subtasks":[`)) + len(`"subtasks":[`)
	end := bytes.Index(body, []byte(`],"aggregated"`))
	recorded := strings.SplitAfter(strings.ReplaceAll(string(body[start:end])+",", `},{"subtask"`, "},\x00{\"subtask\""), "\x00")
	var out bytes.Buffer
	out.Write(bytes.Replace(body[:start], []byte(`"parallelism":100`), fmt.Appendf(nil, `"parallelism":%d`, parallelism), 1))
	for i := range parallelism {
		old := i % len(recorded)
		text := strings.TrimRight(recorded[old], ",\x00")
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(strings.Replace(text, fmt.Sprintf(`"subtask":%d,`, old), fmt.Sprintf(`"subtask":%d,`, i), 1))
	}
	out.Write(body[end:])
	return out.Bytes()
}

func BenchmarkDecodeVertex(b *testing.B) {
	for _, p := range []int{100, 5000} {
		body := vertexBody(b, p)
		report := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p), "ns/subtask")
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
		}
		b.Run(fmt.Sprintf("scanner/p=%d", p), func(b *testing.B) {
			for b.Loop() {
				v, err := decodeVertex(body)
				if err != nil || len(v.subtasks) != p {
					b.Fatal(err, len(v.subtasks))
				}
			}
			report(b)
		})
		b.Run(fmt.Sprintf("encoding_json/p=%d", p), func(b *testing.B) {
			for b.Loop() {
				var v benchVertex
				if err := json.Unmarshal(body, &v); err != nil || len(v.Subtasks) != p {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}
}
