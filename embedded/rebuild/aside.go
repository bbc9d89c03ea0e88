package rebuild

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/disk"
	"journal/journal/spool"
)

// SetAside moves broken files of the spool aside, each with the reason, and returns their number. No owner may be running.
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

// Aside returns the paths of the files set aside from the spool that may contain selected events. Such files are no readable reports. So
// their bytes are searched for the fields of the selection, and the time of a file counts as the time of its events.
func (s Selection) Aside(dir string) ([]string, error) {
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
		if !s.Before.IsZero() && !fi.ModTime().Before(s.Before) {
			continue
		}
		b, err := disk.ReadFile(path, maxAside)
		if err != nil {
			return nil, err
		}
		missing := func(field string) bool { return !bytes.Contains(b, []byte(field)) }
		if !slices.ContainsFunc([]string{s.Session, s.Project, s.Match}, missing) {
			found = append(found, path)
		}
	}
	return found, nil
}

// RemoveAside deletes files that were set aside, with their reasons.
func RemoveAside(paths []string) error {
	for _, p := range paths {
		if err := errors.Join(os.RemoveAll(p), os.RemoveAll(p+".reason")); err != nil {
			return err
		}
	}
	return nil
}
