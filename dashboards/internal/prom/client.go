package prom

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxBody bounds an answer, in bytes.
const maxBody = 256 << 20

// Client asks one server.
type Client struct {
	// URL is the server's address, without a path.
	URL  string
	HTTP *http.Client
}

// Series is one series of an answer. An instant query gives one point.
type Series struct {
	Labels map[string]string
	Points []Point
}

// Point is a value at a time; NaN and infinities are kept.
type Point struct {
	T time.Time
	V float64
}

// Last returns the newest value that is a number.
func (s Series) Last() (float64, bool) {
	for i := len(s.Points) - 1; i >= 0; i-- {
		if v := s.Points[i].V; !math.IsNaN(v) {
			return v, true
		}
	}
	return 0, false
}

// answer is the envelope of the API.
type answer struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Data   struct {
		Type   string          `json:"resultType"`
		Result json.RawMessage `json:"result"`
	} `json:"data"`
}

// sample is a pair of Unix seconds and a number in quotes.
type sample [2]json.RawMessage

// Instant evaluates the expression at a time.
func (c *Client) Instant(ctx context.Context, expr string, at time.Time) ([]Series, error) {
	return c.ask(ctx, "/api/v1/query", url.Values{"query": {expr}, "time": {unix(at)}})
}

// Range evaluates the expression from start to end at every step.
func (c *Client) Range(ctx context.Context, expr string, start, end time.Time, step time.Duration) ([]Series, error) {
	return c.ask(ctx, "/api/v1/query_range", url.Values{
		"query": {expr}, "start": {unix(start)}, "end": {unix(end)}, "step": {fmt.Sprintf("%.3f", step.Seconds())},
	})
}

func unix(t time.Time) string { return fmt.Sprintf("%.3f", float64(t.UnixMilli())/1000) }

func (c *Client) ask(ctx context.Context, path string, form url.Values) ([]Series, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(c.URL, "/")+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, fmt.Errorf("ask Prometheus: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask Prometheus: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("read the answer of Prometheus: %w", err)
	}
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("answer %d of Prometheus is no JSON: %w", resp.StatusCode, err)
	}
	if a.Status != "success" {
		return nil, fmt.Errorf("answer %d of Prometheus: %s", resp.StatusCode, a.Error)
	}
	return decode(a)
}

func decode(a answer) ([]Series, error) {
	var raw []struct {
		Metric map[string]string `json:"metric"`
		Value  *sample           `json:"value"`
		Values []sample          `json:"values"`
	}
	if err := json.Unmarshal(a.Data.Result, &raw); err != nil {
		return nil, fmt.Errorf("decode a %s of Prometheus: %w", a.Data.Type, err)
	}
	series := make([]Series, 0, len(raw))
	for _, r := range raw {
		s := Series{Labels: r.Metric}
		if r.Value != nil {
			r.Values = []sample{*r.Value}
		}
		for _, v := range r.Values {
			p, err := v.point()
			if err != nil {
				return nil, err
			}
			s.Points = append(s.Points, p)
		}
		series = append(series, s)
	}
	return series, nil
}

func (s sample) point() (Point, error) {
	at, err := strconv.ParseFloat(string(s[0]), 64)
	if err != nil {
		return Point{}, fmt.Errorf("time of a sample of Prometheus: %w", err)
	}
	v, err := strconv.ParseFloat(strings.Trim(string(s[1]), `"`), 64)
	if err != nil {
		return Point{}, fmt.Errorf("value of a sample of Prometheus: %w", err)
	}
	return Point{T: time.UnixMilli(int64(at * 1000)), V: v}, nil
}
