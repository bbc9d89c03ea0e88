package spool_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/journal/spool"
)

const someName = "00000000-0000000000000001-a.ev"

func TestReadBroken(t *testing.T) {
	t.Parallel()
	whole := content(spool.JSON, "{}")
	sum := strings.Fields(whole)[4][:64]
	header := func(h string) string { return h + "\n{}" }
	for _, tc := range []struct{ name, content, reason string }{
		{"nothing", "", "does not start"},
		{"foreign", "hello\n", "does not start"},
		{"magic only", "journal-spool ", "no version"},
		{"version cut", "journal-spool 1", "no version"},
		{"version endless", "journal-spool " + strings.Repeat("1", 500), "no version"},
		{"version 0", header("journal-spool 0 json 2 " + sum), "version"},
		{"version -1", header("journal-spool -1 json 2 " + sum), "version"},
		{"version 01", header("journal-spool 01 json 2 " + sum), "version"},
		{"version too long", header("journal-spool 1234567890 json 2 " + sum), "version"},
		{"no newline", "journal-spool 1 json 2 " + sum, "no end"},
		{"newline late", "journal-spool 1 json 2 " + sum + strings.Repeat(" ", 128) + "\n{}", "no end"},
		{"word missing", header("journal-spool 1 json 2"), "4 words"},
		{"word more", header("journal-spool 1 json 2 " + sum + " x"), "6 words"},
		{"two spaces", header("journal-spool 1  json 2 " + sum), "6 words"},
		{"encoding", header("journal-spool 1 cbor 2 " + sum), "encoding"},
		{"length sign", header("journal-spool 1 json +2 " + sum), "length"},
		{"length zeros", header("journal-spool 1 json 02 " + sum), "length"},
		{"length hex", header("journal-spool 1 json 0x2 " + sum), "length"},
		{"length negative", header("journal-spool 1 json -2 " + sum), "length"},
		{"length over the limit", header("journal-spool 1 json 1048577 " + sum), "length"},
		{"length too great", header("journal-spool 1 json 3 " + sum), "torn: 2 of 3"},
		{"length too small", header("journal-spool 1 json 1 " + sum), "bytes after"},
		{"bytes after", whole + "\n", "bytes after"},
		{"bytes after the largest", content(spool.JSON, strings.Repeat("x", spool.MaxBody)) + strings.Repeat("y", 200), "bytes after"},
		{"digest of another body", header("journal-spool 1 json 2 " + strings.Repeat("0", 64)), "sha256"},
		{"digest in upper case", header("journal-spool 1 json 2 " + strings.ToUpper(sum)), "sha256"},
		{"line end of Windows", header("journal-spool 1 json 2 " + sum + "\r"), "sha256"},
		{"zeros, as after a crash", strings.Repeat("\x00", len(whole)), "does not start"},
	} {
		d, path := newDir(t)
		writeFile(t, filepath.Join(path, someName), tc.content)
		_, body, err := d.Read(list(t, d)[0])
		if !errors.Is(err, spool.ErrBroken) || body != nil {
			t.Errorf("%s: %d bytes, error %v", tc.name, len(body), err)
		} else if !strings.Contains(err.Error(), tc.reason) {
			t.Errorf("%s: reason %q does not say %q", tc.name, err, tc.reason)
		}
	}
}

func TestReadBrokenName(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	writeFile(t, filepath.Join(path, "foreign.ev"), content(spool.JSON, "{}"))
	if _, _, err := d.Read(list(t, d)[0]); !errors.Is(err, spool.ErrBroken) {
		t.Errorf("error %v", err)
	}
}

func TestReadNewer(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"journal-spool 2 json 2 x\n{}",
		"journal-spool 2\nwhatever",
		"journal-spool 12 " + strings.Repeat("z", 2<<20),
	} {
		d, path := newDir(t)
		writeFile(t, filepath.Join(path, someName), content)
		_, _, err := d.Read(list(t, d)[0])
		if !errors.Is(err, spool.ErrNewer) || errors.Is(err, spool.ErrBroken) {
			t.Errorf("%.30q: error %v", content, err)
		}
	}
}

func TestReadGone(t *testing.T) {
	t.Parallel()
	d, _ := newDir(t)
	if _, _, err := d.Read(spool.Entry{Name: someName}); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, spool.ErrBroken) {
		t.Errorf("error %v", err)
	}
	if err := d.Remove(spool.Entry{Name: someName}); err != nil {
		t.Errorf("remove what is gone: %v", err)
	}
}

func TestTornOrChangedAtEveryByte(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	whole := content(spool.Msgpack, "\x82\xa1n\x01\xa4text\xa5line\n journal-spool 1 msgpack")
	file := filepath.Join(path, someName)
	for i := range len(whole) {
		writeFile(t, file, whole[:i])
		if _, _, err := d.Read(spool.Entry{Name: someName}); !errors.Is(err, spool.ErrBroken) {
			t.Fatalf("torn at %d: error %v", i, err)
		}
	}
	writeFile(t, file, whole)
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// In place: to write the file anew would wait for the disk.
	put := func(at int, b byte) {
		if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range len(whole) {
		for bit := range 8 {
			put(i, whole[i]^1<<bit)
			_, _, err := d.Read(spool.Entry{Name: someName})
			if !errors.Is(err, spool.ErrBroken) && !errors.Is(err, spool.ErrNewer) {
				t.Fatalf("bit %d of byte %d changed: error %v", bit, i, err)
			}
		}
		put(i, whole[i])
	}
	if _, _, err := d.Read(spool.Entry{Name: someName}); err != nil {
		t.Errorf("whole: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte(content(spool.JSON, "{}")))
	f.Add([]byte(content(spool.Msgpack, "\x80\n")))
	f.Add([]byte(content(spool.JSON, "")))
	f.Add([]byte("journal-spool 2 x\n"))
	f.Add([]byte("journal-spool 1 json 0 \n"))
	f.Add([]byte("journal-spool 1 json -1 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"))
	f.Add([]byte("journal-spool 99999999999999999999 "))
	path := f.TempDir()
	d := spool.Open(path)
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := os.WriteFile(filepath.Join(path, someName), file, 0o600); err != nil {
			t.Fatal(err)
		}
		encoding, body, err := d.Read(spool.Entry{Name: someName})
		switch {
		case err == nil:
			// What is accepted is exactly what the documentation describes.
			if string(file) != content(encoding, string(body)) {
				t.Fatalf("%q is accepted as %s %q", file, encoding, body)
			}
		case !errors.Is(err, spool.ErrBroken) && !errors.Is(err, spool.ErrNewer):
			t.Fatalf("%q: error %v", file, err)
		}
	})
}
