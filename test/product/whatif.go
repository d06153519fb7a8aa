package product

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// Band is what the busiest subtask is predicted to do at one parallelism.
type Band struct {
	Parallelism int     `json:"parallelism"`
	Low         float64 `json:"low"`
	Likely      float64 `json:"likely"`
	High        float64 `json:"high"`
}

// WhatIf asks the JSON API for the curve of a vertex and returns its point at a
// parallelism. The curve is drawn for the load that there is.
func (s *Server) WhatIf(cluster, job, vertex string, parallelism int) (Band, error) {
	path := fmt.Sprintf("/api/v1/jobs/%s/%s/whatif?vertex=%s", url.PathEscape(cluster), job, vertex)
	resp, err := s.get(path)
	if err != nil {
		return Band{}, err
	}
	defer resp.Body.Close()
	var body struct {
		Error   string `json:"error"`
		Missing string `json:"missing"`
		Curve   *struct {
			Load   float64 `json:"load"`
			Points []Band  `json:"points"`
		} `json:"curve"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		return Band{}, fmt.Errorf("%s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK || body.Curve == nil {
		return Band{}, fmt.Errorf("%s: %s, %s%s", path, resp.Status, body.Error, body.Missing)
	}
	for _, p := range body.Curve.Points {
		if p.Parallelism == parallelism {
			return Band{p.Parallelism, p.Low / body.Curve.Load, p.Likely / body.Curve.Load, p.High / body.Curve.Load}, nil
		}
	}
	return Band{}, fmt.Errorf("%s has no point at %d", path, parallelism)
}
