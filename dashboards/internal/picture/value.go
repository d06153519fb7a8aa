package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
)

// colour turns a name of Grafana's palette into a colour of its dark theme.
func colour(name string) string {
	switch name {
	case "red":
		return "#e02f44"
	case "dark-red":
		return "#b3202f"
	case "orange":
		return "#e8730c"
	case "yellow":
		return "#d9af27"
	case "green":
		return "#3f9a4f"
	case "blue":
		return "#3a72c8"
	case "purple":
		return "#8f50c7"
	case "text", "":
		return "#ccccdc"
	default:
		return name
	}
}

// hue is the n-th colour of series that have none of their own.
func hue(n int) string {
	palette := []string{
		"#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#5794f2", "#b877d9", "#c9a86a", "#37b5a8", "#fade2a",
		"#a16eff", "#ff9830", "#56d3c2", "#e0b400", "#c0d8ff", "#ffa6b0",
	}
	return palette[n%len(palette)]
}

// word returns what the mappings say of a value.
func word(f grafana.Field, value string) (grafana.Word, bool) {
	for _, m := range f.Mappings {
		if w, found := m.Options[value]; found {
			return w, true
		}
	}
	return grafana.Word{}, false
}

// show returns the text and the colour of a number.
func show(f grafana.Field, v float64) (text, paint string) {
	if w, found := word(f, strconv.FormatFloat(v, 'f', -1, 64)); found {
		return w.Text, colour(w.Color)
	}
	paint = colour("text")
	for _, s := range f.Thresholds.Steps {
		if s.Value == nil || v >= *s.Value {
			paint = colour(s.Color)
		}
	}
	if f.Color.Mode == "fixed" {
		paint = colour(f.Color.Fixed)
	}
	return format(f, v), paint
}

// format writes a number with its unit, as Grafana does.
func format(f grafana.Field, v float64) string {
	if math.IsNaN(v) {
		return "NaN"
	}
	if math.IsInf(v, 0) {
		return "∞"
	}
	if math.Abs(v) < 1e-12 {
		v = 0 // Never -0.
	}
	digits := func(auto int) int {
		if f.Decimals != nil {
			return int(*f.Decimals)
		}
		return auto
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', digits(places(v)), 64) }
	switch unit := f.Unit; {
	case unit == "percentunit":
		return strconv.FormatFloat(v*100, 'f', digits(places(v*100)), 64) + "%"
	case unit == "s":
		return seconds(v, digits(-1))
	case unit == "bytes":
		return scaled(v, 1024, []string{" B", " KiB", " MiB", " GiB", " TiB"}, digits(1))
	case unit == "Bps":
		return scaled(v, 1000, []string{" B/s", " kB/s", " MB/s", " GB/s"}, digits(1))
	case unit == "reqps":
		return number(v) + " req/s"
	case strings.HasPrefix(unit, "si:"):
		u := strings.TrimPrefix(unit, "si:")
		return scaled(v, 1000, []string{" " + u, " k" + u, " M" + u}, digits(1))
	case strings.HasPrefix(unit, "suffix:"):
		return number(v) + strings.TrimPrefix(unit, "suffix:")
	case unit == "short":
		return scaled(v, 1000, []string{"", " K", " Mil"}, digits(-1))
	default:
		return number(v)
	}
}

// places is how many decimals a number of unknown size needs.
func places(v float64) int {
	switch a := math.Abs(v); {
	case a == math.Trunc(a) || a >= 100:
		return 0
	case a >= 10:
		return 1
	case a >= 0.1:
		return 2
	default:
		return 4
	}
}

func scaled(v, base float64, units []string, decimals int) string {
	i := 0
	for i < len(units)-1 && math.Abs(v) >= base {
		v /= base
		i++
	}
	if decimals < 0 {
		decimals = places(v)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + units[i]
}

// seconds writes a duration in the largest unit that it fills.
func seconds(v float64, decimals int) string {
	steps := []struct {
		size float64
		unit string
	}{{86400 * 7, " weeks"}, {86400, " days"}, {3600, " hours"}, {60, " mins"}, {1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}}
	for _, s := range steps {
		if math.Abs(v) >= s.size {
			d := decimals
			if d < 0 {
				d = places(v / s.size)
			}
			return strconv.FormatFloat(v/s.size, 'f', d, 64) + s.unit
		}
	}
	if v == 0 {
		return "0 s"
	}
	return fmt.Sprintf("%.0f ns", v*1e9)
}
