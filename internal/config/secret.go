package config

import (
	"fmt"
	"log/slog"
)

// Secret is a string that no formatting, logging or encoding prints. Only
// Reveal gives it away.
type Secret string

// hidden stands for any secret that is set.
const hidden = "<secret>"

// Reveal returns the secret itself, for the one place that sends it.
func (s Secret) Reveal() string { return string(s) }

// String returns a placeholder, or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// Format keeps every verb of fmt, %#v and %x included, from printing it.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue keeps slog from printing it.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps JSON and other encoders from printing it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalYAML keeps YAML from printing it.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }
