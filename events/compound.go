package events

import "strings"

// CompoundRequested records that a person asked for a compound by a slash command. There is a compound only if the turn
// then writes learnings (ADR-0008). It has its own type so that project folds need not read every prompt.
type CompoundRequested struct {
	Command string `json:"command"` // "/compound", "/plugin:compound"
}

func (CompoundRequested) event() {}

var _ = declare[CompoundRequested]("compound.requested", "a person asked for a compound; it has not run", lasting,
	fromSome(PromptSubmit, func(h Hook) (CompoundRequested, bool) {
		command, _, _ := strings.Cut(strings.TrimSpace(h.Text), " ")
		command, _, _ = strings.Cut(command, "\n")
		asked := strings.HasPrefix(command, "/") && (command == "/compound" || strings.HasSuffix(command, ":compound"))
		return CompoundRequested{Command: command}, asked && !h.Machine
	}))

// CompoundFinished records that a person had working notes promoted to learnings (S1.8). The journal itself never
// promotes notes (S1.12).
type CompoundFinished struct {
	Promoted int `json:"promoted"` // number of notes
	// Entries lists the ids of the promoted notes, as in FlowEntry; empty if unknown.
	Entries []string `json:"entries,omitempty"`
}

func (CompoundFinished) event() {}

var _ = declare[CompoundFinished]("compound.finished", "working notes were promoted to learnings", irreversible, lasting, appendable)

// MarkerImported is the content of an older tool's marker file, about the time before the log (S1.15, docs/FILES.md
// §S1). It is only that tool's claim, and does not count as a compaction or a compound (ADR-0008). Its id is derived from
// project, marker and digest, so that a file is imported once.
type MarkerImported struct {
	Marker string `json:"marker"` // the file's name, one of the constants below
	// At is the marker's own time in RFC 3339, as written; empty if unreadable. It must not order anything: models invent
	// such times.
	At string `json:"at,omitempty"`
	// Promoted is the number of promoted notes; only for CompoundMarker.
	Promoted int `json:"promoted,omitempty"`

	// The fields below are only for LastCompactMarker.

	Trigger  string   `json:"trigger,omitempty"`  // manual, auto; empty if missing
	Compound bool     `json:"compound,omitempty"` // a compound had run, according to that tool
	Entries  int      `json:"entries,omitempty"`  // number of entries of the working notes
	Headings []string `json:"headings,omitempty"` // headings of the newest entries, at most 3
	// Learnings is the number of learnings. Unverified is the number of learnings that were never confirmed. Mean is the mean
	// number of confirmations of the confirmed ones, in decimal; empty means 0.
	Learnings  int    `json:"learnings,omitempty"`
	Unverified int    `json:"unverified,omitempty"`
	Mean       string `json:"mean_confirmations,omitempty"`

	Digest string `json:"digest"` // SHA-256 of the file's bytes, in hex
}

// The names of the marker files.
const (
	LastCompactMarker = "last-compact.json"
	CompoundMarker    = "compound-last-run.json"
)

func (MarkerImported) event() {}

var _ = declare[MarkerImported]("marker.imported", "the content of a marker file of an older tool, from before the log", irreversible, lasting, appendable)
