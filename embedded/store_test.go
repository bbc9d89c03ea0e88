package embedded_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"journal/embedded"
)

// A store that cannot be read is found by trying.
func TestCheckAccess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing is closed to this user")
	}
	dir := t.TempDir()
	inner := filepath.Join(dir, "store", "inner")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := embedded.CheckAccess(dir); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(inner, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(inner, 0o700)
	if embedded.CheckAccess(dir) == nil {
		t.Error("a closed directory counts as readable")
	}
}
