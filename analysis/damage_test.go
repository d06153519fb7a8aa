package analysis_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// answer is one line of a tape.
type answer struct {
	Poll   int             `json:"poll"`
	At     float64         `json:"at"`
	Path   string          `json:"path"`
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

// readAnswers returns the lines of a tape.
func readAnswers(t *testing.T, name string) []answer {
	t.Helper()
	f, err := os.Open(filepath.Join(tapes, name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []answer
	for d := json.NewDecoder(z); ; {
		var a answer
		if err := d.Decode(&a); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
}

// damage is a way in which a recording may be worse than those in testdata.
type damage struct {
	name  string
	seeds int
	// blind says that the very subtasks may be missing that a verdict is about,
	// so that it names fewer of them, or what is left to see is calm.
	blind bool
	// spoil returns the answers that are left.
	spoil func(r *rand.Rand, all []answer) []answer
}

func damages() []damage {
	return []damage{
		{"polls dropped", 8, false, dropPolls},
		{"begins in the middle", 2, false, beginLate},
		{"a fifth of the answers dropped", 8, false, func(r *rand.Rand, all []answer) []answer {
			return slices.DeleteFunc(all, func(answer) bool { return r.IntN(5) == 0 })
		}},
		{"a fifth of one vertex's answers dropped after the first poll", 4, false, func(r *rand.Rand, all []answer) []answer {
			return slices.DeleteFunc(all, func(a answer) bool { return a.Poll > 0 && strings.Contains(a.Path, "/vertices/") && r.IntN(5) == 0 })
		}},
		{"one poll failed", 4, false, failPoll},
		{"answers failed", 4, false, func(r *rand.Rand, all []answer) []answer {
			for i := range all {
				if r.IntN(10) == 0 {
					all[i].Status, all[i].Body = 500, json.RawMessage(`{"errors":["Internal server error."]}`)
				}
			}
			return all
		}},
		{"subtasks in another order", 2, false, reorder},
		{"intervals wander", 3, false, func(r *rand.Rand, all []answer) []answer {
			shift := make(map[int]float64)
			for i := range all {
				if _, ok := shift[all[i].Poll]; !ok {
					shift[all[i].Poll] = 9 * (r.Float64() - 0.5)
				}
				all[i].At += shift[all[i].Poll]
			}
			return all
		}},
		{"subtasks missing", 8, true, dropSubtasks},
		{"polls and answers dropped", 8, false, func(r *rand.Rand, all []answer) []answer {
			return slices.DeleteFunc(dropPolls(r, all), func(answer) bool { return r.IntN(8) == 0 })
		}},
		{"no accumulated times", 1, false, withoutTimes},
		{"lines in another order", 2, false, func(r *rand.Rand, all []answer) []answer {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return all
		}},
	}
}

// pollsOf returns the numbers of the polls, ascending.
func pollsOf(all []answer) []int {
	var polls []int
	for _, a := range all {
		if !slices.Contains(polls, a.Poll) {
			polls = append(polls, a.Poll)
		}
	}
	slices.Sort(polls)
	return polls
}

// dropPolls leaves two polls or more.
func dropPolls(r *rand.Rand, all []answer) []answer {
	polls := pollsOf(all)
	r.Shuffle(len(polls), func(i, j int) { polls[i], polls[j] = polls[j], polls[i] })
	return keepPolls(all, polls[:2+r.IntN(len(polls)-1)])
}

// beginLate drops the first polls.
func beginLate(r *rand.Rand, all []answer) []answer {
	polls := pollsOf(all)
	return keepPolls(all, polls[1+r.IntN(len(polls)-2):])
}

// keepPolls leaves the given polls. What is asked once for all, such as a
// job's plan or the names of metrics, is in the first of them, as it would be
// had the recording begun there.
func keepPolls(all []answer, left []int) []answer {
	first := slices.Min(left)
	again := map[string]bool{}
	for _, a := range all {
		again[a.Path] = again[a.Path] || slices.Contains(left, a.Poll)
	}
	for i := range all {
		if a := &all[i]; a.Poll < first && !again[a.Path] {
			a.Poll = first
		}
	}
	return slices.DeleteFunc(all, func(a answer) bool { return !slices.Contains(left, a.Poll) })
}

// failPoll makes one poll after the first a time-out.
func failPoll(r *rand.Rand, all []answer) []answer {
	polls := pollsOf(all)
	gone := polls[1+r.IntN(len(polls)-1)]
	for i := range all {
		if all[i].Poll == gone {
			all[i].Status, all[i].Body = 0, json.RawMessage(`"context deadline exceeded"`)
		}
	}
	return all
}

// rewrite changes the bodies of answers with subtasks.
func rewrite(all []answer, f func(body map[string]any, subtasks []any)) []answer {
	for i := range all {
		var body map[string]any
		if json.Unmarshal(all[i].Body, &body) != nil {
			continue
		}
		subtasks, ok := body["subtasks"].([]any)
		if !ok {
			continue
		}
		f(body, subtasks)
		if b, err := json.Marshal(body); err == nil {
			all[i].Body = b
		}
	}
	return all
}

func reorder(r *rand.Rand, all []answer) []answer {
	return rewrite(all, func(_ map[string]any, s []any) {
		r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	})
}

// dropSubtasks leaves out an eighth of the subtasks of each answer.
func dropSubtasks(r *rand.Rand, all []answer) []answer {
	return rewrite(all, func(body map[string]any, s []any) {
		body["subtasks"] = slices.DeleteFunc(s, func(any) bool { return r.IntN(8) == 0 })
	})
}

// withoutTimes is how Flink before 1.17 answers, though the back-pressure
// endpoint and the gauges were not asked for on most tapes.
func withoutTimes(_ *rand.Rand, all []answer) []answer {
	return rewrite(all, func(_ map[string]any, s []any) {
		for _, one := range s {
			fields, _ := one.(map[string]any)
			metrics, _ := fields["metrics"].(map[string]any)
			for k := range metrics {
				if strings.HasPrefix(k, "accumulated-") {
					delete(metrics, k)
				}
			}
		}
	})
}

// analyse replays the answers; polls that fail are left out, as by diagnose.
func analyse(t *testing.T, name string, all []answer) []analysis.Result {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, a := range all {
		if err := e.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	tape, err := restapi.ReadTape(&b)
	if err != nil {
		t.Fatal(err)
	}
	source, err := tape.Source(restapi.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	var state analysis.State
	var results []analysis.Result
	for {
		s, err := source.Snapshot(context.Background())
		switch {
		case errors.Is(err, io.EOF):
			return results
		case err != nil:
			continue
		}
		var r analysis.Result
		state, r = analysis.Analyze(state, s, analysis.Defaults())
		results = append(results, r)
	}
}

// TestDamagedTapes spoils every recording in many ways. What is left must give
// the verdict that the whole gives or not_enough_data, and never a warning of
// something else: a lack of data is no reason to wake anybody.
func TestDamagedTapes(t *testing.T) {
	expected := expectations(t)
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := readAnswers(t, name)
			for k, d := range damages() {
				if underRace && k%4 != 0 {
					continue // The detector makes a replay take ten times as long.
				}
				seeds := d.seeds
				if testing.Short() || underRace {
					seeds = 1
				}
				for seed := range seeds {
					r := rand.New(rand.NewPCG(uint64(seed), 11))
					results := analyse(t, name, d.spoil(r, slices.Clone(whole)))
					for poll, result := range results {
						for _, j := range result.Jobs {
							for i := range j.Vertices {
								v := &j.Vertices[i]
								if fault := d.spoilt(v, want, poll == len(results)-1); fault != "" {
									t.Errorf("%s, seed %d, poll %d of %d: %s, %s", d.name, seed, poll+1, len(results), fault, describe(v))
								}
							}
						}
					}
				}
			}
		})
	}
}

// spoilt says what is wrong with the verdict of a vertex on a spoilt tape, empty when nothing is. In the last poll the verdict must be right, in all of
// them nobody must be woken for another one.
func (d damage) spoilt(v *analysis.VertexResult, want map[string]expectation, last bool) string {
	x := expectation{MaxSeverity: "info"}
	for part, e := range want {
		if strings.Contains(v.Name, part) {
			x = e
		}
	}
	id := v.Verdict.ID
	right := x.Verdict == nil || slices.Contains(x.Verdict, string(id)) || id == analysis.NotEnoughData ||
		(d.blind || !v.Partitions.Known() && slices.Contains(x.Verdict, string(analysis.PartitionLayout))) &&
			(id == analysis.Balanced || id == analysis.Quiet)
	named := func(i int) bool { return slices.Contains(x.Subtasks, i) }
	switch {
	case last && !right:
		return fmt.Sprintf("%s, want one of %v", id, x.Verdict)
	case v.Severity() < analysis.SeverityWarning:
	case x.MaxSeverity == "info" || x.MaxSeverity == "none":
		return fmt.Sprintf("%s of a healthy vertex", v.Severity())
	case !right:
		return fmt.Sprintf("%s of %s, want one of %v", v.Severity(), id, x.Verdict)
	case !last || x.Subtasks == nil || !slices.Contains(x.Verdict, string(id)):
	case d.blind && slices.ContainsFunc(v.Verdict.Subtasks, func(i int) bool { return !named(i) }),
		!d.blind && !slices.Equal(x.Subtasks, v.Verdict.Subtasks):
		return fmt.Sprintf("subtasks %v, want %v", v.Verdict.Subtasks, x.Subtasks)
	}
	return ""
}
