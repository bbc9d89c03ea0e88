package intake_test

import (
	"os"
	"path/filepath"
	"testing"

	"journal/embedded/owner/intake"
)

// A file that the disk does not let anyone read stays in the spool. No owner starts again because of it, again and again.
func TestUnreadableFileStartsNoOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read every file")
	}
	dir := t.TempDir()
	spool := filepath.Join(dir, "spool")
	if err := os.Mkdir(spool, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(spool, "00000000-0000000000000001-file-1.ev"), nil, 0); err != nil {
		t.Fatal(err)
	}
	if found, err := intake.HasReports(dir); found || err != nil {
		t.Errorf("found %v, error %v", found, err)
	}
}
