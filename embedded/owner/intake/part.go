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

// part holds files of the spool that are stored together. The caller holds the writer's lock.
type part struct {
	*Intake
	batch *writer.Batch
	files []spooled // in their order, without removed ones
	ready int       // the first files that are in the batch, are stored, or need not be
	moved int       // files that left the spool
}

// spooled is a file of the spool.
type spooled struct {
	spool.Entry
	size   int             // of its body, in bytes
	report []*writer.Draft // empty if the recording was paused
	root   string          // path of the report's project
	floor  uint64          // a sequence before the events, if the log holds them
}

func (in *Intake) part(files ...spooled) *part {
	return &part{Intake: in, batch: in.writer.Batch(), files: files}
}

// drain stores the first entries, as many as a part may have, and returns the rest.
func (d *part) drain(ctx context.Context, entries []spool.Entry) ([]spool.Entry, error) {
	rest, err := d.read(entries)
	if err != nil {
		return nil, err
	}
	return rest, d.store(ctx)
}

// read reads the first entries, as many as a part may have, and returns the rest. See refuse for those that cannot be read.
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

// refuse handles the error of a file. It sets a broken one aside with the reason; a file of a newer program, and one that the
// disk cannot read, stays. It returns an error that has another cause.
func (d *part) refuse(e spool.Entry, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist): // its writer, which seemed dead, has renamed it
	case errors.Is(err, spool.ErrNewer), errors.Is(err, wire.ErrNewer):
		d.onError(fmt.Errorf("spool file %s: %w; update this program", e.Name, err))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EIO):
		d.onError(fmt.Errorf("spool file %s is skipped and stays: %w", e.Name, err))
	case errors.Is(err, spool.ErrBroken) || writer.Refused(err):
		d.onError(fmt.Errorf("spool file %s set aside: %w", e.Name, err))
		if err := d.spool.SetAside(e, err.Error()); err != nil {
			d.onError(err) // it stays, and delays no other file
			return nil
		}
		d.moved++
	default:
		return err
	}
	return nil
}

// store stores the files in their order, and removes them.
func (d *part) store(ctx context.Context) error {
	err := d.storeAll(ctx)
	if !writer.Refused(err) {
		return err
	}
	for _, f := range d.files { // the log refused one of them: each is tried by itself
		if err := d.storeOne(ctx, f.Entry); err != nil {
			if err := d.refuse(f.Entry, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeOne reads a file again and stores it by itself.
func (d *part) storeOne(ctx context.Context, entry spool.Entry) error {
	f, err := d.file(entry)
	if err != nil {
		return err
	}
	single := d.part(f)
	err = single.storeAll(ctx)
	d.moved += single.moved
	return err
}

func (d *part) storeAll(ctx context.Context) (err error) {
	fresh, err := d.settle(ctx)
	defer func() {
		if err == nil {
			return
		}
		for _, session := range fresh { // its events may not be stored
			d.writer.Forget(session)
		}
	}()
	if err != nil {
		return err
	}
	if err := d.lookUp(ctx); err != nil {
		return err
	}
	for d.ready < len(d.files) {
		if err := d.add(ctx, d.files[d.ready]); err != nil {
			return err
		}
	}
	return d.flush(ctx)
}

// settle moves each report into the project of its session, as if the reports before it were stored. It returns the sessions
// that are new.
func (d *part) settle(ctx context.Context) (fresh []string, err error) {
	for i, f := range d.files {
		root, err := d.writer.Settle(ctx, f.report, f.root)
		if errors.Is(err, client.ErrPaused) {
			d.files[i].report = nil
			continue
		}
		if err != nil {
			return fresh, err
		}
		d.files[i].root = root
		for _, draft := range f.report {
			if d.writer.Expect(draft.Session, draft.Project) {
				fresh = append(fresh, draft.Session)
			}
		}
	}
	return fresh, nil
}

// lookUp marks the events that the log holds. It reads each subject once.
func (d *part) lookUp(ctx context.Context) error {
	type group struct {
		floor  uint64
		drafts []*writer.Draft
	}
	groups := map[events.Selector]*group{}
	for _, f := range d.files {
		for _, draft := range f.report {
			sel := events.Selector{Project: draft.Project, Session: draft.Session, Type: draft.Type}
			if groups[sel] == nil {
				groups[sel] = &group{floor: f.floor}
			}
			groups[sel].floor = min(groups[sel].floor, f.floor)
			groups[sel].drafts = append(groups[sel].drafts, draft)
		}
	}
	for sel, g := range groups {
		ids := make([]string, len(g.drafts))
		for i, draft := range g.drafts {
			ids[i] = draft.ID
		}
		found, err := d.log.Find(ctx, g.floor, sel, ids...)
		if err != nil {
			return err
		}
		for _, draft := range g.drafts {
			draft.Place = found[draft.ID]
			draft.InLog = draft.Place != 0
		}
	}
	return nil
}

// add adds the next file to the batch. A report that needs further events is stored at once, by itself.
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
			store = func(ctx context.Context, report []*writer.Draft) error {
				return d.Intake.storeReport(ctx, report, f.root)
			}
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
	stored := make([]spool.Entry, d.ready)
	for i, f := range d.files[:d.ready] {
		stored[i] = f.Entry
	}
	d.moved += d.removeStored(stored)
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
		draft, root, err := writer.DraftFromJSON(r, time.Now())
		f.report, f.root = []*writer.Draft{draft}, root
		return f, err
	default:
		return f, fmt.Errorf("%w: encoding %q", events.ErrMalformed, encoding)
	}
}
