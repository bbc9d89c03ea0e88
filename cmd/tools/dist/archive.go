package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"
)

// tree is what goes into an archive, by its names with slashes. What is made of it follows
// from names, bytes, modes and the time of the release alone.
type tree struct {
	at    time.Time
	files fstest.MapFS
}

func (r *release) tree() tree { return tree{r.at, fstest.MapFS{}} }

// put adds a file and the folders above it.
func (t tree) put(name string, body []byte) {
	mode := fs.FileMode(0o644)
	if isProgram(name) {
		mode = 0o755
	}
	t.files[name] = &fstest.MapFile{Data: body, Mode: mode, ModTime: t.at}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		t.files[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: t.at}
	}
}

// putAll adds what lies below a directory, below a folder.
func (t tree) putAll(folder, dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(p)
		t.put(path.Join(folder, filepath.ToSlash(rel)), body)
		return err
	})
}

// isProgram reports whether a file is to be run: completions of the same name are not.
func isProgram(name string) bool {
	base := strings.TrimSuffix(path.Base(name), ".exe")
	return base == "journal" || base == "journal-hook"
}

func (t tree) tarGz() ([]byte, error) {
	var out bytes.Buffer
	zw, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	tw := tar.NewWriter(zw)
	if err := tw.AddFS(t.files); err != nil {
		return nil, err
	}
	if err := tw.Close(); err != nil {
		return nil, err
	}
	err = zw.Close()
	return out.Bytes(), err
}

func (t tree) zip() ([]byte, error) {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	if err := zw.AddFS(t.files); err != nil {
		return nil, err
	}
	err := zw.Close()
	return out.Bytes(), err
}
