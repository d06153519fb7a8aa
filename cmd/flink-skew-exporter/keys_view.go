package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keyhash"
)

// keysView is the report, as --format=json prints it.
type keysView struct {
	Type string `json:"type"`
	// Lines are the keys read, repeated ones too, Skipped those left out.
	Lines   int64 `json:"lines"`
	Skipped int64 `json:"skipped"`
	// Keys are the different ones, an estimate unless KeysExact.
	Keys      int64 `json:"keys"`
	KeysExact bool  `json:"keys_exact"`
	Count     int64 `json:"count"`

	Layouts []layoutView `json:"layouts"`
	// Best is one of the layouts; nil when nothing was counted.
	Best *layoutName `json:"best"`
	// Heaviest are the keys of --groups with the highest counts, up to --top.
	Heaviest []heavyView `json:"heaviest"`
	// HeaviestOf is how many were followed, and AllKeys whether none was left out.
	HeaviestOf int  `json:"heaviest_of"`
	AllKeys    bool `json:"heaviest_complete"`

	best int
	// scope says which keys are listed, in words; empty for all.
	scope string
}

type layoutName struct {
	MaxParallelism int `json:"max_parallelism"`
	Parallelism    int `json:"parallelism"`
}

type layoutView struct {
	layoutName
	Count       loadView `json:"count"`
	Keys        loadView `json:"keys"`
	LayoutRatio float64  `json:"layout_ratio"`
	// Equivalent is how many evenly loaded subtasks would be as fast.
	Equivalent *float64 `json:"equivalent_parallelism"`
	Idle       int      `json:"idle_subtasks"`
	// Subtasks are given when there is one layout only.
	Subtasks []shareView `json:"subtasks,omitempty"`
}

type loadView struct {
	Max     int64    `json:"max"`
	Mean    float64  `json:"mean"`
	Ratio   *float64 `json:"ratio"`
	Subtask int      `json:"subtask"`
}

type shareView struct {
	Index int   `json:"index"`
	First int   `json:"key_group_first"`
	Last  int   `json:"key_group_last"`
	Count int64 `json:"count"`
	Keys  int64 `json:"keys"`
}

type heavyView struct {
	Key any `json:"key"`
	// Cut says that the key was too long to be kept whole.
	Cut bool `json:"cut,omitempty"`
	// Count may be too low by up to CountMissed.
	Count       int64       `json:"count"`
	CountMissed int64       `json:"count_missed"`
	Share       *float64    `json:"share"`
	Hash        int32       `json:"hash"`
	Places      []placeView `json:"places"`

	fields []keyhash.Field
}

// placeView is where a key falls under one ceiling.
type placeView struct {
	MaxParallelism int `json:"max_parallelism"`
	Group          int `json:"key_group"`
	// Subtasks are those at the parallelisms of --parallelism.
	Subtasks []subtaskAt `json:"subtasks"`
}

type subtaskAt struct {
	Parallelism int `json:"parallelism"`
	Subtask     int `json:"subtask"`
}

// known is nil for what is no number.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (r *keysRun) view() *keysView {
	v := &keysView{Type: r.typ.String(), Lines: r.tally.Lines(), Skipped: r.skipped, Count: r.tally.Total(), Layouts: []layoutView{}, Heaviest: []heavyView{}}
	v.Keys, v.KeysExact = r.tally.Distinct()
	skews := r.tally.Skews(*r.flags.parallelisms)
	for i := range skews {
		v.Layouts = append(v.Layouts, newLayoutView(&skews[i], len(skews) == 1))
	}
	if v.best = keyhash.Best(skews); v.best >= 0 {
		v.Best = &v.Layouts[v.best].layoutName
	}
	if len(*r.flags.groups) > 0 {
		v.scope = " in these key groups"
	}
	heaviest, all := r.tally.Heaviest()
	v.HeaviestOf, v.AllKeys = len(heaviest), all
	if top := *r.flags.top; top > 0 && len(heaviest) > top {
		heaviest = heaviest[:top]
	}
	for _, h := range heaviest {
		v.Heaviest = append(v.Heaviest, r.heavy(h))
	}
	return v
}

func newLayoutView(s *keyhash.Skew, subtasks bool) layoutView {
	l := layoutView{
		layoutName: layoutName{s.MaxParallelism, s.Parallelism}, Count: newLoadView(s.Count), Keys: newLoadView(s.Keys),
		LayoutRatio: s.LayoutRatio, Equivalent: known(s.Equivalent()), Idle: s.Idle,
	}
	if subtasks {
		for i, sh := range s.Shares {
			l.Subtasks = append(l.Subtasks, shareView{i, sh.First, sh.Last, sh.Count, sh.Keys})
		}
	}
	return l
}

func newLoadView(l keyhash.Load) loadView {
	return loadView{Max: l.Max, Mean: l.Mean, Ratio: known(l.Ratio), Subtask: l.Subtask}
}

func (r *keysRun) heavy(h keyhash.HeavyKey) heavyView {
	v := heavyView{
		Key: keyValue(h.Fields), Cut: h.Cut, Count: h.Count, CountMissed: h.Missed, Hash: h.Hash, fields: h.Fields,
		Share: known(float64(h.Count) / float64(r.tally.Total())),
	}
	for _, m := range *r.flags.ceilings {
		p := placeView{MaxParallelism: m, Group: keygroup.Group(h.Hash, m), Subtasks: []subtaskAt{}}
		for _, n := range *r.flags.parallelisms {
			if keygroup.Valid(n, m) {
				p.Subtasks = append(p.Subtasks, subtaskAt{n, keygroup.Owner(p.Group, n, m)})
			}
		}
		v.Places = append(v.Places, p)
	}
	return v
}

func (r *keysRun) print(out *bufio.Writer, p process) error {
	v := r.view()
	switch *r.flags.format {
	case "json":
		return v.json(out)
	case "csv":
		if len(*r.flags.groups) > 0 {
			return v.keysCSV(out)
		}
		return v.layoutsCSV(out)
	}
	return v.text(out, look(p.stdout, os.Getenv))
}

func (v *keysView) json(w io.Writer) error {
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

// layoutsCSV is a line for each layout.
func (v *keysView) layoutsCSV(w io.Writer) error {
	rows := [][]string{{
		"max_parallelism", "parallelism", "count_max", "count_mean", "count_ratio", "count_subtask",
		"keys_max", "keys_mean", "keys_ratio", "keys_subtask", "layout_ratio", "equivalent_parallelism", "idle_subtasks", "best",
	}}
	for i, l := range v.Layouts {
		row := []string{strconv.Itoa(l.MaxParallelism), strconv.Itoa(l.Parallelism)}
		row = append(append(row, l.Count.cells()...), l.Keys.cells()...)
		rows = append(rows, append(row, decimalCell(&l.LayoutRatio), decimalCell(l.Equivalent), strconv.Itoa(l.Idle), strconv.FormatBool(i == v.best)))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func (l loadView) cells() []string {
	return []string{strconv.FormatInt(l.Max, 10), decimalCell(&l.Mean), decimalCell(l.Ratio), strconv.Itoa(l.Subtask)}
}

// decimalCell is empty for what is not known.
func decimalCell(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// keysCSV is a line for each of the heaviest keys, with the columns of --each. A
// subtask is told when there is one parallelism.
func (v *keysView) keysCSV(w io.Writer) error {
	var rows [][]string
	for _, h := range v.Heaviest {
		if rows == nil {
			rows = append(rows, keyColumns(h.fields))
		}
		place, subtask := h.Places[0], ""
		if len(place.Subtasks) == 1 {
			subtask = strconv.Itoa(place.Subtasks[0].Subtask)
		}
		rows = append(rows, append([]string{strconv.Itoa(place.Group), subtask, strconv.FormatInt(h.Count, 10), strconv.FormatInt(int64(h.Hash), 10)}, keyTexts(h.fields)...))
	}
	return csv.NewWriter(w).WriteAll(rows)
}
