package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// part is a number of files of the spool that are stored together. The caller holds the writer's lock.
type part struct {
	*Intake
	batch *writer.Batch
	files []spooled // in their order, without those that were removed
	ready int       // how many of them are in the batch, are stored, or need not be
	moved int       // files that left the spool
}

// spooled is a file of the spool.
type spooled struct {
	spool.Entry
	size   int             // of its body, in bytes
	report []*writer.Draft // none: the recording was paused
	root   string          // path behind the report's project
	floor  uint64          // if the log holds the events, they lie after this sequence
}

func (in *Intake) part(files ...spooled) *part {
	return &part{Intake: in, batch: in.writer.Batch(), files: files}
}

// read reads the first entries, as many as a part may have, and gives the rest. See refuse for those that cannot be read.
func (d *part) read(entries []spool.Entry) (rest []spool.Entry, err error) {
	for size := 0; len(entries) > 0 && len(d.files) < drainFiles && size < drainBytes; entries = entries[1:] {
		f, err := d.file(entries[0])
		if err != nil {
			if err := d.refuse(entries[0], err); err != nil {
				return nil, err
			}
			continue
		}
		d.files, size = append(d.files, f), size+f.size
	}
	return entries, nil
}

// refuse handles the error of a file: a broken one is set aside with the reason; one of a newer program, and one that the disk
// does not give, stays. An error that has another cause comes back.
func (d *part) refuse(e spool.Entry, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist): // its writer, which seemed dead, has renamed it
	case errors.Is(err, spool.ErrNewer), errors.Is(err, wire.ErrNewer):
		d.trouble(fmt.Errorf("spool file %s: %w; update this program", e.Name, err))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EIO):
		d.trouble(fmt.Errorf("spool file %s stays, and what came after it does not wait: %w", e.Name, err))
	case errors.Is(err, spool.ErrBroken) || writer.Refused(err):
		d.trouble(fmt.Errorf("spool file %s set aside: %w", e.Name, err))
		if err := d.spool.SetAside(e, err.Error()); err != nil {
			d.trouble(err) // it stays, and holds nothing up
			return nil
		}
		d.moved++
	default:
		return err
	}
	return nil
}

// take stores what was read, in its order, and removes the files.
func (d *part) take(ctx context.Context) error {
	err := d.takeAll(ctx)
	if !writer.Refused(err) {
		return err
	}
	for _, f := range d.files { // the log refused one of them: each is tried by itself
		again, err := d.file(f.Entry)
		if err == nil {
			one := d.part(again)
			err = one.takeAll(ctx)
			d.moved += one.moved
		}
		if err != nil {
			if err := d.refuse(f.Entry, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *part) takeAll(ctx context.Context) (err error) {
	fresh, err := d.settle(ctx)
	defer func() {
		if err == nil {
			return
		}
		for _, session := range fresh { // its events may not be stored
			d.writer.Forget(session)
		}
	}()
	if err == nil {
		err = d.lookUp(ctx)
	}
	for err == nil && d.ready < len(d.files) {
		err = d.add(ctx, d.files[d.ready])
	}
	if err != nil {
		return err
	}
	return d.flush(ctx)
}

// settle puts each report into the project of its session, as if the reports before it were stored. fresh are the sessions
// that were not known before.
func (d *part) settle(ctx context.Context) (fresh []string, err error) {
	for i, f := range d.files {
		root, err := d.writer.Settle(ctx, f.report, f.root)
		if errors.Is(err, client.ErrPaused) {
			d.files[i].report = nil // it was reported during a pause
			continue
		}
		if err != nil {
			return fresh, err
		}
		d.files[i].root = root
		for _, one := range f.report {
			if d.writer.Expect(one.Session, one.Project) {
				fresh = append(fresh, one.Session)
			}
		}
	}
	return fresh, nil
}

// lookUp marks the events that the log holds. It reads each subject once.
func (d *part) lookUp(ctx context.Context) error {
	type place struct {
		floor  uint64
		drafts []*writer.Draft
	}
	alike := map[events.Selector]*place{}
	for _, f := range d.files {
		for _, one := range f.report {
			sel := events.Selector{Project: one.Project, Session: one.Session, Type: one.Type}
			if alike[sel] == nil {
				alike[sel] = &place{floor: f.floor}
			}
			alike[sel].floor = min(alike[sel].floor, f.floor)
			alike[sel].drafts = append(alike[sel].drafts, one)
		}
	}
	for sel, at := range alike {
		ids := make([]string, len(at.drafts))
		for i, one := range at.drafts {
			ids[i] = one.ID
		}
		found, err := d.log.Find(ctx, at.floor, sel, ids...)
		if err != nil {
			return err
		}
		for _, one := range at.drafts {
			one.Place = found[one.ID]
			one.InLog = one.Place != 0
		}
	}
	return nil
}

// add puts the next file into the batch. A report with which something else is stored is stored at once, by itself.
func (d *part) add(ctx context.Context, f spooled) error {
	if len(f.report) > 0 {
		alone := len(startsOf(f.report)) > 0
		if !alone {
			seen, err := d.writer.ProjectSeen(ctx, f.report[0].Meta, f.root)
			if err != nil {
				return err
			}
			alone = seen != nil
		}
		store := d.batch.AddAll
		if alone {
			if err := d.flush(ctx); err != nil {
				return err
			}
			store = func(ctx context.Context, report []*writer.Draft) error { return d.Intake.take(ctx, report, f.root) }
		}
		if err := store(ctx, f.report); err != nil {
			return err
		}
	}
	d.ready++
	return nil
}

// flush stores the batch and removes its files.
func (d *part) flush(ctx context.Context) error {
	if err := d.batch.Flush(ctx); err != nil {
		return err
	}
	done := make([]spool.Entry, d.ready)
	for i, f := range d.files[:d.ready] {
		done[i] = f.Entry
	}
	d.moved += d.removeStored(done)
	d.files, d.ready = d.files[d.ready:], 0
	return nil
}

// file reads a file of the spool.
func (d *part) file(entry spool.Entry) (spooled, error) {
	f := spooled{Entry: entry}
	encoding, body, err := d.spool.Read(entry)
	if err != nil {
		return f, err
	}
	f.size = len(body)
	switch encoding {
	case spool.Msgpack:
		r, err := wire.DecodeRequest(body)
		if err != nil {
			return f, err
		}
		f.root, f.floor = r.Root, r.Floor
		f.report, err = writer.DraftsOf(r)
		return f, err
	case spool.JSON:
		r, err := wire.DecodeForeign(body)
		if err != nil {
			return f, err
		}
		if r.ID == "" {
			r.ID = events.DerivedID("spool", entry.Name)
		}
		one, root, err := writer.DraftFromJSON(r, time.Now())
		f.report, f.root = []*writer.Draft{one}, root
		return f, err
	default:
		return f, fmt.Errorf("%w: encoding %q", events.ErrMalformed, encoding)
	}
}
