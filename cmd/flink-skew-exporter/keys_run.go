package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keyhash"
)

// keysRun is one pass over the keys.
type keysRun struct {
	flags    *keysCommand
	typ      keyhash.Type
	hasher   *keyhash.Hasher
	in       keyReader
	tally    *keyhash.Tally
	listing  *listing
	progress keysProgress
	// skipped counts keys left out, and firstSkipped says why the first was.
	skipped      int64
	firstSkipped error
}

// all reads every key.
func (r *keysRun) all(ctx context.Context) error {
	defer r.progress.clear()
	for n := int64(0); ; n++ {
		if n%progressEvery == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.progress.at(n, time.Now())
		}
		err := r.one()
		var bad *keyError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad) && *r.flags.onError == "skip":
			r.skipped++
			if r.firstSkipped == nil {
				r.firstSkipped = fmt.Errorf("line %d: %w", bad.line, bad.err)
			}
		case err != nil:
			return err
		}
	}
}

// one reads a key and counts or lists it.
func (r *keysRun) one() error {
	k, err := r.in.next()
	if err != nil {
		return err
	}
	hash, err := r.hasher.Hash(k.fields)
	if err != nil {
		return &keyError{k.line, err}
	}
	if r.listing != nil {
		return r.listing.add(k, hash)
	}
	if err := r.tally.Add(hash, k.fields, k.count); err != nil {
		return fmt.Errorf("line %d: %w", k.line, err)
	}
	return nil
}

// report prints what was found, once all keys are read.
func (r *keysRun) report(out *bufio.Writer, p process) error {
	if r.skipped > 0 {
		warn(p.stderr, fmt.Errorf("%s left out by --on-error=skip; the first is in %w", plural64(r.skipped, "key"), r.firstSkipped))
	}
	var err error
	switch {
	case r.listing != nil:
		err = r.listing.finish()
	case r.tally.Lines() == 0:
		return errors.New("there is no key to report on; is the input empty, and --type right?")
	default:
		err = r.print(out, p)
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	return nil
}

// progressEvery is how many keys are read between looks at the clock.
const progressEvery = 1 << 15

// keysProgress says on a terminal how far the reading is.
type keysProgress struct {
	*progressLine
	start, last time.Time
}

// at renews the line, once a second.
func (p *keysProgress) at(n int64, now time.Time) {
	if p.start.IsZero() {
		p.start, p.last = now, now
	}
	if now.Sub(p.last) < time.Second {
		return
	}
	p.last = now
	p.show("%s keys read, %s a second", thousands(n), thousands(int64(float64(n)/now.Sub(p.start).Seconds())))
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural64 writes "1 line" or "3,000 lines".
func plural64(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}
