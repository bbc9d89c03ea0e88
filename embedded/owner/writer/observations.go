package writer

import (
	"context"

	"journal/events"
)

// observations holds the newest stored observation of each file, by project and path. A project is read from the log at its first use.
type observations map[string]map[string]fileState

// fileState is one stored observation without its content.
type fileState struct {
	seq         uint64
	digest, gap string
	gone        bool
}

// note remembers a stored observation.
func (s observations) note(e events.Envelope) {
	files := s[e.Project]
	if files == nil {
		return
	}
	if f, ok := events.As[events.FileObserved](e); ok {
		files[f.Path] = fileState{e.Seq, f.Digest, f.Gap, f.Gone}
	}
}

// settleUnchanged reports whether an observation has nothing new: the newest stored observation of that file is equal, or newer than the
// report to which this one belongs. Then the draft gets the sequence of the stored observation. In w.sequences its id gets the head
// instead, so that an answer to this report is derived from all that is stored. It returns false for other events. The caller holds the
// lock.
//
// Observations need no echo mark: if two equal reports have the same observation, it is stored once.
func (w *Writer) settleUnchanged(ctx context.Context, d *Draft) (bool, error) {
	f, ok := events.As[events.FileObserved](d.Envelope)
	if !ok {
		return false, nil
	}
	// Observations after a damaged record are not known here. An observation stored twice is better than none.
	files, err := projectEntry(ctx, w, w.observations, w.observations.note, d.Project, d.Type)
	if err != nil {
		return false, err
	}
	last, ok := files[f.Path]
	if !ok {
		return false, nil
	}
	report, stored := w.sequences.get(d.Cause)
	late := stored && last.seq > report
	// A result of a compilation that the agent has written again is new, even with the same content.
	rewritten := f.Kind == events.CompileFile && f.Written
	if !late && (rewritten || last.digest != f.Digest || last.gap != f.Gap || last.gone != f.Gone) {
		return false, nil
	}
	d.Sequence, d.InLog = last.seq, true
	w.sequences.put(d.ID, w.head)
	return true, nil
}
