package events

import (
	"errors"
	"fmt"
)

var (
	// ErrTooLarge is returned for an event whose bytes exceed MaxBytes. The
	// caller has to cut its texts; nothing was encoded.
	ErrTooLarge = errors.New("event is too large")

	// ErrMalformed is returned for bytes that are not one well-formed, bounded
	// msgpack value of the expected shape. Retrying is useless.
	ErrMalformed = errors.New("malformed event")

	// ErrUndeclared is returned where an event type is needed that this program
	// declares and the name is not one. `journal events` lists them.
	ErrUndeclared = errors.New("undeclared event type")

	// ErrNotAppendable is returned for types that only the journal itself may
	// append, such as the record of an answer (ADR-0030 rule 4).
	ErrNotAppendable = errors.New("event type is not for appenders")
)

func wrapf(err error, format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
