package ownership

import "errors"

var (
	// ErrLocked is returned when another process owns the directory. Callers use its socket, or spool.
	ErrLocked = errors.New("journal directory is owned by another process")

	// ErrForeign is returned when the lock is free for this machine but a machine with another boot id wrote a heartbeat into its file a
	// moment ago: the directory is shared with a machine whose locks do not reach this one (ADR-0004 rule 13). Callers spool.
	ErrForeign = errors.New("journal directory is in use on another machine")

	// ErrNoHolder is returned by ReadHolder when no owner has written its record since the last release of the lock.
	ErrNoHolder = errors.New("lock file names no holder")

	// ErrNotInherited is returned by Inherited if Spawn did not hand the lock to this process, or the lock cannot be taken over.
	ErrNotInherited = errors.New("no owner lock was inherited")

	// ErrUnsafeDir is returned by Prepare for a directory that is not private to this user. The error has advice, where possible the
	// command that makes it private.
	ErrUnsafeDir = errors.New("journal directory is not private")

	// ErrReplaced is returned when the directory has another lock file than the held one. The store belongs to another owner now. The
	// process must leave with os.Exit, without stopping the server: a clean stop would write into the other owner's store (ADR-0004 rule
	// 5).
	ErrReplaced = errors.New("journal directory was replaced under its owner")

	// ErrClosed is returned by methods of a Server or Lock that was closed, released or handed over.
	ErrClosed = errors.New("owner is closed")
)
