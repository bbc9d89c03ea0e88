package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// OpenFile is os.OpenFile for regular files: it waits for nothing, and the error is
// ErrNotRegular for anything else, which O_TRUNC leaves as it is.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, _, err := openRegular(path, flag&^os.O_TRUNC, mode)
	if err == nil && flag&os.O_TRUNC != 0 {
		if err = f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, err
}

// WriteFile writes a file in its place, as os.WriteFile does: on a full disk an empty one
// is left. It is not durable.
func WriteFile(path string, b []byte, mode fs.FileMode) error {
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// Replace puts a file in the place of what is at path, if anything, in one step: whoever
// reads, or replaces it at the same time, has one or the other whole. It is not durable.
func Replace(path string, b []byte, mode fs.FileMode) error {
	return replace(path, filepath.Join(filepath.Dir(path), fmt.Sprintf("tmp-%016x", rand.Uint64())), b, mode, false)
}

// ReplaceAlone is Replace for the only writer of a path: however often it is killed,
// one file is left beside it, path.new, which the next call replaces.
func ReplaceAlone(path string, b []byte, mode fs.FileMode) error {
	return replaceAlone(path, b, mode, false)
}

// ReplaceDurable is ReplaceAlone of a file for its owner's eyes: after a power cut either
// the old file or the whole new one is there.
func ReplaceDurable(path string, b []byte) error {
	if err := replaceAlone(path, b, 0o600, true); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

func replaceAlone(path string, b []byte, mode fs.FileMode, sync bool) error {
	aside := path + ".new"
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return replace(path, aside, b, mode, sync)
}

func replace(path, aside string, b []byte, mode fs.FileMode, sync bool) error {
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		_ = os.Remove(aside)
	}
	return err
}

// SetAside renames what stands at a path and is not of the kind that belongs there, a
// directory or a regular file, by way of a link or not: somebody put it there, so it is
// kept. to is its new path, empty when nothing had to be done.
func SetAside(path string, dir bool) (to string, err error) {
	fi, err := os.Stat(path)
	if err != nil || dir && fi.IsDir() || !dir && fi.Mode().IsRegular() {
		return "", nil // also for a link to nothing, which is as good as nothing
	}
	return PutAside(path)
}

// PutAside renames what stands at a path, whatever it is, and gives its new path.
func PutAside(path string) (to string, err error) {
	to = path + ".aside-" + strconv.FormatInt(time.Now().UnixNano(), 10)
	if err := os.Rename(path, to); err != nil {
		return "", err
	}
	return to, nil
}
