package restapi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// maxSecretFile bounds files with passwords, tokens and certificates, so that
// a wrong path (a device, a log) cannot fill the memory.
const maxSecretFile = 1 << 20

// minSecret is from how many bytes on a secret is cut out of error texts; a
// shorter one would match by chance and make messages unreadable.
const minSecret = 4

// credentials makes the Authorization header and knows which texts must never
// be printed. It is safe for concurrent use.
type credentials struct {
	auth Auth

	mu      sync.RWMutex
	value   string
	secrets []string
}

// load reads the files again. When it fails, what was read before stays in use.
func (c *credentials) load() error {
	value, secrets, err := c.auth.header()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value, c.secrets = value, secrets
	return nil
}

// header returns the value of the Authorization header, empty without credentials.
func (c *credentials) header() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.value
}

// scrub cuts secrets out of a text that a server may have put them into.
func (c *credentials) scrub(text string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.secrets {
		if len(s) >= minSecret {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return text
}

func (a Auth) header() (value string, secrets []string, err error) {
	switch {
	case a.TokenFile != "":
		b, err := readSmall(a.TokenFile)
		if err != nil {
			return "", nil, fmt.Errorf("reading the bearer token: %w", err)
		}
		token := strings.TrimSpace(string(b))
		if token == "" || strings.ContainsFunc(token, notToken) {
			return "", nil, fmt.Errorf("bearer token file %s: want one token without blanks; check the file", a.TokenFile)
		}
		return "Bearer " + token, []string{token}, nil
	case a.User != "":
		password := a.Password
		if a.PasswordFile != "" {
			b, err := readSmall(a.PasswordFile)
			if err != nil {
				return "", nil, fmt.Errorf("reading the password: %w", err)
			}
			password = strings.TrimRight(string(b), "\r\n")
		}
		encoded := base64.StdEncoding.EncodeToString([]byte(a.User + ":" + password))
		return "Basic " + encoded, []string{encoded, password}, nil
	}
	return "", nil, nil
}

// notToken reports what may not stand in a header's value.
func notToken(r rune) bool { return r <= ' ' || r >= 0x7f }

// readSmall reads a file of at most maxSecretFile bytes.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxSecretFile {
		return nil, fmt.Errorf("%s: %w", path, errors.New("larger than 1 MiB; is it the right file?"))
	}
	return b, nil
}
