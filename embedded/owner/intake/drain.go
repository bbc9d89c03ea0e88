package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"journal/embedded/store/ownership"
	"journal/journal/spool"
	"journal/journal/wire"
)

// drainRounds bounds the rounds of one drain. Each round stores the files that arrived during the previous round. They are fewer each time,
// unless events come faster than the disk stores them.
const drainRounds = 8

// drain stores the files of the spool, oldest first. Each event is stored once, even if an owner died between storing the event and
// removing its file, or if a hook got no answer for an event that was stored. See refuse for files that cannot be read. Hooks write to the
// spool as long as it holds a file, so drain goes on until no file leaves it any more, for at most drainRounds. The error is errSpool if
// the spool cannot be read. The caller holds the writer's lock.
func (in *Intake) drain(ctx context.Context) error {
	for range drainRounds {
		switch empty, err := in.spool.Empty(); {
		case err != nil:
			return fmt.Errorf("%w: %w", errSpool, err)
		case empty:
			in.caughtUp(0)
			return nil
		}
		if moved, err := in.drainAll(ctx); err != nil || moved == 0 {
			return err
		}
	}
	return nil
}

// Bounds of one part, whose files are read into memory, looked up in the log and synced together.
const (
	drainFiles = 1000
	drainBytes = 8 << 20 // the part may exceed it by one file
)

// drainAll goes through the spool once and returns the number of files that left it. It also stores complete files whose writers
// died before they renamed them, which spool.Empty does not count.
func (in *Intake) drainAll(ctx context.Context) (moved int, err error) {
	if !in.lock.Intact() {
		return 0, fmt.Errorf("drain the spool: %w", ownership.ErrReplaced)
	}
	entries, err := in.spool.List()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSpool, err)
	}
	var stored []spool.Entry // files that are stored, and could not be removed before
	entries = slices.DeleteFunc(entries, func(e spool.Entry) bool {
		if in.stuck[e.Name] {
			stored = append(stored, e)
		}
		return in.stuck[e.Name]
	})
	moved = in.removeStored(stored)
	for len(entries) > 0 {
		p := in.part()
		if entries, err = p.read(entries); err == nil {
			err = p.store(ctx)
		}
		moved += p.moved
		if err != nil {
			return moved, fmt.Errorf("drain the spool: %w", err)
		}
	}
	in.caughtUp(moved)
	return moved, nil
}

// removeStored removes files that are stored, and returns how many were removed. It records the others as stuck, so that they are not
// stored again.
func (in *Intake) removeStored(entries []spool.Entry) (removed int) {
	left, err := in.spool.RemoveAll(entries)
	in.onError(err)
	for _, e := range entries {
		delete(in.stuck, e.Name)
	}
	for _, e := range left {
		in.stuck[e.Name] = true
	}
	return len(entries) - len(left)
}

// Drain stores the files of the spool, and records how many events could not even be spooled.
func (in *Intake) Drain(ctx context.Context) error {
	err := in.Append(ctx, nil, "")
	if err != nil && !errors.Is(err, errSpool) {
		return err
	}
	return errors.Join(err, in.recordLosses(ctx))
}

// HasReports reports whether the spool of a directory holds a file that an owner of this program would store or set aside. Files that stay
// in the spool do not count (see refuse). It returns an error if an owner could not read the spool.
func HasReports(dir string) (bool, error) {
	queue := spool.Open(filepath.Join(dir, spoolName))
	if err := queue.Check(); err != nil {
		return false, err
	}
	entries, err := queue.List()
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		err := readable(queue, e)
		if removed := errors.Is(err, fs.ErrNotExist); !removed && !isNewer(err) && !isUnreadable(err) {
			return true, nil
		}
	}
	return false, nil
}

// readable returns an error unless a file of the spool can be read and decoded.
func readable(queue *spool.Dir, e spool.Entry) error {
	encoding, body, err := queue.Read(e)
	if err != nil || encoding != spool.Msgpack {
		return err
	}
	_, err = wire.DecodeRequest(body)
	return err
}
