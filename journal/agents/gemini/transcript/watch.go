package transcript

import (
	"bytes"
	"encoding/json"
	"time"

	"journal/journal/transcript"
)

// watcher finds what no hook tells in a chat that grows: that the context was compressed,
// with the summary, and how full it was. It is the reader of imports, told to say nothing
// that hooks say: one reading, and the same ids.
type watcher struct {
	reader reader
	since  time.Time
}

func (w *watcher) Since(began time.Time) { w.since = began }

// Context shows nothing: chats do not tell which texts of hooks arrived.
func (w *watcher) Context() (newest transcript.Context, told int) { return transcript.Context{}, 0 }

// What a row has that may tell something.
var (
	setMember    = []byte(`"$set"`)
	tokensMember = []byte(`"tokens"`)
	headMember   = []byte(`"projectHash"`)
)

func (w *watcher) Take(b []byte) []transcript.Step {
	if !bytes.Contains(b, setMember) && !bytes.Contains(b, tokensMember) && !bytes.Contains(b, headMember) {
		return nil
	}
	var one row
	if json.Unmarshal(b, &one) != nil || one.time().Before(w.since) && !w.since.IsZero() {
		return nil
	}
	w.reader.take(one)
	steps := w.reader.pending
	w.reader.pending = nil
	return steps
}
