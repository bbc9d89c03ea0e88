package client

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/disk"
	"journal/journal/wire"
)

// pausesName is the directory of pauses. The file named allName pauses all projects, and a file named by the token of a project's key
// that project. Each line of the file is the key of a project that a person paused: of this one, or of one in whose directory it lies.
// An empty file means this one. Pauses are no events of the log, because appenders obey them without an owner.
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
	paused, err := list(dir)
	if err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	for i, key := range append([]string{project}, below...) {
		p := pause{project: key}
		if n := slices.IndexFunc(paused, func(known pause) bool { return known.project == key }); n >= 0 {
			p = paused[n]
		}
		if slices.Contains(p.by, project) {
			continue
		}
		changed = changed || i == 0
		if err := p.write(dir, append(p.by, project)); err != nil {
			return false, fmt.Errorf("pause: %w", err)
		}
	}
	return changed, disk.SyncDir(filepath.Join(dir, pausesName))
}

// Resume removes what Pause made. changed is false if there was no such pause. resumed has the keys of the projects whose pause ended
// with it, because no other project's pause holds for them. A pause of all projects may still hold.
func Resume(dir, project string) (changed bool, resumed []string, err error) {
	paused, err := list(dir)
	if err != nil {
		return false, nil, fmt.Errorf("resume: %w", err)
	}
	for _, p := range paused {
		i := slices.Index(p.by, project)
		if i < 0 {
			continue
		}
		changed = true
		if others := slices.Delete(p.by, i, i+1); len(others) > 0 {
			err = p.write(dir, others)
		} else {
			resumed, err = append(resumed, p.project), os.Remove(pausePath(dir, p.project))
		}
		if err != nil {
			return false, nil, fmt.Errorf("resume: %w", err)
		}
	}
	if !changed {
		return false, nil, nil
	}
	if err := disk.SyncDir(filepath.Join(dir, pausesName)); err != nil {
		return false, nil, fmt.Errorf("resume: %w", err)
	}
	// Without the directory appenders check nothing else. It cannot be removed while it holds another pause.
	_ = os.Remove(filepath.Join(dir, pausesName))
	return true, resumed, nil
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
	for key := range KeysUp(root) {
		if Paused(dir, key) {
			return true
		}
	}
	return false
}

// KeysUp returns the key of the project at root, and the keys that its parent directories have or would have as projects.
func KeysUp(root string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(ProjectKey(root)) || root == "" {
			return
		}
		path, err := filepath.Abs(root)
		if err != nil {
			return
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		for path != filepath.Dir(path) {
			path = filepath.Dir(path)
			if !yield(ProjectKey(path)) {
				return
			}
		}
	}
}

// pause is a pause of a project, or of all projects (Everywhere).
type pause struct {
	project string
	by      []string  // keys of the projects that a person paused: this one, and those in whose directories it lies
	since   time.Time // zero if it is not written yet
}

// write writes the file of a pause, and keeps its time.
func (p pause) write(dir string, by []string) error {
	path := pausePath(dir, p.project)
	if err := disk.WriteFile(path, []byte(strings.Join(by, "\n")), 0o600); err != nil {
		return err
	}
	return os.Chtimes(path, time.Time{}, p.since)
}

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
		if !ok || !f.Type().IsRegular() { // file servers add folders
			continue
		}
		path := filepath.Join(dir, pausesName, f.Name())
		info, err := os.Lstat(path)
		b, readErr := disk.ReadFile(path, 64<<10)
		if err := errors.Join(err, readErr); err != nil {
			return nil, fmt.Errorf("list pauses: %w", err)
		}
		by := []string{project}
		if len(b) > 0 {
			by = strings.Split(string(b), "\n")
		}
		all = append(all, pause{project, by, info.ModTime()})
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
		case slices.Contains(p.by, p.project):
			projects = append(projects, p.project)
		}
	}
	return all, projects, err
}

// PausesOf returns the keys of the pauses that hold for a project: Everywhere first, then its own, and those of the projects in whose
// directories it lies. Without about.Root, the file of the project's pause names the latter.
func PausesOf(dir string, about About) (holding []string, err error) {
	paused, err := list(dir)
	for _, key := range append([]string{Everywhere, about.Project}, slices.Collect(KeysUp(about.Root))...) {
		for _, p := range paused {
			if p.project == key {
				holding = append(holding, p.by...)
			}
		}
	}
	return holding, err
}

// pausePath returns the file of a pause.
func pausePath(dir, project string) string {
	if project == Everywhere {
		return filepath.Join(dir, pausesName, allName)
	}
	return filepath.Join(dir, pausesName, wire.Token(project))
}
