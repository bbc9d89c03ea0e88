package events

import (
	"strings"
)

// CompoundRequested says that a person asked for compound by a slash command. It is not a compound yet: there was one
// only if the turn then writes lasting knowledge (ADR-0008). It is an event of its own so that project folds need not
// read every prompt.
type CompoundRequested struct {
	Command string `json:"command"` // "/compound", "/plugin:compound"
}

func (CompoundRequested) event() {}

var _ = declare[CompoundRequested]("compound.requested", "a person asked for compound; none yet", lasting,
	fromSome(PromptSubmit, func(h Hook) (CompoundRequested, bool) {
		command, _, _ := strings.Cut(strings.TrimSpace(h.Text), " ")
		command, _, _ = strings.Cut(command, "\n")
		asked := strings.HasPrefix(command, "/") && (command == "/compound" || strings.HasSuffix(command, ":compound"))
		return CompoundRequested{Command: command}, asked && !h.Machine
	}))

// CompoundFinished says that a person had working notes promoted to lasting
// knowledge (S1.8). It is never run by the journal itself (S1.12).
type CompoundFinished struct {
	Promoted int `json:"promoted"`
	// Entries are the ids of the notes that were promoted, as FlowEntry has them; empty
	// when nobody told which.
	Entries []string `json:"entries,omitempty"`
}

func (CompoundFinished) event() {}

var _ = declare[CompoundFinished]("compound.finished", "working notes were promoted to lasting knowledge", lasting, appendable)

// MarkerImported says what a marker file of an older tool told of the time before
// the log (S1.15, docs/FILES.md §S1). It is that tool's word: no compaction and no
// compound is counted because of it (ADR-0008). Its id is derived from the
// project, the marker and the digest, so that a file is imported once.
type MarkerImported struct {
	Marker string `json:"marker"` // the file's name, one of the constants below
	// At is the marker's own time in RFC 3339, as it was written; empty when there
	// was none that can be read. Nothing may be ordered by it: models made some up.
	At string `json:"at,omitempty"`
	// Promoted is how many notes were promoted; only for CompoundMarker.
	Promoted int `json:"promoted,omitempty"`

	// The fields below are only for LastCompactMarker.

	Trigger  string   `json:"trigger,omitempty"`  // manual, auto; empty when it did not tell
	Compound bool     `json:"compound,omitempty"` // compound had run, as that tool compared times
	Entries  int      `json:"entries,omitempty"`  // of the working notes
	Headings []string `json:"headings,omitempty"` // of the newest of those, at most 3
	// Learnings is the number of learnings, Unverified how many of them were never confirmed, Mean how often the others
	// were on average, a decimal number; empty means 0.
	Learnings  int    `json:"learnings,omitempty"`
	Unverified int    `json:"unverified,omitempty"`
	Mean       string `json:"mean,omitempty"`

	Digest string `json:"digest"` // SHA-256 of the file's bytes, in hex
}

// The marker files that tell of the past, by their names.
const (
	LastCompactMarker = "last-compact.json"
	CompoundMarker    = "compound-last-run.json"
)

func (MarkerImported) event() {}

var _ = declare[MarkerImported]("marker.imported", "what a marker file of an older tool told of the time before the log", lasting, appendable)
