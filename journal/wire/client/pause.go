package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/journal/disk"
	"journal/journal/wire"
)

// pausesName is the directory of pauses, one file each: for a project, named by
// the token of its key, or for everything. They are files and not state of the log,
// because appenders obey them without an owner.
const (
	pausesName = "paused"
	everywhere = "=all" // cannot be a token: tokens escape '='
)

// Everywhere names all projects for Pause and Resume.
const Everywhere = ""

// Pause makes every appender of a journal directory refuse the reports of a
// project, or of all. changed reports whether that is new.
func Pause(dir, project string) (changed bool, err error) {
	path := pausePath(dir, project)
	if err := disk.MakePrivate(filepath.Dir(path)); err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	return true, errors.Join(f.Close(), disk.SyncDir(filepath.Dir(path)))
}

// Resume undoes one Pause. changed reports whether there was one.
func Resume(dir, project string) (changed bool, err error) {
	path := pausePath(dir, project)
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = disk.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return false, fmt.Errorf("resume: %w", err)
	}
	// With the last pause the directory goes: without it appenders need no further
	// look.
	_ = os.Remove(filepath.Join(dir, pausesName))
	return true, nil
}

// Paused reports whether reports of a project are refused.
func Paused(dir, project string) bool {
	return there(filepath.Join(dir, pausesName)) && (there(pausePath(dir, Everywhere)) || there(pausePath(dir, project)))
}

// PausedSince returns when a project, or everything, was paused; false if it is not.
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

// PausedAt is Paused for the project at root. It computes the key only if
// something is paused.
func PausedAt(dir, root string) bool {
	return there(filepath.Join(dir, pausesName)) && Paused(dir, ProjectKey(root))
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Pauses lists the paused projects; all says that everything is
// paused.
func Pauses(dir string) (all bool, projects []string, err error) {
	found, err := disk.ReadDir(filepath.Join(dir, pausesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil, fmt.Errorf("list pauses: %w", err)
	}
	for _, f := range found {
		if f.Name() == everywhere {
			all = true
		} else if project, ok := wire.TokenText(f.Name()); ok {
			projects = append(projects, project)
		}
	}
	return all, projects, nil
}

func pausePath(dir, project string) string {
	if project == Everywhere {
		return filepath.Join(dir, pausesName, everywhere)
	}
	return filepath.Join(dir, pausesName, wire.Token(project))
}
