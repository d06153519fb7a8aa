package analysis

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

func hotScenes() []scene {
	return []scene{pressedSource(), keyed(5, 128, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1300))}
}

// TestAnalyzeIsAReducer: the same state and snapshot give the same bytes, and
// neither argument changes.
func TestAnalyzeIsAReducer(t *testing.T) {
	state, _ := history(Defaults(), 3, hotScenes()...)
	next := poll(3, hotScenes()...)
	before, _ := json.Marshal(next)
	var outputs [2]string
	for i := range outputs {
		_, r := Analyze(state, next, Defaults())
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		outputs[i] = string(b)
	}
	if outputs[0] != outputs[1] {
		t.Error("two analyses of the same input differ")
	}
	if after, _ := json.Marshal(next); string(after) != string(before) {
		t.Error("Analyze changed the snapshot")
	}
}

// TestResultsStayAsTheyWere: a Result that is being served must not change
// when the next poll is analysed.
func TestResultsStayAsTheyWere(t *testing.T) {
	state, r := history(Defaults(), 3, hotScenes()...)
	before, _ := json.Marshal(r)
	Analyze(state, poll(3, hotScenes()...), Defaults())
	if after, _ := json.Marshal(r); string(after) != string(before) {
		t.Error("an older Result changed")
	}
}

func TestFirstWindow(t *testing.T) {
	_, r := history(Defaults(), 1, hotScenes()...)
	v := find(t, r, "keyed")
	if v.Verdict.ID != NotEnoughData || v.Verdict.Advice.Missing != MissingFirstWindow || v.Signals.Busy.Count != 0 {
		t.Errorf("%+v", v.Verdict)
	}
	_, r = history(Defaults(), 2, hotScenes()...)
	if v = find(t, r, "keyed"); v.Verdict.ID != HotKey || v.Verdict.Confidence != ConfidenceLow {
		t.Errorf("after one window: %s, %s", v.Verdict.ID, v.Verdict.Confidence)
	}
}

// TestRescaleStartsAnew: ranges, windows and verdicts of another parallelism
// say nothing about this one.
func TestRescaleStartsAnew(t *testing.T) {
	state, _ := history(Defaults(), 4, hotScenes()...)
	seven := keyed(7, 128, even(7, .3), even(7, 200))
	s := poll(4, pressedSource(), seven)
	s.Jobs[0].RunningSince = s.At.Add(-time.Minute)
	state, r := Analyze(state, s, Defaults())
	v := find(t, r, "keyed")
	if v.Verdict.ID != NotEnoughData || v.Finding(JobChanged) == nil || v.Windows != 0 || v.Hot != nil || len(v.Subtasks) != 0 {
		t.Errorf("%s, findings %+v, %d windows", v.Verdict.ID, v.Findings, v.Windows)
	}
	if r.Jobs[0].Restarts.Or(-1) != 0 {
		t.Errorf("a rescale counted as restart: %v", r.Jobs[0].Restarts)
	}
	s = poll(5, pressedSource(), seven)
	s.Jobs[0].RunningSince = epoch.Add(-time.Minute + time.Minute)
	_, r = Analyze(state, s, Defaults())
	if v = find(t, r, "keyed"); v.Finding(JobChanged) != nil {
		t.Error("job_changed outlived its window")
	}
}

func TestRestartsAreCounted(t *testing.T) {
	var state State
	var r Result
	restarts := []float64{}
	for n, attempt := range []int32{3, 3, 4, 4, 6} {
		s := poll(n, hotScenes()...)
		for i := range s.Jobs[0].Vertices {
			for j := range s.Jobs[0].Vertices[i].Subtasks {
				s.Jobs[0].Vertices[i].Subtasks[j].Attempt = attempt
			}
		}
		s.Jobs[0].RunningSince = epoch.Add(time.Duration(attempt) * time.Second)
		state, r = Analyze(state, s, Defaults())
		restarts = append(restarts, r.Jobs[0].Restarts.Or(-1))
	}
	if !reflect.DeepEqual(restarts, []float64{3, 3, 4, 4, 6}) {
		t.Errorf("restarts %v", restarts)
	}
}

// TestCoverage: a subtask that has not reported is missing, not idle.
func TestCoverage(t *testing.T) {
	without := func(n, index int) Snapshot {
		s := poll(n, pressedSource(), keyed(4, 128, even(4, .95), even(4, 1000)))
		v := &s.Jobs[0].Vertices[1]
		v.Subtasks = append(v.Subtasks[:index:index], v.Subtasks[index+1:]...)
		return s
	}
	var state State
	var r Result
	for n := range 4 {
		state, r = Analyze(state, without(n, 1), Defaults())
	}
	v := find(t, r, "keyed")
	if !near(v.Coverage, .75, 0) || v.Verdict.ID != NotEnoughData || v.Verdict.Advice.Missing != MissingNotRunning {
		t.Errorf("coverage %v, %s, missing %s", v.Coverage, v.Verdict.ID, v.Verdict.Advice.Missing)
	}
	if v.Signals.Busy.Count != 3 || v.RecordsInPerSecond.Known() {
		t.Errorf("busy of %d subtasks; a sum over some of them is %v", v.Signals.Busy.Count, v.RecordsInPerSecond)
	}
}

// TestFinishedSubtasks: those that have ended count on neither side.
func TestFinishedSubtasks(t *testing.T) {
	snapshot := func(n int, finished ...int) Snapshot {
		s := poll(n, roomySource(), keyed(4, 128, even(4, .3), even(4, 1000)))
		for _, i := range finished {
			s.Jobs[0].Vertices[1].Subtasks[i].State = "FINISHED"
		}
		return s
	}
	var state State
	var r Result
	for n := range 4 {
		state, r = Analyze(state, snapshot(n, 3), Defaults())
	}
	if v := find(t, r, "keyed"); v.Verdict.ID != Balanced || !near(v.Coverage, 1, 0) || v.Signals.Busy.Count != 3 {
		t.Errorf("one finished: %s, coverage %v, busy of %d", v.Verdict.ID, v.Coverage, v.Signals.Busy.Count)
	}
	_, r = Analyze(state, snapshot(4, 0, 1, 2, 3), Defaults())
	if v := find(t, r, "keyed"); v.Verdict.ID != NotEnoughData || v.Coverage.Known() || v.Signals.Busy.Skew.Known() {
		t.Errorf("all finished: %s, coverage %v, skew %v", v.Verdict.ID, v.Coverage, v.Signals.Busy.Skew)
	}
}

// TestFrozenAnswers: values that never move are held for Config.MaxAge, then
// nothing is known.
func TestFrozenAnswers(t *testing.T) {
	state, _ := history(Defaults(), 4, hotScenes()...)
	var r Result
	for n := 1; n <= 5; n++ {
		s := poll(3, hotScenes()...)
		s.At = epoch.Add(45*time.Second + time.Duration(n)*15*time.Second)
		state, r = Analyze(state, s, Defaults())
		v := find(t, r, "keyed")
		if n <= 4 && (v.Verdict.ID != HotKey || v.Windows != 3) {
			t.Errorf("after %d repeated answers: %s, %d windows", n, v.Verdict.ID, v.Windows)
		}
		if n == 5 && (v.Verdict.ID != NotEnoughData || v.Verdict.Advice.Missing != MissingFrozen || v.Signals.Busy.Count != 0) {
			t.Errorf("after MaxAge: %s, missing %s", v.Verdict.ID, v.Verdict.Advice.Missing)
		}
	}
}

// TestStateIsBounded: what the snapshot no longer lists is forgotten.
func TestStateIsBounded(t *testing.T) {
	var state State
	for n := range 50 {
		s := poll(n, hotScenes()...)
		s.Jobs[0].ID = strings.Repeat("x", n+1)
		s.TaskManagers = []TaskManager{{ID: s.Jobs[0].ID, CPUSeconds: Of(1), CPUAt: s.At}}
		state, _ = Analyze(state, s, Defaults())
	}
	if len(state.jobs) != 1 || len(state.taskManagers) != 1 {
		t.Errorf("%d jobs, %d TaskManagers remembered of one each", len(state.jobs), len(state.taskManagers))
	}
}

// TestFailedDetailsHoldTheVerdict: a vertex that could not be read keeps its
// verdict until its values are too old.
func TestFailedDetailsHoldTheVerdict(t *testing.T) {
	state, _ := history(Defaults(), 4, hotScenes()...)
	for n := 4; n <= 8; n++ {
		s := poll(n, hotScenes()...)
		s.Jobs[0].Vertices[1].Detail, s.Jobs[0].Vertices[1].Subtasks = DetailMissing, nil
		var r Result
		state, r = Analyze(state, s, Defaults())
		v := find(t, r, "keyed")
		if n <= 7 && v.Verdict.ID != HotKey {
			t.Errorf("poll %d: %s", n, v.Verdict.ID)
		}
		if n == 8 && (v.Verdict.ID != NotEnoughData || v.Verdict.Advice.Missing != MissingDetails) {
			t.Errorf("poll %d: %s, missing %s", n, v.Verdict.ID, v.Verdict.Advice.Missing)
		}
	}
}

// TestNotMeasuredIsBlank: Flink answers 0 for the input of some sources and
// the output of sinks.
func TestNotMeasuredIsBlank(t *testing.T) {
	sink := keyed(2, 128, even(2, .3), even(2, 500))
	sink.out = even(2, 0)
	_, r := history(Defaults(), 3, roomySource(), sink)
	if v := find(t, r, "source"); v.Signals.RecordsIn.Count != 0 || v.RecordsInPerSecond.Known() || v.Subtasks[0].RecordsIn.Known() || !near(v.RecordsOutPerSecond, 1000, 1) {
		t.Errorf("source: %+v", v.Signals.RecordsIn)
	}
	if v := find(t, r, "keyed"); v.Signals.RecordsOut.Count != 0 || !near(v.RecordsInPerSecond, 1000, 1) {
		t.Errorf("sink: %+v", v.Signals.RecordsOut)
	}
}

// TestStateSizeBesideLoad: the full state, not what a checkpoint wrote.
func TestStateSizeBesideLoad(t *testing.T) {
	s := keyed(4, 128, even(4, .3), even(4, 100))
	s.checkpointSize = []float64{100, 100, 500, 100}
	v := judged(t, "keyed", roomySource(), s)
	if !near(v.Signals.State.Skew, 2.5, 1e-9) || v.Signals.State.ArgMax != 2 || !near(v.Signals.State.Sum, 800, 0) ||
		!near(v.Signals.CheckpointDuration.Max, .5, 0) || !near(v.Subtasks[2].StateBytes, 500, 0) {
		t.Errorf("%+v", v.Signals.State)
	}
}

// TestWaiting: busy without CPU.
func TestWaiting(t *testing.T) {
	for _, c := range []struct {
		cpuPerSecond float64
		want         bool
	}{{.2, true}, {.6, false}} {
		var state State
		var r Result
		for n := range 4 {
			s := poll(n, pressedSource(), keyed(3, 128, even(3, 1), even(3, 300)))
			for _, id := range []string{"tm-0", "tm-1", "tm-2"} {
				s.TaskManagers = append(s.TaskManagers, TaskManager{ID: id, CPUCores: Of(2), CPUSeconds: Of(100 + c.cpuPerSecond*float64(n)*15), CPUAt: s.At})
			}
			state, r = Analyze(state, s, Defaults())
		}
		v := find(t, r, "keyed")
		f := v.Finding(Waiting)
		if (f != nil) != c.want {
			t.Errorf("%v CPU seconds a second: waiting %t", c.cpuPerSecond, !c.want)
		}
		if f != nil && !near(evidenceOf(t, f.Evidence, "cpu_of_cores").Value, c.cpuPerSecond/2, 1e-6) {
			t.Errorf("%+v", f.Evidence)
		}
	}
}

func TestCeilingFindings(t *testing.T) {
	full := judged(t, "keyed", pressedSource(), keyed(16, 16, even(16, 1), even(16, 300)))
	if full.Finding(CeilingReached) == nil || full.Finding(CeilingBelowRequired) == nil {
		t.Errorf("at the ceiling and saturated: %+v", full.Findings)
	}
	roomy := judged(t, "keyed", roomySource(), keyed(16, 16, even(16, .3), even(16, 300)))
	if len(roomy.Findings) != 0 {
		t.Errorf("at the ceiling with room: %+v", roomy.Findings)
	}
	one := judged(t, "keyed", pressedSource(), keyed(1, 1, even(1, 1), even(1, 300)))
	if one.Finding(NonParallel) == nil || one.Finding(CeilingReached) != nil || one.Finding(CeilingBelowRequired) != nil {
		t.Errorf("1 of 1 by design: %+v", one.Findings)
	}
}

// TestTwoJobsOfOneName: copies of a program share their names and the ids of
// their vertices, and nothing else.
func TestTwoJobsOfOneName(t *testing.T) {
	var state State
	var r Result
	for n := range 4 {
		s := poll(n, hotScenes()...)
		other := poll(n, calmScenes()...).Jobs[0]
		other.ID = "copy"
		s.Jobs = append(s.Jobs, other)
		state, r = Analyze(state, s, Defaults())
	}
	for i, want := range []VerdictID{HotKey, Balanced} {
		if got := r.Jobs[i].Vertices[1].Verdict.ID; got != want {
			t.Errorf("job %s: %s, want %s", r.Jobs[i].ID, got, want)
		}
	}
}

// TestClosedSets: every rule's verdict and every finding is in the documented set.
func TestClosedSets(t *testing.T) {
	known := map[VerdictID]bool{}
	for _, id := range Verdicts() {
		known[id] = true
	}
	for _, r := range rules() {
		if !known[r.id] {
			t.Errorf("verdict %s is not in Verdicts()", r.id)
		}
	}
	if len(findingRules()) != len(FindingIDs()) {
		t.Errorf("%d finding rules, %d ids", len(findingRules()), len(FindingIDs()))
	}
}

func TestThresholdsAreValidated(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatal(err)
	}
	bad := Defaults()
	bad.SaturatedLeave = .95
	if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "saturated_leave") {
		t.Errorf("leave above enter: %v", err)
	}
}

// TestPurity: the package imports nothing that reaches outside.
func TestPurity(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{
		"encoding/json": true, "fmt": true, "math": true, "regexp": true, "slices": true, "strconv": true, "strings": true, "time": true,
		"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup": true,
	}
	files := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if path := strings.Trim(imp.Path.Value, `"`); !allowed[path] {
				t.Errorf("%s imports %s", e.Name(), path)
			}
		}
	}
	if files == 0 {
		t.Fatal("no files read")
	}
}

// TestHotSubtaskOutOfSight: a worker that is saturated is the one whose metrics
// come late. What is seen of the others is calm, and no reason to say so.
func TestHotSubtaskOutOfSight(t *testing.T) {
	hidden := func(n int, from int) Snapshot {
		s := poll(n, pressedSource(), keyed(5, 128, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1300)))
		if n >= from {
			frozen := poll(from, pressedSource(), keyed(5, 128, with(even(5, .25), 1, 1), with(even(5, 160), 1, 1300)))
			s.Jobs[0].Vertices[1].Subtasks[1] = frozen.Jobs[0].Vertices[1].Subtasks[1]
		}
		return s
	}
	var state State
	var r Result
	for n := range 14 {
		state, r = Analyze(state, hidden(n, 4), Defaults())
		v := find(t, r, "keyed")
		if v.Verdict.ID == Balanced || v.Verdict.ID == Quiet || v.Verdict.ID == UniformSaturation {
			t.Fatalf("poll %d: %s while subtask 1 gives no numbers", n, v.Verdict.ID)
		}
	}
	v := find(t, r, "keyed")
	if v.Verdict.ID != NotEnoughData || v.Verdict.Advice.Missing != MissingSubtasks || len(v.Verdict.Subtasks) != 1 || v.Verdict.Subtasks[0] != 1 {
		t.Errorf("%s, missing %s, subtasks %v", v.Verdict.ID, v.Verdict.Advice.Missing, v.Verdict.Subtasks)
	}
	// From the start, too, when nothing was known of it before.
	state, n := State{}, 0
	for ; n < 4; n++ {
		state, r = Analyze(state, hidden(n, 0), Defaults())
	}
	if v := find(t, r, "keyed"); v.Verdict.ID != NotEnoughData || v.Verdict.Advice.Missing != MissingSubtasks {
		t.Errorf("never seen: %s, missing %s", v.Verdict.ID, v.Verdict.Advice.Missing)
	}
	// A missing subtask of a vertex that nothing waits for is no alarm.
	for n := range 4 {
		s := poll(n, roomySource(), keyed(10, 128, even(10, .3), even(10, 100)))
		s.Jobs[0].Vertices[1].Subtasks = s.Jobs[0].Vertices[1].Subtasks[:9]
		if n == 0 {
			state = State{}
		}
		state, r = Analyze(state, s, Defaults())
	}
	if v := find(t, r, "keyed"); v.Verdict.ID != Balanced {
		t.Errorf("nine of ten seen, nothing waits: %s", v.Verdict.ID)
	}
}
