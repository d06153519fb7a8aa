package savepoint

import (
	"bytes"
	"errors"
	"os"
	"testing"
)

// FuzzParse: whatever the bytes are, reading them with and without seeking and
// details ends, agrees, and names an offset inside of them.
func FuzzParse(f *testing.F) {
	for _, name := range sampleNames(f) {
		if file := sample(f, name); len(file) < 20<<10 {
			f.Add(file)
		}
	}
	for _, path := range invalid(f) {
		file, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		full, err := Parse(bytes.NewReader(file), Options{Detail: true})
		brief, streamErr := Parse(stream{bytes.NewReader(file)}, Options{})
		if err == nil && streamErr != nil && full.OldChannels {
			return // A second attempt needs seeking.
		}
		if (err == nil) != (streamErr == nil) {
			t.Fatalf("seeking: %v, stream: %v", err, streamErr)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(file))) {
			t.Fatalf("error %v for %d bytes", err, len(file))
		}
		if err != nil && !e.Properties {
			return
		}
		full.Kind()
		for i, o := range full.Operators {
			if o.Bytes() < 0 || o.Bytes() != brief.Operators[i].Bytes() || o.CheckpointedBytes() < 0 {
				t.Fatalf("operator %s: %d bytes, and %d in a stream", o.ID, o.Bytes(), brief.Operators[i].Bytes())
			}
			if len(o.Subtasks) > o.Parallelism {
				t.Fatalf("operator %s: %d subtasks at parallelism %d", o.ID, len(o.Subtasks), o.Parallelism)
			}
			o.Predict([]int{1, o.Parallelism, o.MaxParallelism, o.MaxParallelism + 1})
		}
	})
}
