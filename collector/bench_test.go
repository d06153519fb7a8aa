package collector

import (
	"fmt"
	"io"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// counting counts the bytes of an exposition.
type counting struct{ n int64 }

func (c *counting) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// sizes are numbers of vertices of 100 subtasks each.
func sizes() []int { return []int{100, 1_000, 10_000} }

// BenchmarkScrape is what /metrics costs in text: a new frame and all its bytes.
func BenchmarkScrape(b *testing.B) {
	for _, vertices := range sizes() {
		b.Run(fmt.Sprintf("subtasks=%d", vertices*100), func(b *testing.B) {
			p := newFed(b, "bench")
			p.cfg.Top = DefaultTop
			feed(p, bigResult(vertices, 100))
			c := newShown(b, Options{}, p)
			var out counting
			b.ReportAllocs()
			for b.Loop() {
				out.n = 0
				frame := c.Frame()
				if err := frame.WriteData(&out); err != nil {
					b.Fatal(err)
				}
				if err := frame.WriteSelf(&out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.n)/1e6, "MB/scrape")
			b.ReportMetric(float64(c.Frame().pollers[0].series), "series")
		})
	}
}

// BenchmarkView is what a poll pays so that scrapes are cheap.
func BenchmarkView(b *testing.B) {
	for _, vertices := range sizes() {
		b.Run(fmt.Sprintf("subtasks=%d", vertices*100), func(b *testing.B) {
			r, t := bigResult(vertices, 100), newTable()
			b.ReportAllocs()
			for b.Loop() {
				newView(t, &r, "bench", DefaultTop)
			}
		})
	}
}

// BenchmarkCollect is the ordinary way through a registry, for comparison.
func BenchmarkCollect(b *testing.B) {
	for _, vertices := range sizes()[:2] {
		b.Run(fmt.Sprintf("subtasks=%d", vertices*100), func(b *testing.B) {
			p := newFed(b, "bench")
			p.cfg.Top = DefaultTop
			feed(p, bigResult(vertices, 100))
			registry := prometheus.NewRegistry()
			registry.MustRegister(newShown(b, Options{}, p))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := registry.Gather(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFrame is what a scrape does before the first byte.
func BenchmarkFrame(b *testing.B) {
	p := newFed(b, "bench")
	feed(p, bigResult(1_000, 10))
	c := newShown(b, Options{}, p)
	for b.Loop() {
		if err := c.Frame().WriteSelf(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
