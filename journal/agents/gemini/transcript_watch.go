package gemini

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"journal/journal/agents/transcript"
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

// Said gives what the chat's messages tell.
func (w *watcher) Said() (transcript.Words, bool) { return w.reader.words, w.reader.words.Row != "" }

// old says whether a row or message was written before the moment of Since.
func (w *watcher) old(m row) bool { return !w.since.IsZero() && m.time().Before(w.since) }

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
	if json.Unmarshal(b, &one) != nil {
		return nil
	}
	switch {
	case one.Set != nil: // only its messages have times
		one.Set.Messages = slices.DeleteFunc(one.Set.Messages, w.old)
	case w.old(one):
		return nil
	}
	w.reader.take(one)
	steps := w.reader.pending
	w.reader.pending = nil
	return steps
}
