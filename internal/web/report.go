package web

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/weekly"
)

// reportLines is how many lines a table of the page has at most.
const reportLines = 100

// ceilingReport answers /report with the ceiling report of the present. The
// form is that of ?format=, or else the first that the client accepts, HTML if
// it does not mind.
func ceilingReport(view func() report.Input) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		format, ok := reportFormat(r)
		if !ok {
			text(w, http.StatusBadRequest, "format must be html, markdown, json, csv or text")
			return
		}
		doc := weekly.New(weekly.Present(view(), weekly.BasisLive))
		var b bytes.Buffer
		if err := weekly.Write(&b, &doc, format, weekly.Options{Top: reportLines}); err != nil {
			text(w, http.StatusInternalServerError, "the report could not be made")
			return
		}
		w.Header().Set("Content-Type", format.MediaType())
		w.Header().Set("Content-Security-Policy", inlineStyle) // The page is one file.
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(b.Bytes()) // An error is that of a client that has gone.
	})
}

func reportFormat(r *http.Request) (weekly.Format, bool) {
	if f := weekly.Format(r.URL.Query().Get("format")); f != "" {
		return f, slices.Contains(weekly.Formats(), f)
	}
	for part := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		kind, _, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		for _, f := range weekly.Formats() {
			if own, _, _ := mime.ParseMediaType(f.MediaType()); own == kind {
				return f, true
			}
		}
	}
	return weekly.FormatHTML, true
}
