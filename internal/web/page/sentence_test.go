package page

import (
	"reflect"
	"strings"
	"testing"
)

func TestSplitFindsTheCommand(t *testing.T) {
	for text, want := range map[string]sentence{
		"Look upstream.": {Before: "Look upstream."},
		"Of keys.txt, flink-skew-exporter keys --max-parallelism=128 --groups=16-31 < keys.txt tells which do.": {
			"Of keys.txt,", "tells which do.", strings.Fields("flink-skew-exporter keys --max-parallelism=128 --groups=16-31 < keys.txt"),
		},
		"Run flink-skew-exporter plan --job=x.": {"Run", ".", strings.Fields("flink-skew-exporter plan --job=x")},
		"The flink-skew-exporter ":              {"The", "", []string{"flink-skew-exporter"}},
	} {
		if got := split([]string{text})[0]; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}
