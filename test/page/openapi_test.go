package page

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// described holds the API's description against OpenAPI 3.1 itself, and the
// running demo's answers against the description, by a library that shares
// nothing with the product.
func described(t *testing.T, binary product.Binary) {
	base := demo(t, binary, "described", "--poll.interval=2s")
	hot := judged(t, base, "hot_key", "critical")
	text, _ := get(t, base+"/api/v1/openapi.yaml")
	document, err := libopenapi.NewDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	v, errs := validator.NewValidator(document)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if ok, broken := v.ValidateDocument(); !ok {
		for _, b := range broken {
			t.Errorf("the description is no OpenAPI 3.1: %s: %s", b.Message, b.Reason)
		}
	}
	for path, status := range map[string]int{
		"/api/v1/clusters": 200, "/api/v1/jobs": 200, "/api/v1/jobs?cluster=none": 404, "/api/v1/findings": 200,
		"/api/v1/findings?severity=warning": 200, "/api/v1/openapi.json": 200,
		fmt.Sprintf("/api/v1/jobs/%s/%s", hot.Cluster, hot.JobID): 200, "/api/v1/jobs/none/x": 404,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != status {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, status)
		}
		if ok, broken := v.ValidateHttpRequestResponse(req, resp); !ok {
			for _, b := range broken {
				t.Errorf("%s: %s: %s %v", path, b.Message, b.Reason, b.SchemaValidationErrors)
			}
		}
		_ = resp.Body.Close()
	}
}
