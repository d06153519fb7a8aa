package dashboards

import (
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Colours by their names in Grafana's palette, which has a tone of each for
// the dark and for the light theme.
const (
	red    = "red"
	dred   = "dark-red"
	orange = "orange"
	yellow = "yellow"
	green  = "green"
	blue   = "blue"
	purple = "purple"
	grey   = "#8e8e8e"
	slate  = "#5f6b7a"
)

// Units, as Grafana names them.
const (
	unitRatio   = "percentunit"
	unitTimes   = "suffix: ×"
	unitSeconds = "s"
	unitBytes   = "bytes"
	unitRate    = "si:rec/s"
	unitCount   = "short"
	unitInteger = "none"
	unitPerSec  = "suffix: /s"
	unitRequest = "reqps"
	unitBytesPS = "Bps"
)

// word is how a value of a closed set is shown: with a sign, because colour
// alone tells some readers nothing.
type word struct{ text, colour string }

// verdictWord is how a verdict is shown. Red and orange are skews and stalls
// that hold a job back, purple is what a layout makes, blue needs no action
// here, grey says nothing.
func verdictWord(v analysis.VerdictID) word {
	switch v {
	case analysis.NotEnoughData:
		return word{"? not enough data", grey}
	case analysis.Quiet:
		return word{"· quiet", slate}
	case analysis.Balanced:
		return word{"✓ balanced", green}
	case analysis.HotKey:
		return word{"▲ hot key", red}
	case analysis.FewKeys:
		return word{"▲ few keys", orange}
	case analysis.KeyGroupLayout:
		return word{"▦ key-group layout", purple}
	case analysis.PartitionLayout:
		return word{"▦ partition layout", purple}
	case analysis.IdleReaders:
		return word{"▦ idle readers", purple}
	case analysis.HotPartition:
		return word{"▲ hot partition", orange}
	case analysis.SlowTaskManager:
		return word{"◐ slow TaskManager", dred}
	case analysis.CostlyRecords:
		return word{"◆ costly records", orange}
	case analysis.UnevenInput:
		return word{"▲ uneven input", orange}
	case analysis.UniformSaturation:
		return word{"■ uniform saturation", red}
	case analysis.Stalled:
		return word{"✖ stalled", dred}
	case analysis.Backpressured:
		return word{"← back-pressured", blue}
	default:
		return word{string(v), grey}
	}
}

// severityWord is how a severity is shown.
func severityWord(s analysis.Severity) word {
	switch s {
	case analysis.SeverityCritical:
		return word{"✖ critical", red}
	case analysis.SeverityWarning:
		return word{"! warning", orange}
	case analysis.SeverityInfo:
		return word{"i info", blue}
	default:
		return word{"✓ none", green}
	}
}

// mapping turns values into words.
func mapping(words map[string]word) []dashboard.ValueMapping {
	options := make(map[string]dashboard.ValueMappingResult, len(words))
	for value, w := range words {
		options[value] = dashboard.ValueMappingResult{Text: &w.text, Color: &w.colour}
	}
	return []dashboard.ValueMapping{{ValueMap: &dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: options}}}
}

// verdictNames maps the label, verdictCodes the number of verdictCode.
func verdictNames() []dashboard.ValueMapping {
	words := map[string]word{}
	for _, v := range analysis.Verdicts() {
		words[string(v)] = verdictWord(v)
	}
	return mapping(words)
}

func verdictCodes() []dashboard.ValueMapping {
	words := map[string]word{}
	for i, v := range analysis.Verdicts() {
		words[strconv.Itoa(i)] = verdictWord(v)
	}
	return mapping(words)
}

// severityCodes maps the number of flink_skew_vertex_severity.
func severityCodes() []dashboard.ValueMapping {
	words := map[string]word{}
	for s := analysis.SeverityNone; s <= analysis.SeverityCritical; s++ {
		words[strconv.Itoa(int(s))] = severityWord(s)
	}
	return mapping(words)
}

func confidenceCodes() []dashboard.ValueMapping {
	return mapping(map[string]word{"1": {"low", grey}, "2": {"medium", yellow}, "3": {"high", green}})
}

func scalingCodes() []dashboard.ValueMapping {
	return mapping(map[string]word{"0": {"✖ no", red}, "0.5": {"◐ partly", yellow}, "1": {"✓ yes", green}})
}

func bottleneckCodes() []dashboard.ValueMapping {
	return mapping(map[string]word{"1": {"◄ starts here", orange}})
}

func upCodes() []dashboard.ValueMapping {
	return mapping(map[string]word{"0": {"✖ not reached", red}, "1": {"✓ reached", green}})
}

// steps colours a value by the thresholds it has passed: the base colour below
// the first, then alternating value and colour.
type step struct {
	from   float64
	colour string
}

func steps(base string, above ...step) *dashboard.ThresholdsConfig {
	t := &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute, Steps: []dashboard.Threshold{{Color: base}}}
	for _, s := range above {
		t.Steps = append(t.Steps, dashboard.Threshold{Value: ptr(s.from), Color: s.colour})
	}
	return t
}

// The thresholds are the defaults of the analysis, so that a panel turns red
// where a verdict would.
func busySteps() *dashboard.ThresholdsConfig {
	c := analysis.Defaults()
	return steps(green, step{c.TargetUtilisation, yellow}, step{c.SaturatedEnter, red})
}

func backpressureSteps() *dashboard.ThresholdsConfig {
	c := analysis.Defaults()
	return steps(green, step{c.BackpressuredEnter / 2, yellow}, step{c.BackpressuredEnter, red})
}

func skewSteps() *dashboard.ThresholdsConfig {
	c := analysis.Defaults()
	return steps(green, step{c.SkewEnter, yellow}, step{c.HotEnter, red})
}

// headroomSteps: below 1 scaling cannot meet the load, and below 1.5 there is
// not even room for the next half again.
func headroomSteps() *dashboard.ThresholdsConfig {
	return steps(red, step{1, orange}, step{1.5, yellow}, step{2, green})
}

// goodAtZero turns from green where anything is counted at all.
func goodAtZero(colour string) *dashboard.ThresholdsConfig { return steps(green, step{1, colour}) }

func plain() *dashboard.ThresholdsConfig { return steps(blue) }
