package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// part holds files of the spool that are stored together. A caller of its methods holds the writer's lock.
type part struct {
	*Intake
	batch *writer.Batch
	files []spooled // oldest first, without removed ones
	ready int       // the events of the first ready files are in the batch or stored
	moved int       // number of files that left the spool
}

// spooled is a file of the spool.
type spooled struct {
	spool.Entry
	size   int             // of its body, in bytes
	report []*writer.Draft // empty if the recording was paused
	// refused is the error of the events that the log refuses, which are not in report; nil if there are none. Such a file is set aside.
	refused error
	root    string // path of the report's project
	floor   uint64 // the newest sequence that the writer of the file knew: events of the report come only after it
}

// part returns a part with some files.
func (in *Intake) part(files ...spooled) *part {
	return &part{Intake: in, batch: in.writer.Batch(), files: files}
}

// read reads the first entries, as many as a part may have, and returns the rest. It calls refuse for an entry that cannot be read.
func (p *part) read(entries []spool.Entry) (rest []spool.Entry, err error) {
	for size := 0; len(entries) > 0 && len(p.files) < drainFiles && size < drainBytes; entries = entries[1:] {
		f, err := p.file(entries[0])
		if err != nil {
			if err := p.refuse(entries[0], err); err != nil {
				return nil, err
			}
			continue
		}
		p.files, size = append(p.files, f), size+f.size
	}
	return entries, nil
}

// refuse handles the error of a file. It sets a broken file aside with the reason. A file of a newer program, and a file that the disk
// cannot read, stay in the spool. If the error has another cause, refuse returns it.
func (p *part) refuse(e spool.Entry, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist): // a temporary file, which its writer has renamed
	case isNewer(err):
		p.onError(fmt.Errorf("spool file %s: %w; update this program", e.Name, err))
	case isUnreadable(err):
		p.onError(fmt.Errorf("spool file %s is skipped and stays: %w", e.Name, err))
	case errors.Is(err, spool.ErrBroken) || writer.Refused(err):
		p.onError(fmt.Errorf("spool file %s set aside: %w", e.Name, err))
		if err := p.spool.SetAside(e, err.Error()); err != nil {
			p.onError(err) // the file stays, and delays no other file
			return nil
		}
		p.moved++
	default:
		return err
	}
	return nil
}

// isNewer reports whether err is that of a file of a newer program.
func isNewer(err error) bool { return errors.Is(err, spool.ErrNewer) || errors.Is(err, wire.ErrNewer) }

// isUnreadable reports whether err is that of a file that the disk cannot read.
func isUnreadable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EIO)
}

// store stores the files in their order, and removes them. If the log refuses them, it stores each file by itself, and calls refuse for a
// file that is at fault.
func (p *part) store(ctx context.Context) error {
	err := p.storeAll(ctx)
	if !writer.Refused(err) {
		return err
	}
	for _, f := range p.files {
		if err := p.storeOne(ctx, f.Entry); err != nil {
			if err := p.refuse(f.Entry, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeOne reads a file again and stores it by itself, without the events that the log refuses. If the log refuses
// all, storeOne returns its error.
func (p *part) storeOne(ctx context.Context, entry spool.Entry) error {
	f, err := p.file(entry)
	if err != nil {
		return err
	}
	for {
		single := p.part(f)
		err = single.storeAll(ctx)
		p.moved += single.moved
		valid := slices.DeleteFunc(slices.Clone(f.report), func(d *writer.Draft) bool { return d.Invalid })
		retry := len(valid) > 0 && len(valid) < len(f.report) // without the invalid events
		if !writer.Refused(err) || !retry {
			return err
		}
		f.report, f.root, f.refused = valid, single.files[0].root, errors.Join(f.refused, err)
	}
}

// storeAll stores the files together.
func (p *part) storeAll(ctx context.Context) (err error) {
	fresh, err := p.settle(ctx)
	defer func() {
		if err == nil {
			return
		}
		for _, session := range fresh { // the events of the session may not be stored
			p.writer.Forget(session)
		}
	}()
	if err != nil {
		return err
	}
	if err := p.lookUp(ctx); err != nil {
		return err
	}
	for p.ready < len(p.files) {
		if f := p.files[p.ready]; len(f.report) > 0 {
			if err := p.add(ctx, f.report, f.root); err != nil {
				return err
			}
		}
		p.ready++
	}
	return p.flush(ctx)
}

// settle calls writer.Settle for each report, as if the reports before it were stored. It empties the reports of a paused project. It
// returns the sessions that are new. After an error a report may be moved, and has no root.
func (p *part) settle(ctx context.Context) (fresh []string, err error) {
	for i, f := range p.files {
		root, err := p.writer.Settle(ctx, f.report, f.root)
		p.files[i].root = root
		if errors.Is(err, client.ErrPaused) {
			p.files[i].report, p.files[i].refused = nil, nil
			continue
		}
		if err != nil {
			return fresh, err
		}
		for _, draft := range f.report {
			if p.writer.Expect(draft.Session, draft.Project) {
				fresh = append(fresh, draft.Session)
			}
		}
	}
	return fresh, nil
}

// lookUp sets Sequence and InLog of the events that the log holds. It reads each subject once.
func (p *part) lookUp(ctx context.Context) error {
	type group struct {
		floor  uint64
		drafts []*writer.Draft
	}
	groups := map[events.Selector]*group{}
	for _, f := range p.files {
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
		found, err := p.log.Find(ctx, g.floor, sel, ids...)
		if err != nil {
			return err
		}
		for _, draft := range g.drafts {
			draft.Sequence = found[draft.ID]
			draft.InLog = draft.Sequence != 0
		}
	}
	return nil
}

// add adds the report of the next file to the batch. If the owner adds events to the report, at the start of a session or for a new project,
// it stores the report at once, by itself.
func (p *part) add(ctx context.Context, report []*writer.Draft, root string) error {
	alone := slices.ContainsFunc(report, isStart)
	if !alone {
		seen, err := p.writer.ProjectSeen(ctx, report[0].Meta, root)
		if err != nil {
			return err
		}
		alone = seen != nil
	}
	if !alone {
		return p.batch.AddAll(ctx, report)
	}
	if err := p.flush(ctx); err != nil {
		return err
	}
	return p.storeReport(ctx, report, root)
}

// flush stores the batch and removes the ready files. It calls refuse for one with events that the log refuses.
func (p *part) flush(ctx context.Context) error {
	if err := p.batch.Flush(ctx); err != nil {
		return err
	}
	var stored []spool.Entry
	for _, f := range p.files[:p.ready] {
		if f.refused == nil {
			stored = append(stored, f.Entry)
			continue
		}
		if err := p.refuse(f.Entry, fmt.Errorf("%w; the other events are stored", f.refused)); err != nil {
			return err
		}
	}
	p.moved += p.removeStored(stored)
	p.files, p.ready = p.files[p.ready:], 0
	return nil
}

// file reads a file of the spool.
func (p *part) file(entry spool.Entry) (spooled, error) {
	f := spooled{Entry: entry}
	encoding, body, err := p.spool.Read(entry)
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
		f.report, f.refused = writer.DraftsOf(r)
		if len(f.report) == 0 {
			return f, f.refused
		}
		return f, nil
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
