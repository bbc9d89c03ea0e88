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

// Apply makes the change. At any time, even after a power failure, the file has either all of Before or all of After. It keeps its
// permission bits and owner. New settings are private, and a new file has the owner of its directory. A link stays a link.
//
// If the file no longer has Before, as after an earlier Apply, Apply returns [ErrChanged] and changes nothing. A change by another
// program between this check and the renaming is lost: agents take no lock that could prevent that.
func (p Plan) Apply() error {
	if !p.Changed {
		return nil
	}
	err := p.apply()
	if _, ok := errors.AsType[*Error](err); err == nil || ok {
		return err
	}
	return &Error{Err: fmt.Errorf("write settings: %w", err), Try: "make " + filepath.Dir(p.real) + " writable, or take what `journal install --dry-run --diff` shows into the source that manages it"}
}

// apply is Apply, but returns the errors of the system without advice.
func (p Plan) apply() error {
	if p.After == nil {
		dir := filepath.Dir(p.real)
		if err := p.checkUnchanged(); err != nil {
			return err
		}
		if err := os.Remove(p.real); err != nil {
			return err
		}
		for _, empty := range p.dropDirs {
			// A directory with other files stays.
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
	// A new original is written first: it is right even if writing the settings then fails. An old original is removed last.
	first, second := p.write, p.kept.update
	if p.kept.write != nil {
		first, second = second, first
	}
	if err := first(); err != nil {
		return err
	}
	return second()
}

// owner returns the user and the group of the file, or of the nearest existing directory if there is no file; -1 if unknown.
func (p Plan) owner() (user, group int) {
	for path := p.real; ; path = filepath.Dir(path) {
		if user, group = disk.FileOwner(path); user >= 0 || path == filepath.Dir(path) {
			return user, group
		}
	}
}

// checkUnchanged returns ErrChanged if the file differs from Before.
func (p Plan) checkUnchanged() error {
	current, err := disk.ReadFile(p.real, maxSettings)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil && p.Before == nil:
		return nil
	case err != nil || p.Before == nil || !bytes.Equal(current, p.Before):
		return &Error{Err: fmt.Errorf("%s: %w", p.Path, ErrChanged), Try: "run the command again"}
	}
	return nil
}

// write writes After to a new file, and renames that to the file.
func (p Plan) write() (err error) {
	dir := filepath.Dir(p.real)
	f, err := os.CreateTemp(dir, filepath.Base(p.real)+".journal-*")
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = p.real // nobody knows the new file
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // the first error counts
			_ = os.Remove(f.Name())
		}
	}()
	_ = f.Chown(p.owner()) // only root can set another owner
	for _, step := range []func() error{
		func() error {
			_, err := f.Write(p.After)
			return err
		},
		func() error { return f.Chmod(p.mode) }, f.Sync, f.Close,
		p.checkUnchanged, // as late as possible: later changes are lost
		func() error { return os.Rename(f.Name(), p.real) }, func() error { return disk.SyncDir(dir) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// resolveLinks returns the path at the end of a chain of symbolic links. There may be no file. Dotfile managers make such links to
// settings, and renaming a file to the path of a link would destroy the link.
func resolveLinks(path string) (string, error) {
	for range 40 { // the limit of Linux
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || (err == nil && info.Mode()&fs.ModeSymlink == 0) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			// A target with ".." is relative to the directory's path without links.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many links", path)
}

// original holds the settings from before the installation. Uninstalling restores their bytes.
type original struct {
	Path    string `json:"path"`
	Before  []byte `json:"before"`            // nil if there was no file
	MadeDir bool   `json:"made_dir"`          // the installation created the directory
	After   string `json:"after"`             // digest of the settings that the installation wrote
	Earlier string `json:"earlier,omitempty"` // digest of the settings before that, which stay if writing fails
}

// keptFile is the file in Options.Keep that holds the original of a settings file.
type keptFile struct {
	path  string    // "" means that no originals are kept
	write *original // the original to write; nil to remove the file
}

// digest returns the SHA-256 of b in hex.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// keptFor returns the file for the original of the settings file real.
func (t target) keptFor(real string) keptFile {
	if t.keep == "" {
		return keptFile{}
	}
	return keptFile{path: filepath.Join(t.keep, digest([]byte(real))[:16]+".json")}
}

// read returns the original. ok is false if the file is missing or cannot be read.
func (k keptFile) read() (o original, ok bool) {
	b, err := disk.ReadFile(k.path, 2*maxSettings)
	return o, err == nil && json.Unmarshal(b, &o) == nil
}

// update writes k.write to the file, or removes the file if that is nil.
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

// withoutJournal returns the settings without journal: the original if the settings are as the installation left them, otherwise the
// current settings without our parts. known is set if the result has exactly the bytes that the person wrote.
func (t target) withoutJournal(p Plan) (_ original, known bool, err error) {
	kept, ok := p.kept.read()
	if sum := digest(p.Before); ok && p.Before != nil && (kept.After == sum || kept.Earlier == sum) {
		return kept, true, nil
	}
	current := original{Path: p.real, Before: p.Before, MadeDir: len(p.makeDirs) > 0}
	if p.Before == nil {
		return current, true, nil
	}
	s, err := t.parse(p.Before)
	if err != nil {
		return original{}, false, err
	}
	if err := t.check(s, false); err != nil {
		return original{}, false, t.withPath(err)
	}
	if t.agent.Settings.StatusLine {
		t.removeStatusLine(s)
	}
	t.prune(s, nil)
	if s.changed { // otherwise nothing of journal was installed, and the person has set the rules
		var own *settings
		if ok && kept.Before != nil {
			if own, err = t.parse(kept.Before); err != nil {
				return original{}, false, err
			}
		}
		t.disallow(s, own)
	}
	current.Before = s.bytes()
	if ok && kept.Before == nil && s.changed && len(members(&s.root)) == 0 {
		current.Before, current.MadeDir = nil, kept.MadeDir // the installation created the file
	}
	return current, !s.changed, nil
}
