package page

import (
	"crypto/sha256"
	_ "embed" // Files of the pages.
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
)

//go:embed assets/style.css
var styleSheet string

//go:embed assets/page.js
var script string

//go:embed assets/icon.svg
var icon string

// asset is a file that pages need.
type asset struct{ kind, text, sum string }

func newAsset(kind, text string) asset {
	sum := sha256.Sum256([]byte(text))
	return asset{kind, text, hex.EncodeToString(sum[:6])}
}

// link names the asset with what identifies its content, so that it may be
// kept for good.
func (a asset) link(name string) string { return "assets/" + name + "?v=" + a.sum }

func assets() map[string]asset {
	return map[string]asset{
		"style.css": newAsset("text/css; charset=utf-8", styleSheet+gridRules()),
		"page.js":   newAsset("text/javascript; charset=utf-8", script),
		"icon.svg":  newAsset("image/svg+xml", icon),
	}
}

func (p *Pages) serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := p.assets[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	if r.URL.Query().Get("v") == a.sum {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write([]byte(a.text))
}

// gridRules places the cards of the graph: a style attribute for each would
// need a looser policy.
func gridRules() string {
	var b strings.Builder
	for _, g := range []geometry{roomy(), compact()} {
		fmt.Fprintf(&b, ".graph.%s{grid-auto-columns:%dpx;column-gap:%dpx;grid-auto-rows:%dpx}.%s .card{height:%dpx}\n",
			g.Class, g.CardWidth, g.GapX, g.HalfRow, g.Class, g.CardHeight())
	}
	for i := range maxLayers {
		fmt.Fprintf(&b, ".x%d{grid-column:%d}", i, i+1)
	}
	for i := range maxHalfRows {
		fmt.Fprintf(&b, ".y%d{grid-row:%d/span 2}", i, i+1)
	}
	return b.String() + "\n"
}
