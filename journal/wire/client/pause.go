package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/journal/disk"
	"journal/journal/wire/token"
)

// pausesName is the directory of the switches, one file each: of a project, by
// the token of its key, and everywhere. They are files and no state of the log,
// because appenders obey them without an owner.
const (
	pausesName = "paused"
	everywhere = "=all" // no token: those escape '='
)

// Everywhere names all projects for Pause and Resume.
const Everywhere = ""

// Pause makes every appender of a journal directory refuse the reports of a
// project, or of all. It says whether that is new.
func Pause(dir, project string) (changed bool, err error) {
	path := pausePath(dir, project)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	return true, f.Close()
}

// Resume undoes one Pause. It says whether there was one.
func Resume(dir, project string) (changed bool, err error) {
	err = os.Remove(pausePath(dir, project))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("resume: %w", err)
	}
	// The last one takes the directory with it, which is all that appenders look
	// for when nothing is paused.
	_ = os.Remove(filepath.Join(dir, pausesName))
	return true, nil
}

// Paused says whether reports of a project are refused.
func Paused(dir, project string) bool {
	return there(filepath.Join(dir, pausesName)) && (there(pausePath(dir, Everywhere)) || there(pausePath(dir, project)))
}

// PausedSince gives when a project, or everything, was paused; false when it is not.
func PausedSince(dir, project string) (time.Time, bool) {
	var since time.Time
	for _, path := range []string{pausePath(dir, Everywhere), pausePath(dir, project)} {
		info, err := os.Lstat(path)
		if err == nil && (since.IsZero() || info.ModTime().Before(since)) {
			since = info.ModTime()
		}
	}
	return since, !since.IsZero()
}

// PausedAt is Paused for the project at root, whose key is looked for only when
// something is paused.
func PausedAt(dir, root string) bool {
	return there(filepath.Join(dir, pausesName)) && Paused(dir, ProjectKey(root))
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Pauses lists the projects whose recording is stopped; all says that it is
// stopped everywhere.
func Pauses(dir string) (all bool, projects []string, err error) {
	found, err := disk.ReadDir(filepath.Join(dir, pausesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil, fmt.Errorf("list pauses: %w", err)
	}
	for _, f := range found {
		if f.Name() == everywhere {
			all = true
		} else if project, ok := token.Text(f.Name()); ok {
			projects = append(projects, project)
		}
	}
	return all, projects, nil
}

func pausePath(dir, project string) string {
	if project == Everywhere {
		return filepath.Join(dir, pausesName, everywhere)
	}
	return filepath.Join(dir, pausesName, token.Of(project))
}
