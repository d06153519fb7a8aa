package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// hidden reports whether a rune of a user's text must not reach a terminal as it
// is: controls, the escape among them, and invisible marks that reorder a line.
func hidden(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// escape writes the hidden runes of a text as \uXXXX.
func escape(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// json prints the view as one object. Hidden runes, which can stand only inside
// of strings, become JSON's own escapes, so that the value stays the same.
func (v *savepointView) json(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = escape(l)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}

// csvColumns are those of the CSV: one record a line, of the kind that the first
// column names. Sums must filter by it.
const csvColumns = "record,operator_id,name,uid,parallelism,max_parallelism,index,finished,state_bytes,keyed_bytes,operator_bytes,in_flight_bytes,key_group_first,key_group_last,note"

// csv prints a record for each operator, subtask, key group, and subtask of a
// prediction. What does not apply is empty.
func (v *savepointView) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	columns := strings.Split(csvColumns, ",")
	if err := out.Write(columns); err != nil {
		return err
	}
	for i := range v.Operators {
		o := &v.Operators[i]
		for _, cells := range o.records() {
			row := make([]string, 0, len(columns))
			for _, c := range columns {
				row = append(row, escape(cells[c]))
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// records are the operator's, by column.
func (o *operatorView) records() []map[string]string {
	var all []map[string]string
	add := func(record string, parallelism int, cells map[string]string) {
		cells["record"], cells["operator_id"] = record, o.OperatorID
		cells["parallelism"], cells["max_parallelism"] = strconv.Itoa(parallelism), strconv.Itoa(o.MaxParallelism)
		cells["name"], cells["uid"] = orEmpty(o.Name), orEmpty(o.UID)
		all = append(all, cells)
	}
	add("operator", o.Parallelism, map[string]string{
		"finished": strconv.FormatBool(o.FullyFinished), "state_bytes": decimal(o.StateBytes), "keyed_bytes": decimal(o.KeyedBytes), "note": orEmpty(o.KeyGroupReason),
	})
	for _, s := range o.Subtasks {
		cells := map[string]string{
			"index": strconv.Itoa(s.Index), "finished": strconv.FormatBool(s.Finished), "state_bytes": decimal(s.StateBytes),
			"keyed_bytes": decimal(s.KeyedBytes), "operator_bytes": decimal(s.OperatorBytes), "in_flight_bytes": decimal(s.InFlightBytes),
		}
		if s.KeyGroupFirst != nil {
			cells["key_group_first"], cells["key_group_last"] = strconv.Itoa(*s.KeyGroupFirst), strconv.Itoa(*s.KeyGroupLast)
		}
		add("subtask", o.Parallelism, cells)
	}
	for _, g := range o.KeyGroups {
		group := strconv.Itoa(g.Group)
		add("key_group", o.Parallelism, map[string]string{"index": group, "keyed_bytes": decimal(g.Bytes), "key_group_first": group, "key_group_last": group})
	}
	for _, p := range o.Predictions {
		if p.Basis == nil {
			add("prediction", p.Parallelism, map[string]string{"note": orEmpty(p.Reason)})
		}
		for i, b := range p.SubtaskBytes {
			first, last := keygroup.Range(i, p.Parallelism, p.max)
			add("prediction", p.Parallelism, map[string]string{
				"index": strconv.Itoa(i), "keyed_bytes": decimal(b), "key_group_first": strconv.Itoa(first), "key_group_last": strconv.Itoa(last), "note": "by " + *p.Basis,
			})
		}
	}
	return all
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
