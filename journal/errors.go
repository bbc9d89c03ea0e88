package journal

import "errors"

var (
	// ErrNoLog is returned by OpenLog if the server has no log. The owner makes the
	// log when it starts.
	ErrNoLog = errors.New("no journal on this server")

	// ErrNone is returned by Last if no event is selected.
	ErrNone = errors.New("no such event")

	// ErrHole is returned by readers of the whole log when a sequence is
	// missing. Nothing is ever deleted from a log, so a missing sequence is damage:
	// `journal verify` names it, `journal repair` repairs it.
	ErrHole = errors.New("a sequence is missing from the log")
)
