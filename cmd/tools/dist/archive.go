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

// tree holds the files of an archive by their names with slashes. The archive depends only on names, content, modes and the time
// of the release.
type tree struct {
	at    time.Time
	files fstest.MapFS
}

// tree returns an empty tree.
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

// putAll adds the files below a directory of the disk to a folder of the tree.
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

// isProgram reports whether a file is one of the programs.
func isProgram(name string) bool {
	base := strings.TrimSuffix(path.Base(name), ".exe")
	return base == "journal" || base == "journal-hook"
}

// tarGz returns the tree as a .tar.gz.
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

// zip returns the tree as a .zip.
func (t tree) zip() ([]byte, error) {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	if err := zw.AddFS(t.files); err != nil {
		return nil, err
	}
	err := zw.Close()
	return out.Bytes(), err
}
