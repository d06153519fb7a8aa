package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// revalidate lets a client keep an answer and ask whether it still holds. The
// data belongs to whom it was sent to.
const revalidate = "private, no-cache"

// smallest is how many bytes an answer must have to be compressed; a packet
// holds less.
const smallest = 1024

// compressing returns what compresses answers for clients that take gzip.
func compressing() (func(http.Handler) http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(smallest), gzhttp.CompressionLevel(5))
	if err != nil {
		return nil, fmt.Errorf("set up the compression of answers: %w", err)
	}
	return func(h http.Handler) http.Handler { return wrap(h) }, nil
}

// tagged gives good answers an ETag and answers 304 to a client that has what
// it would get. The tag is weak: it leaves out generated_at, by which alone two
// answers between two polls differ.
func tagged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held := &holding{ResponseWriter: w, status: http.StatusOK}
		h.ServeHTTP(held, r)
		if held.status != http.StatusOK {
			w.WriteHeader(held.status)
			_, _ = w.Write(held.body.Bytes())
			return
		}
		tag := tagOf(held.body.Bytes())
		w.Header().Set("ETag", tag)
		if matches(r.Header.Values("If-None-Match"), tag) {
			w.Header().Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(held.body.Bytes())
	})
}

// holding keeps an answer until all of it is known.
type holding struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader notes the status.
func (h *holding) WriteHeader(status int) { h.status = status }

// Write notes the body.
func (h *holding) Write(b []byte) (int, error) { return h.body.Write(b) }

// tagOf names what a body says but for the time at which it was made, which
// every answer of the API has as its first field.
func tagOf(body []byte) string {
	sum := sha256.New()
	const made = `{"generated_at":"`
	if rest, ok := bytes.CutPrefix(body, []byte(made)); ok {
		if i := bytes.IndexByte(rest, '"'); i >= 0 {
			body = rest[i:]
		}
	}
	_, _ = sum.Write(body)
	return `W/"` + hex.EncodeToString(sum.Sum(nil)[:12]) + `"`
}

// matches reports whether If-None-Match names the tag, compared weakly (RFC 9110,
// section 13.1.2).
func matches(values []string, tag string) bool {
	for _, one := range strings.Split(strings.Join(values, ","), ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
