package events

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// NoteRecorded says that something was noted that is not a decision: a Flow entry without a file.
type NoteRecorded struct {
	Text    string `json:"text"`
	Heading string `json:"heading,omitempty"`
}

func (NoteRecorded) event() {}

var _ = declare[NoteRecorded]("note.recorded", "a working note", lasting, appendable, requires("text"))

// DecisionRecorded says that something was decided.
type DecisionRecorded struct {
	Text string `json:"text"`
	// Weak marks a decision read out of the model's prose: a line that begins
	// with the word for decision. Explicit ones rank before it (ADR-0028).
	Weak bool `json:"weak,omitempty"`
	// Replaces is the sequence of an earlier decision of the project that this one
	// takes the place of, 0 none.
	Replaces uint64 `json:"replaces,omitempty"`
}

func (DecisionRecorded) event() {}

func (d DecisionRecorded) validate() error {
	if strings.TrimSpace(d.Text) == "" {
		return errors.New("text is empty")
	}
	return nil
}

var _ = declare[DecisionRecorded]("decision.recorded", "something was decided", lasting, appendable,
	fromEach(func(h Hook) (all []DecisionRecorded) {
		if h.Kind != TurnEnd {
			return nil
		}
		for line := range strings.Lines(h.Text) {
			if text, ok := decisionLine(line); ok {
				all = append(all, DecisionRecorded{Text: text, Weak: true})
			}
		}
		return all
	}))

// decisionWords are the words that a line about a decision begins with, in the
// languages of the recovery text.
var decisionWords = []string{"Decision", "결정", "決定"}

// decisionLine reads a line such as "- **Decision:** keep it small". The word
// counts wherever a sentence begins, because models put it after a short
// remark ("Done. Decision: …").
func decisionLine(line string) (string, bool) {
	for _, word := range decisionWords {
		rest := line
		for {
			i := strings.Index(rest, word)
			if i < 0 {
				break
			}
			before, after := rest[:i], strings.TrimLeft(rest[i+len(word):], "*_ ")
			rest = rest[i+len(word):]
			text, found := strings.CutPrefix(after, ":")
			if !found {
				text, found = strings.CutPrefix(after, "：")
			}
			if text = strings.Trim(text, " *_\t\r\n"); found && text != "" && beginsSentence(before) {
				return text, true
			}
		}
	}
	return "", false
}

// beginsSentence says whether a sentence or a list item can begin after before.
func beginsSentence(before string) bool {
	before = strings.TrimRight(before, " \t*_#>-•")
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || strings.ContainsRune(".!?。！？", r)
}

// DecisionRetracted says that a decision of the project does not hold any more.
type DecisionRetracted struct {
	Decision uint64 `json:"decision"` // its sequence
	Reason   string `json:"reason,omitempty"`
}

func (DecisionRetracted) event() {}

func (d DecisionRetracted) validate() error {
	if d.Decision == 0 {
		return errors.New("decision is missing: the number behind # of what is taken back")
	}
	return nil
}

var _ = declare[DecisionRetracted]("decision.retracted", "a decision was taken back", lasting, appendable)

// CheckpointRecorded is a checkpoint that somebody made on purpose. Those at 80
// and 90 percent of the context and before a compaction are no events: they are
// edges that a fold derives (ADR-0027).
type CheckpointRecorded struct {
	Summary string `json:"summary"`
}

func (CheckpointRecorded) event() {}

var _ = declare[CheckpointRecorded]("checkpoint.recorded", "a checkpoint made on purpose", lasting, appendable, requires("summary"))

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
