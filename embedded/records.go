package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
	"journal/journal/disk"
	"journal/journal/record"
)

// Records reads a stream of the store in a directory from its files, whoever owns
// it: what the owner has acknowledged is in them. It begins with the index that the
// owner keeps in a file (blocks.Reader.Save).
func Records(dir, stream string) *blocks.Reader {
	return blocks.NewReader(StreamIn(dir, stream)).Indexed(filepath.Join(dir, indexName)).Beside(secondCopy(filepath.Join(dir, archiveName)))
}

// StreamIn is a stream of the store in a directory.
func StreamIn(dir, stream string) blocks.Stream {
	// "$G" is the account of a server without accounts.
	return blocks.Stream{Name: stream, Dir: filepath.Join(storePath(dir), "jetstream", "$G", "streams", stream)}
}

// secondCopy reads what an archive has of a span; its own damage is left out.
func secondCopy(dir string) blocks.Second {
	return func(ctx context.Context, after, until uint64, each func(record.Record) bool) error {
		for r, err := range archive.Read(ctx, dir, after) {
			if _, damaged := errors.AsType[*archive.Damage](err); damaged {
				continue
			}
			switch {
			case errors.Is(err, fs.ErrNotExist): // there is no archive yet
				return nil
			case err != nil:
				return err
			case r.Seq > until || !each(r):
				return nil
			}
		}
		return nil
	}
}

// checkFormat writes the format into a directory that has none or that of an older
// program, which from then on leaves the directory alone; and returns ErrNewerStore
// for one that a later program wrote.
func checkFormat(dir string) error {
	n, err := readFormat(dir)
	if err == nil && n < ownership.Format {
		err = WriteFormat(dir)
	}
	return err
}

// CheckFormat is the part of opening a directory that looks at its format, and changes nothing.
func CheckFormat(dir string) error {
	_, err := readFormat(dir)
	return err
}

// readFormat gives the format of a directory, 0 for one that has none yet.
func readFormat(dir string) (int, error) {
	b, err := disk.ReadFile(formatPath(dir), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	switch {
	case err != nil || n < 1:
		return 0, fmt.Errorf("%s does not hold a format number: %q", formatPath(dir), b)
	case n > ownership.Format:
		return 0, fmt.Errorf("%w: %s has %d, this program knows %d; upgrade journal", ErrNewerStore, dir, n, ownership.Format)
	}
	return n, nil
}

// WriteFormat writes the format of this program into a directory. The caller holds its lock, and knows that this program
// can read what is in it.
func WriteFormat(dir string) error {
	return disk.ReplaceDurable(formatPath(dir), fmt.Appendf(nil, "%d\n", ownership.Format))
}

// keptName is a directory of second names of the store's files, while a server opens it. A server that cannot
// open a stream deletes it, whatever the reason: no room for a file of no bytes, too many open
// files (docs/ENGINE.md §2). What has another name is not gone then.
const keptName = "store.kept"

func keptPath(dir string) string { return filepath.Join(dir, keptName) }

// keep gives every file of the streams a second name. It does nothing on a file system that has only one.
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

// restore gives the files their own names back after a server that did not come as far as to release
// them. It says whether there was one.
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

// back puts a file in its place again, if it is not there.
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
	aside := to + ".kept" // nothing that the server knows
	if err := disk.Remove(aside); err != nil {
		return err
	}
	return errors.Join(os.Link(from, aside), os.Rename(aside, to))
}

// release takes the second names away: the server has opened the store.
func release(dir string) error { return os.RemoveAll(keptPath(dir)) }
