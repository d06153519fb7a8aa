package web

import (
	_ "embed" // The API's description.
	"encoding/json"
	"fmt"
	"net/http"

	"go.yaml.in/yaml/v3"
)

//go:embed openapi.yaml
var openAPI []byte

// description is the API's own, in both forms that tools read.
type description struct{ asJSON []byte }

func newDescription() (description, error) {
	var tree any
	if err := yaml.Unmarshal(openAPI, &tree); err != nil {
		return description{}, fmt.Errorf("read the API's description: %w", err)
	}
	text, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		return description{}, fmt.Errorf("write the API's description as JSON: %w", err)
	}
	return description{append(text, '\n')}, nil
}

func (d description) yaml(w http.ResponseWriter, _ *http.Request) {
	serveText(w, "application/yaml; charset=utf-8", openAPI)
}

func (d description) json(w http.ResponseWriter, _ *http.Request) {
	serveText(w, "application/json; charset=utf-8", d.asJSON)
}

func serveText(w http.ResponseWriter, kind string, text []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", revalidate)
	_, _ = w.Write(text)
}
