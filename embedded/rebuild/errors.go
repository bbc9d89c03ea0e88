package rebuild

import (
	"errors"
	"fmt"
)

// UnknownFormat returns ErrUnknownFormat with its reason, nil for an empty one.
func UnknownFormat(reason string) error {
	if reason == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrUnknownFormat, reason)
}

// ObstacleError is returned for an Obstacle that no repair removes.
type ObstacleError struct{ Obstacle }

func (e *ObstacleError) Error() string { return e.Err.Error() }

func (e *ObstacleError) Unwrap() error { return e.Err }

// Hint returns what a person can do.
func (e *ObstacleError) Hint() string { return e.Advice() }

var (
	// ErrRebuiltToday is returned for a second automatic rebuild within 24 hours: a check that fails every time must not fill the disk with
	// replaced copies (ADR-0012 rule 5). A person may still start a rebuild.
	ErrRebuiltToday = errors.New("the store was rebuilt within a day and is damaged again")

	// ErrUnknownFormat is returned for a store in an unknown format, which is not damage (ADR-0012 rule 6).
	ErrUnknownFormat = errors.New("the store has a format that this program does not know")

	// ErrNoSpace is returned when the disk has no room for a second copy.
	ErrNoSpace = errors.New("not enough disk space for a new copy of the log")

	// ErrDamaged is returned in two cases. Events are to be forgotten in a damaged log: that would delete the old copies with the damaged
	// parts. Or a log is to be restored from records with a gap.
	ErrDamaged = errors.New("the log is damaged")

	// ErrMismatch is returned when the new store does not hold the records that were written to it. The old store stays.
	ErrMismatch = errors.New("the new store does not hold what was written to it")
)
