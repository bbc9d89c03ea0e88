package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The same files give the same bytes, whenever they were written; programs can be run.
func TestArchive(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_700_000_000, 0).UTC()
	want := []string{"j-1/LICENSE", "j-1/journal", "j-1/man/journal.1"}
	for _, zipped := range []bool{false, true} {
		var first []byte
		for i := range 2 {
			dir := t.TempDir()
			for _, name := range []string{"man/journal.1", "journal", "LICENSE"} {
				p := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(name), 0o600),
					os.Chtimes(p, time.Time{}, time.Unix(int64(i+1)*1e9, 0))); err != nil {
					t.Fatal(err)
				}
			}
			b, _, err := archive("j-1", zipped, at, dir)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = b
			} else if !bytes.Equal(b, first) {
				t.Errorf("zip %v: other bytes the second time", zipped)
			}
		}
		names, program := contents(t, first, zipped)
		if !slices.Equal(names, want) || program&0o111 == 0 {
			t.Errorf("zip %v: %q, the program has mode %v", zipped, names, program)
		}
	}
}

// contents gives the names in an archive, and the mode of the program.
func contents(t *testing.T, b []byte, zipped bool) (names []string, program os.FileMode) {
	t.Helper()
	note := func(name string, mode os.FileMode) {
		names = append(names, name)
		if filepath.Base(name) == "journal" {
			program = mode
		}
	}
	if zipped {
		r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.File {
			note(f.Name, f.Mode())
		}
		return names, program
	}
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(zr); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, program
		}
		if err != nil {
			t.Fatal(err)
		}
		note(h.Name, h.FileInfo().Mode())
	}
}
