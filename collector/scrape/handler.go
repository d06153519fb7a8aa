package scrape

import (
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// Config is what a handler needs.
type Config struct {
	// Collector is shown first. It must not be registered in Others as well.
	Collector *collector.Collector
	// Others gives further families, such as those of the Go runtime; nil for
	// none. What it gathers beside an error is still shown.
	Others prometheus.Gatherer
	// Logger takes failures of Others; nil drops them.
	Logger *slog.Logger
}

// Handler serves /metrics. It answers 200 whatever state the clusters are in.
type Handler struct {
	cfg      Config
	fallback http.Handler
	packed   packer
}

// NewHandler returns the handler for /metrics.
func NewHandler(c Config) *Handler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Others == nil {
		c.Others = prometheus.NewRegistry()
	}
	own := prometheus.NewRegistry()
	own.MustRegister(c.Collector)
	return &Handler{
		cfg: c,
		fallback: promhttp.HandlerFor(prometheus.Gatherers{own, c.Others}, promhttp.HandlerOpts{
			ErrorLog:      slog.NewLogLogger(c.Logger.Handler(), slog.LevelError),
			ErrorHandling: promhttp.ContinueOnError,
		}),
	}
}

// ServeHTTP writes the present frame and what Others has.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !takesText(r.Header) {
		h.fallback.ServeHTTP(w, r)
		return
	}
	format := expfmt.NegotiateAccept(r.Header, expfmt.FmtText, expfmt.FmtText_1_0_0)
	frame := h.cfg.Collector.Frame()
	w.Header().Set("Content-Type", string(format))
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	var err error
	if acceptsGzip(r.Header) {
		w.Header().Set("Content-Encoding", "gzip")
		err = h.packed.write(w, frame, func(tail io.Writer) error { return h.writeTail(tail, frame, format) })
	} else if err = frame.WriteData(w); err == nil {
		err = h.writeTail(w, frame, format)
	}
	if err != nil {
		// The status has been sent; the client sees a body that ends early.
		h.cfg.Logger.Debug("scrape was not written to its end", "remote", r.RemoteAddr, "error", err)
	}
}

// writeTail writes what changes from scrape to scrape.
func (h *Handler) writeTail(w io.Writer, frame *collector.Frame, format expfmt.Format) error {
	if err := frame.WriteSelf(w); err != nil {
		return err
	}
	families, err := h.cfg.Others.Gather()
	if err != nil {
		h.cfg.Logger.Error("gathering the other metrics failed in part", "error", err)
	}
	encoder := expfmt.NewEncoder(w, format)
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return err
		}
	}
	return nil
}

// takesText reports whether the client may be given the text format. A client
// that prefers protobuf, as Prometheus does when it scrapes native histograms,
// takes text as well, and we have nothing that only protobuf can say.
func takesText(header http.Header) bool {
	if expfmt.NegotiateAccept(header, expfmt.DefaultAcceptedFormats()...).FormatType() == expfmt.TypeTextPlain {
		return true
	}
	accept := strings.Join(header.Values("Accept"), ",")
	return strings.Contains(accept, "text/") || strings.Contains(accept, "*/*")
}

// acceptsGzip reports whether the client takes gzip: it must be named with a
// quality above 0.
func acceptsGzip(header http.Header) bool {
	for _, part := range strings.Split(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		q, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
		if !found {
			return true
		}
		quality, err := strconv.ParseFloat(q, 64)
		return err == nil && quality > 0
	}
	return false
}
