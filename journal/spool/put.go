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
// without an error, the report survives a crash of the machine, every later Put
// comes after it, and every later Empty sees it. It creates a missing directory.
//
// The encoding is [Msgpack] or [JSON]; Put does not check the body. The error is
// [ErrTooLarge] for a body over [MaxBody]. After an error no file is left, with
// one exception: if the directory cannot be flushed, the report is in the queue
// and may be drained, so the caller may call Put again with the same id. Put is
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
		// temporary file counted as abandoned and was drained. A second file with
		// the same id does no harm: delivery is idempotent (ADR-0002 rule 1).
		if err = disk.MakePrivate(d.path); err == nil {
			err = d.put(name, file)
		}
	}
	if err != nil {
		return "", fmt.Errorf("spool event %s: %w", id, err)
	}
	return name, nil
}

// put writes a file of the queue.
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
	return disk.SyncOpenDir(dir)
}

// writeNew creates a file that must not exist, with mode 0600 whatever the umask,
// and makes its content durable. After an error it leaves no file.
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

// renameNew renames a file if no file has the final name. A check before is enough:
// a writer must create tmp exclusively before it uses the final name, and this
// process has tmp.
func renameNew(tmp, final string) error {
	if _, err := os.Lstat(final); err == nil {
		return &fs.PathError{Op: "create", Path: final, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, final)
}
