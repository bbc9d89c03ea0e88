//go:build unix

package logfile_test

import (
	"bytes"
	"os"
	"sync"
	"testing"

	"journal/journal/disk/logfile"
)

// Of many who see a full file at once, one renames it: a second would rename the new file over it.
func TestFullFileIsRenamedOnce(t *testing.T) {
	t.Parallel()
	full := bytes.Repeat([]byte("x"), 1<<20)
	for range 40 {
		dir := t.TempDir()
		if err := os.WriteFile(logfile.Path(dir), full, 0o600); err != nil {
			t.Fatal(err)
		}
		var writers sync.WaitGroup
		for range 16 {
			writers.Go(func() { logfile.Logger(dir).Info("a line") })
		}
		writers.Wait()
		before, err := os.ReadFile(logfile.Path(dir) + ".1")
		if err != nil || !bytes.HasPrefix(before, full) {
			t.Fatalf("the file before has %d bytes, error %v", len(before), err)
		}
	}
}
