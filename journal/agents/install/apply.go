package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// Apply makes the change. At any time, even after a power failure, the file has either all of Before or all of After.
// It keeps its permission bits and owner; a new one is private, and of its directory's owner. A link stays a link.
//
// If the file no longer has Before, Apply returns [ErrChanged] and leaves it alone. A change by another program between
// this check and the renaming is lost; agents take no lock on their settings that would prevent it. Applying a plan
// twice returns ErrChanged too.
func (p Plan) Apply() error {
	if !p.Changed {
		return nil
	}
	err := p.apply()
	if _, ok := errors.AsType[*Error](err); err == nil || ok {
		return err
	}
	return &Error{Err: fmt.Errorf("write settings: %w", err), Try: "make " + filepath.Dir(p.real) + " writable, or edit the source that manages it"}
}

func (p Plan) apply() error {
	if p.After == nil {
		dir := filepath.Dir(p.real)
		if err := p.unchanged(); err != nil {
			return err
		}
		if err := os.Remove(p.real); err != nil {
			return err
		}
		for _, empty := range p.dropDirs {
			// Somebody else may have put something there; then it stays.
			if os.Remove(empty) != nil {
				break
			}
			dir = filepath.Dir(empty)
		}
		return errors.Join(disk.SyncDir(dir), p.kept.update())
	}
	user, group := p.owner()
	for _, missing := range p.makeDirs {
		err := os.Mkdir(missing, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_ = os.Lchown(missing, user, group)
		if err := disk.SyncDir(filepath.Dir(missing)); err != nil {
			return err
		}
	}
	// A new original comes first, because it also fits the settings as they are; an old one goes last.
	first, second := p.write, p.kept.update
	if p.kept.write != nil {
		first, second = second, first
	}
	if err := first(); err != nil {
		return err
	}
	return second()
}

// owner returns the owner of the file, or for a new one of the nearest directory.
func (p Plan) owner() (user, group int) {
	for path := p.real; ; path = filepath.Dir(path) {
		if user, group = disk.Owner(path); user >= 0 || path == filepath.Dir(path) {
			return user, group
		}
	}
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

// write replaces the file by renaming a second one beside it.
func (p Plan) write() (err error) {
	dir := filepath.Dir(p.real)
	f, err := os.CreateTemp(dir, filepath.Base(p.real)+".journal-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The file is complete or removed; the first error counts.
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	_ = f.Chown(p.owner()) // of others only root can
	for _, step := range []func() error{
		func() error { _, err := f.Write(p.After); return err },
		func() error { return f.Chmod(p.mode) }, f.Sync, f.Close,
		p.unchanged, // as late as possible: changes from here on are lost
		func() error { return os.Rename(f.Name(), p.real) }, func() error { return disk.SyncDir(dir) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// follow returns the file at the end of a chain of symbolic links; it may not exist. Settings kept by a dotfile manager
// are such links, and renaming onto the link would destroy it.
func follow(path string) (string, error) {
	// Linux allows 40.
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
			// ".." counts from the directory's real path.
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

// original is the settings from before the installation, so that uninstalling restores the same bytes.
type original struct {
	Path    string `json:"path"`
	Before  []byte `json:"before"` // nil: there was no file
	MadeDir bool   `json:"made_dir"`
	After   string `json:"after"`             // digest of what the installation wrote
	Earlier string `json:"earlier,omitempty"` // digest of what was there, because the writing may fail
}

// keptFile is the file that holds an original.
type keptFile struct {
	path  string    // "" keeps nothing
	write *original // nil: nothing to keep
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// keptFor returns the file for the original of a settings file.
func (t target) keptFor(real string) keptFile {
	if t.keep == "" {
		return keptFile{}
	}
	return keptFile{path: filepath.Join(t.keep, digest([]byte(real))[:16]+".json")}
}

// read returns the original; ok is false without a readable one.
func (k keptFile) read() (o original, ok bool) {
	b, err := disk.ReadFile(k.path, 2*maxSettings)
	return o, err == nil && json.Unmarshal(b, &o) == nil
}

// update writes or removes the original of the applied plan.
func (k keptFile) update() error {
	switch {
	case k.path == "":
		return nil
	case k.write == nil:
		return disk.Remove(k.path)
	}
	b, err := json.Marshal(k.write)
	if err != nil {
		return err
	}
	if err := disk.MakePrivate(filepath.Dir(k.path)); err != nil {
		return err
	}
	return disk.ReplaceDurable(k.path, b) // settings may hold keys
}

// withoutUs returns the settings without journal: the original, if they are as the installation left them; otherwise
// their present content without ours. known reports whether the result is the person's own, byte for byte.
func (t target) withoutUs(p Plan) (_ original, known bool, err error) {
	kept, ok := p.kept.read()
	if sum := digest(p.Before); ok && p.Before != nil && (kept.After == sum || kept.Earlier == sum) {
		return kept, true, nil
	}
	now := original{Path: p.real, Before: p.Before, MadeDir: len(p.makeDirs) > 0}
	if p.Before == nil {
		return now, true, nil
	}
	s, err := t.parse(p.Before)
	if err != nil {
		return original{}, false, err
	}
	if err := t.check(s, false); err != nil {
		return original{}, false, t.at(err)
	}
	if t.agent.Settings.StatusLine {
		t.removeStatusLine(s)
	}
	t.prune(s, nil)
	if s.changed { // otherwise the rules are the person's
		var own *settings
		if ok && kept.Before != nil {
			if own, err = t.parse(kept.Before); err != nil {
				return original{}, false, err
			}
		}
		t.disallow(s, own)
	}
	now.Before = s.bytes()
	if ok && kept.Before == nil && s.changed && len(members(&s.root)) == 0 {
		now.Before, now.MadeDir = nil, kept.MadeDir // it was ours alone
	}
	return now, !s.changed, nil
}
