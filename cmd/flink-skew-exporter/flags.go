package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// envName is the environment variable of a flag: --poll.interval is
// FLINK_SKEW_POLL_INTERVAL.
func envName(flag string) string {
	return "FLINK_SKEW_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(flag))
}

// flagged is an application or command of kingpin.
type flagged interface {
	GetFlag(name string) *kingpin.FlagClause
	GetCommand(name string) *kingpin.CmdClause
}

// nameFlags gives every flag its environment variable, and makes errors about
// a value name the flag, which kingpin's own do not.
func nameFlags(app *kingpin.Application) {
	m := app.Model()
	name(app, m.Flags, m.Commands)
}

func name(at flagged, flags []*kingpin.FlagModel, commands []*kingpin.CmdModel) {
	for _, f := range flags {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			continue
		}
		at.GetFlag(f.Name).Envar(envName(f.Name)).SetValue(namedValue{f.Value, f.Name})
	}
	for _, c := range commands {
		name(at.GetCommand(c.Name), c.Flags, c.Commands)
	}
}

// namedValue is a flag's value whose errors name the flag.
type namedValue struct {
	kingpin.Value
	flag string
}

func (v namedValue) Set(text string) error {
	if err := v.Value.Set(text); err != nil {
		return fmt.Errorf("--%s: %w", v.flag, err)
	}
	return nil
}

// IsBoolFlag and IsCumulative pass on what kingpin asks its own values.
func (v namedValue) IsBoolFlag() bool {
	b, ok := v.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func (v namedValue) IsCumulative() bool {
	c, ok := v.Value.(interface{ IsCumulative() bool })
	return ok && c.IsCumulative()
}

// setter is a flag's value that only calls a function, with what was written
// on the command line or in the environment; a default never calls it.
type setter struct {
	set func(string) error
	// cumulative flags may be repeated.
	cumulative bool
}

func (s setter) Set(text string) error { return s.set(text) }
func (s setter) String() string        { return "" }
func (s setter) IsCumulative() bool    { return s.cumulative }

// duration is a flag's value in Prometheus' form (1d, 1m30s) or Go's (1.5s).
type duration time.Duration

func (d *duration) Set(text string) error {
	v, err := config.ParseDuration(text)
	if err != nil {
		return err
	}
	if v < 0 {
		return fmt.Errorf("must not be negative, not %q", text)
	}
	*d = duration(v)
	return nil
}

func (d *duration) String() string { return time.Duration(*d).String() }

// oneOf is a flag's value from a closed set.
type oneOf struct {
	value   *string
	allowed []string
}

func (o oneOf) Set(text string) error {
	for _, a := range o.allowed {
		if a == text {
			*o.value = text
			return nil
		}
	}
	return fmt.Errorf("must be one of %s, not %q", strings.Join(o.allowed, ", "), text)
}

func (o oneOf) String() string { return *o.value }

// enum adds a flag whose value is one of those allowed, the first by default.
func enum(c *kingpin.CmdClause, flag, help string, allowed ...string) *string {
	v := new(string)
	c.Flag(flag, fmt.Sprintf("%s: %s.", help, strings.Join(allowed, ", "))).
		Default(allowed[0]).HintOptions(allowed...).SetValue(oneOf{v, allowed})
	return v
}

// span adds a flag that is a duration.
func span(c *kingpin.CmdClause, flag, help, fallback string) *time.Duration {
	v := new(time.Duration)
	c.Flag(flag, help).Default(fallback).SetValue((*duration)(v))
	return v
}

// whole is a flag's value that is a whole number from 0 on.
type whole int

func (n *whole) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 0 {
		return fmt.Errorf("must be a whole number from 0 on, not %q", text)
	}
	*n = whole(v)
	return nil
}

func (n *whole) String() string { return strconv.Itoa(int(*n)) }

// count adds a flag that is a whole number from 0 on.
func count(c *kingpin.CmdClause, flag, help, fallback string) *int {
	v := new(int)
	c.Flag(flag, help).Default(fallback).SetValue((*whole)(v))
	return v
}
