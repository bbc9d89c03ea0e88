package owner

import (
	"context"
	"errors"

	"journal/events"
	"journal/journal"
)

// observed knows what the log holds last of each observed file, by project and
// path. A project's part is read from the log when it is first needed.
type observed map[string]map[string]sighting

// sighting is one stored observation without its content.
type sighting struct {
	seq         uint64
	digest, gap string
	gone        bool
}

// note remembers a stored observation.
func (o observed) note(e events.Envelope) {
	f, ok := observation(e)
	if files := o[e.Project]; ok && files != nil {
		files[f.Path] = sighting{e.Seq, f.Digest, f.Gap, f.Gone}
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

// isKnown says that an observation adds nothing: the log holds the same of that
// file last (DECISIONS 2.6), or something newer, when the observation is the late
// rest of a report that the log holds the beginning of. It gives the place of
// what the log holds. The caller holds appending.
//
// So observations need no echo mark: that of a twin is known, and one that only
// the second of two twins made is an observation like any other.
func (o *Owner) isKnown(ctx context.Context, e events.Envelope) (uint64, bool, error) {
	f, ok := observation(e)
	if !ok {
		return 0, false, nil
	}
	if o.observed[e.Project] == nil {
		o.observed[e.Project] = map[string]sighting{}
		sel := events.Selector{Project: e.Project, Type: e.Type}
		for old, err := range o.log.Events(ctx, events.Span{Until: o.head}, sel) {
			if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
				// One observation stored twice is better than none.
				o.trouble(err)
				break
			}
			if err != nil {
				delete(o.observed, e.Project)
				return 0, false, err
			}
			o.observed.note(old)
		}
	}
	last, ok := o.observed[e.Project][f.Path]
	if !ok {
		return 0, false, nil
	}
	began, placed := o.placed.get(e.Cause)
	late := placed && last.seq > began
	same := last.digest == f.Digest && last.gap == f.Gap && last.gone == f.Gone
	return last.seq, same || late, nil
}
