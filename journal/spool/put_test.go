package spool_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/journal/spool"
)

func TestPutThenRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, encoding string
		body           []byte
	}{
		{"json", spool.JSON, []byte(`{"a":1}`)},
		{"msgpack with newlines", spool.Msgpack, []byte("\x81\n\n\x00journal-spool 1 ")},
		{"empty", spool.JSON, nil},
		{"largest", spool.Msgpack, bytes.Repeat([]byte{0xc1}, spool.MaxBody)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d, path := newDir(t)
			name, err := d.Put("id-1", tc.encoding, tc.body)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := os.ReadFile(filepath.Join(path, name))
			if err != nil {
				t.Fatal(err)
			}
			if string(stored) != content(tc.encoding, string(tc.body)) {
				t.Errorf("stored as %.100q", stored)
			}
			entries := list(t, d)
			if diff := cmp.Diff([]string{name}, names(entries)); diff != "" {
				t.Fatal(diff)
			}
			encoding, body, err := d.Read(entries[0])
			if err != nil || encoding != tc.encoding || !bytes.Equal(body, tc.body) {
				t.Errorf("read %q, %d bytes, error %v", encoding, len(body), err)
			}
		})
	}
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	for _, tc := range []struct {
		name, id, encoding string
		size               int
		want               error
	}{
		{"bad id", "A/../b", spool.JSON, 1, nil},
		{"bad encoding", "a", "xml", 1, nil},
		{"encoding with a space", "a", "json 1", 1, nil},
		{"too large", "a", spool.JSON, spool.MaxBody + 1, spool.ErrTooLarge},
	} {
		_, err := d.Put(tc.id, tc.encoding, make([]byte, tc.size))
		if err == nil || (tc.want != nil && !errors.Is(err, tc.want)) {
			t.Errorf("%s: error %v", tc.name, err)
		}
	}
	if left := lsNames(t, path); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestPutCreatesTheDirectoryAndItsParents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "spool")
	d := spool.Open(path + string(filepath.Separator))
	if _, err := d.Put("x", spool.JSON, nil); err != nil {
		t.Fatal(err)
	}
	if got := len(lsNames(t, path)); got != 1 {
		t.Errorf("%d files", got)
	}
}

func TestPutSaysWhenTheDirectoryCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "")
	if _, err := spool.Open(filepath.Join(file, "spool")).Put("x", spool.JSON, nil); err == nil {
		t.Error("put below a file")
	}
}

func TestSameIDTwiceIsTwoFiles(t *testing.T) {
	t.Parallel()
	d, _ := newDir(t)
	for _, body := range []string{"1", "2"} {
		if _, err := d.Put("same", spool.JSON, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	got := ""
	for _, e := range list(t, d) {
		_, body, err := d.Read(e)
		if err != nil {
			t.Fatal(err)
		}
		got += string(body)
	}
	if got != "12" {
		t.Errorf("bodies %q", got)
	}
}

func TestPutNeverOverwrites(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	file := filepath.Join(path, someName)
	writeFile(t, file, "first")
	if err := d.PutAs(someName, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file in the queue: error %v", err)
	}
	if diff := cmp.Diff([]string{someName}, lsNames(t, path)); diff != "" {
		t.Error(diff)
	}
	if got, err := os.ReadFile(file); string(got) != "first" || err != nil {
		t.Errorf("file is now %q, error %v", got, err)
	}
}

func TestPutLeavesAnotherWritersTemporaryFile(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	tmp := filepath.Join(path, ".tmp-"+someName)
	writeFile(t, tmp, "at work")
	if err := d.PutAs(someName, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(tmp); string(got) != "at work" || err != nil {
		t.Errorf("temporary file is now %q, error %v", got, err)
	}
}
