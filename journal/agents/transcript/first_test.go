package transcript_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/iotest"

	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
)

// A file that cannot be read is not called a file without a session.
func TestFirstOfAnUnreadableFile(t *testing.T) {
	t.Parallel()
	_, err := transcript.First(iotest.ErrReader(fs.ErrPermission), payload.Limits{}, "s", func([]byte) (transcript.Head, bool) { return transcript.Head{}, false })
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
