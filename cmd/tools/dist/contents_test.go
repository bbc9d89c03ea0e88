package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blakesmith/ar"
	rpmutils "github.com/sassoftware/go-rpmutils"
)

var update = flag.Bool("update", false, "write testdata anew")

// made makes a release of programs and pages that hold no more than their names, and gives
// its directory. written is when those files were written.
func made(t *testing.T, written int64) string {
	t.Helper()
	r := &release{
		version: "v1.2.3", site: "https://journal.example", npm: "@journal/cli", at: time.Unix(1_700_000_000, 0).UTC(), out: t.TempDir(), docs: t.TempDir(),
		sums: map[string]string{}, modules: map[string]string{"std": "go1.26.0", "module.example/a": "v1.0.0"},
	}
	write := func(dir string, names ...string) {
		t.Helper()
		for _, name := range names {
			p := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, []byte(name), 0o600), os.Chtimes(p, time.Time{}, time.Unix(written, 0))); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(r.docs, "README.md", "LICENSE", "man/journal.1", "man/journal-day.1", "completions/journal.bash", "completions/_journal", "completions/journal.fish", "completions/journal.ps1")
	for _, system := range systems {
		built := t.TempDir()
		if strings.HasPrefix(system, "windows") {
			write(built, "journal.exe")
		} else {
			write(built, "journal", "journal-hook")
		}
		if err := r.pack(system, built); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.finish(true); err != nil {
		t.Fatal(err)
	}
	return r.out
}

// What a release consists of, file by file, and the same bytes whenever its parts were
// written: testdata/contents.txt.
func TestContents(t *testing.T) {
	t.Parallel()
	first, second := made(t, 1e9), made(t, 2e9)
	entries, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, e := range entries {
		a, err := os.ReadFile(filepath.Join(first, e.Name()))
		b, err2 := os.ReadFile(filepath.Join(second, e.Name()))
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: other bytes the second time: %v", e.Name(), errors.Join(err, err2))
		}
		listed, err := list(e.Name(), a)
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		fmt.Fprintf(&got, "-- %s --\n%s", e.Name(), listed)
	}
	path := filepath.Join("testdata", "contents.txt")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got.String()), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got.String() {
		t.Errorf("%v: not what testdata/contents.txt says (-update):\n%s", err, got.String())
	}
}

var digest = regexp.MustCompile(`[0-9a-f]{64}`)

// list returns what is in a file of a release: names with their modes, or the text.
func list(name string, b []byte) (string, error) {
	var names map[string]fs.FileMode
	var err error
	switch filepath.Ext(name) {
	case ".zip":
		names, err = listZip(b)
	case ".gz", ".tgz":
		names, err = listTar(b)
	case ".deb":
		return listDeb(b)
	case ".rpm":
		names, err = listRPM(b)
	default:
		if name == "SHA256SUMS" { // the toolchain compresses, so that they change with it
			return fmt.Sprintln(bytes.Count(b, []byte("\n")), "lines"), nil
		}
		return digest.ReplaceAllString(string(b), "SHA256"), nil
	}
	return spelled(names), err
}

func spelled(names map[string]fs.FileMode) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&b, "%v %s\n", names[name], name)
	}
	return b.String()
}

func listZip(b []byte) (map[string]fs.FileMode, error) {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	names := map[string]fs.FileMode{}
	for _, f := range r.File {
		names[f.Name] = f.Mode()
	}
	return names, nil
}

func listTar(b []byte) (map[string]fs.FileMode, error) {
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	names := map[string]fs.FileMode{}
	for r := tar.NewReader(zr); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		name := h.Name
		if strings.HasSuffix(name, "package/package.json") || name == "./control" {
			text, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			name += "\n" + string(text)
		}
		names[name] = h.FileInfo().Mode()
	}
}

func listDeb(b []byte) (string, error) {
	var out strings.Builder
	for r := ar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return "", err
		}
		if !strings.HasSuffix(h.Name, ".tar.gz") {
			continue
		}
		names, err := listTar(body)
		if err != nil {
			return "", err
		}
		out.WriteString(spelled(names))
	}
}

func listRPM(b []byte) (map[string]fs.FileMode, error) {
	r, err := rpmutils.ReadRpm(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	files, err := r.Header.GetFiles()
	if err != nil {
		return nil, err
	}
	text, err := r.Header.GetString(rpmutils.DESCRIPTION)
	names := map[string]fs.FileMode{"description\n" + text + "\n": 0}
	for _, f := range files {
		names[f.Name()] = fs.FileMode(f.Mode()).Perm()
	}
	return names, err
}
