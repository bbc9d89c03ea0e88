package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"journal/embedded"
	"journal/embedded/store/ownership"
)

// What nobody can read or make is found by trying, and nothing is left of the trial.
func TestDoctorTries(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing is closed to this user")
	}
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	if err := os.MkdirAll(filepath.Join(store, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := embedded.CheckAccess(dir); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(filepath.Join(store, "inner"), 0); err != nil {
		t.Fatal(err)
	}
	if embedded.CheckAccess(dir) == nil {
		t.Error("a closed directory counts as readable")
	}
	if err := os.Chmod(filepath.Join(store, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := ownership.Creatable(filepath.Join(store, "a", "b")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(store); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := os.Chmod(store, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(store, 0o700)
	if ownership.Creatable(filepath.Join(store, "a")) == nil {
		t.Error("a closed directory takes another")
	}
}
