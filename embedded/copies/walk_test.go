package copies

import (
	"fmt"
	"syscall"
	"testing"

	"journal/journal/record"
)

// TestArchiveWithoutDescriptors: an archive that this process cannot open for want of file descriptors is not damaged, and the walk fails.
func TestArchiveWithoutDescriptors(t *testing.T) {
	t.Parallel()
	failures := 1
	w := walker{pull: func() (record.Record, error, bool) {
		failures--
		return record.Record{}, fmt.Errorf("read archive segment: %w", syscall.EMFILE), failures == 0
	}}
	w.advance()
	if w.failed == nil || len(w.found.Archive) > 0 {
		t.Errorf("error %v, damage %v", w.failed, w.found.Archive)
	}
}
