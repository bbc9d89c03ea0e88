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

// pausesName is the directory of pauses. Each pause is a file: allName pauses all projects, the token of a project's key that project.
// The file is empty if a person paused the project. Else it holds the key of the paused project in whose directory this one lies. Pauses
// are no events of the log, because appenders obey them without an owner.
const (
	pausesName = "paused"
	allName    = "=all" // no token, because tokens escape '='
)

// Everywhere stands for all projects in Pause and Resume.
const Everywhere = ""

// Pause makes every appender of a journal directory refuse the reports of a project, given by its key, or of all with Everywhere. Each
// project in below lies in the directory of this one and is paused with it. changed is false if this pause existed before.
func Pause(dir, project string, below ...string) (changed bool, err error) {
	if err := disk.MakePrivate(filepath.Join(dir, pausesName)); err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	for _, key := range below {
		if _, err := os.Lstat(pausePath(dir, key)); err == nil {
			continue
		}
		if err := disk.WriteFile(pausePath(dir, key), []byte(project), 0o600); err != nil {
			return false, fmt.Errorf("pause: %w", err)
		}
	}
	if info, err := os.Lstat(pausePath(dir, project)); err == nil && info.Size() == 0 {
		return false, nil
	}
	if err := disk.WriteFile(pausePath(dir, project), nil, 0o600); err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	return true, disk.SyncDir(filepath.Join(dir, pausesName))
}

// Resume removes what Pause made. changed is false if there was no such pause.
func Resume(dir, project string) (changed bool, err error) {
	paused, err := list(dir)
	if err != nil {
		return false, fmt.Errorf("resume: %w", err)
	}
	for _, p := range paused {
		switch {
		case p.project == project && p.above == "":
			changed = true
		case p.above != project || p.above == "":
			continue
		}
		if err := os.Remove(pausePath(dir, p.project)); err != nil {
			return false, fmt.Errorf("resume: %w", err)
		}
	}
	if !changed {
		return false, nil
	}
	if err := disk.SyncDir(filepath.Join(dir, pausesName)); err != nil {
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

// PausedAt reports whether reports of the project at root are refused, because it is paused or lies in the directory of a paused
// project. It computes keys only if something is paused.
func PausedAt(dir, root string) bool {
	if _, err := os.Lstat(filepath.Join(dir, pausesName)); err != nil {
		return false
	}
	if Paused(dir, ProjectKey(root)) {
		return true
	}
	if root == "" {
		return false
	}
	path, err := filepath.Abs(root)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for path != filepath.Dir(path) {
		path = filepath.Dir(path)
		if Paused(dir, ProjectKey(path)) {
			return true
		}
	}
	return false
}

// pause is a pause of a project, or of all projects (Everywhere). above is the key of the paused project in whose directory it lies. It is
// empty if a person paused it.
type pause struct{ project, above string }

// list returns all pauses of a journal directory.
func list(dir string) (all []pause, err error) {
	found, err := disk.ReadDir(filepath.Join(dir, pausesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list pauses: %w", err)
	}
	for _, f := range found {
		project, ok := wire.TokenText(f.Name())
		if f.Name() == allName {
			project, ok = Everywhere, true
		}
		if !ok {
			continue
		}
		above, err := disk.ReadFile(filepath.Join(dir, pausesName, f.Name()), 4096)
		if err != nil {
			return nil, fmt.Errorf("list pauses: %w", err)
		}
		all = append(all, pause{project, string(above)})
	}
	return all, nil
}

// Pauses returns the keys of the projects that a person paused. all is true if all projects are paused.
func Pauses(dir string) (all bool, projects []string, err error) {
	paused, err := list(dir)
	for _, p := range paused {
		switch {
		case p.project == Everywhere:
			all = true
		case p.above == "":
			projects = append(projects, p.project)
		}
	}
	return all, projects, err
}

// pausePath returns the file of a pause.
func pausePath(dir, project string) string {
	if project == Everywhere {
		return filepath.Join(dir, pausesName, allName)
	}
	return filepath.Join(dir, pausesName, wire.Token(project))
}
