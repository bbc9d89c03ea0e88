package events

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

var _ = declare("marker.imported", "what a marker file of an older tool told of the time before the log", lasting[MarkerImported](), appendable[MarkerImported]())
