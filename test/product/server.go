package product

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
)

// startDeadline is how long the server may take until it answers.
const startDeadline = time.Minute

// Server is a running serve or demo command.
type Server struct {
	*proc.Process
	address, url string
}

// Address returns where it listens: what Prometheus calls the instance.
func (s *Server) Address() string { return s.address }

// Serve starts the serve command on the given port and waits until it says
// that it is healthy, which it does not depend on any cluster for.
func (b Binary) Serve(t testing.TB, name string, port int, args ...string) *Server {
	t.Helper()
	return b.listen(t, name, "serve", port, args)
}

// Demo starts the demo command, as Serve starts serve.
func (b Binary) Demo(t testing.TB, name string, port int, args ...string) *Server {
	t.Helper()
	return b.listen(t, name, "demo", port, args)
}

// listen starts a command that serves, on the given port.
func (b Binary) listen(t testing.TB, name, command string, port int, args []string) *Server {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", port)
	s := &Server{address: address, url: "http://" + address}
	s.Process = b.Start(t, name, append([]string{command, "--web.listen-address=" + address}, args...)...)
	await.Until(t, startDeadline, name+" to be healthy", func() error {
		if err := s.Ended(); err != nil {
			return await.Hopeless(err)
		}
		status, err := s.Status("/-/healthy")
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d", status)
		}
		return err
	})
	return s
}

// Status returns the status code of a page.
func (s *Server) Status(path string) (int, error) {
	resp, err := s.get(path)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// get asks for a page, with a bound that is far above what any page takes.
func (s *Server) get(path string) (*http.Response, error) {
	client := http.Client{Timeout: 10 * time.Second}
	return client.Get(s.url + path)
}

// Scrape is the content of /metrics.
type Scrape map[string]*dto.MetricFamily

// Scrape reads /metrics as Prometheus would.
func (s *Server) Scrape() (Scrape, error) {
	resp, err := s.get("/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("/metrics answered %s", resp.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("/metrics cannot be parsed: %w", err)
	}
	return families, nil
}

// Labels are label values by name.
type Labels map[string]string

// Sample is one series' labels and value.
type Sample struct {
	Labels Labels
	Value  float64
}

// Samples returns the series of a family that carry all the given labels.
func (s Scrape) Samples(family string, want Labels) []Sample {
	var found []Sample
	for _, m := range s[family].GetMetric() {
		labels := Labels{}
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		if labels.contain(want) {
			found = append(found, Sample{Labels: labels, Value: value(m)})
		}
	}
	return found
}

// Value returns the value of the only series of a family that carries the
// given labels.
func (s Scrape) Value(family string, want Labels) (float64, error) {
	found := s.Samples(family, want)
	if len(found) != 1 {
		return 0, fmt.Errorf("%s%v has %d series, want 1", family, want, len(found))
	}
	return found[0].Value, nil
}

// contain reports whether all of want are among the labels.
func (l Labels) contain(want Labels) bool {
	for name, v := range want {
		if l[name] != v {
			return false
		}
	}
	return true
}

// value returns the value of a counter or gauge.
func value(m *dto.Metric) float64 {
	if m.Counter != nil {
		return m.GetCounter().GetValue()
	}
	return m.GetGauge().GetValue()
}
