package writer

import (
	"context"
	"errors"

	"journal/embedded/owner/draft"
	"journal/events"
	"journal/journal"
)

// observations holds the newest stored observation of each file, by project and path. A project is read from the log when it is
// first needed.
type observations map[string]map[string]fileState

// fileState is one stored observation without its content.
type fileState struct {
	seq         uint64
	digest, gap string
	gone        bool
}

// note remembers a stored observation.
func (s observations) note(e events.Envelope) {
	f, ok := observation(e)
	if files := s[e.Project]; ok && files != nil {
		files[f.Path] = fileState{e.Seq, f.Digest, f.Gap, f.Gone}
	}
}

// observation opens an event that is one.
func observation(e events.Envelope) (events.FileObserved, bool) {
	if e.Type != events.TypeOf[events.FileObserved]() {
		return events.FileObserved{}, false
	}
	ev, err := events.Open(e)
	f, ok := ev.(events.FileObserved)
	return f, ok && err == nil
}

// addsNothing reports whether an observation says nothing new: the newest one of that file says the same, or it is newer than the
// report that this one belongs to. The draft then gets the sequence of what is stored, and an answer that is owed as of the
// observation is owed as of the head. The caller holds the lock.
//
// For this reason observations need no echo mark: what both of two equal reports observed is stored once.
func (w *Writer) addsNothing(ctx context.Context, d *draft.Draft) (bool, error) {
	f, ok := observation(d.Envelope)
	if !ok {
		return false, nil
	}
	files, err := w.filesOf(ctx, d.Project)
	if err != nil {
		return false, err
	}
	last, ok := files[f.Path]
	if !ok {
		return false, nil
	}
	began, stored := w.places.get(d.Cause)
	late := stored && last.seq > began
	// A result that a tool has written again is another one, whatever it says.
	again := f.Kind == events.CompileFile && f.Written
	if !late && (again || last.digest != f.Digest || last.gap != f.Gap || last.gone != f.Gone) {
		return false, nil
	}
	d.Place, d.InLog = last.seq, true
	w.places.put(d.ID, w.head)
	return true, nil
}

// filesOf returns the newest stored observation of each file of a project.
func (w *Writer) filesOf(ctx context.Context, project string) (map[string]fileState, error) {
	if files := w.observations[project]; files != nil {
		return files, nil
	}
	w.observations[project] = map[string]fileState{}
	sel := events.Selector{Project: project, Type: events.TypeOf[events.FileObserved]()}
	for e, err := range w.Log.Events(ctx, events.Span{Until: w.head}, sel) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			// One observation stored twice is better than none.
			w.Trouble(err)
			break
		}
		if err != nil {
			delete(w.observations, project)
			return nil, err
		}
		w.observations.note(e)
	}
	return w.observations[project], nil
}
