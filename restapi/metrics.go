package restapi

import (
	"errors"
	"maps"
	"net/url"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// maxRequestLine is the longest request line sent, in bytes. Flink's server
// cuts off above 4096 and answers as if the page did not exist.
const maxRequestLine = 4000

// metricValues reads the values of the named metrics, in as many requests as
// the length of their names needs. Names that Flink does not know are left out.
func (p *poll) metricValues(to call, names []string) (map[string]analysis.Num, error) {
	all := map[string]analysis.Num{}
	for len(names) > 0 {
		n := fitting(len("GET  HTTP/1.1\r\n")+len(p.c.opts.URL)+len(to.path), names)
		if err := p.metricChunk(to, names[:n], all); err != nil {
			return nil, err
		}
		names = names[n:]
	}
	return all, nil
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

// metricChunk reads some metrics in one request, and in two of half the length
// when the server rejects it. A single name that is rejected is left out.
func (p *poll) metricChunk(to call, names []string, into map[string]analysis.Num) error {
	query := "?get="
	for i, name := range names {
		if i > 0 {
			query += ","
		}
		query += url.QueryEscape(name)
	}
	values, err := fetch(p.ctx, p.c, call{to.endpoint, to.path + query}, decodeMetricValues)
	var e *Error
	switch {
	case errors.As(err, &e) && e.reason == ReasonBadRequest:
		if len(names) == 1 {
			return nil
		}
		half := len(names) / 2
		if err := p.metricChunk(to, names[:half], into); err != nil {
			return err
		}
		return p.metricChunk(to, names[half:], into)
	case err != nil:
		return err
	}
	maps.Copy(into, values)
	return nil
}
