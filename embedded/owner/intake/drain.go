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

// drainRounds bounds how often one drain looks at the spool again. Each round takes what came during the round before: less
// each time, unless events come faster than the disk stores them.
const drainRounds = 8

// drain stores what waits in the spool, oldest first. Each event is stored once, even if an owner died between storing and
// removing it, or if the hook got no answer for an event that was stored. A file that cannot be read is set aside with the
// reason; a file of a newer program is left for a newer owner. drain goes on until the spool is empty, because hooks write to
// the spool as long as anything waits in it. The caller holds the writer's lock.
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

// Bounds of one part: the files that are read into memory, looked up in the log and synced together.
const (
	drainFiles = 1000
	drainBytes = 8 << 20
)

// drainAll goes through the spool once and says how many files left it. It also takes complete files whose writers died before
// they renamed them, which spool.Empty does not count.
func (in *Intake) drainAll(ctx context.Context) (moved int, err error) {
	if !in.lock.Intact() {
		return 0, fmt.Errorf("drain the spool: %w", ownership.ErrReplaced)
	}
	entries, err := in.spool.List()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSpool, err)
	}
	var stored []spool.Entry // and could not be removed
	entries = slices.DeleteFunc(entries, func(e spool.Entry) bool {
		if in.stuck[e.Name] {
			stored = append(stored, e)
		}
		return in.stuck[e.Name]
	})
	moved = in.removeStored(stored)
	for len(entries) > 0 && err == nil {
		d := in.part()
		entries, err = d.read(entries)
		if err == nil {
			err = d.take(ctx)
		}
		moved += d.moved
	}
	if err != nil {
		return moved, fmt.Errorf("drain the spool: %w", err)
	}
	in.caughtUp(moved)
	return moved, nil
}

// removeStored removes files that are stored, and says how many are gone. Those that cannot be removed are remembered, so that
// they are not stored again.
func (in *Intake) removeStored(entries []spool.Entry) (gone int) {
	left, err := in.spool.RemoveAll(entries)
	in.trouble(err)
	for _, e := range entries {
		delete(in.stuck, e.Name)
	}
	for _, e := range left {
		in.stuck[e.Name] = true
	}
	return len(entries) - len(left)
}

// Drain stores what waits in the spool, and records how many events could not even be spooled.
func (in *Intake) Drain(ctx context.Context) error {
	err := in.Append(ctx, nil, "")
	if err == nil || errors.Is(err, errSpool) {
		err = errors.Join(err, in.account(ctx))
	}
	return err
}

// Waits reports whether the spool of a directory holds anything that an owner of this program would store: it leaves what a newer
// program wrote. The error says why an owner can read nothing there.
func Waits(dir string) (bool, error) {
	queue := spool.Open(filepath.Join(dir, spoolName))
	if err := queue.Check(); err != nil {
		return false, err
	}
	entries, err := queue.List()
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		encoding, body, err := queue.Read(e)
		if err == nil && encoding == spool.Msgpack {
			_, err = wire.DecodeRequest(body)
		}
		if !errors.Is(err, spool.ErrNewer) && !errors.Is(err, wire.ErrNewer) && !errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
	}
	return false, nil
}
