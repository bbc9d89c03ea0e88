package copies

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"journal/embedded"
	"journal/embedded/store/archive"
	"journal/events"
	"journal/journal"
)

// Missing compares the log in a directory with what is remembered of it, before anything is
// appended (ADR-0012 rule 7): nobody can delete from it, so it begins with the first
// event, holds every one, and reaches as far as the last clean stop and the second
// copy say. It gives the reason why the log is not that one, empty when it is: a sequence that was given
// away once must not be given away again. trouble hears of a second copy that cannot be read.
func Missing(ctx context.Context, log *journal.Log, st journal.Stats, dir string, opening embedded.Opening, trouble func(error)) (reason string, err error) {
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
		hash, err := HashOf(ctx, log, opening.Seq)
		if err == nil && hash != opening.Head {
			reason = fmt.Sprintf("#%d is not what it was when the store was closed", opening.Seq)
		}
		return reason, err
	case opening.Clean:
		return "", nil
	}
	copied, err := archive.Last(ctx, Path(dir))
	if err != nil {
		trouble(fmt.Errorf("second copy: %w", err)) // for verify
		return "", nil
	}
	if copied > st.Last {
		reason = fmt.Sprintf("it ends with #%d, and the second copy with #%d", st.Last, copied)
	}
	return reason, nil
}

// HashOf gives the digest of what is stored at a sequence, empty for nothing.
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
