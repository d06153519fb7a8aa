package analysis_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

var update = flag.Bool("update", false, "rewrite testdata/matrix.golden")

// undemanded stands where a tape's README demands no verdict of a vertex.
const undemanded = "-"

// judged is one row of the matrix: what the last poll of a tape says of a vertex.
type judged struct {
	tape, vertex string
	// wanted are the verdicts that are right, none when any is.
	wanted  []string
	verdict analysis.Verdict
	// severity is the highest of the verdict and the findings.
	severity analysis.Severity
}

// demanded is the row's name in the confusion matrix: the first of the
// verdicts that are right is what the tape was made for.
func (j judged) demanded() string {
	if len(j.wanted) == 0 {
		return undemanded
	}
	return j.wanted[0]
}

// TestMatrix replays every recording and holds the whole table of verdicts
// against testdata/matrix.golden, so that a change of any verdict, severity or
// confidence on real answers is seen in review. It prints the table with -v;
// -update rewrites the file.
func TestMatrix(t *testing.T) {
	rows := judgeTapes(t)
	got := renderMatrix(rows)
	t.Logf("\n%s", got)
	golden := filepath.Join("testdata", "matrix.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v (go test ./analysis -run TestMatrix -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the verdicts on the tapes differ from %s (-update rewrites it):\n%s", golden, differing(string(want), string(got)))
	}
	for _, r := range rows {
		if len(r.wanted) > 0 && !slices.Contains(r.wanted, string(r.verdict.ID)) {
			t.Errorf("%s: %s is %s, want one of %v", r.tape, r.vertex, r.verdict.ID, r.wanted)
		}
	}
}

// judgeTapes returns a row for every vertex of every tape, tapes by name and
// vertices in the order of the job.
func judgeTapes(t *testing.T) []judged {
	t.Helper()
	expected := expectations(t)
	var rows []judged
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		results := replay(t, name, analysis.Defaults())
		if len(results) == 0 {
			t.Fatalf("%s: no poll succeeded", name)
		}
		for _, job := range results[len(results)-1].Jobs {
			for i := range job.Vertices {
				v := &job.Vertices[i]
				row := judged{tape: name, vertex: v.Name, verdict: v.Verdict, severity: v.Severity()}
				for part, e := range expected[name] {
					if strings.Contains(v.Name, part) {
						row.wanted = e.Verdict
					}
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// renderMatrix writes the table and, below it, how often each demanded verdict
// became which.
func renderMatrix(rows []judged) []byte {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "tape\tvertex\tdemanded\tverdict\tseverity\twith findings\tconfidence")
	counts := map[string]map[analysis.VerdictID]int{}
	for _, r := range rows {
		confidence := string(r.verdict.Confidence)
		if confidence == "" {
			confidence = undemanded
		}
		demanded := undemanded
		if len(r.wanted) > 0 {
			demanded = strings.Join(r.wanted, "|")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.tape, r.vertex, demanded, r.verdict.ID, r.verdict.Severity, r.severity, confidence)
		if counts[r.demanded()] == nil {
			counts[r.demanded()] = map[analysis.VerdictID]int{}
		}
		counts[r.demanded()][r.verdict.ID]++
	}
	fmt.Fprint(w, "\ndemanded\tverdict\tvertices\n")
	for _, wanted := range slices.Sorted(maps.Keys(counts)) {
		for _, id := range analysis.Verdicts() {
			if n := counts[wanted][id]; n > 0 {
				fmt.Fprintf(w, "%s\t%s\t%d\n", wanted, id, n)
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// differing returns the lines that only one of two texts has.
func differing(want, got string) string {
	var b strings.Builder
	before, after := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range before {
		if !slices.Contains(after, line) {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			fmt.Fprintf(&b, "+ %s\n", line)
		}
	}
	return b.String()
}
