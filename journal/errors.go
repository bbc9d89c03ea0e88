package journal

import "errors"

var (
	// ErrNoLog is returned by OpenLog, which makes no log, when the server holds
	// none. Start the owner first.
	ErrNoLog = errors.New("no journal on this server")

	// ErrNone is returned by Last when no event matches.
	ErrNone = errors.New("no such event")

	// ErrHole is returned by readers of the whole log when a sequence is
	// missing. Nothing is ever deleted from a log, so it is damage:
	// `journal verify` names it, `journal repair` repairs it.
	ErrHole = errors.New("a sequence is missing from the log")
)
