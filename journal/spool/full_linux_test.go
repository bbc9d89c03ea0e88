package spool_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
	"journal/journal/spool"
)

func init() {
	// Fills a file system of 64 KiB that only this process sees.
	children["disk-full"] = func(dir, _ string) error {
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
			fmt.Println("skip: mount:", err)
			return nil
		}
		d := spool.Open(dir)
		for put := 0; ; put++ {
			_, err := d.Put(fmt.Sprint("id-", put), spool.JSON, make([]byte, 10_000))
			if err == nil {
				continue
			}
			if !errors.Is(err, unix.ENOSPC) {
				return fmt.Errorf("put %d: %w", put, err)
			}
			return checkFull(d, dir, put)
		}
	}
}

func init() {
	// Makes a file system that only this process sees read-only, and writable again.
	children["read-only"] = func(dir, _ string) error {
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
			fmt.Println("skip: mount:", err)
			return nil
		}
		d := spool.Open(dir)
		if _, err := d.Put("before", spool.JSON, nil); err != nil || d.Check() != nil {
			return fmt.Errorf("put %w, check %w", err, d.Check())
		}
		torn, err := spool.Name("torn")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, ".tmp-"+torn), []byte("journal-sp"), 0o600)
		}
		if err == nil {
			err = unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "mode=700")
		}
		if err != nil {
			return err
		}
		if n, err := d.Sweep(time.Now().Add(2 * time.Hour)); n != 0 || !errors.Is(err, unix.EROFS) {
			return fmt.Errorf("%d are swept: %w", n, err)
		}
		entries, err := d.List()
		if err != nil || len(entries) != 1 {
			return fmt.Errorf("%d are listed: %w", len(entries), err)
		}
		_, put := d.Put("meanwhile", spool.JSON, nil)
		for what, err := range map[string]error{"check": d.Check(), "put": put, "remove": d.Remove(entries[0]), "set aside": d.SetAside(entries[0], "a reason")} {
			if !errors.Is(err, unix.EROFS) {
				return fmt.Errorf("%s on a read-only file system: %w", what, err)
			}
		}
		if err := unix.Mount("", dir, "", unix.MS_REMOUNT, "mode=700"); err != nil {
			return err
		}
		_, put = d.Put("after", spool.JSON, nil)
		return errors.Join(put, d.Check(), d.Remove(entries[0]))
	}
}

// checkFull checks that a full disk cost nothing that was acknowledged, left
// nothing behind, and that room makes the spool work again.
func checkFull(d *spool.Dir, dir string, put int) error {
	entries, err := d.List()
	if err != nil || len(entries) != put || put == 0 {
		return fmt.Errorf("%d put, %d listed, error %w", put, len(entries), err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != put {
		return fmt.Errorf("%d files after %d puts, error %w", len(files), put, err)
	}
	for _, e := range entries {
		if _, _, err := d.Read(e); err != nil {
			return err
		}
		if err := d.Remove(e); err != nil {
			return err
		}
	}
	_, err = d.Put("again", spool.JSON, nil)
	return err
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	_, path := newDir(t)
	cmd := child(t, "disk-full", path, "")
	if reason, skip := strings.CutPrefix(testutil.OwnMounts(t, cmd), "skip: "); skip {
		t.Skip(reason)
	}
}

// A spool on a file system that became read-only returns an error, and works again when it is
// writable.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	_, path := newDir(t)
	cmd := child(t, "read-only", path, "")
	if reason, skip := strings.CutPrefix(testutil.OwnMounts(t, cmd), "skip: "); skip {
		t.Skip(reason)
	}
}
