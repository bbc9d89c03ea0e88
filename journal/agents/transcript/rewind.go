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
	First Prompt  // that was taken back
	Next  *Prompt // the first after the rewind; nil if the transcript names none
	At    int64   // ns since 1970 UTC
	Files bool    // the client restored the files
}

// Prompt identifies a prompt of a person, in a transcript and in the log.
type Prompt struct {
	ID    string // of the event that an import makes of it
	Turn  string // empty if unknown
	Words uint64 // digest of its text, by WordsOf
	At    int64  // ns since 1970 UTC
	Place int    // how many steps of its lane come before it, without rewinds
}

// WordsOf returns the digest of a prompt's text, which redaction does not change.
func WordsOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(redact.Comparable(redact.Text(strings.TrimSpace(text)))))
	return h.Sum64()
}

// Branches holds the prompts of a lane in the order of its rows, and which of them still stand. The zero value is ready;
// it is not safe for concurrent use.
type Branches struct {
	prompts  []Prompt
	parents  []int // of each prompt, -1 for none
	standing []int
}

// Newest returns the number of the newest prompt that stands, -1 for none.
func (b *Branches) Newest() int {
	if n := len(b.standing); n > 0 {
		return b.standing[n-1]
	}
	return -1
}

// Standing returns how many prompts stand.
func (b *Branches) Standing() int { return len(b.standing) }

// Add adds a prompt behind the newest one that stands.
func (b *Branches) Add(p Prompt) {
	b.parents = append(b.parents, b.Newest())
	b.standing = append(b.standing, len(b.prompts))
	b.prompts = append(b.prompts, p)
}

// Back reports that the conversation goes on behind a prompt, -1 for its beginning, and returns the first prompt in the
// order of the rows that does not stand any more. ok is false if nothing is taken back.
func (b *Branches) Back(to int) (first Prompt, ok bool) {
	if to == b.Newest() || to+1 >= len(b.prompts) {
		return Prompt{}, false
	}
	b.standing = b.standing[:0]
	for n := to; n >= 0; n = b.parents[n] {
		b.standing = append([]int{n}, b.standing...)
	}
	return b.prompts[to+1], true
}

// Drop takes back the newest prompts that stand, as Back does.
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

// Rewound adds the step of a rewind, which a row reports.
func (t *Reported) Rewound(h events.Hook, row string, rewind Rewind) {
	h.Kind, h.Restored, rewind.At = events.Rewind, rewind.Files, h.At
	t.Pending = append(t.Pending, Step{Report: agents.Report{Hook: h}, Row: row, What: "rewind", Unhooked: true, Rewind: &rewind})
}
