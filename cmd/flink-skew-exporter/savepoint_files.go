package main

import (
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/savepoint"
)

// fileView is a file that holds a part of a subtask's state.
type fileView struct {
	// Part is what it holds: keyed, raw keyed, operator, raw operator, input, output.
	Part string `json:"part"`
	// Name is the path, or its last component unless --paths was given.
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// fileList collects the files of one subtask.
type fileList struct {
	out   []fileView
	paths bool
}

// filesOf lists the files that hold a subtask's state, in the file's order. State
// inside of the metadata file is no file.
func filesOf(s *savepoint.State, paths bool) []fileView {
	l := &fileList{paths: paths}
	l.keyed("keyed", s.ManagedKeyed)
	l.keyed("raw keyed", s.RawKeyed)
	l.operator("operator", s.ManagedOperator)
	l.operator("raw operator", s.RawOperator)
	l.channels("input", s.Input)
	l.channels("output", s.Output)
	return l.out
}

func (l *fileList) add(part string, s *savepoint.Stream) {
	if s == nil {
		return
	}
	switch s.Kind {
	case savepoint.ByteStream, savepoint.EmptySegment:
		return
	case savepoint.KeyGroupsInStream:
		l.add(part, &s.Inner.Stream)
		return
	}
	name := s.Name
	if !l.paths {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	l.out = append(l.out, fileView{part, name, s.Size})
}

func (l *fileList) keyed(part string, k *savepoint.Keyed) {
	if k == nil {
		return
	}
	d := k.Detail
	l.add(part, d.Stream)
	l.add(part, d.Meta)
	for _, files := range [][]savepoint.LocalFile{d.Shared, d.Private} {
		for _, f := range files {
			l.add(part, &f.Stream)
		}
	}
	for _, inner := range d.Materialized {
		l.keyed(part, inner)
	}
	for _, inner := range d.Changes {
		l.keyed(part, inner)
	}
	for _, s := range d.Streams {
		l.add(part, &s.Stream)
	}
}

func (l *fileList) operator(part string, o *savepoint.OperatorState) {
	if o != nil {
		l.add(part, o.Stream)
	}
}

// channels lists each file once, since many channels share one. The bytes are
// the file's.
func (l *fileList) channels(part string, c *savepoint.Channels) {
	if c == nil {
		return
	}
	seen := map[string]bool{}
	for _, one := range c.List {
		if !seen[one.Stream.Name] {
			seen[one.Stream.Name] = true
			l.add(part, &one.Stream)
		}
	}
}
