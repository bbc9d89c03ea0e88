package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"journal/embedded/store/blocks"
	"journal/journal/disk"
)

// linksPath returns the path of a directory that exists while a server opens the store. It has a second hard link to the description
// (meta.inf, meta.sum) and every block of each stream. A server that cannot open a stream deletes it, whatever the reason: no room even for
// an empty file, too many open files (docs/ENGINE.md §2). A file with another link survives.
func linksPath(dir string) string { return filepath.Join(dir, "store.kept") }

// linkStore makes a second link to the description and every block of the streams. It does nothing on a file system without hard links, or
// an overlay that cannot rename the new directory.
func linkStore(dir string, streams []blocks.Stream) error {
	fresh := linksPath(dir) + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.Mkdir(fresh, 0o700)); err != nil {
		return err
	}
	for _, s := range streams {
		files, err := s.Files()
		if err != nil {
			return err
		}
		for _, path := range files {
			rel, err := filepath.Rel(storePath(dir), path)
			if err != nil {
				return err
			}
			err = os.Link(path, filepath.Join(fresh, url.PathEscape(filepath.ToSlash(rel))))
			if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) {
				return os.RemoveAll(fresh)
			}
			if err != nil {
				return err
			}
		}
	}
	err := errors.Join(disk.SyncDir(fresh), os.Rename(fresh, linksPath(dir)))
	if errors.Is(err, syscall.EXDEV) {
		return os.RemoveAll(fresh)
	}
	if err != nil {
		return err
	}
	return disk.SyncDir(dir)
}

// restoreStore restores missing and replaced files of the store from their second links, and removes the links. Links remain only if
// a server did not open the store. Without links restored is false.
func restoreStore(dir string) (restored bool, err error) {
	links, err := disk.ReadDir(linksPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range links {
		rel, err := url.PathUnescape(e.Name())
		if err != nil {
			return false, err
		}
		if !filepath.IsLocal(rel) {
			return false, fmt.Errorf("%s is not the name of a file in the store; move it out of %s", e.Name(), linksPath(dir))
		}
		if err := relink(filepath.Join(linksPath(dir), e.Name()), filepath.Join(storePath(dir), filepath.FromSlash(rel))); err != nil {
			return false, err
		}
	}
	if err := syncTree(storePath(dir)); err != nil {
		return false, err
	}
	return true, removeLinks(dir)
}

// relink restores the file at a path from its second link, unless the same file is still there.
func relink(from, to string) error {
	if err := disk.MakePrivate(filepath.Dir(to)); err != nil {
		return err
	}
	link, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if current, err := os.Lstat(to); err == nil && os.SameFile(current, link) {
		return nil
	}
	aside := to + ".kept" // the server ignores files with this name
	if err := disk.Remove(aside); err != nil {
		return err
	}
	return errors.Join(os.Link(from, aside), os.Rename(aside, to))
}

// removeLinks removes the second links.
func removeLinks(dir string) error { return os.RemoveAll(linksPath(dir)) }
