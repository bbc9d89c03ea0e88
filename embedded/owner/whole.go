package owner

import (
	"context"
	"errors"
	"fmt"

	"journal/embedded"
	"journal/embedded/store/archive"
	"journal/events"
	"journal/journal"
)

// whole compares the log with what is remembered of it, before anything is
// appended (ADR-0012 rule 7): nobody can delete from it, so it begins with the first
// event, holds every one, and reaches as far as the last clean stop and the second
// copy say. The error is an embedded.SuspectError, in an unlikeError: a sequence that was given away
// once must not be given away again.
func (o *Owner) whole(ctx context.Context, st journal.Stats) error {
	reason, err := o.missing(ctx, st)
	if err != nil || reason == "" {
		return err
	}
	return &unlikeError{&embedded.SuspectError{Dir: o.lock.Dir(), Reason: reason}, o.closed}
}

// unlikeError says that the server opened a log that is not what is remembered of it.
type unlikeError struct {
	suspect    *embedded.SuspectError
	remembered embedded.Opening
}

func (e *unlikeError) Error() string { return e.suspect.Error() }
func (e *unlikeError) Unwrap() error { return e.suspect }

func (o *Owner) missing(ctx context.Context, st journal.Stats) (reason string, err error) {
	opening := o.closed
	switch {
	case st.Last > 0 && st.First != 1:
		return fmt.Sprintf("it begins with #%d", st.First), nil
	case st.Deleted > 0:
		return fmt.Sprintf("%d events of it are gone", st.Deleted), nil
	case st.Events != st.Last:
		return fmt.Sprintf("it holds %d events up to #%d", st.Events, st.Last), nil
	case opening.Clean && st.Last != opening.Seq && opening.Seq > 0:
		return fmt.Sprintf("it ends with #%d, and did with #%d when it was closed", st.Last, opening.Seq), nil
	case opening.Clean && opening.Head != "":
		hash, err := o.hashOf(ctx, opening.Seq)
		if err == nil && hash != opening.Head {
			reason = fmt.Sprintf("#%d is not what it was when the store was closed", opening.Seq)
		}
		return reason, err
	case opening.Clean:
		return "", nil
	}
	copied, err := archive.Last(ctx, archivePath(o.lock.Dir()))
	if err != nil {
		o.trouble(fmt.Errorf("second copy: %w", err)) // for verify
		return "", nil
	}
	if copied > st.Last {
		reason = fmt.Sprintf("it ends with #%d, and the second copy with #%d", st.Last, copied)
	}
	return reason, nil
}

// hashOf gives the digest of what is stored at a sequence, empty for nothing.
func (o *Owner) hashOf(ctx context.Context, seq uint64) (hash string, err error) {
	if seq == 0 {
		return "", nil
	}
	for m, err := range o.log.Stored(ctx, events.Span{After: seq - 1, Until: seq}) {
		if errors.Is(err, journal.ErrHole) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		hash = digestOf(m.Data)
	}
	return hash, nil
}
