package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keyhash"
)

// listing prints every key as it is read.
type listing struct {
	format string
	out    *bufio.Writer
	csv    *csv.Writer
	groups groupRanges
	max    int
	// parallelism is 0 when none is given; no subtask is told then.
	parallelism int
	begun       bool
}

func newListing(format string, out *bufio.Writer, k *keysCommand) *listing {
	l := &listing{format: format, out: out, csv: csv.NewWriter(out), groups: *k.groups, max: (*k.ceilings)[0]}
	if len(*k.parallelisms) > 0 {
		l.parallelism = (*k.parallelisms)[0]
	}
	return l
}

// listedKey is a line of the listing in JSON.
type listedKey struct {
	Key     any   `json:"key"`
	Count   int64 `json:"count"`
	Hash    int32 `json:"hash"`
	Group   int   `json:"key_group"`
	Subtask *int  `json:"subtask"`
}

// finish hands on what the writer of CSV still holds.
func (l *listing) finish() error {
	l.csv.Flush()
	return l.csv.Error()
}

func (l *listing) add(k keyRecord, hash int32) error {
	group := keygroup.Group(hash, l.max)
	if !l.groups.has(group) {
		return nil
	}
	subtask := ""
	v := listedKey{Count: k.count, Hash: hash, Group: group}
	if l.parallelism > 0 {
		owner := keygroup.Owner(group, l.parallelism, l.max)
		v.Subtask, subtask = &owner, strconv.Itoa(owner)
	}
	if l.format == "json" {
		v.Key = keyValue(k.fields)
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(l.out, escape(string(text)))
		return err
	}
	cells := []string{strconv.Itoa(group), subtask, strconv.FormatInt(k.count, 10), strconv.FormatInt(int64(hash), 10)}
	if l.format == "csv" {
		if !l.begun {
			l.begun = true
			if err := l.csv.Write(keyColumns(k.fields)); err != nil {
				return err
			}
		}
		return l.csv.Write(append(cells, keyTexts(k.fields)...))
	}
	if !l.begun {
		l.begun = true
		fmt.Fprintln(l.out, "group\tsubtask\tcount\thash\tkey")
	}
	_, err := fmt.Fprintf(l.out, "%s\t%s\n", strings.Join(cells, "\t"), keyText(k.fields))
	return err
}

// keyColumns names the columns of keys in CSV.
func keyColumns(fields []keyhash.Field) []string {
	columns := []string{"key_group", "subtask", "count", "hash"}
	if len(fields) == 1 {
		return append(columns, "key")
	}
	for i := range fields {
		columns = append(columns, "key_"+strconv.Itoa(i+1))
	}
	return columns
}

// keyTexts are a key's fields for CSV, where a null is empty.
func keyTexts(fields []keyhash.Field) []string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		if !f.Null {
			texts[i] = f.Text
		}
	}
	return texts
}

// keyText is a key for people. An empty text, and one that could be taken for a
// null, is quoted.
func keyText(fields []keyhash.Field) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		switch {
		case f.Null:
			texts[i] = "NULL"
		case f.Text == "" || f.Text == "NULL" || strings.TrimSpace(f.Text) != f.Text:
			texts[i] = `"` + escape(f.Text) + `"`
		default:
			texts[i] = escape(f.Text)
		}
	}
	return strings.Join(texts, ", ")
}

// keyValue is a key for JSON: a text or null, or an array of them.
func keyValue(fields []keyhash.Field) any {
	values := make([]any, len(fields))
	for i, f := range fields {
		if !f.Null {
			values[i] = f.Text
		}
	}
	if len(values) == 1 {
		return values[0]
	}
	return values
}
