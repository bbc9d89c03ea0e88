package compile

import (
	"os"
	"path/filepath"
	"testing"
)

// The note says that files were left out only if there are more than maxFiles.
func TestMaxFiles(t *testing.T) {
	before := maxFiles
	t.Cleanup(func() { maxFiles = before })
	maxFiles = 2
	dir := t.TempDir()
	for i, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := walk(dir, "no git")
		if err != nil || len(got.files) != min(i+1, maxFiles) || (len(got.notes) > 1) != (i+1 > maxFiles) {
			t.Errorf("%d files: %q with the notes %q, error %v", i+1, got.files, got.notes, err)
		}
	}
}
