package events

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// NoteRecorded is a working note that is in no file. The projection Flow lists it with those of files.
type NoteRecorded struct {
	Text    string `json:"text"`
	Heading string `json:"heading,omitempty"`
}

func (NoteRecorded) event() {}

var _ = declare[NoteRecorded]("note.recorded", "a working note", lasting, appendable, requires("text"))

// DecisionRecorded is a decision that a person or an agent recorded, or that was found in an answer of the model.
type DecisionRecorded struct {
	Text string `json:"text"`
	// Weak is set if the decision was found in an answer of the model, in a line with the word for decision. Such decisions rank
	// after the others (ADR-0028).
	Weak bool `json:"weak,omitempty"`
	// Replaces is the sequence of the project's earlier decision that this decision replaces, 0 for none.
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

// decisionWords begin a line about a decision, in the languages of the recovery text.
var decisionWords = []string{"Decision", "결정", "決定"}

// decisionLine returns the decision in a line such as "- **Decision:** keep it small". The word may begin any sentence of the
// line, because models write it after a short remark ("Done. Decision: …").
func decisionLine(line string) (decision string, ok bool) {
	for _, word := range decisionWords {
		for before, after, found := strings.Cut(line, word); found; before, after, found = strings.Cut(after, word) {
			marked := strings.TrimLeft(after, "*_ ")
			text, colon := strings.CutPrefix(marked, ":")
			if !colon {
				text, colon = strings.CutPrefix(marked, "：")
			}
			if text = strings.Trim(text, " *_\t\r\n"); colon && text != "" && beginsSentence(before) {
				return text, true
			}
		}
	}
	return "", false
}

// beginsSentence reports whether a sentence or a list item can begin after the text before.
func beginsSentence(before string) bool {
	before = strings.TrimRight(before, " \t*_#>-•")
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || strings.ContainsRune(".!?。！？", r)
}

// DecisionRetracted records that a decision of the project no longer holds.
type DecisionRetracted struct {
	Decision uint64 `json:"decision"` // sequence of the decision
	Reason   string `json:"reason,omitempty"`
}

func (DecisionRetracted) event() {}

func (d DecisionRetracted) validate() error {
	if d.Decision == 0 {
		return errors.New("decision is missing: give the event number of the decision to take back, as shown behind #")
	}
	return nil
}

var _ = declare[DecisionRetracted]("decision.retracted", "a decision was taken back", lasting, appendable)

// CheckpointRecorded is a checkpoint that a person or an agent made on purpose. A fold derives the automatic ones, at 80 and
// 90 percent of the context and before a compaction, without events of their own (ADR-0027).
type CheckpointRecorded struct {
	Summary string `json:"summary"`
}

func (CheckpointRecorded) event() {}

var _ = declare[CheckpointRecorded]("checkpoint.recorded", "a checkpoint made on purpose", lasting, appendable, requires("summary"))
