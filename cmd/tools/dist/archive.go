package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packed is one file of an archive.
type packed struct {
	name string // with slashes
	body []byte
	mode fs.FileMode
}

// archive packs what lies in the directories below a folder of the archive's name: a zip,
// or a tar.gz. Its bytes follow from the files, their names and the time alone.
func archive(name string, zipped bool, at time.Time, dirs ...string) (b []byte, file string, err error) {
	var files []packed
	for _, dir := range dirs {
		if err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				return err
			}
			body, err := os.ReadFile(p)
			mode := fs.FileMode(0o644)
			if base := strings.TrimSuffix(rel, ".exe"); base == "journal" || strings.HasPrefix(base, "journal-hook") && !strings.Contains(base, "/") {
				mode = 0o755
			}
			files = append(files, packed{path.Join(name, filepath.ToSlash(rel)), body, mode})
			return err
		}); err != nil {
			return nil, "", err
		}
	}
	slices.SortFunc(files, func(a, b packed) int { return strings.Compare(a.name, b.name) })
	var out bytes.Buffer
	if zipped {
		err, file = writeZip(&out, files, at), name+".zip"
	} else {
		err, file = writeTar(&out, files, at), name+".tar.gz"
	}
	return out.Bytes(), file, err
}

func writeTar(w io.Writer, files []packed, at time.Time) error {
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Size: int64(len(f.body)), Mode: int64(f.mode), ModTime: at, Format: tar.FormatUSTAR}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(f.body); err != nil {
			return err
		}
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return zw.Close()
}

func writeZip(w io.Writer, files []packed, at time.Time) error {
	zw := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		fw, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := fw.Write(f.body); err != nil {
			return err
		}
	}
	return zw.Close()
}
