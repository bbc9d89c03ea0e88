package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrPaused is returned by appenders while a person has stopped the recording.
// Nothing of the report is kept.
var ErrPaused = errors.New("recording is paused")

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
	is := func(path string) bool {
		_, err := os.Lstat(path)
		return err == nil
	}
	return is(filepath.Join(dir, pausesName)) && (is(pausePath(dir, Everywhere)) || is(pausePath(dir, project)))
}

// Pauses lists the projects whose recording is stopped; all says that it is
// stopped everywhere.
func Pauses(dir string) (all bool, projects []string, err error) {
	found, err := os.ReadDir(filepath.Join(dir, pausesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil, fmt.Errorf("list pauses: %w", err)
	}
	for _, f := range found {
		if f.Name() == everywhere {
			all = true
		} else if project, ok := TextOf(f.Name()); ok {
			projects = append(projects, project)
		}
	}
	return all, projects, nil
}

func pausePath(dir, project string) string {
	if project == Everywhere {
		return filepath.Join(dir, pausesName, everywhere)
	}
	return filepath.Join(dir, pausesName, Token(project))
}
