package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"journal/embedded/store/ownership"
	"journal/journal/spool"
	"journal/journal/wire"
)

// drainRounds bounds how often one drain looks at the spool again. Each round is
// about what came during the one before, which is less each time unless events
// come faster than a disk takes them.
const drainRounds = 8

// drain appends what waits in the spool, oldest first, each event once: also
// when this owner's predecessor died between storing and removing, and when the
// event reached the log directly although its hook believed otherwise. What
// cannot be read is set aside with the reason; what a newer program wrote is
// left for a newer owner. It goes on until the spool is empty: as long as
// anything waits, every hook queues up behind it, and the spool would never be empty
// again. The caller holds the writer's lock.
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

// What is taken out of the spool at once: ids are looked up once, and events are synced
// together. Bodies are in memory meanwhile.
const (
	drainFiles = 1000
	drainBytes = 8 << 20
)

// drainAll goes through the spool once and says how many files left it. It also
// takes complete files whose writers died before they named them: those do not
// make a spool look full.
func (in *Intake) drainAll(ctx context.Context) (moved int, err error) {
	if !in.lock.Intact() {
		return 0, fmt.Errorf("drain the spool: %w", ownership.ErrReplaced)
	}
	entries, err := in.spool.List()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSpool, err)
	}
	stored, entries := in.stuckAmong(entries)
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

// stuckAmong parts the files that the log holds already and that could not be removed from the others.
func (in *Intake) stuckAmong(entries []spool.Entry) (stored, others []spool.Entry) {
	for _, e := range entries {
		if in.stuck[e.Name] {
			stored = append(stored, e)
		} else {
			others = append(others, e)
		}
	}
	return stored, others
}

// removeStored removes files that the log holds, and says how many are gone. What cannot be removed stays, and is
// stored only once.
func (in *Intake) removeStored(entries []spool.Entry) (gone int) {
	left, err := in.spool.RemoveAll(entries)
	if err != nil {
		in.trouble(err)
	}
	for _, e := range entries {
		delete(in.stuck, e.Name)
	}
	for _, e := range left {
		in.stuck[e.Name] = true
	}
	return len(entries) - len(left)
}

// Drain appends what waits in the spool, and how much could not even wait there.
func (in *Intake) Drain(ctx context.Context) error {
	err := in.Append(ctx, nil, "")
	if err == nil || errors.Is(err, errSpool) {
		err = errors.Join(err, in.account(ctx))
	}
	return err
}

// Waits says whether something waits in the spool of a directory that an owner of
// this program would take. What a newer program wrote it would leave there again. The
// error says why an owner can take nothing.
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
