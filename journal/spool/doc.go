// Package spool is the durable queue in front of the log. A hook that cannot
// reach the owner of the log, or that finds the queue not empty, puts its report
// here and leaves; the owner alone drains it, oldest first (ADR-0003).
//
// The queue is a directory, and a report is one file in it. So appending needs no
// owner, no lock and no library: a script in any language can append with a rename
// and a SHA-256.
//
// # Name
//
//	<boot>-<nanos>-<id>.ev
//
// boot is 8 lower case hex digits naming one start of the machine, nanos is 16
// lower case hex digits counting the nanoseconds since that start, sleep
// included, and id is the event id, 1 to 64 of a-z, 0-9 and "-". An appender
// that cannot know boot and nanos writes 8 and 16 zeros. To keep its own files in
// order it may count upwards in nanos instead. A file whose name starts with a dot
// is not in the queue.
//
// # Content
//
//	journal-spool 1 <encoding> <length> <sha256>\n
//	<body>
//
// The five words are separated by one space each. encoding is "msgpack" or
// "json", length is the size of the body in bytes in decimal without leading
// zeros, at most [MaxBody], and sha256 is the digest of the body in 64 lower
// case hex digits. The body follows the newline and nothing follows the body.
// This package does not interpret the body.
//
// # Writing
//
// Create ".tmp-" + name in the spool directory, which must have no such file yet,
// write everything, fsync the file, rename it to name, fsync the directory. The
// report is durable after the last step.
//
// # Order
//
// [Dir.List] returns first the reports of earlier boots, then those with the zero
// boot, then those of the current boot, then files whose name is not of the form
// above. Within one boot the order is by nanos, then by id, and independent of the
// wall clock. Earlier boots share no counter, so the oldest modification time of
// each boot's files decides between them.
package spool

import "errors"

var (
	// ErrBroken is returned by [Dir.Read] for an entry that can never become a report: a torn or foreign file, or
	// anything but a regular file. The error's text has the reason, for [Dir.SetAside].
	ErrBroken = errors.New("broken spool file")

	// ErrNewer is returned by [Dir.Read] for a file of a later format. The
	// caller leaves it for an owner that knows the format, and reports it
	// (ADR-0004 rule 8).
	ErrNewer = errors.New("spool file of a newer version")

	// ErrTooLarge is returned by [Dir.Put] for a body over [MaxBody]. Nothing
	// was written.
	ErrTooLarge = errors.New("body too large for the spool")

	// ErrUnsafe is returned for an unsafe directory, as [Dir] describes. The text
	// names the path and, on Unix, a command that makes the directory safe.
	ErrUnsafe = errors.New("unsafe spool directory")
)
