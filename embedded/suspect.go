package embedded

import (
	"errors"
	"fmt"

	"journal/embedded/store/blocks"
)

// ErrSuspectStore is the error of a store that the server may not open: it would
// answer damage by removing more (docs/ENGINE.md §2).
var ErrSuspectStore = errors.New("the store is damaged")

// SuspectError says what is wrong with a store. It wraps ErrSuspectStore. Its
// caller rebuilds the store; no failure is recorded for it.
type SuspectError struct {
	Dir     string           // journal directory
	Streams []blocks.Summary // those with damage; none when Reason says it all
	Reason  string           // what the blocks alone do not show
}

func (e *SuspectError) Error() string {
	places, first := 0, e.Reason
	for _, r := range e.Streams {
		places += len(r.Damage)
		if first == "" && len(r.Damage) > 0 {
			first = r.Damage[0].String()
		}
	}
	if places > 1 {
		first += fmt.Sprintf(", and %d more", places-1)
	}
	return fmt.Sprintf("%v: %s", ErrSuspectStore, first)
}

// Interrupted says whether a power cut in the middle of one write explains the damage: a disk that
// is going to pieces would not stop there.
func (e *SuspectError) Interrupted() bool {
	return e.Reason == "" && len(e.Streams) == 1 && e.Streams[0].Interrupted
}

func (e *SuspectError) Unwrap() error { return ErrSuspectStore }
