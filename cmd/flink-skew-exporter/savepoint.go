package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/savepoint"
)

// savepointCommand holds the flags of the command.
type savepointCommand struct {
	from     *source
	format   *string
	operator *string
	uids     *[]string
	at       *parallelisms
	all      *bool
	files    *bool
	paths    *bool
}

func addSavepoint(r *registry) {
	c := r.app.Command("savepoint", withExample(
		"Reads the _metadata of a savepoint or checkpoint: operators with parallelism and maxParallelism, bytes of state per subtask and, where they are recorded, per key group. Reads that one file only, changes nothing, and never prints state.",
		"flink-skew-exporter savepoint /savepoints/savepoint-a1b2c3-0123456789ab",
		"flink-skew-exporter savepoint --at-parallelism=5,10,20 --format=json /savepoints/savepoint-a1b2c3-0123456789ab/_metadata",
		"aws s3 cp s3://bucket/savepoint-a1b2c3-0123456789ab/_metadata - | flink-skew-exporter savepoint -"))
	s := &savepointCommand{
		format:   enum(c, "format", "Format of the report", "text", "json", "csv"),
		operator: c.Flag("operator", "Only operators whose id begins with this, or with this in their name or uid.").PlaceHolder("TEXT").String(),
		uids:     c.Flag("uid", "A uid of the job, to name its operator in files of Flink before 2.0, which record none. Repeatable.").PlaceHolder("UID").Strings(),
		at:       &parallelisms{},
		all:      c.Flag("all", "List every subtask, and operators without state, in text.").Bool(),
		files:    c.Flag("files", "List the files of each subtask, by their last name.").Bool(),
		paths:    c.Flag("paths", "List the files of each subtask, by their whole path, which can hold host and bucket names.").Bool(),
		from:     new(source),
	}
	c.Arg("file", "The _metadata file, the folder it is in, or - for standard input.").SetValue(s.from)
	c.Flag("at-parallelism", "Also predict keyed bytes per subtask and their skew at these parallelisms, such as 5,10,20.").PlaceHolder("LIST").SetValue(s.at)
	r.add(c, s.run)
}

// source is an argument that names what to read. Kingpin hands a lone - over as an
// empty text, so that both mean standard input here.
type source string

func (s *source) Set(text string) error {
	if text == "" {
		text = standardInputName
	}
	*s = source(text)
	return nil
}

func (s *source) String() string { return string(*s) }

// parallelisms is a flag's value that is a list of them, separated by commas.
type parallelisms []int

func (l *parallelisms) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		p, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || !keygroup.Valid(p, keygroup.UpperBound) {
			return fmt.Errorf("must be parallelisms from 1 to %d, such as 5,10,20, not %q", keygroup.UpperBound, text)
		}
		if !slices.Contains(*l, p) {
			*l = append(*l, p)
		}
	}
	return nil
}

func (l *parallelisms) String() string { return "" }

// IsCumulative lets the flag be given more than once.
func (l *parallelisms) IsCumulative() bool { return true }

func (s *savepointCommand) run(ctx context.Context, p process) error {
	if *s.from == "" {
		return usagef("no savepoint to read; name its _metadata file or its folder, or - for standard input: %s savepoint FILE", appName)
	}
	m, failure := s.read(ctx)
	if m == nil {
		return failure
	}
	s.name(m)
	v := s.view(m, failure)
	if *s.operator != "" && len(v.Operators) == 0 {
		return fmt.Errorf("no operator of %d has an id that begins with %q, or a name or uid that holds it; list them without --operator", len(m.Operators), *s.operator)
	}
	if err := s.print(p, v); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	return failure
}

// read opens and parses the file. The metadata is nil unless it is complete or
// lacks nothing but the properties.
func (s *savepointCommand) read(ctx context.Context) (*savepoint.Metadata, error) {
	src, err := openMetadata(string(*s.from))
	if err != nil {
		return nil, err
	}
	type result struct {
		m   *savepoint.Metadata
		err error
	}
	done := make(chan result, 1)
	// A read of standard input cannot be interrupted, so that it is left behind.
	go func() {
		m, err := savepoint.Parse(src, savepoint.Options{Detail: *s.files || *s.paths})
		done <- result{m, errors.Join(err, src.Close())}
	}()
	select {
	case <-ctx.Done():
		return nil, errors.New("interrupted while reading; nothing is reported")
	case r := <-done:
		if r.err != nil {
			return r.m, fmt.Errorf("%s cannot be read: %w", src.name, r.err)
		}
		return r.m, nil
	}
}

// name gives operators the uids that the user knows and the file does not record.
func (s *savepointCommand) name(m *savepoint.Metadata) {
	for _, uid := range *s.uids {
		found := false
		for _, o := range m.Operators {
			if o.ID == savepoint.IDOfUID(uid) {
				o.UID, found = uid, true
			}
		}
		if !found {
			m.Warnings = append(m.Warnings, fmt.Sprintf("No operator has the uid %q of --uid.", uid))
		}
	}
}

// wanted reports whether --operator lets an operator through.
func (s *savepointCommand) wanted(o *savepoint.Operator) bool {
	text := strings.ToLower(*s.operator)
	return strings.HasPrefix(o.ID.String(), text) ||
		strings.Contains(strings.ToLower(o.Name), text) || strings.Contains(strings.ToLower(o.UID), text)
}

func (s *savepointCommand) print(p process, v *savepointView) error {
	switch *s.format {
	case "json":
		return v.json(p.stdout)
	case "csv":
		return v.csv(p.stdout)
	default:
		t := look(p.stdout, os.Getenv)
		return v.text(p.stdout, savepointText{terminal: t, all: *s.all, files: *s.files || *s.paths})
	}
}
