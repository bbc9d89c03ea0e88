package journal

import "errors"

var (
	// ErrNoLog is returned by OpenLog if the server has no log. The owner makes the
	// log when it starts.
	ErrNoLog = errors.New("no journal on this server")

	// ErrNone is returned by Last if no event is selected.
	ErrNone = errors.New("no such event")

	// ErrHole is returned by readers of the whole log when a sequence is
	// missing, and by those of a log without an owner when they cannot go on. Nothing is ever deleted from a log, so this is damage:
	// `journal verify` names it, `journal repair` repairs it.
	ErrHole = errors.New("a sequence is missing from the log")
)
