package archive

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"journal/journal/disk"
)

// writeFile creates or overwrites a file that only we read, and syncs it.
func writeFile(path string, content []byte) error {
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Begin makes the archive in a directory out of the sealed segments of another one that end before a sequence. What is
// appended goes on behind them.
func Begin(dir, from string, before uint64) error {
	groups, err := list(from)
	if err == nil {
		err = disk.MakePrivate(dir)
	}
	for _, group := range groups {
		if s := group[0]; err == nil && !s.open() && s.last < before {
			var b []byte
			if b, err = disk.ReadFile(filepath.Join(from, s.name), maxFile); err == nil {
				err = writeFile(filepath.Join(dir, s.name), b)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("begin the archive: %w", err)
	}
	return disk.SyncDir(dir)
}

// writeSealed writes a sealed segment aside and puts it in place.
func writeSealed(dir string, first uint64, raw []byte, s seal) error {
	b, err := compress(raw)
	if err != nil {
		return err
	}
	s.size = uint64(len(raw))
	b = s.append(b)
	sum := sha256.Sum256(b)
	path := filepath.Join(dir, sealedName(first, s.last))
	if err := writeFile(path+tmpSuffix, append(b, sum[:]...)); err != nil {
		return err
	}
	if err := os.Rename(path+tmpSuffix, path); err != nil {
		return err
	}
	return disk.SyncDir(dir)
}

// removeOthers removes the files that a sealed segment replaces: the open one,
// and shorter sealed ones.
func removeOthers(dir string, first, last uint64) error {
	groups, err := list(dir)
	if err != nil {
		return err
	}
	for _, group := range groups {
		for _, p := range group {
			if p.first == first && p.last < last {
				if err := os.Remove(filepath.Join(dir, p.name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// removeTemporary removes what a dead writer left unfinished. Everything in it is elsewhere too.
func removeTemporary(dir string) error {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), tmpSuffix)
		if _, segment := parseName(name); ok && segment {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// setAside renames a file so that it is no longer a segment. It is never deleted.
func setAside(dir, name string) error {
	to := filepath.Join(dir, name+asideSuffix)
	for n := 1; ; n++ {
		_, err := os.Lstat(to)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return fmt.Errorf("set %s aside: %w", name, err)
		}
		to = filepath.Join(dir, name+asideSuffix+"."+strconv.Itoa(n))
	}
	if err := os.Rename(filepath.Join(dir, name), to); err != nil {
		return fmt.Errorf("set %s aside: %w", name, err)
	}
	return disk.SyncDir(dir)
}
