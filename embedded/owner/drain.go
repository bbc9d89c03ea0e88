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
	"journal/journal/client"
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
// again. The caller holds the writer's mu.
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

// Drain appends what waits in the spool.
func (o *Owner) Drain(ctx context.Context) error { return o.append(ctx, nil, "") }

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

// drainOne appends what one file holds. The error is a refusal for what no owner takes.
func (o *Owner) drainOne(ctx context.Context, entry spool.Entry) error {
	report, root, floor, err := o.spooled(entry)
	if err != nil || len(report) == 0 {
		return err
	}
	root, err = o.writer.settle(ctx, report, root)
	if errors.Is(err, client.ErrPaused) {
		return nil // it was said while nothing is to be kept
	}
	if err != nil {
		return err
	}
	if err := o.held(ctx, report, floor); err != nil {
		return err
	}
	return o.take(ctx, report, root)
}

// held notes which events of a report the log holds after a sequence. An import may have left a
// thousand: each subject is read once.
func (o *Owner) held(ctx context.Context, report []*draft, floor uint64) error {
	alike := map[events.Selector][]*draft{}
	for _, d := range report {
		sel := events.Selector{Project: d.Project, Session: d.Session, Type: d.Type}
		alike[sel] = append(alike[sel], d)
	}
	for sel, drafts := range alike {
		ids := make([]string, len(drafts))
		for i, d := range drafts {
			ids[i] = d.ID
		}
		found, err := o.log.Find(ctx, floor, sel, ids...)
		if err != nil {
			return err
		}
		for _, d := range drafts {
			d.place = found[d.ID]
			d.known = d.place != 0
		}
	}
	return nil
}

// spooled reads a file of the spool: its events, the path behind their project, and the
// sequence that they lie after if they are in the log.
func (o *Owner) spooled(entry spool.Entry) (report []*draft, root string, floor uint64, err error) {
	encoding, body, err := o.spool.Read(entry)
	if err != nil {
		return nil, "", 0, err
	}
	switch encoding {
	case spool.Msgpack:
		r, err := wire.DecodeRequest(body)
		if err != nil {
			return nil, "", 0, err
		}
		report, err = draftsOf(r)
		return report, r.Root, r.Floor, err
	case spool.JSON:
		f, err := wire.DecodeForeign(body)
		if err != nil {
			return nil, "", 0, err
		}
		if f.ID == "" {
			f.ID = events.DerivedID("spool", entry.Name)
		}
		d, root, err := foreignDraft(f, time.Now())
		return []*draft{d}, root, 0, err
	default:
		return nil, "", 0, fmt.Errorf("%w: encoding %q", events.ErrMalformed, encoding)
	}
}
