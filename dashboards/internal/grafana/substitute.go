package grafana

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Span is the time range and the resolution of a query.
type Span struct {
	Start, End time.Time
	Step       time.Duration
}

// Range is the length of the time range.
func (s Span) Range() time.Duration { return s.End.Sub(s.Start) }

// Substitute puts values in the place of variables, those that Grafana brings
// along included. A variable that is neither is an error. The rate interval is
// four scrapes or the step and a scrape, whichever is longer, as in Grafana.
func Substitute(text string, values map[string]string, s Span, scrape time.Duration) (string, error) {
	known := map[string]string{
		"__range":         seconds(s.Range()),
		"__range_s":       fmt.Sprintf("%.0f", s.Range().Seconds()),
		"__interval":      seconds(s.Step),
		"__rate_interval": seconds(max(4*scrape, s.Step+scrape)),
	}
	var missing []string
	re := regexp.MustCompile(`\$\{?([A-Za-z_]\w*)\}?`)
	out := re.ReplaceAllStringFunc(text, func(v string) string {
		name := strings.Trim(v, "${}")
		if value, found := values[name]; found {
			return value
		}
		if value, found := known[name]; found {
			return value
		}
		missing = append(missing, v)
		return v
	})
	if missing != nil {
		return "", fmt.Errorf("no value for %s", strings.Join(missing, ", "))
	}
	return out, nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0fs", max(1, d.Seconds())) }
