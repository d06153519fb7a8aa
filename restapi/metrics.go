package restapi

import (
	"errors"
	"maps"
	"net/url"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// maxRequestLine is the longest request line sent, in bytes. Flink's server
// cuts off above 4096 and answers as if the page did not exist.
const maxRequestLine = 4000

// errManyMetrics says that some values were not asked for.
var errManyMetrics = errors.New("more requests than are allowed for the values of one page")

// metricRead reads the values of some metrics of one page.
type metricRead struct {
	p  *poll
	to call
	// left is how many requests may still be made.
	left   int
	values map[string]analysis.Num
}

// metricValues reads the values of the named metrics, in as many requests as
// the length of their names needs. Names that Flink does not know are left
// out. At most most requests are made, whatever the names' lengths are and
// however often the server rejects them; the error is errManyMetrics where
// they do not suffice.
func (p *poll) metricValues(to call, names []string, most int) (map[string]analysis.Num, error) {
	var chunks [][]string
	used := len("GET  HTTP/1.1\r\n") + len(p.c.managers.url()) + len(to.path)
	for len(names) > 0 {
		n := fitting(used, names)
		chunks = append(chunks, names[:n])
		names = names[n:]
	}
	if len(chunks) > most {
		return nil, errManyMetrics
	}
	m := &metricRead{p: p, to: to, left: most, values: map[string]analysis.Num{}}
	for _, chunk := range chunks {
		if err := m.read(chunk); err != nil {
			return nil, err
		}
	}
	return m.values, nil
}

// fitting returns how many of the names fit into one request line of which
// used bytes are taken, at least one.
func fitting(used int, names []string) int {
	used += len("?get=")
	for i, name := range names {
		used += len(url.QueryEscape(name)) + 1
		if used > maxRequestLine && i > 0 {
			return i
		}
	}
	return len(names)
}

// read reads some metrics in one request, and in two of half the length when
// the server rejects it. A single name that is rejected is left out.
func (m *metricRead) read(names []string) error {
	if m.left == 0 {
		return errManyMetrics
	}
	m.left--
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = url.QueryEscape(name)
	}
	query := "?get=" + strings.Join(escaped, ",")
	values, err := fetch(m.p.ctx, m.p.c, call{m.to.endpoint, m.to.path + query}, decodeMetricValues)
	var e *Error
	switch {
	case errors.As(err, &e) && e.reason == ReasonBadRequest:
		if len(names) == 1 {
			return nil
		}
		half := len(names) / 2
		if err := m.read(names[:half]); err != nil {
			return err
		}
		return m.read(names[half:])
	case err != nil:
		return err
	}
	maps.Copy(m.values, values)
	return nil
}
