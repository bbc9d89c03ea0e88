package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"journal/embedded/store/blocks"
	"journal/journal/disk"
)

// copyName is the copy of a store whose format this program does not know.
const copyName = "store.copy"

// checkBlocks reads every block of a store that was not closed cleanly, before the server does (ADR-0012 rule 1). head
// is the sequence that the store reaches at least; 0 is unknown. The error is a SuspectError for damage. A format that
// this program does not know is not damage: the store is opened, after one copy was made (ADR-0012 rule 6). Nor is a stream
// without a record whose making was interrupted: one that had records is known by head or by the second copy.
func checkBlocks(ctx context.Context, dir string, head uint64, log *slog.Logger) error {
	streams, err := blocks.Streams(storePath(dir))
	if err != nil {
		return err
	}
	suspect := &SuspectError{Dir: dir}
	last := uint64(0)
	for _, s := range streams {
		r, err := blocks.Scan(ctx, s, nil, nil)
		if err != nil {
			return fmt.Errorf("check the store: %w", err)
		}
		if r.Unknown != "" {
			log.Warn("the format of the store is not known, so it was not checked", "stream", s.Name, "reason", r.Unknown, "copy", copyName)
			return copyStore(dir)
		}
		if len(r.Damage) > 0 && r.Bytes == 0 {
			log.Warn("a stream without a record is not whole and is made again", "stream", s.Name, "reason", r.Damage[0])
			if err := os.RemoveAll(s.Dir); err != nil {
				return fmt.Errorf("check the store: %w", err)
			}
			continue
		}
		if len(r.Damage) > 0 {
			suspect.Streams = append(suspect.Streams, r)
		}
		if r.Torn > 0 {
			log.Warn("the last write to the store was interrupted", "stream", s.Name, "bytes", r.Torn, "last", r.Last)
		}
		last = max(last, r.Last)
	}
	if last < head {
		suspect.Reason = fmt.Sprintf("it ends with #%d, and #%d was acknowledged", last, head)
	}
	if suspect.Reason != "" || len(suspect.Streams) > 0 {
		return suspect
	}
	return nil
}

// copyStore copies the store aside, once.
func copyStore(dir string) error {
	to := filepath.Join(dir, copyName)
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	tmp := to + ".new"
	if err := errors.Join(os.RemoveAll(tmp), copyTree(storePath(dir), tmp)); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	if err := errors.Join(syncTree(tmp), os.Rename(tmp, to)); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return disk.SyncDir(dir)
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.Mkdir(target, 0o700)
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	in, _, err := disk.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
