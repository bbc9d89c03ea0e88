package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"journal/embedded/store/blocks"
	"journal/journal/disk"
)

// copyName is the directory of the copy of a store whose format this program does not know.
const copyName = "store.copy"

// checkBlocks reads every block of a store that was not closed cleanly, before the server does (ADR-0012 rule 1). head is the least
// sequence that the store must reach, 0 if it is unknown. The error is a SuspectError for damage. An unknown format is not damage: the
// store is copied once, and the server opens it (ADR-0012 rule 6). A damaged stream without a byte in its blocks is removed, because its
// creation was interrupted. If the stream once had records, the check of head or the second copy shows that.
func checkBlocks(ctx context.Context, dir string, head uint64, log *slog.Logger) error {
	streams, err := blocks.Streams(storePath(dir))
	if err != nil {
		return err
	}
	suspect := &SuspectError{}
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
			log.Warn("a stream without a record is incomplete and is created again", "stream", s.Name, "reason", r.Damage[0])
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
		suspect.Reason = fmt.Sprintf("it ends with #%d, but #%d was acknowledged", last, head)
	}
	if suspect.Reason != "" || len(suspect.Streams) > 0 {
		return suspect
	}
	return nil
}

// copyStore copies the store to copyName, unless there is a copy.
func copyStore(dir string) error {
	to := filepath.Join(dir, copyName)
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	tmp := to + ".new"
	if err := errors.Join(os.RemoveAll(tmp), disk.CopyDir(tmp, storePath(dir))); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	if err := errors.Join(syncTree(tmp), os.Rename(tmp, to)); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return disk.SyncDir(dir)
}

// ErrSuspectStore is returned for a store that the server must not open: it would answer damage by removing more
// (docs/ENGINE.md §2).
var ErrSuspectStore = errors.New("the store is damaged")

// SuspectError describes the damage of a store. It wraps ErrSuspectStore. Own records no failure for it, because the caller rebuilds the
// store.
type SuspectError struct {
	Streams []blocks.Summary // streams with damage, if any
	Reason  string           // damage that the blocks alone do not show, empty for none
}

func (e *SuspectError) Error() string {
	places, first := 0, e.Reason
	if first != "" {
		places++
	}
	for _, r := range e.Streams {
		places += len(r.Damage)
		if first == "" && len(r.Damage) > 0 {
			first = r.Damage[0].String()
		}
	}
	if places > 1 {
		first += fmt.Sprintf(", and %d more", places-1)
	}
	return fmt.Sprintf("%v: %s", ErrSuspectStore, first)
}

// Interrupted reports whether a power cut during one write explains all of the damage. A failing disk would damage more.
func (e *SuspectError) Interrupted() bool {
	return e.Reason == "" && len(e.Streams) == 1 && e.Streams[0].Interrupted
}

func (e *SuspectError) Unwrap() error { return ErrSuspectStore }
