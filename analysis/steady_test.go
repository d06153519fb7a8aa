package analysis

import (
	"strings"
	"testing"
)

// TestSteady writes windows and the verdicts that stand after each as letters:
// b balanced, h hot_key, l key_group_layout, q quiet, - not_enough_data,
// u not_enough_data for want of agreement.
func TestSteady(t *testing.T) {
	ids := map[rune]VerdictID{'b': Balanced, 'h': HotKey, 'l': KeyGroupLayout, 'q': Quiet, '-': NotEnoughData, 'u': NotEnoughData}
	for _, c := range []struct{ name, windows, stands string }{
		{"the first verdict is taken at once", "hhh", "hhh"},
		{"one window is no change", "bbhbb", "bbbbb"},
		{"two in a row are", "bbhhh", "bbbhh"},
		{"three in a row to leave for balanced", "hhbbhbbb", "hhhhhhhb"},
		{"two for another cause", "hhll", "hhhl"},
		{"an interrupted rival starts again", "bbhlhlhh", "bbbbbbbh"},
		{"missing data ends it at once", "hh-hh", "hh-hh"},
		{"signals that disagree for a window do not", "hhuhh", "hhhhh"},
		{"nor do they hold for ever", "hhuuu", "hhhuu"},
	} {
		var s steady
		var stands strings.Builder
		for _, w := range c.windows {
			v := Verdict{ID: ids[w]}
			if w == 'u' {
				v.Advice.Missing = MissingAgreement
			}
			s = s.take(v, Defaults())
			for letter, id := range ids {
				if id == s.held.ID && (letter == 'u') == (s.held.Advice.Missing == MissingAgreement) {
					stands.WriteRune(letter)
				}
			}
		}
		if stands.String() != c.stands {
			t.Errorf("%s: %s gives %s, want %s", c.name, c.windows, stands.String(), c.stands)
		}
	}
}

func TestConfidenceGrows(t *testing.T) {
	var s steady
	for i, want := range []Confidence{ConfidenceLow, ConfidenceMedium, ConfidenceHigh, ConfidenceHigh} {
		if s = s.take(Verdict{ID: HotKey}, Defaults()); s.held.Confidence != want {
			t.Errorf("after %d windows: %s, want %s", i+1, s.held.Confidence, want)
		}
	}
	var capped steady
	for range 5 {
		capped = capped.take(Verdict{ID: SlowTaskManager, Judgement: Judgement{Confidence: ConfidenceMedium}}, Defaults())
	}
	if capped.held.Confidence != ConfidenceMedium {
		t.Errorf("a rule that is never sure became %s", capped.held.Confidence)
	}
}

// TestSteadyFlag: y and n are windows, and what stands after each.
func TestSteadyFlag(t *testing.T) {
	for _, c := range []struct{ windows, stands string }{
		{"yyy", "yyy"}, {"nyn", "nnn"}, {"nyyn", "nnyy"}, {"ynnnn", "yyynn"}, {"ynnyn", "yyyyy"},
	} {
		var f steadyFlag
		var stands strings.Builder
		for _, w := range c.windows {
			f = f.take(w == 'y', Defaults())
			stands.WriteByte("ny"[map[bool]int{true: 1}[f.on]])
		}
		if stands.String() != c.stands {
			t.Errorf("%s gives %s, want %s", c.windows, stands.String(), c.stands)
		}
	}
}
