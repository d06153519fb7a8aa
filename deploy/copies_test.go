package deploy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/deploy/internal/copies"
)

// TestCopies: what lies inside the packages is what "make generate" makes of
// the rules and dashboards.
func TestCopies(t *testing.T) {
	files, err := copies.Make(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what it is a copy of (%v); run make generate", name, err)
		}
	}
	for _, folder := range copies.Folders() {
		there, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range there {
			if files[folder+"/"+f.Name()] == nil {
				t.Errorf("%s/%s is a copy of nothing; run make generate", folder, f.Name())
			}
		}
	}
}

func TestWriteClearsWhatIsLeftOver(t *testing.T) {
	dir := t.TempDir()
	folder := copies.Folders()[0]
	if err := copies.Write(dir, map[string][]byte{folder + "/old.yml": []byte("old")}); err != nil {
		t.Fatal(err)
	}
	if err := copies.Write(dir, map[string][]byte{folder + "/new.yml": []byte("new")}); err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil || len(there) != 1 || there[0].Name() != "new.yml" {
		t.Errorf("left in the folder: %v, %v", there, err)
	}
}
