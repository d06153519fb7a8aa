package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web"
)

// whatIf holds the flags of the command.
type whatIf struct {
	// look polls or replays as diagnose does.
	look      *diagnose
	keys      *keysCommand
	savepoint *source
	load      *float64
	format    *string
	out       *string
	force     *bool
}

func addWhatIf(r *registry) {
	c := r.app.Command("whatif", withExample(
		"Predicts the load of the busiest subtask at other parallelisms, as bounds, for a vertex of a live cluster or of a recording, for the keyed state of a savepoint, or for a list of keys. Says where the target is met, what binds, and what no parallelism goes below.",
		"flink-skew-exporter whatif --flink.url=http://jobmanager:8081 --job=orders --vertex=enrich",
		"flink-skew-exporter whatif --tape incident.jsonl.gz --vertex=enrich --load=1.5 --format=svg --out curve.svg",
		"flink-skew-exporter whatif --savepoint /savepoints/savepoint-a1b2c3-0123456789ab",
		"flink-skew-exporter whatif --keys customers.txt --type=int --max-parallelism=128 --parallelism=5"))
	w := &whatIf{
		savepoint: new(source), load: new(float64),
		look: &diagnose{
			config:   addConfigFlags(c, append(pollKeys(), analysisKeys()...)...),
			tape:     c.Flag("tape", "Recording to replay at once instead of a live cluster.").PlaceHolder("FILE").String(),
			polls:    count(c, "polls", "Readings to take, at least 2. One poll more comes first, to wake Flink's metrics.", "3"),
			interval: span(c, "interval", "Pause between two polls. Flink refreshes its metrics at most every 10s.", "10s"),
			job:      c.Flag("job", "Only jobs with this id, or with this in their name.").PlaceHolder("TEXT").String(),
			vertex:   c.Flag("vertex", "The vertex, or the operator of a savepoint: its id, or a part of its name. The worst of several is taken.").PlaceHolder("TEXT").String(),
			verbose:  new(bool),
		},
		format: enum(c, "format", "Format of the output", "text", "json", "csv", "svg"),
		out:    c.Flag("out", "File to write instead of the standard output.").PlaceHolder("FILE").String(),
		force:  c.Flag("force", "Overwrite the file of --out.").Bool(),
	}
	c.Flag("savepoint", "Savepoint or checkpoint whose keyed state is looked at: its _metadata, or its folder.").PlaceHolder("FILE").SetValue(w.savepoint)
	c.Flag("load", "Draw the curve for so many times the present demand, such as 1.5 for half as much again.").Default("1").SetValue(factor{w.load})
	w.keys = addKeyInput(c)
	r.add(c, w.run)
}

// factor is a flag's value that is a number above 0.
type factor struct{ value *float64 }

func (f factor) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v <= 1000) {
		return fmt.Errorf("must be a number above 0, up to 1000, not %q", text)
	}
	*f.value = v
	return nil
}

func (f factor) String() string { return strconv.FormatFloat(*f.value, 'g', -1, 64) }

func (w *whatIf) run(ctx context.Context, p process) error {
	sources := 0
	for _, given := range []bool{*w.savepoint != "", *w.keys.file != "", *w.look.tape != ""} {
		if given {
			sources++
		}
	}
	if sources > 1 {
		return usagef("--tape, --savepoint and --keys exclude each other; keep one of them")
	}
	if *w.out != "" {
		if err := mayWrite(*w.out, *w.force); err != nil {
			return err
		}
	}
	var out *report.WhatIf
	var err error
	switch {
	case *w.savepoint != "":
		out, err = w.ofSavepoint(ctx, p)
	case *w.keys.file != "":
		out, err = w.ofKeys(ctx, p)
	default:
		out, err = w.ofVertex(ctx, p)
	}
	if err != nil {
		return err
	}
	out.GeneratedAt = time.Now().UTC()
	if err := w.write(p, out); err != nil {
		return err
	}
	if out.Curve == nil {
		return errors.New("there is no curve for this vertex; the output says why")
	}
	return nil
}

// write prints the what-if, or puts it into the file of --out.
func (w *whatIf) write(p process, out *report.WhatIf) error {
	if *w.out == "" || *w.out == toStdout {
		return w.print(p.stdout, out)
	}
	f, err := os.Create(*w.out)
	if err != nil {
		return fmt.Errorf("--out %s: %w", *w.out, cause(err))
	}
	return errors.Join(w.print(f, out), f.Close())
}

func (w *whatIf) print(to io.Writer, out *report.WhatIf) error {
	switch *w.format {
	case "json":
		return out.JSON(web.EscapeControls(to))
	case "csv":
		return out.CSV(to)
	case "svg":
		_, err := io.WriteString(to, out.SVG())
		return err
	}
	t := look(to, os.Getenv)
	return out.Text(to, report.TextOptions{Color: t.color, Unicode: t.unicode, Width: t.width})
}
