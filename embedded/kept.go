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

// keptName is a directory of hard links to the store's files while a server opens it. A server that
// cannot open a stream deletes it, whatever the reason: no room even for an empty file, too many open
// files (docs/ENGINE.md §2). A file with another link is not lost then.
const keptName = "store.kept"

func keptPath(dir string) string { return filepath.Join(dir, keptName) }

// keep gives every file of the streams a second link. It does nothing on a file system without hard links.
func keep(dir string, streams []blocks.Stream) error {
	made := keptPath(dir) + ".new"
	if err := errors.Join(os.RemoveAll(made), os.Mkdir(made, 0o700)); err != nil {
		return err
	}
	for _, s := range streams {
		files, err := s.Files()
		if err != nil {
			return err
		}
		for _, path := range files {
			rel, err := filepath.Rel(storePath(dir), path)
			if err == nil {
				err = os.Link(path, filepath.Join(made, url.PathEscape(filepath.ToSlash(rel))))
			}
			if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) {
				return os.RemoveAll(made)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := errors.Join(disk.SyncDir(made), os.Rename(made, keptPath(dir))); err != nil {
		return err
	}
	return disk.SyncDir(dir)
}

// restore gives the files their own names back after a server that ended before release. It reports
// whether there was one.
func restore(dir string) (bool, error) {
	kept, err := disk.ReadDir(keptPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range kept {
		rel, err := url.PathUnescape(e.Name())
		if err == nil && !filepath.IsLocal(rel) {
			err = fmt.Errorf("%s is no name in the store", e.Name())
		}
		if err == nil {
			err = back(filepath.Join(keptPath(dir), e.Name()), filepath.Join(storePath(dir), filepath.FromSlash(rel)))
		}
		if err != nil {
			return false, err
		}
	}
	if err := syncTree(storePath(dir)); err != nil {
		return false, err
	}
	return true, release(dir)
}

// back restores a file that is missing in its place.
func back(from, to string) error {
	if err := disk.MakePrivate(filepath.Dir(to)); err != nil {
		return err
	}
	was, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if is, err := os.Lstat(to); err == nil && os.SameFile(is, was) {
		return nil
	}
	aside := to + ".kept" // a name that the server ignores
	if err := disk.Remove(aside); err != nil {
		return err
	}
	return errors.Join(os.Link(from, aside), os.Rename(aside, to))
}

// release removes the second links: the server has opened the store.
func release(dir string) error { return os.RemoveAll(keptPath(dir)) }
