package weekly

import (
	"fmt"
	"io"
)

// Format is a form of the report. The set is closed.
type Format string

// Formats. FormatText is the digest.
const (
	FormatMarkdown Format = "markdown"
	FormatHTML     Format = "html"
	FormatJSON     Format = "json"
	FormatCSV      Format = "csv"
	FormatText     Format = "text"
)

// Formats are all of them.
func Formats() []Format {
	return []Format{FormatMarkdown, FormatHTML, FormatJSON, FormatCSV, FormatText}
}

// MediaType is the value of Content-Type for the format.
func (f Format) MediaType() string {
	switch f {
	case FormatHTML:
		return "text/html; charset=utf-8"
	case FormatJSON:
		return "application/json; charset=utf-8"
	case FormatCSV:
		return "text/csv; charset=utf-8"
	case FormatMarkdown:
		return "text/markdown; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// Write writes the report in the format. An error is that of w, or says that
// there is no such format.
func Write(w io.Writer, r *Report, f Format, o Options) error {
	switch f {
	case FormatMarkdown:
		return Markdown(w, r, o)
	case FormatHTML:
		return HTML(w, r, o)
	case FormatJSON:
		return JSON(w, r)
	case FormatCSV:
		return CSV(w, r)
	case FormatText:
		return Text(w, r)
	}
	return fmt.Errorf("there is no format %q of the report", f)
}
