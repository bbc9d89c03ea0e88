package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"journal/embedded/owner/draft"
	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// part is what is taken out of the spool at once. The caller holds the writer's lock.
type part struct {
	*Intake
	batch *writer.Batch
	files []spooled // in their order, without those that left the spool
	ready int       // how many of them are in the batch, in the log, or not to be kept
	moved int       // files that left the spool
}

// spooled is a file of the spool.
type spooled struct {
	spool.Entry
	size   int            // of its body, in bytes
	report []*draft.Draft // none: it is not to be kept
	root   string         // path behind the report's project
	floor  uint64         // sequence that the events lie after if they are in the log
}

func (in *Intake) part(files ...spooled) *part {
	return &part{Intake: in, batch: in.writer.Batch(), files: files}
}

// read reads the first of some entries and gives the others. What no owner takes is set
// aside with the reason; what a newer program wrote, and what the disk does not give, is left.
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

// refuse deals with a file that cannot be taken; other errors are not the file's, and come back.
func (d *part) refuse(e spool.Entry, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist): // its writer lives after all and has named it
	case errors.Is(err, spool.ErrNewer), errors.Is(err, wire.ErrNewer):
		d.trouble(fmt.Errorf("spool file %s: %w; update this program", e.Name, err))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EIO):
		d.trouble(fmt.Errorf("spool file %s stays, and what came after it does not wait: %w", e.Name, err))
	case errors.Is(err, spool.ErrBroken) || draft.Refused(err):
		d.trouble(fmt.Errorf("spool file %s set aside: %w", e.Name, err))
		if err := d.spool.SetAside(e, err.Error()); err != nil {
			d.trouble(err) // it stays, and is in nobody's way
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
	if !draft.Refused(err) {
		return err
	}
	for _, f := range d.files { // One of them is to blame.
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
		for _, session := range fresh { // perhaps it is not in the log
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

// settle puts the reports into the projects of their sessions, as if each had been stored
// before the next. It gives the sessions that are known by that.
func (d *part) settle(ctx context.Context) (fresh []string, err error) {
	for i, f := range d.files {
		root, err := d.writer.Settle(ctx, f.report, f.root)
		if errors.Is(err, client.ErrPaused) {
			d.files[i].report = nil // it was said while nothing is to be kept
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

// lookUp notes which of the events the log holds. Each subject is read once, however many
// of its events there are.
func (d *part) lookUp(ctx context.Context) error {
	type place struct {
		floor  uint64
		drafts []*draft.Draft
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

// add takes the next file: into the batch, or, when something else comes into the log with
// it, by itself.
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
			store = func(ctx context.Context, report []*draft.Draft) error { return d.Intake.take(ctx, report, f.root) }
		}
		if err := store(ctx, f.report); err != nil {
			return err
		}
	}
	d.ready++
	return nil
}

// flush stores what is in the batch and removes the files that are done with.
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
		f.report, err = draft.FromRequest(r)
		return f, err
	case spool.JSON:
		r, err := wire.DecodeForeign(body)
		if err != nil {
			return f, err
		}
		if r.ID == "" {
			r.ID = events.DerivedID("spool", entry.Name)
		}
		one, root, err := draft.FromJSON(r, time.Now())
		f.report, f.root = []*draft.Draft{one}, root
		return f, err
	default:
		return f, fmt.Errorf("%w: encoding %q", events.ErrMalformed, encoding)
	}
}
