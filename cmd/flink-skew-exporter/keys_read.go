package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keyhash"
)

// maxKeyLine is how long a line, or a record of CSV, may be, in bytes.
const maxKeyLine = 1 << 20

// keyRecord is one key of the input.
type keyRecord struct {
	line   int64
	fields []keyhash.Field
	count  int64
}

// keyReader reads keys one by one; io.EOF ends them. What is wrong with one key
// alone is a *keyError, after which the next can be read. Fields hold until the
// next call.
type keyReader interface {
	next() (keyRecord, error)
}

// keyError is what is wrong with one key of the input.
type keyError struct {
	line int64
	err  error
}

func (e *keyError) Error() string {
	return fmt.Sprintf("line %d: %v; give it another --type, mend it, or leave such keys out with --on-error=skip", e.line, e.err)
}

func (e *keyError) Unwrap() error { return e.err }

// reader reads the input in the form that --input says.
func (k *keysCommand) reader(in io.Reader, fields int) keyReader {
	buffered := bufio.NewReaderSize(in, 1<<16)
	// A mark of the byte order is no part of the first key.
	if head, _ := buffered.Peek(3); string(head) == "\uFEFF" {
		_, _ = buffered.Discard(3) // cannot fail: they are in the buffer
	}
	switch *k.input {
	case "csv":
		return newCSVKeys(buffered, k, fields)
	case "jsonl":
		return &jsonKeys{lines: newLineReader(buffered)}
	}
	return &lineKeys{lines: newLineReader(buffered), null: k.null, field: make([]keyhash.Field, 1)}
}

// lineReader reads lines of bounded length, without their ends, \n or \r\n.
type lineReader struct {
	scan *bufio.Scanner
	n    int64
}

func newLineReader(in io.Reader) *lineReader {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 0, 1<<16), maxKeyLine)
	return &lineReader{scan: s}
}

func (l *lineReader) next() ([]byte, error) {
	l.n++
	if l.scan.Scan() {
		return l.scan.Bytes(), nil
	}
	switch err := l.scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d is longer than 1 MiB; is it a list of keys?", l.n)
	case err != nil:
		return nil, fmt.Errorf("the keys cannot be read on from line %d: %w", l.n, err)
	}
	return nil, io.EOF
}

// lineKeys reads one key a line.
type lineKeys struct {
	lines *lineReader
	null  *nullText
	field []keyhash.Field
}

func (l *lineKeys) next() (keyRecord, error) {
	b, err := l.lines.next()
	if err != nil {
		return keyRecord{}, err
	}
	l.field[0] = l.null.field(string(b))
	return keyRecord{line: l.lines.n, fields: l.field, count: 1}, nil
}

func (n *nullText) field(text string) keyhash.Field {
	return keyhash.Field{Text: text, Null: n.set && text == n.text}
}

// csvKeys reads a column for each field, and a count if there is one more.
type csvKeys struct {
	in     *recordLimit
	csv    *csv.Reader
	null   *nullText
	header bool
	fields []keyhash.Field
}

func newCSVKeys(in io.Reader, k *keysCommand, fields int) *csvKeys {
	limit := &recordLimit{in: in}
	r := csv.NewReader(limit)
	r.Comma, _ = k.comma() // checked before
	r.ReuseRecord, r.FieldsPerRecord = true, -1
	return &csvKeys{in: limit, csv: r, null: k.null, header: *k.header, fields: make([]keyhash.Field, fields)}
}

// errRecord is returned for a record that does not end.
var errRecord = errors.New("a record is longer than 1 MiB; is a quotation mark not closed?")

// recordLimit bounds what is read for one record: a quotation mark that is not
// closed makes one of all that follows.
type recordLimit struct {
	in   io.Reader
	read int
}

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.read > maxKeyLine {
		return 0, errRecord
	}
	n, err := l.in.Read(p)
	l.read += n
	return n, err
}

func (c *csvKeys) next() (keyRecord, error) {
	record, err := c.read()
	if c.header && err == nil {
		c.header = false
		record, err = c.read()
	}
	if err != nil {
		return keyRecord{}, err
	}
	line, _ := c.csv.FieldPos(0)
	k := keyRecord{line: int64(line), fields: c.fields, count: 1}
	switch len(record) {
	case len(c.fields):
	case len(c.fields) + 1:
		text := record[len(c.fields)]
		if k.count, err = parseCount(text); err != nil {
			if line == 1 {
				err = fmt.Errorf("%w (if line 1 is a heading, add --header)", err)
			}
			return keyRecord{}, &keyError{k.line, err}
		}
	default:
		return keyRecord{}, &keyError{k.line, fmt.Errorf("there are %s; the key has %d, and a count may follow", plural(len(record), "column"), len(c.fields))}
	}
	for i := range c.fields {
		c.fields[i] = c.null.field(record[i])
	}
	return k, nil
}

func (c *csvKeys) read() ([]string, error) {
	c.in.read = 0
	record, err := c.csv.Read()
	var wrong *csv.ParseError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return record, err
	case errors.As(err, &wrong):
		return nil, &keyError{int64(wrong.Line), fmt.Errorf("column %d: %w", wrong.Column, wrong.Err)}
	}
	line, _ := c.csv.FieldPos(0)
	return nil, fmt.Errorf("the keys cannot be read on after line %d: %w", line, err)
}

// parseCount reads a count.
func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("the count %s is no whole number from 0 on", shorten(strconv.Quote(text), 40))
	}
	return n, nil
}

// jsonKeys reads objects with a key, an array if it has fields, and a count.
type jsonKeys struct {
	lines  *lineReader
	fields []keyhash.Field
}

func (j *jsonKeys) next() (keyRecord, error) {
	b, err := j.lines.next()
	if err != nil {
		return keyRecord{}, err
	}
	k := keyRecord{line: j.lines.n, count: 1}
	var object struct {
		Key   json.RawMessage `json:"key"`
		Count json.RawMessage `json:"count"`
	}
	if err := json.Unmarshal(b, &object); err != nil {
		var syntax *json.SyntaxError
		if !errors.As(err, &syntax) {
			return keyRecord{}, &keyError{k.line, errors.New(`the line is no JSON object such as {"key":"a","count":3}`)}
		}
		return keyRecord{}, &keyError{k.line, fmt.Errorf(`the line is no JSON object such as {"key":"a","count":3}: %w`, err)}
	}
	if object.Key == nil {
		return keyRecord{}, &keyError{k.line, errors.New(`the object has no "key"`)}
	}
	if !utf8.Valid(b) {
		return keyRecord{}, &keyError{k.line, errors.New("the text is not valid UTF-8")}
	}
	if object.Count != nil {
		if k.count, err = parseCount(string(object.Count)); err != nil {
			return keyRecord{}, &keyError{k.line, err}
		}
	}
	j.fields = j.fields[:0]
	if err := j.add(object.Key); err != nil {
		return keyRecord{}, &keyError{k.line, err}
	}
	k.fields = j.fields
	return k, nil
}

// add appends the fields of a value: a text, number, boolean or null, or an array
// of such, and of arrays for tuples in tuples.
func (j *jsonKeys) add(raw json.RawMessage) error {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return fmt.Errorf("the key cannot be read: %w", err)
		}
		for _, part := range parts {
			if err := j.add(part); err != nil {
				return err
			}
		}
	case '{':
		return errors.New("the key is an object; give its fields as an array, in the order of --type")
	case 'n':
		j.fields = append(j.fields, keyhash.Field{Null: true})
	case '"':
		text, err := jsonText(raw)
		if err != nil {
			return err
		}
		j.fields = append(j.fields, keyhash.Field{Text: text})
	default:
		j.fields = append(j.fields, keyhash.Field{Text: string(raw)})
	}
	return nil
}

// jsonText reads a JSON string. Half of a surrogate pair is refused: the decoder
// would replace it, and the hash would be that of another text.
func jsonText(raw []byte) (string, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", fmt.Errorf("the key cannot be read: %w", err)
	}
	if strings.ContainsRune(text, utf8.RuneError) && strings.Count(text, "\uFFFD") != givenReplacements(raw) {
		return "", errors.New("the key has half of a surrogate pair")
	}
	return text, nil
}

// givenReplacements counts the replacement characters that are in the JSON itself,
// as they are or as an escape.
func givenReplacements(raw []byte) int {
	n := bytes.Count(raw, []byte("\uFFFD"))
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] == 'u' && i+6 <= len(raw) && strings.EqualFold(string(raw[i+2:i+6]), "fffd") {
			n++
		}
		i++ // What is escaped may be a backslash.
	}
	return n
}
