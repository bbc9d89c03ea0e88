package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// Put writes one report and returns the name of its file. When it returns
// without an error the report survives a crash of the machine, and every Put or
// Empty that begins later comes after it. The directory is created if missing.
//
// The encoding is [Msgpack] or [JSON], which Put does not check against the
// body. A body over [MaxBody] is [ErrTooLarge]. On an error nothing is left
// after, with one exception: if the directory cannot be flushed the report is
// in place and may be drained, so the caller may repeat with the same id. It is
// safe for concurrent use.
func (d *Dir) Put(id, encoding string, body []byte) (name string, err error) {
	if !validEncoding(encoding) {
		return "", fmt.Errorf("spool event %s: encoding %q is neither %s nor %s", id, encoding, Msgpack, JSON)
	}
	if len(body) > MaxBody {
		return "", fmt.Errorf("spool event %s: %w: %d bytes, at most %d", id, ErrTooLarge, len(body), MaxBody)
	}
	name, err = Name(id)
	if err != nil {
		return "", fmt.Errorf("spool event: %w", err)
	}
	file := encode(encoding, body)
	err = d.put(name, file)
	if errors.Is(err, fs.ErrNotExist) {
		// Either there is no directory yet, or this process slept so long that its
		// temporary file counted as abandoned and was drained or swept. A second
		// file with the same id does no harm: delivery is idempotent (ADR-0002 rule 1).
		if err = disk.MakePrivate(d.path); err == nil {
			err = d.put(name, file)
		}
	}
	if err != nil {
		return "", fmt.Errorf("spool event %s: %w", id, err)
	}
	return name, nil
}

func (d *Dir) put(name string, file []byte) error {
	dir, err := openDir(d.path)
	if err != nil {
		return err
	}
	defer dir.Close()
	tmp, final := filepath.Join(d.path, tmpPrefix+name), filepath.Join(d.path, name)
	if err := writeNew(tmp, file); err != nil {
		return err
	}
	if err := renameNew(tmp, final); err != nil {
		return errors.Join(err, disk.Remove(tmp))
	}
	return disk.Sync(dir)
}

// writeNew creates a file that must not exist, 0600 whatever the umask, and
// makes its content durable. On an error there is no file, or it was not ours.
func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, disk.Remove(path))
	}
	return nil
}

// renameNew renames without overwriting. Looking first is enough: a writer must
// create tmp exclusively before it takes the final name, and while tmp is ours no
// other can.
func renameNew(tmp, final string) error {
	if _, err := os.Lstat(final); err == nil {
		return &fs.PathError{Op: "create", Path: final, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, final)
}
