package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"journal/journal/disk"
)

const (
	asideName    = "aside"
	reasonSuffix = ".reason"
)

// SetAside moves an entry to the directory "aside" within the spool and writes
// the reason beside it, in a file of the same name with ".reason" added. It
// deletes and overwrites nothing: the file stays until a person has looked at
// it. On an error the entry is where it was.
func (d *Dir) SetAside(e Entry, reason string) error {
	path, err := d.file(e)
	if err != nil {
		return err
	}
	if err := d.setAside(path, strings.TrimPrefix(e.Name, tmpPrefix), reason); err != nil {
		return fmt.Errorf("set spool file %s aside: %w", e.Name, err)
	}
	return nil
}

func (d *Dir) setAside(path, name, reason string) error {
	from, err := openDir(d.path)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := disk.MakePrivate(d.asidePath()); err != nil {
		return err
	}
	to, err := openDir(d.asidePath())
	if err != nil {
		return err
	}
	defer to.Close()

	target, err := d.freeAside(name)
	if err != nil {
		return err
	}
	// The reason first: a crash in between leaves only a reason without a file,
	// which is harmless.
	if err := writeNew(target+reasonSuffix, []byte(reason+"\n")); err != nil {
		return err
	}
	if err := os.Rename(path, target); err != nil {
		return errors.Join(err, disk.Remove(target+reasonSuffix))
	}
	return errors.Join(disk.Sync(to), disk.Sync(from))
}

// freeAside returns a free path for a file and its reason: name itself, or name with
// a number added. It stays free, because only the owner of the log sets files
// aside.
func (d *Dir) freeAside(name string) (string, error) {
	names, err := readNames(d.asidePath())
	if err != nil {
		return "", err
	}
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[strings.TrimSuffix(n, reasonSuffix)] = true
	}
	free := name
	for i := 2; taken[free]; i++ {
		free = name + "." + strconv.Itoa(i)
	}
	return filepath.Join(d.asidePath(), free), nil
}

func (d *Dir) asidePath() string { return filepath.Join(d.path, asideName) }
