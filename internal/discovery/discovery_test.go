package discovery

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.json", `[
  {"targets": ["jm-0:8081", "jm-1:8081"], "labels": {"cluster": "prod", "team": "a", "__flink_path__": "/flink/"}},
  {"targets": ["other:8081"]}
]`)
	put(t, dir, "b.yml", `
- targets: [secure, "http://as-it-is:1/x"]
  labels: {__scheme__: https, __flink_module__: yarn, size: 3}
- targets: ["jm-2:8081", "jm-0:8081"]
  labels: {cluster: prod, __flink_path__: flink}
`)
	f := Files{[]string{filepath.Join(dir, "*.json"), filepath.Join(dir, "*.yml"), filepath.Join(dir, "none-*.yml"), filepath.Join(dir, "a.json")}}
	got, err := f.Read(t.Context())
	want := []Cluster{
		{Name: "prod", Addresses: []string{"http://jm-0:8081/flink", "http://jm-1:8081/flink", "http://jm-2:8081/flink"}},
		{Addresses: []string{"http://other:8081"}},
		{Addresses: []string{"https://secure"}, Module: "yarn"},
		{Addresses: []string{"http://as-it-is:1/x"}, Module: "yarn"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestBrokenFiles(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"cut JSON":       {"a.json", `[{"targets": ["a"`, "not a list of targets in JSON"},
		"unknown key":    {"a.json", `[{"target": ["a"]}]`, `unknown field "target"`},
		"two values":     {"a.json", `[] []`, "more follows"},
		"empty JSON":     {"a.json", ``, "not a list of targets in JSON: EOF"},
		"object":         {"a.json", `{"targets": []}`, "not a list of targets in JSON"},
		"no group":       {"a.json", `[]`, "no targets in it"},
		"null":           {"a.json", `null`, "no targets in it"},
		"no target":      {"a.json", `[{"targets": []}]`, "no targets in it"},
		"blank target":   {"a.json", `[{"targets": [" "]}]`, "a target is empty"},
		"empty YAML":     {"a.yml", ``, "no targets in it"},
		"YAML key":       {"a.yml", "- target: [a]\n", "field target not found"},
		"no YAML":        {"a.yaml", "\t", "not a list of targets in YAML"},
		"two modules":    {"a.yml", "- {targets: [a], labels: {cluster: x, __flink_module__: p}}\n- {targets: [b], labels: {cluster: x}}\n", "two modules"},
		"missing":        {"b.yml", "[]", "no such file or directory"},
		"JSON of a page": {"a.json", "<html>", "not a list of targets in JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, c.file)
			if c.file != "b.yml" {
				put(t, dir, c.file, c.text)
			}
			got, err := Files{[]string{path}}.Read(t.Context())
			if err == nil || !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, %v, want %q", got, err, c.want)
			}
		})
	}
}

const token = "t0ken-of-the-list"

func TestHTTP(t *testing.T) {
	path := put(t, t.TempDir(), "token", token+"\n")
	var status int
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer "+token || r.URL.RawQuery != "key="+token {
			t.Errorf("%s %s with %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	h, err := NewHTTP(HTTPOptions{URL: strings.Replace(s.URL, "://", "://user@", 1) + "/list?key=" + token, BearerTokenFile: path})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if h.Name() == "" || strings.Contains(h.Name(), "user") || strings.Contains(h.Name(), token) {
		t.Errorf("name %q", h.Name())
	}
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{200, `[{"targets": ["a:8081"], "labels": {"cluster": "x"}}]`, ""},
		{200, `[]`, "no targets in it"},
		{200, `<html>`, "not a list"},
		{200, strings.Repeat(" ", maxListBytes+1), "is larger than 16 MiB"},
		{302, `[{"targets": ["a:8081"]}]`, "answered 302"},
		{500, `[{"targets": ["a:8081"]}]`, "answered 500"},
	} {
		status, body = c.status, c.body
		got, err := h.Read(t.Context())
		if c.want == "" {
			if want := []Cluster{{Name: "x", Addresses: []string{"http://a:8081"}}}; err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v", got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), token) {
			t.Errorf("%d %.20s: %v", c.status, c.body, err)
		}
	}
	s.Close()
	if _, err := h.Read(t.Context()); err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody listens: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Read(ctx); err == nil {
		t.Error("an ended context gives a list")
	}
}

func TestHTTPOptions(t *testing.T) {
	for _, o := range []HTTPOptions{{URL: "http://[::"}, {URL: "https://a", CAFile: "none.pem"}} {
		if h, err := NewHTTP(o); err == nil {
			t.Errorf("%+v is accepted as %s", o, h.Name())
		}
	}
	h, err := NewHTTP(HTTPOptions{URL: "http://a", User: "u", Password: token})
	if err != nil || h.Name() != "http://a" {
		t.Errorf("%v, %v", h, err)
	}
}
