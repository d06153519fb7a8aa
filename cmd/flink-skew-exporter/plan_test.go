package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	got := execute(t, "plan", "--tape", tape("layout-100-of-128-2.3.0"))
	for _, want := range []string{
		"# Max parallelism of layout-100-of-128\n", "**Yes: plan for 512.**", "max parallelism 128 is 1.28 × the 100 that it runs at",
		"--job=d2a375daeb253cc46f9244c66a601af2", "Point of no return", "SavepointWriter.newSavepoint(env, new HashMapStateBackend(), 512)",
	} {
		if got.code != exitOK || !strings.Contains(got.stdout, want) {
			t.Errorf("exit code %d, %q is missing", got.code, want)
		}
	}
	if got := execute(t, "plan", "--tape", tape("hot-key-2.3.0"), "--foreseen=60"); got.code != exitOK || !strings.Contains(got.stdout, "**No** (`skew_first`)") || strings.Contains(got.stdout, "## The steps") {
		t.Errorf("of a hot key: %d\n%s", got.code, got.stdout)
	}
	if got := execute(t, "plan", "--tape", tape("hot-key-2.3.0")); !strings.Contains(got.stdout, "**No** (`roomy`)") {
		t.Errorf("with room: %d\n%s", got.code, got.stdout)
	}
}

func TestPlanOfSavepoint(t *testing.T) {
	old := filepath.Join("..", "..", "testdata", "savepoints", "flink-1.20.3-rocksdb-canonical-p5-m128")
	got := execute(t, "plan", "--savepoint", old, "--target-max-parallelism=1024")
	if got.code != exitOK || !strings.Contains(got.stdout, "the steps below are for 1,024, as asked") || !strings.Contains(got.stdout, "does not record uids") {
		t.Errorf("%d %s\n%s", got.code, got.stderr, got.stdout)
	}
	// Both at once: what is judged from the one, what is recorded from the other.
	got = execute(t, "plan", "--tape", tape("layout-100-of-128-2.3.0"), "--savepoint", strings.Replace(old, "1.20.3", "2.3.0", 1))
	if got.code != exitOK || !strings.Contains(got.stdout, "and the metadata of") || !strings.Contains(got.stdout, "**Yes: plan for 512.**") {
		t.Errorf("%d %s\n%s", got.code, got.stderr, got.stdout)
	}
}

func TestPlanRefuses(t *testing.T) {
	recording := tape("layout-100-of-128-2.3.0")
	there := filepath.Join(t.TempDir(), "plan.md")
	if err := os.WriteFile(there, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "needed, 100", []string{"--tape", recording, "--target-max-parallelism=99"}},
		{exitUsage, "from 1 to 32768", []string{"--tape", recording, "--target-max-parallelism=40000"}},
		{exitUsage, "--throughput", []string{"--tape", recording, "--throughput=0"}},
		{exitUsage, "takes one number", []string{"--tape", recording, "--foreseen=1,2"}},
		{exitFailed, "no running job matches", []string{"--tape", recording, "--job=none"}},
		{exitFailed, "cannot be opened", []string{"--savepoint", "/nowhere"}},
		{exitUsage, "--force", []string{"--tape", recording, "--out", there}},
	} {
		got := execute(t, append([]string{"plan"}, c.args...)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.says) || got.stdout != "" {
			t.Errorf("%v: %d %q, want %d with %q", c.args, got.code, got.stderr, c.code, c.says)
		}
	}
	if b, err := os.ReadFile(there); err != nil || string(b) != "kept" {
		t.Errorf("%q %v", b, err)
	}
	if got := execute(t, "plan", "--tape", recording, "--out", there, "--force"); got.code != exitOK || got.stdout != "" {
		t.Errorf("--force: %+v", got)
	}
}
