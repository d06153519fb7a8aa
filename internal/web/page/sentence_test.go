package page

import "testing"

func TestSplitFindsTheCommand(t *testing.T) {
	for text, want := range map[string]sentence{
		"Look upstream.": {Before: "Look upstream."},
		"Of keys.txt, flink-skew-exporter keys --max-parallelism=128 --groups=16-31 < keys.txt tells which do.": {
			"Of keys.txt,", "flink-skew-exporter keys --max-parallelism=128 --groups=16-31 < keys.txt", "tells which do.",
		},
		"Run flink-skew-exporter plan --job=x.": {"Run", "flink-skew-exporter plan --job=x", "."},
		"The flink-skew-exporter ":              {"The", "flink-skew-exporter ", ""},
	} {
		if got := split([]string{text})[0]; got != want {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}
