package flink

import (
	"fmt"
	"testing"
)

// TestLowest: the late subtask is found by its index, not by its place in the
// answer, and only when it is late by a minute.
func TestLowest(t *testing.T) {
	for _, c := range []struct {
		name    string
		metrics []string
		want    int
		wantErr bool
	}{
		{"behind", []string{"2.currentInputWatermark=1000000", "0.currentInputWatermark=1060000", "1.currentInputWatermark=1070000"}, 2, false},
		{"unset", []string{"0.currentInputWatermark=1060000", "1.currentInputWatermark=-9223372036854775808"}, 1, false},
		{"all unset", []string{"0.currentInputWatermark=-9223372036854775808", "1.currentInputWatermark=-9223372036854775808"}, 0, true},
		{"close", []string{"0.currentInputWatermark=1059999", "1.currentInputWatermark=1000000"}, 0, true},
		{"one", []string{"0.currentInputWatermark=1059999"}, 0, true},
		{"no number", []string{"0.currentInputWatermark=NaNs", "1.currentInputWatermark=1"}, 0, true},
	} {
		got, err := lowest(len(c.metrics), func(i int) (string, string) {
			var subtask int
			var value string
			if _, err := fmt.Sscanf(c.metrics[i], "%d.currentInputWatermark=%s", &subtask, &value); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%d.currentInputWatermark", subtask), value
		})
		if (err != nil) != c.wantErr || got != c.want {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
	}
}
