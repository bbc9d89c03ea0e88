package rebuild

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/disk"
	"journal/journal/spool"
)

// SetAside moves spool files that are no reports aside, with the reason, and returns their number. No owner may be running.
func SetAside(dir string) (n int, err error) {
	d := spool.Open(filepath.Join(dir, spoolName))
	entries, err := d.List()
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		_, _, broken := d.Read(e)
		if !errors.Is(broken, spool.ErrBroken) {
			continue
		}
		if err := d.SetAside(e, broken.Error()); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Aside returns the paths of the files set aside from the spool that contain all words and were written before a time. Without words, or
// with the zero time, that condition does not apply. Such files are no readable reports, so their bytes are searched.
func Aside(dir string, words []string, before time.Time) ([]string, error) {
	aside := filepath.Join(dir, spoolName, "aside")
	names, err := disk.ReadDir(aside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range names {
		path := filepath.Join(aside, entry.Name())
		fi, err := entry.Info()
		if err != nil || !fi.Mode().IsRegular() || strings.HasSuffix(path, ".reason") {
			continue
		}
		if !before.IsZero() && !fi.ModTime().Before(before) {
			continue
		}
		b, err := disk.ReadFile(path, maxAside)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !bytes.Contains(b, []byte(w)) }) {
			found = append(found, path)
		}
	}
	return found, nil
}

// RemoveAll deletes files set aside, with their reasons.
func RemoveAll(paths []string) error {
	for _, p := range paths {
		if err := errors.Join(os.RemoveAll(p), os.RemoveAll(p+".reason")); err != nil {
			return err
		}
	}
	return nil
}
