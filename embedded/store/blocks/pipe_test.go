//go:build unix

package blocks_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"journal/embedded/store/blocks"
	"journal/journal/record"
)

// A pipe in the place of the index blocks no reader, and one in the place of a block is damage.
func TestPipes(t *testing.T) {
	t.Parallel()
	s, want := store(t, 300, 50)
	index := filepath.Join(t.TempDir(), "index")
	block := filepath.Join(s.Dir, "msgs", "1.blk")
	if err := unix.Mkfifo(index, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := given(blocks.NewReader(s, index), 0, 300, everything, len(want))
	if err != nil || !slices.Equal(want, got) {
		t.Errorf("%d messages, error %v", len(got), err)
	}
	if err := os.Rename(block, block+".away"); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(block, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, filters := range [][]string{nil, everything} {
		if _, err := given(blocks.NewReader(s, ""), 0, 300, filters, len(want)); err == nil {
			t.Errorf("filters %q: a pipe was read", filters)
		}
	}
	if r, err := blocks.Scan(t.Context(), s, nil, func(record.Record) error { return nil }); err == nil && len(r.Damage) == 0 && len(r.Unknown) == 0 {
		t.Error("a pipe is no damage")
	}
}
