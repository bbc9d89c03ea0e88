package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// Apply makes the change. The file holds either all of Before or all of After
// at any time, also after a power failure. It keeps its permission bits; a new
// one is for its owner only. A link stays a link.
//
// A file that no longer holds Before gives [ErrChanged] and stays as it is.
// A change that another program makes in the moment between this check and
// the renaming is lost; agents take no lock on their settings that would
// prevent it. Applying a plan twice is an ErrChanged too.
func (p Plan) Apply() error {
	if !p.Changed {
		return nil
	}
	if err := p.apply(); err != nil {
		var e *Error
		if errors.As(err, &e) {
			return err
		}
		return &Error{Err: fmt.Errorf("write settings: %w", err), Try: "make " + filepath.Dir(p.real) + " writable, or edit the source that manages it"}
	}
	return nil
}

func (p Plan) apply() error {
	dir := filepath.Dir(p.real)
	if p.After == nil {
		if err := p.unchanged(); err != nil {
			return err
		}
		if err := os.Remove(p.real); err != nil {
			return err
		}
		for _, empty := range p.dropDirs {
			// Somebody else may have put something into it; then it stays.
			if os.Remove(empty) != nil {
				break
			}
			dir = filepath.Dir(empty)
		}
		return errors.Join(disk.SyncDir(dir), p.kept.update())
	}
	for _, missing := range p.makeDirs {
		err := os.Mkdir(missing, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := disk.SyncDir(filepath.Dir(missing)); err != nil {
			return err
		}
	}
	if p.kept.write == nil {
		return errors.Join(p.write(dir), p.kept.update())
	}
	// The original comes first: one for a change that was not made is not used.
	if err := p.kept.update(); err != nil {
		return err
	}
	return p.write(dir)
}

// unchanged compares the file with Before.
func (p Plan) unchanged() error {
	now, err := disk.ReadFile(p.real, maxSettings)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil && p.Before == nil:
		return nil
	case err != nil || p.Before == nil || !bytes.Equal(now, p.Before):
		return &Error{Err: fmt.Errorf("%s: %w", p.Path, ErrChanged), Try: "run the command again"}
	}
	return nil
}

// write replaces the file by way of a second one beside it.
func (p Plan) write(dir string) (err error) {
	f, err := os.CreateTemp(dir, filepath.Base(p.real)+".journal-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The file is complete or it is gone; the first error counts.
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(p.After); err != nil {
		return err
	}
	if err = f.Chmod(p.mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	// As late as possible: what changes from here on is lost.
	if err = p.unchanged(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), p.real); err != nil {
		return err
	}
	return disk.SyncDir(dir)
}

// follow returns the file that a path leads to over symbolic links, which may
// not exist. Settings kept by a dotfile manager are such links, and renaming
// onto the link would cut it.
func follow(path string) (string, error) {
	// 40 is what Linux allows.
	for range 40 {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || (err == nil && info.Mode()&fs.ModeSymlink == 0) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// ".." counts from where the directory really is.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many links", path)
}
