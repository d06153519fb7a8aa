package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIfOfATape(t *testing.T) {
	tape := filepath.Join("..", "..", "testdata", "tapes", "layout-100-of-128-2.3.0.jsonl.gz")
	r := execute(t, "whatif", "--tape", tape, "--vertex=enrich", "--format=json")
	var got struct {
		Verdict string
		Curve   struct {
			Ceiling float64
			Binding string
			Points  []struct {
				Parallelism int
				Likely      float64
			}
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); r.code != exitOK || err != nil {
		t.Fatalf("exit %d, %v: %.300s %s", r.code, err, r.stdout, r.stderr)
	}
	if got.Verdict != "key_group_layout" || got.Curve.Ceiling != 128 || got.Curve.Binding != "max_parallelism" {
		t.Errorf("%+v", got)
	}
	last := got.Curve.Points[len(got.Curve.Points)-1]
	if last.Parallelism != 128 || last.Likely < .5 || last.Likely > .85 {
		t.Errorf("at the ceiling %+v, want one key group's load", last)
	}
}

func TestWhatIfOfKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("7\n", 60)+"1\n2\n3\n4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "curve.svg")
	args := []string{"whatif", "--keys", file, "--type=int", "--max-parallelism=128", "--parallelism=4", "--format=svg", "--out", out}
	if r := execute(t, args...); r.code != exitOK {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	picture, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(picture), "heaviest key group") {
		t.Errorf("%v: %.200s", err, picture)
	}
	if r := execute(t, args...); r.code != exitUsage || !strings.Contains(r.stderr, "--force") {
		t.Errorf("an existing file: exit %d, %s", r.code, r.stderr)
	}
}

func TestWhatIfRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"exclude each other":      {"--tape", "x", "--keys", "y"},
		"needs one":               {"--keys", "y", "--type=int"},
		"--load: must be":         {"--tape", "x", "--load=0"},
		"must be one of text":     {"--format=png"},
		"parallelism 200 is abov": {"--keys", "y", "--type=int", "--max-parallelism=128", "--parallelism=200"},
	} {
		if r := execute(t, append([]string{"whatif"}, args...)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: exit %d, %s, want %q", args, r.code, r.stderr, want)
		}
	}
}
