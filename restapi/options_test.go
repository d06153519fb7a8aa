package restapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAddressIsKeptWithItsPrefix(t *testing.T) {
	for given, want := range map[string]string{
		"http://h:8081":              "http://h:8081",
		"http://h:8081/":             "http://h:8081",
		"https://h/flink/a":          "https://h/flink/a",
		" https://h/flink/a/ ":       "https://h/flink/a",
		"https://h/flink%2Fa//":      "https://h/flink%2Fa",
		"http://user:secret@h/p/":    "http://h/p",
		"http://[::1]:8081/":         "http://[::1]:8081",
		"http://u%40x:s%2Fecret@h:1": "http://h:1",
	} {
		c, err := New(Options{URL: given})
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		if c.URL() != want {
			t.Errorf("%s: kept as %s, want %s", given, c.URL(), want)
		}
	}
}

func TestWrongOptionsAreRefusedWithoutTheirSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const ok = "http://h:8081"
	for name, tc := range map[string]struct {
		options Options
		want    string
	}{
		"empty":             {Options{}, "http://"},
		"no scheme":         {Options{URL: "h:8081"}, "http://"},
		"no scheme, secret": {Options{URL: "user:secret@h:8081"}, "http"},
		"other scheme":      {Options{URL: "ftp://user:secret@h"}, "http://"},
		"no host":           {Options{URL: "http:///flink"}, "host"},
		"port":              {Options{URL: "http://user:secret@h:65536"}, "port that is not 1 to 65535"},
		"raw slash":         {Options{URL: "http://user:pa/secret@h:8081"}, "percent-encoded"},
		"slash after digit": {Options{URL: "http://user:1/secret@h:8081"}, "percent-encoded"},
		"control character": {Options{URL: "http://user:sec\x01ret@h"}, "parsed"},
		"query":             {Options{URL: "http://h?token=secret"}, "query"},
		"fragment":          {Options{URL: "http://h#secret"}, "fragment"},
		"two users":         {Options{URL: "http://user:secret@h", Auth: Auth{User: "b"}}, "both"},
		"two schemes":       {Options{URL: ok, Auth: Auth{User: "b", TokenFile: "x"}}, "bearer"},
		"no user":           {Options{URL: ok, Auth: Auth{Password: "secret"}}, "user"},
		"two passwords":     {Options{URL: ok, Auth: Auth{User: "u", Password: "secret", PasswordFile: "x"}}, "password file"},
		"no key":            {Options{URL: ok, TLS: TLS{CertFile: "x"}}, "key"},
		"negative floor":    {Options{URL: ok, ActivityFloor: -1}, "negative"},
		"missing password":  {Options{URL: ok, Auth: Auth{User: "u", PasswordFile: filepath.Join(dir, "none")}}, "reading the password"},
		"missing token":     {Options{URL: ok, Auth: Auth{TokenFile: filepath.Join(dir, "none")}}, "reading the bearer token"},
		"empty token":       {Options{URL: ok, Auth: Auth{TokenFile: file("empty", "\n")}}, "one token"},
		"two tokens":        {Options{URL: ok, Auth: Auth{TokenFile: file("two", "secret secret")}}, "one token"},
		"huge token":        {Options{URL: ok, Auth: Auth{TokenFile: file("huge", strings.Repeat("s", maxSecretFile+1))}}, "1 MiB"},
		"missing CA":        {Options{URL: ok, TLS: TLS{CAFile: filepath.Join(dir, "none")}}, "reading TLS files"},
		"CA without PEM":    {Options{URL: ok, TLS: TLS{CAFile: file("ca", "secret")}}, "PEM"},
		"wrong certificate": {Options{URL: ok, TLS: TLS{CertFile: file("crt", "secret"), KeyFile: file("key", "secret")}}, "client certificate"},
	} {
		_, err := New(tc.options)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q does not say %q in one line", name, err, tc.want)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %q holds the secret", name, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	o := DefaultOptions("a", "http://h")
	if o.Concurrency != 8 || o.MaxResponseBytes != 64<<20 || o.ActivityFloor != 0.05 || o.MaxTaskManagers != 64 || o.Retries != 2 {
		t.Errorf("defaults: %+v", o)
	}
	zero := Options{}.withDefaults()
	if zero.ActivityFloor != 0 || zero.Retries != 0 {
		t.Error("a zero floor or no retries are taken as written")
	}
	if zero.PollTimeout != DefaultPollTimeout || zero.MaxTaskManagers != DefaultMaxTaskManagers || zero.Now == nil || zero.Logger == nil {
		t.Errorf("zero options: %+v", zero)
	}
}
