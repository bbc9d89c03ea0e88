package transcript

import (
	"hash/fnv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/redact"
)

// Rewind is a part of a conversation that the person took back.
type Rewind struct {
	First Prompt  // the first prompt that was taken back
	Next  *Prompt // the first prompt after the rewind; nil if unknown
	At    int64   // ns since 1970 UTC
	Files bool    // the client restored the files
}

// Prompt identifies a prompt of a person, in a transcript and in the log.
type Prompt struct {
	ID    string // id of the event that an import makes of the prompt
	Turn  string // "" if unknown
	Words uint64 // WordsOf of the prompt's text
	At    int64  // ns since 1970 UTC
	Place int    // number of steps of the lane before the prompt, without rewinds
}

// Prompt returns the identity of a prompt of the main lane, in the current turn. row is the id of the row that reports the prompt, and
// hook the name of the hook that would have reported it.
func (t *Reported) Prompt(row, hook, text string) Prompt {
	id := Step{Row: row, What: hook}.IDs(1)[0]
	return Prompt{ID: id, Turn: t.Turn, Words: WordsOf(text), At: t.At.UnixNano(), Place: t.Place()}
}

// WordsOf returns a digest of a prompt's text. Redaction of the text does not change it.
func WordsOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(redact.Comparable(strings.TrimSpace(text)))) // also redacts the text
	return h.Sum64()
}

// Branches holds the prompts of a lane in the order of its rows. A prompt stands if it was not taken back. The zero value is ready. It
// is not safe for concurrent use.
type Branches struct {
	prompts  []Prompt
	parents  []int // for each prompt, the index of the prompt that it follows in the conversation, -1 for none
	standing []int // indexes of the prompts that stand
}

// Newest returns the index of the newest prompt that stands, -1 for none.
func (b *Branches) Newest() int {
	if n := len(b.standing); n > 0 {
		return b.standing[n-1]
	}
	return -1
}

// Add adds a prompt that follows the newest one that stands.
func (b *Branches) Add(p Prompt) {
	b.parents = append(b.parents, b.Newest())
	b.standing = append(b.standing, len(b.prompts))
	b.prompts = append(b.prompts, p)
}

// Back records that the conversation continues after the prompt with the index to; -1 is the beginning. It returns the prompt added after
// that one, because this and all later prompts are taken back. ok is false if there is none, or if to is already the newest that stands.
func (b *Branches) Back(to int) (first Prompt, ok bool) {
	if to == b.Newest() {
		return Prompt{}, false
	}
	b.standing = b.standing[:0]
	for n := to; n >= 0; n = b.parents[n] {
		b.standing = append([]int{n}, b.standing...)
	}
	if to+1 >= len(b.prompts) {
		return Prompt{}, false
	}
	return b.prompts[to+1], true
}

// Drop takes back the newest n prompts that stand. Its results are those of Back.
func (b *Branches) Drop(n int) (first Prompt, ok bool) {
	n = min(n, len(b.standing))
	if n <= 0 {
		return Prompt{}, false
	}
	to := -1
	if n < len(b.standing) {
		to = b.standing[len(b.standing)-n-1]
	}
	return b.Back(to)
}

// AddRewind adds the step of a rewind that a row reports. It sets the kind and Restored of h, and the time of the rewind.
func (t *Reported) AddRewind(h events.Hook, row string, rewind Rewind) {
	h.Kind, h.Restored, rewind.At = events.Rewind, rewind.Files, h.At
	t.Pending = append(t.Pending, Step{Report: agents.Report{Hook: h}, Row: row, What: "rewind", Unhooked: true, Rewind: &rewind})
}
