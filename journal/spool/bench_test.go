package spool_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"journal/journal/spool"
)

// BenchmarkPut includes both flushes, so it measures the disk.
func BenchmarkPut(b *testing.B) {
	for _, size := range []int{2 << 10, 200 << 10} {
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			d, _ := newDir(b)
			body := bytes.Repeat([]byte{'x'}, size)
			for b.Loop() {
				if _, err := d.Put("0197c0de-0000-7000-8000-0123456789ab", spool.JSON, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEmpty measures the check that every hook makes.
func BenchmarkEmpty(b *testing.B) {
	missing := spool.Open(filepath.Join(b.TempDir(), "missing"))
	empty, _ := newDir(b)
	drained, path := newDir(b)
	for i := range 2000 {
		writeFile(b, filepath.Join(path, newName(b, fmt.Sprint(i))), "")
	}
	full := spool.Open(path)
	look := func(d *spool.Dir, want bool) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				if got, err := d.Empty(); got != want || err != nil {
					b.Fatal(got, err)
				}
			}
		}
	}
	b.Run("missing", look(missing, true))
	b.Run("empty", look(empty, true))
	b.Run("2000", look(full, false))
	for _, e := range list(b, drained) {
		if err := drained.Remove(e); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("drained", look(drained, true))
}

func BenchmarkList2000(b *testing.B) {
	d, path := newDir(b)
	for i := range 2000 {
		writeFile(b, filepath.Join(path, newName(b, fmt.Sprint(i))), "")
	}
	for b.Loop() {
		if entries, err := d.List(); len(entries) != 2000 || err != nil {
			b.Fatal(len(entries), err)
		}
	}
}
