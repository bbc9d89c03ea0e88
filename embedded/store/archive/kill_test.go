package archive_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"journal/embedded/store/archive"
)

// childDir is the variable with the directory to which this test binary writes as a child.
const childDir = "ARCHIVE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := writeForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeForEver appends, and prints the newest sequence after each sync.
func writeForEver(dir string) error {
	w, err := archive.Open(dir, archive.Options{SegmentBytes: 4000})
	if err != nil {
		return err
	}
	for {
		seq := w.Last()
		for n := range seq%5 + 1 {
			if err := w.Append(sample(seq + 1 + n)); err != nil {
				return err
			}
		}
		if err := w.Sync(); err != nil {
			return err
		}
		seq = w.Last()
		fmt.Println(seq)
	}
}

// TestKill: synced records survive a kill of the writer at any moment, and the next writer continues without damage (ADR-0012).
func TestKill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	synced := uint64(0)
	for range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for left := rand.IntN(60) + 1; lines.Scan(); left-- {
			if synced, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
				t.Error(err)
			}
			if left == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		got, damage := read(t, dir, 0)
		if uint64(len(got)) < synced || len(damage) > 1 || len(damage) == 1 && damage[0].First <= synced {
			t.Fatalf("%d records of %d synced, %v", len(got), synced, damage)
		}
	}
	w := open(t, dir, archive.Options{})
	seq := w.Last()
	if seq < synced {
		t.Errorf("opened at #%d, #%d was synced", seq, synced)
	}
	closed(t, w)
	if r := check(t, dir); len(r.Damage) > 0 || r.Chain != w.Chain() || r.Last != seq {
		t.Errorf("%+v", r)
	}
}
