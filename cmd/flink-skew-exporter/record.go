package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// record holds the flags of the command.
type record struct {
	config   *configFlags
	out      *string
	polls    *int
	interval *time.Duration
	redact   *bool
	force    *bool
}

func addRecord(r *registry) {
	c := r.app.Command("record", withExample(
		"Writes a cluster's raw answers to a tape, which diagnose --tape replays: the attachment for a bug report. Ctrl-C keeps the polls that were complete.",
		"flink-skew-exporter record --flink.url=http://jobmanager:8081 --out=incident.jsonl.gz --redact"))
	rec := &record{
		config:   addConfigFlags(c, pollKeys()...),
		out:      c.Flag("out", "File to write, compressed when its name ends in .gz, or - for the standard output, not compressed. It appears when it is complete.").PlaceHolder("FILE").String(),
		polls:    count(c, "polls", "Polls to record, at least 2. The first one often finds Flink's metrics asleep.", "4"),
		interval: span(c, "interval", "Pause between two polls. Flink refreshes its metrics at most every 10s.", "10s"),
		redact:   c.Flag("redact", "Replace addresses and host names by made-up ones and take out what looks like a secret. With it the configuration of the cluster and its jobs is recorded too.").Bool(),
		force:    c.Flag("force", "Overwrite the file of --out.").Bool(),
	}
	r.add(c, rec.run)
}

func (r *record) check() (*config.Config, error) {
	cfg, err := r.config.load()
	switch {
	case err != nil:
		return nil, err
	case need(cfg) != nil:
		return nil, need(cfg)
	case len(cfg.Clusters) > 1:
		return nil, usagef("a tape holds one cluster, not %d; name it with --flink.url", len(cfg.Clusters))
	case *r.out == "":
		return nil, usagef("no file to write; give --out=FILE, such as --out=tape.jsonl.gz")
	case *r.polls < minPolls:
		return nil, usagef("--polls is %d; a window lies between two polls, so give at least %d", *r.polls, minPolls)
	}
	return cfg, mayWrite(*r.out, *r.force)
}

func (r *record) run(ctx context.Context, p process) error {
	cfg, err := r.check()
	if err != nil {
		return err
	}
	file, err := createTape(*r.out, p.stdout)
	if err != nil {
		return err
	}
	defer file.discard()
	s, err := r.session(cfg, p, file)
	if err != nil {
		return err
	}
	defer s.client.Close()
	return s.run(ctx)
}

// session is one recording under way.
type session struct {
	record   *record
	p        process
	file     *tapeFile
	recorder *restapi.Recorder
	client   *restapi.Client
	extras   *extras
	// good and failed count complete polls; err is the newest failure.
	good, failed int
	err          error
}

func (r *record) session(cfg *config.Config, p process, file *tapeFile) (*session, error) {
	k := cfg.Clusters[0]
	// A tape has one address: paths on it have lost their prefix.
	k.URL, k.URLs = k.Addresses()[0], nil
	recorder, err := restapi.NewRecorder(file, restapi.RecordOptions{URL: k.URL, Redact: *r.redact})
	if err != nil {
		return nil, usageError{err}
	}
	s := &session{record: r, p: p, file: file, recorder: recorder, extras: &extras{base: k.URL, limit: int64(cfg.Poll.MaxResponseBytes), config: *r.redact}}
	o := clientOptions(cfg, k, p.logger)
	// A tape is to hold all there is: every vertex in every poll.
	o.ActivityFloor = 0
	o.WatermarkBudget, o.BacklogBudget = restapi.Unlimited, restapi.Unlimited
	o.WrapTransport = func(next http.RoundTripper) http.RoundTripper {
		s.extras.transport = recorder.Wrap(next)
		return s.extras
	}
	s.client, err = restapi.New(o)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", k.Name, err)
	}
	return s, nil
}

func (s *session) run(ctx context.Context) error {
	line := newProgress(s.p.stderr)
	defer line.clear()
	all := *s.record.polls
	for i := range all {
		line.show("recording: %d of %d polls, %v apart", i, all, *s.record.interval)
		err := s.ask(ctx)
		if ctx.Err() != nil {
			break
		}
		if err := s.keep(err); err != nil {
			return err
		}
		if i == 0 && s.err != nil && hopeless(s.err) {
			break
		}
		if i < all-1 && !pause(ctx, *s.record.interval) {
			break
		}
	}
	if s.good == 0 {
		if s.err != nil {
			return fmt.Errorf("nothing was recorded: %w", s.err)
		}
		return fmt.Errorf("interrupted before the first poll was complete; nothing was recorded")
	}
	if err := s.file.keep(); err != nil {
		return err
	}
	line.clear()
	s.say(ctx.Err() != nil)
	return nil
}

// ask makes one poll's requests, which the recorder sees.
func (s *session) ask(ctx context.Context) error {
	snapshot, err := s.client.Snapshot(ctx)
	if err == nil && s.good == 0 {
		s.extras.ask(ctx, snapshot)
	}
	return err
}

// keep makes a poll that was not interrupted part of the tape, and counts it
// by its outcome.
func (s *session) keep(outcome error) error {
	if outcome == nil {
		s.good++
	} else {
		s.failed++
		s.err = outcome
	}
	if err := s.recorder.Err(); err != nil {
		return err
	}
	s.recorder.NextPoll()
	return s.file.commit()
}

func (s *session) say(interrupted bool) {
	complete := s.good + s.failed
	w, name := s.p.stdout, *s.record.out
	if s.file.stdout != nil {
		w, name = s.p.stderr, "standard output" // the tape itself is on the other
	}
	fmt.Fprintf(w, "%s: %d polls", name, complete)
	if s.failed > 0 {
		fmt.Fprintf(w, ", %d of them failed", s.failed)
	}
	if interrupted {
		fmt.Fprintf(w, ", interrupted before the others of %d", *s.record.polls)
	}
	fmt.Fprintln(w)
	if s.file.stdout == nil {
		fmt.Fprintf(w, "look at it with: %s diagnose --tape %s\n", appName, name)
	}
	if !*s.record.redact {
		fmt.Fprintln(w, "it holds addresses and host names as they are; --redact replaces them")
	} else {
		fmt.Fprintln(w, "look at it before you send it: names of jobs and operators stay, and what is secret in them or in a text cannot always be told")
	}
}
