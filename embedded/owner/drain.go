package owner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"journal/embedded/ownership"
	"journal/events"
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
// left for a newer owner (DECISIONS 2.3 rule 8). It goes on until the spool is
// empty: as long as anything waits, every hook queues up behind it (DECISIONS
// 2.1), and the spool would never be empty again. The caller holds appending.
func (o *Owner) drain(ctx context.Context) error {
	for range drainRounds {
		if empty, err := o.spool.Empty(); err != nil || empty {
			return err
		}
		if moved, err := o.drainAll(ctx); err != nil || moved == 0 {
			return err
		}
	}
	return nil
}

// drainAll goes through the spool once and says how many files left it. It also
// takes complete files whose writers died before they named them: those do not
// make a spool look full.
func (o *Owner) drainAll(ctx context.Context) (moved int, err error) {
	if !o.lock.Intact() {
		return 0, fmt.Errorf("drain the spool: %w", ownership.ErrReplaced)
	}
	entries, err := o.spool.List()
	if err != nil {
		return moved, fmt.Errorf("drain the spool: %w", err)
	}
	for _, e := range entries {
		err := o.drainOne(ctx, e)
		switch {
		case errors.Is(err, fs.ErrNotExist): // its writer lives after all and has named it
		case errors.Is(err, spool.ErrNewer), errors.Is(err, wire.ErrNewer):
			o.trouble(fmt.Errorf("spool file %s: %w; update this program", e.Name, err))
		case errors.Is(err, spool.ErrBroken) || isRefusal(err):
			o.trouble(fmt.Errorf("spool file %s set aside: %w", e.Name, err))
			if err := o.spool.SetAside(e, err.Error()); err != nil {
				return moved, fmt.Errorf("drain the spool: %w", err)
			}
			moved++
		case err != nil:
			return moved, fmt.Errorf("drain the spool: %w", err)
		default:
			if err := o.spool.Remove(e); err != nil {
				return moved, fmt.Errorf("drain the spool: %w", err)
			}
			moved++
		}
	}
	return moved, nil
}

// Waits says whether something waits in the spool of a directory that an owner of
// this program would take. What a newer program wrote it would leave there again.
func Waits(dir string) (bool, error) {
	queue := spool.Open(filepath.Join(dir, spoolName))
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

func (o *Owner) drainOne(ctx context.Context, entry spool.Entry) error {
	encoding, body, err := o.spool.Read(entry)
	if err != nil {
		return err
	}
	var report []events.Envelope
	var root string
	var floor uint64
	switch encoding {
	case spool.Msgpack:
		r, err := wire.DecodeRequest(body)
		if err != nil {
			return err
		}
		if report, err = incoming(r); err != nil {
			return err
		}
		root, floor = r.Root, r.Floor
	case spool.JSON:
		f, err := wire.DecodeForeign(body)
		if err != nil {
			return err
		}
		if f.ID == "" {
			f.ID = events.DerivedID("spool", entry.Name)
		}
		if report, root, err = foreign(f, time.Now()); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%w: encoding %q", events.ErrMalformed, encoding)
	}
	known := make([]uint64, len(report))
	for i, e := range report {
		sel := events.Selector{Project: e.Project, Session: e.Session, Type: e.Type}
		if known[i], err = o.log.Find(ctx, e.ID, floor, sel); err != nil {
			return err
		}
	}
	_, err = o.store(ctx, report, root, known)
	return err
}
