package archive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"journal/embedded/store/archive"
)

// obstruct creates a non-empty directory at the path of a file.
func obstruct(t *testing.T, path string) (remove func()) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// An archive whose path is taken or has no parent is an error and not an empty archive.
func TestNoPlace(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	taken := filepath.Join(top, "taken")
	if err := os.WriteFile(taken, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{taken, filepath.Join(top, "no", "where")} {
		if w, err := archive.Open(dir, archive.Options{}); err == nil || w != nil || !strings.HasPrefix(err.Error(), "open the archive: ") {
			t.Errorf("%s: opened %v, %v", dir, w, err)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("a file in the place of a directory is called not there")
	}
	if _, err := archive.Check(context.Background(), taken); err == nil {
		t.Error("a file is a whole archive")
	}
	for r, err := range archive.Read(context.Background(), taken, 0) {
		if err == nil {
			t.Errorf("a file holds %v", r)
		}
	}
}

// An obstacle to a step of the writer is an error that stays. No durable record is lost, and without the obstacle the next writer continues.
func TestObstacles(t *testing.T) {
	t.Parallel()
	const first, again = "0000000000000001", "0000000000000001-0000000000000005.zst"
	for name, tc := range map[string]struct {
		place string
		step  func(*testing.T, *archive.Writer, string) error
	}{
		"a new segment":         {first + ".open.new", func(_ *testing.T, w *archive.Writer, _ string) error { return w.Append(sample(1)) }},
		"its name":              {first + ".open", func(_ *testing.T, w *archive.Writer, _ string) error { return w.Append(sample(1)) }},
		"a seal":                {again + ".new", func(t *testing.T, w *archive.Writer, _ string) error { grow(t, w, 5); return w.Close() }},
		"the name of the seal":  {again, func(t *testing.T, w *archive.Writer, _ string) error { grow(t, w, 5); return w.Close() }},
		"what is to be removed": {"", func(t *testing.T, w *archive.Writer, dir string) error { grow(t, w, 5); return os.RemoveAll(dir) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.place == "" && runtime.GOOS == "windows" {
				t.Skip("a file that is open cannot be removed")
			}
			dir := filepath.Join(t.TempDir(), "archive")
			w := open(t, dir, archive.Options{})
			free := func() {}
			if tc.place != "" {
				free = obstruct(t, filepath.Join(dir, tc.place))
			}
			err := tc.step(t, w, dir)
			if tc.place == "" { // the directory is gone
				if err := errors.Join(w.Append(sample(6)), w.Close()); err == nil {
					t.Error("sealed into nothing")
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			if again := w.Append(sample(6)); again == nil {
				t.Error("it goes on after an error")
			}
			if again := w.Sync(); again == nil {
				t.Error("it is durable after an error")
			}
			_ = w.Close()
			free()
			last := uint64(0)
			for range 2 {
				w = open(t, dir, archive.Options{})
				at := w.Last()
				if at < last || last == 0 && strings.HasPrefix(tc.place, again) && at != 5 {
					t.Errorf("opened at #%d", at)
				}
				last = at + 3
				grow(t, w, last)
				closed(t, w)
			}
			if r := check(t, dir); len(r.Damage) > 0 || r.Last != last || r.Records != last {
				t.Errorf("up to #%d: %+v", last, r)
			}
		})
	}
}

// A damaged sealed segment is not continued.
func TestGoesOnWithWhatIsWhole(t *testing.T) {
	t.Parallel()
	dir := full(t, 5, true)
	name := filepath.Join(dir, files(t, dir, ".zst")[0])
	w := open(t, dir, archive.Options{})
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 0x40
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	err = w.Append(sample(6))
	if _, damaged := errors.AsType[*archive.Damage](err); !damaged {
		t.Errorf("it goes on with what is damaged: %v", err)
	}
	if err := w.Append(sample(6)); err == nil {
		t.Error("it goes on after an error")
	}
	_ = w.Close()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	w = open(t, dir, archive.Options{})
	if at := w.Last(); at != 0 {
		t.Errorf("of nothing: at #%d", at)
	}
}
