package writer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"journal/embedded"
	"journal/embedded/store/archive"
	"journal/events"
	"journal/events/text"
	"journal/journal"
)

// CompareWithLastStop compares the log in a directory with the record of its last stop or, if that stop was not clean, with the log's
// second copy, before anything is appended (ADR-0012 rule 7). Nothing can be deleted from a log, so it must begin with the first event and
// hold every event. After a clean stop it must end where the stop left it. After any other stop it must not end before its second copy
// does, because no sequence may be used twice. reason describes the difference, empty if there is none. If the second copy cannot be read,
// onError gets that error.
func CompareWithLastStop(ctx context.Context, log *journal.Log, st journal.Stats, dir string, lastStop embedded.StoreState, onError func(error)) (reason string, err error) {
	switch {
	case st.Last > 0 && st.First != 1:
		return fmt.Sprintf("it begins with #%d", st.First), nil
	case st.Deleted > 0:
		return text.Counted(st.Deleted, "event of it is", "events of it are") + " gone", nil
	case st.Events != st.Last:
		return fmt.Sprintf("it holds %s up to #%d", text.Counted(st.Events, "event"), st.Last), nil
	case lastStop.Clean && st.Last != lastStop.Seq && lastStop.Seq > 0:
		return fmt.Sprintf("it ends with #%d, but ended with #%d when it was closed", st.Last, lastStop.Seq), nil
	case lastStop.Clean && lastStop.Head != "":
		hash, err := HashOf(ctx, log, lastStop.Seq)
		if err != nil {
			return "", err
		}
		if hash != lastStop.Head {
			reason = fmt.Sprintf("#%d has changed since the store was closed", lastStop.Seq)
		}
		return reason, nil
	case lastStop.Clean:
		return "", nil
	}
	copied, err := archive.Last(ctx, ArchivePath(dir))
	if err != nil {
		onError(fmt.Errorf("read the end of the second copy: %w", err)) // journal verify reports it
		return "", nil
	}
	if copied > st.Last {
		reason = fmt.Sprintf("it ends with #%d, and the second copy with #%d", st.Last, copied)
	}
	return reason, nil
}

// HashOf returns the hexadecimal SHA-256 of the data of the record at a sequence, empty if there is none.
func HashOf(ctx context.Context, log *journal.Log, seq uint64) (hash string, err error) {
	if seq == 0 {
		return "", nil
	}
	for m, err := range log.Stored(ctx, events.Span{After: seq - 1, Until: seq}) {
		if errors.Is(err, journal.ErrHole) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(m.Data)
		hash = hex.EncodeToString(sum[:])
	}
	return hash, nil
}
