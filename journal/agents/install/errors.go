package install

import "errors"

var (
	// ErrRefused is returned by planning when the settings cannot be edited
	// without risk: they are not JSON, or a part we would have to change has
	// an unexpected type or stands there twice. The message has the position;
	// the person repairs the file and runs the command again.
	ErrRefused = errors.New("settings refused")

	// ErrChanged is returned by [Plan.Apply] when the settings are no longer
	// the bytes that were planned on. Nothing was written; plan again.
	ErrChanged = errors.New("settings changed since the plan was made")
)

// Error is an error that a person will read: what happened and where, and
// what to do about it.
type Error struct {
	Err error
	Try string // what to do next, one line
}

// Error returns the message without the advice.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice, to be printed after "try:".
func (e *Error) Hint() string { return e.Try }
