package embedded

import "errors"

var (
	// ErrNewerStore is returned when the directory was written by a later
	// version of journal than this one. Upgrade; nothing was touched.
	ErrNewerStore = errors.New("journal directory has a newer format")

	// ErrUnusableStore is returned when the store holds something that the
	// server would answer by deleting a stream: a file that cannot be opened,
	// or one that is not a file. Nothing was touched.
	ErrUnusableStore = errors.New("store cannot be opened safely")

	// ErrNotLoopback is returned for an Options.Listen that is not a literal
	// loopback address with a port.
	ErrNotLoopback = errors.New("listen address is not loopback")
)
