package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keyhash"
)

// keysCommand holds the flags of the command.
type keysCommand struct {
	file         *source
	typeName     *string
	ceilings     *parallelisms
	parallelisms *parallelisms
	groups       *groupRanges
	input        *string
	delimiter    *string
	header       *bool
	null         *nullText
	onError      *string
	format       *string
	each         *bool
	top          *int
}

func addKeys(r *registry) {
	c := r.app.Command("keys", withExample(
		"Says which key group and subtask each key of a list falls to, how unevenly the keys load the subtasks at given parallelisms and ceilings, and which is the best. Keys are read one a line, or as CSV or JSON Lines with counts, in bounded memory.",
		"flink-skew-exporter keys --type=int --max-parallelism=128 --parallelism=5 --groups=26-51 < customers.txt",
		"flink-skew-exporter keys --type='sql(string,bigint)' --input=csv --max-parallelism=128,256,720 --parallelism=10,12,16 counts.csv"))
	k := &keysCommand{
		file: new(source), ceilings: &parallelisms{}, parallelisms: &parallelisms{}, groups: &groupRanges{}, null: &nullText{},
		typeName:  c.Flag("type", "Type of the keys: string, long, int, short, byte, boolean, double, float, char, uuid, tuple(string,long), or sql(string,bigint) for a key of Flink SQL, of one column too.").Required().PlaceHolder("TYPE").String(),
		input:     enum(c, "input", "Form of the keys: one a line; CSV with a column for each field and, if there is one more, a count; JSON Lines with \"key\" and \"count\"", "lines", "csv", "jsonl"),
		delimiter: c.Flag("delimiter", `What separates the columns of CSV; \t is a tab.`).Default(",").String(),
		header:    c.Flag("header", "Leave out the first line of CSV.").Bool(),
		onError:   enum(c, "on-error", "What to do at a key that is none of its type: fail, or skip and count it", "fail", "skip"),
		format:    enum(c, "format", "Format of the report", "text", "json", "csv"),
		each:      c.Flag("each", "Print every key as it is read, repeated ones too, and no report.").Bool(),
		top:       count(c, "top", "How many keys the report lists, those with the highest counts; 0 for all that are followed, at most 16384.", "20"),
	}
	c.Flag("max-parallelism", "The vertex's max parallelism, or several to compare, such as 128,256,720.").Required().PlaceHolder("LIST").SetValue(k.ceilings)
	c.Flag("parallelism", "Parallelisms to compare, such as 5,10,20; all that are worth running if not given.").PlaceHolder("LIST").SetValue(k.parallelisms)
	c.Flag("groups", "List only keys that fall to these key groups, such as 26-51,77.").PlaceHolder("RANGES").SetValue(k.groups)
	c.Flag("null", "The text that stands for NULL in lines and CSV.").PlaceHolder("TEXT").SetValue(k.null)
	c.Arg("file", "The file of keys; standard input if none is given, or for -.").SetValue(k.file)
	r.add(c, k.run)
}

// groupRanges is a flag's value that is ranges of key groups.
type groupRanges [][2]int

func (g *groupRanges) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		low, high, two := strings.Cut(strings.TrimSpace(part), "-")
		if !two {
			high = low
		}
		first, err1 := strconv.Atoi(low)
		last, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil || first < 0 || last < first || last >= keygroup.UpperBound {
			return fmt.Errorf("must be key groups from 0 to %d, such as 26-51 or 3,26-51, not %q", keygroup.UpperBound-1, text)
		}
		*g = append(*g, [2]int{first, last})
	}
	return nil
}

func (g *groupRanges) String() string { return "" }

// IsCumulative lets the flag be given more than once.
func (g *groupRanges) IsCumulative() bool { return true }

func (g groupRanges) has(group int) bool {
	return len(g) == 0 || slices.ContainsFunc(g, func(r [2]int) bool { return r[0] <= group && group <= r[1] })
}

// nullText is a flag's value that may be the empty text, which differs from none.
type nullText struct {
	text string
	set  bool
}

func (n *nullText) Set(text string) error {
	n.text, n.set = text, true
	return nil
}

func (n *nullText) String() string { return n.text }

// check finds flags that do not go together.
func (k *keysCommand) check(typ keyhash.Type) error {
	smallest := slices.Min(*k.ceilings)
	for _, p := range *k.parallelisms {
		if p > slices.Max(*k.ceilings) {
			return usagef("parallelism %d is above max parallelism %d; Flink does not run that", p, slices.Max(*k.ceilings))
		}
	}
	for _, g := range *k.groups {
		if g[1] >= smallest {
			return usagef("key group %d of --groups is not below max parallelism %d", g[1], smallest)
		}
	}
	switch {
	case len(*k.groups) > 0 && len(*k.ceilings) > 1:
		return usagef("--groups goes with one max parallelism, not %d: key groups of different ones have nothing in common", len(*k.ceilings))
	case *k.each && (len(*k.ceilings) > 1 || len(*k.parallelisms) > 1):
		return usagef("--each goes with one max parallelism and at most one parallelism; without it the report compares several")
	case *k.input == "lines" && typ.Fields() > 1:
		return usagef("a key of %s has %d fields; give them as --input=csv or --input=jsonl", typ, typ.Fields())
	}
	_, err := k.comma()
	return err
}

// comma is what --delimiter says.
func (k *keysCommand) comma() (rune, error) {
	text := strings.ReplaceAll(*k.delimiter, `\t`, "\t")
	if r := []rune(text); len(r) == 1 && !strings.ContainsAny(text, "\"\r\n\uFFFD") {
		return r[0], nil
	}
	return 0, usagef(`--delimiter must be one character, or \t for a tab, not %q`, *k.delimiter)
}

func (k *keysCommand) run(ctx context.Context, p process) error {
	typ, err := keyhash.Parse(*k.typeName)
	if err != nil {
		return usagef("--type: %w", err)
	}
	if err := k.check(typ); err != nil {
		return err
	}
	in, err := k.open(p)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(p.stdout, 1<<16)
	work := &keysRun{
		flags: k, typ: typ, hasher: typ.NewHasher(), in: k.reader(in, typ.Fields()), progress: keysProgress{progressLine: newProgress(p.stderr)},
		tally: keyhash.NewTally(*k.ceilings, k.groups.has),
	}
	if *k.each {
		work.listing = newListing(*k.format, out, k)
	}
	// A read of standard input cannot be interrupted, so that it is left behind.
	done := make(chan error, 1)
	go func() { done <- errors.Join(work.all(ctx), in.Close()) }()
	select {
	case <-ctx.Done():
		return errors.New("interrupted while reading keys; nothing is reported")
	case err := <-done:
		if err != nil {
			if work.listing != nil {
				err = errors.Join(err, work.listing.finish(), out.Flush())
			}
			return err
		}
	}
	return work.report(out, p)
}

// open opens the file of keys. Somebody at a terminal is told what is waited for.
func (k *keysCommand) open(p process) (io.ReadCloser, error) {
	if name := string(*k.file); name != "" && name != standardInputName {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("the keys cannot be read: %w", err)
		}
		return f, nil
	}
	if isTerminal(os.Stdin) && isTerminal(p.stderr) {
		fmt.Fprintln(p.stderr, "reading keys from the terminal; end them with Ctrl-D")
	}
	return standardInput{os.Stdin}, nil
}
