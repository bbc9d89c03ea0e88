package spool

import (
	"errors"
)

var (
	// ErrBroken is returned by [Dir.Read] for what can never become a report: a torn or foreign file, or something that
	// is not a regular file. The text after it is the reason. The caller passes it on to [Dir.SetAside].
	ErrBroken = errors.New("broken spool file")

	// ErrNewer is returned by [Dir.Read] for a file of a later format. The
	// caller leaves it where it is for an owner that knows the format, and
	// reports it (ADR-0004 rule 8).
	ErrNewer = errors.New("spool file of a newer version")

	// ErrTooLarge is returned by [Dir.Put] for a body over [MaxBody]. Nothing
	// was written; the caller cuts the body.
	ErrTooLarge = errors.New("body too large for the spool")

	// ErrUnsafe is returned by every method that touches a directory to which
	// others may write. The text names the path and the command that
	// fixes it.
	ErrUnsafe = errors.New("unsafe spool directory")
)
