package json

import (
	"bytes"
	"compress/gzip"
	stdjson "encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// recorded returns the largest vertex answer of a tape.
func recorded(tb testing.TB, tape string) []byte {
	tb.Helper()
	f, err := os.Open("../../testdata/tapes/" + tape)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var body []byte
	for d := stdjson.NewDecoder(z); d.More(); {
		var line struct {
			Path string
			Body stdjson.RawMessage
		}
		if err := d.Decode(&line); err != nil {
			tb.Fatal(err)
		}
		parts := strings.Split(line.Path, "/")
		if len(parts) == 5 && parts[3] == "vertices" && len(line.Body) > len(body) {
			body = line.Body
		}
	}
	return body
}

// enlarge returns a body of n subtasks by repeating those of body.
func enlarge(tb testing.TB, body []byte, n int) []byte {
	tb.Helper()
	start := bytes.Index(body, []byte(`"subtasks":[`)) + len(`"subtasks":[`)
	end := bytes.Index(body, []byte(`],"aggregated"`))
	if start < 0 || end < start {
		tb.Fatal("the recorded answer has another shape than expected")
	}
	list := string(body[start:end])
	one := list[:strings.Index(list, `},{"subtask"`)+1]
	var out bytes.Buffer
	out.Write(body[:start])
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(strings.Replace(one, `"subtask":0,`, fmt.Sprintf(`"subtask":%d,`, i), 1))
	}
	out.Write(body[end:])
	return out.Bytes()
}

func TestReadersAgree(t *testing.T) {
	for _, tape := range []string{"layout-100-of-128-2.3.0.jsonl.gz", "hot-key-1.20.3.jsonl.gz", "hot-key-1.15.4.jsonl.gz"} {
		body := recorded(t, tape)
		readers := Readers()
		want, err := readers[0].Read(body)
		if err != nil || len(want.Subtasks) == 0 {
			t.Fatalf("%s: %v, %d subtasks", tape, err, len(want.Subtasks))
		}
		for _, r := range readers[1:] {
			if got, err := r.Read(body); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s differs from encoding/json (error %v)", tape, r.Name, err)
			}
		}
	}
}

func BenchmarkDecodeVertex(b *testing.B) {
	small := recorded(b, "layout-100-of-128-2.3.0.jsonl.gz")
	for _, p := range []int{100, 5000} {
		body := enlarge(b, small, p)
		for _, r := range Readers() {
			b.Run(fmt.Sprintf("%s/p=%d", r.Name, p), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if v, err := r.Read(body); err != nil || len(v.Subtasks) != p {
						b.Fatal(err, len(v.Subtasks))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p), "ns/subtask")
			})
		}
	}
}
