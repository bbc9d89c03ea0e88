package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// start begins a plan for the file, which has that mode when it is made.
func (t target) start(mode fs.FileMode) (Plan, error) {
	real, err := follow(t.path)
	if err != nil {
		return Plan{}, t.unreadable(err)
	}
	return Plan{Agent: t.agent.Name, Path: t.path, real: real, mode: mode}, nil
}

// read begins a plan for the settings with what is on the disk.
func (t target) read() (Plan, error) {
	p, err := t.start(0o600) // settings may hold keys
	if err != nil {
		return Plan{}, err
	}
	p.kept = t.keptFor(p.real)
	if p.real != t.path {
		p.Notes = append(p.Notes, fmt.Sprintf("%s is a link; the file that is changed is %s", t.path, p.real))
	}
	info, err := os.Stat(p.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		dir := filepath.Dir(p.real)
		if lacks, err := t.lacksDir(dir); err != nil || !lacks {
			return p, err
		}
		p.makeDirs = []string{dir}
		return p, nil
	case err != nil:
		return Plan{}, t.unreadable(err)
	case !info.Mode().IsRegular():
		return Plan{}, t.unreadable(fmt.Errorf("%s is not a file", p.real))
	}
	p.mode = info.Mode().Perm()
	if p.Before, err = disk.ReadFile(p.real, maxSettings); err != nil {
		return Plan{}, t.unreadable(err)
	}
	return p, nil
}

// lacksDir reports whether the directory of the settings has to be made. Only
// the last element of its path is: that the rest is missing is a mistake.
func (t target) lacksDir(dir string) (bool, error) {
	_, err := os.Stat(dir)
	if err == nil {
		return false, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, t.unreadable(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); err != nil {
		return false, &Error{
			Err: fmt.Errorf("find the place for %s: %w", t.path, err),
			Try: "make the directory " + filepath.Dir(dir) + ", or name another",
		}
	}
	return true, nil
}

func (t target) unreadable(err error) error {
	return &Error{Err: fmt.Errorf("read settings: %w", err), Try: "make " + t.path + " a file that you can read"}
}

// parse reads settings; nil stands for a file that has to be made.
func (t target) parse(src []byte) (*settings, error) {
	s, err := parse(src, t.agent.Settings.Comments)
	return s, t.at(err)
}

// at puts the path before an error that has a position in the file.
func (t target) at(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{Err: fmt.Errorf("%s:%w", t.path, e.Err), Try: e.Try}
	}
	return err
}
