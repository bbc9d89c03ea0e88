package ownership_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"journal/embedded/store/ownership"
)

// Whether a directory can be made is found by trying, and nothing is left of the trial.
func TestCreatable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing is closed to this user")
	}
	dir := t.TempDir()
	if err := ownership.Creatable(filepath.Join(dir, "a", "b")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if ownership.Creatable(filepath.Join(dir, "a")) == nil {
		t.Error("a closed directory takes another")
	}
}
