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

// pausesName is the directory of pauses. Each pause is an empty file: allName pauses all projects, the token of a project's key that
// project. Pauses are no events of the log, because appenders obey them without an owner.
const (
	pausesName = "paused"
	allName    = "=all" // no token, because tokens escape '='
)

// Everywhere stands for all projects in Pause and Resume.
const Everywhere = ""

// Pause makes every appender of a journal directory refuse the reports of a project, given by its key, or of all with Everywhere.
// changed is false if this pause existed before.
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

// Resume removes what Pause made. changed is false if there was no such pause.
func Resume(dir, project string) (changed bool, err error) {
	path := pausePath(dir, project)
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("resume: %w", err)
	}
	if err := disk.SyncDir(filepath.Dir(path)); err != nil {
		return false, fmt.Errorf("resume: %w", err)
	}
	// Without the directory appenders check nothing else. It cannot be removed while it holds another pause.
	_ = os.Remove(filepath.Join(dir, pausesName))
	return true, nil
}

// Paused reports whether reports of a project, given by its key, are refused. Every hook calls it, so it costs one Lstat without a
// pause.
func Paused(dir, project string) bool {
	if _, err := os.Lstat(filepath.Join(dir, pausesName)); err != nil {
		return false
	}
	_, paused := PausedSince(dir, project)
	return paused
}

// PausedSince returns the time of the pause of a project or of all projects, the older one of two. paused is false without a pause.
func PausedSince(dir, project string) (since time.Time, paused bool) {
	for _, path := range []string{pausePath(dir, Everywhere), pausePath(dir, project)} {
		if info, err := os.Lstat(path); err == nil && (since.IsZero() || info.ModTime().Before(since)) {
			since = info.ModTime()
		}
	}
	return since, !since.IsZero()
}

// PausedAt reports whether reports of the project at root are refused. It computes the key only if something is paused.
func PausedAt(dir, root string) bool {
	_, err := os.Lstat(filepath.Join(dir, pausesName))
	return err == nil && Paused(dir, ProjectKey(root))
}

// Pauses returns the keys of the projects that have a pause of their own. all is true if all projects are paused.
func Pauses(dir string) (all bool, projects []string, err error) {
	found, err := disk.ReadDir(filepath.Join(dir, pausesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil, fmt.Errorf("list pauses: %w", err)
	}
	for _, f := range found {
		if f.Name() == allName {
			all = true
		} else if project, ok := wire.TokenText(f.Name()); ok {
			projects = append(projects, project)
		}
	}
	return all, projects, nil
}

// pausePath returns the file of a pause.
func pausePath(dir, project string) string {
	if project == Everywhere {
		return filepath.Join(dir, pausesName, allName)
	}
	return filepath.Join(dir, pausesName, wire.Token(project))
}
