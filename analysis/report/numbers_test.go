package report

import (
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestNumbers(t *testing.T) {
	tests := []struct{ got, want string }{
		{percent(0), "0 %"}, {percent(0.001), "<1 %"}, {percent(0.676), "68 %"}, {percent(1), "100 %"},
		{times(3.4), "3.4 ×"}, {significant(0), "0"}, {significant(0.00004), "4e-05"}, {significant(0.06), "0.06"}, {significant(1.5625), "1.56"},
		{significant(12.34), "12.3"}, {significant(1297.4), "1,297"}, {thousands(1234567), "1,234,567"}, {thousands(-1234), "-1,234"},
		{thousands(1e18), "–"}, {percent(1e18), "–"}, {show(of(-9.2e18), rate), "–"}, {clause(of(9.2e18), " of %s", thousands), ""}, {thousands(-0.2), "0"},
		{seconds(0), "0 s"}, {seconds(2e-9), "2 ns"}, {seconds(771e-6), "771 µs"}, {seconds(0.00152), "1.52 ms"}, {seconds(33), "33 s"}, {seconds(600), "10 min"}, {seconds(7200), "2 h"},
		{span(33400 * time.Millisecond), "33 s"}, {bytesize(1536), "1.5 KiB"}, {bytesize(3), "3 B"}, {bytesize(1 << 62), "4,096 PiB"},
		{show(none, percent), "–"}, {show(of(0.5), percent), "50 %"},
		{inUnit(of(1500), analysis.UnitMilliseconds), "1.5 s"}, {inUnit(of(5), analysis.UnitRecordsPerSecond), "5/s"}, {inUnit(none, analysis.UnitBytes), "–"},
		{indexes(nil), ""}, {indexes([]int{1}), "1"}, {indexes([]int{3, 4}), "3 and 4"}, {indexes([]int{0, 1, 2, 5}), "0–2 and 5"},
		{indexes([]int{0, 2, 4, 6, 8, 10, 12}), "0, 2, 4, 6, 8, 10 …"},
		{groupRange(analysis.KeyGroupRange{First: 5, Last: 5}), "key group 5"}, {count(1, "poll"), "1 poll"}, {count(1200, "poll"), "1,200 polls"},
		{list([]string{"a", "b", "c"}), "a, b and c"}, {sentence("éa"), "Éa"}, {lowerFirst("Ab"), "ab"}, {sentence(""), ""},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"}, {"exactly ten", 11, "exactly ten"}, {"a longer name", 8, "a longe…"}, {"漢漢漢漢", 5, "漢漢…"}, {"a b", 2, "a…"},
	}
	for _, tt := range tests {
		if got := cut(tt.in, tt.n); got != tt.want || columns(got) > tt.n {
			t.Errorf("cut(%q, %d) = %q", tt.in, tt.n, got)
		}
	}
}

func TestWrapKeepsNumbersWhole(t *testing.T) {
	for _, line := range wrap("it takes 68 % of it, 3.27 ms against 268 µs; twice 12 × that", 14) {
		if line == "%" || line[0] == '%' {
			t.Errorf("a line starts with a sign: %q", line)
		}
	}
	if got := wrap("268 µs); x", 3); len(got) != 2 || got[0] != "268 µs);" {
		t.Errorf("%q", got)
	}
}

func TestBars(t *testing.T) {
	tests := []struct {
		v       analysis.Num
		unicode bool
		want    string
	}{
		{of(1), true, "████████████████████"}, {of(1.4), true, "████████████████████"}, {of(0.5), true, "██████████          "},
		{of(0.0001), true, "▏                   "}, {of(0), true, "                    "}, {none, true, ""}, {of(0.5), false, "##########          "}, {of(0.001), false, "#                   "},
	}
	for _, tt := range tests {
		if got := (canvas{tt.unicode, barColumns}).draw(tt.v); got != tt.want {
			t.Errorf("bar(%v, %v) = %q", tt.v, tt.unicode, got)
		}
	}
}
