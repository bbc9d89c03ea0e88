package owner

import (
	"fmt"
	"path/filepath"

	"journal/journal/disk"
)

// Head is the sequence of the newest event.
func (o *Owner) Head() uint64 { return o.writer.Head() }

// writeHead leaves the head sequence for appenders, as the floor of what they
// spool. It is a lower bound, so it need not be synced.
func (o *Owner) writeHead() {
	if !o.lock.Intact() {
		return // the directory is somebody else's
	}
	path := filepath.Join(o.lock.Dir(), "head")
	if err := disk.ReplaceAlone(path, fmt.Appendf(nil, "%d\n", o.Head()), 0o600); err != nil {
		o.trouble(fmt.Errorf("head file: %w", err))
	}
}
