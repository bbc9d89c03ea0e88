package gemini

import (
	"bytes"
	"encoding/json"
	"slices"

	"journal/journal/agents/transcript"
)

// watcher finds what no hook tells in a chat that grows: that the context was compressed,
// with the summary, and how full it was. It is the reader of imports, told to say nothing
// that hooks say: one reading, and the same ids.
type watcher struct{ *reader }

func watch() transcript.Watcher {
	w := &watcher{newReader()}
	w.Watching = true
	return w
}

// Context shows nothing: chats do not tell which texts of hooks arrived.
func (w *watcher) Context() (newest transcript.Context, told int) { return transcript.Context{}, 0 }

// old says whether a row or message is to be passed over.
func (w *watcher) old(m row) bool { return w.Old(m.time()) }

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
	w.take(one)
	return w.Told.Take()
}
